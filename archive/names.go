package archive

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	suffixWARC = ".warc.gz"
	suffixOpen = ".open"
)

// names makes the names of WARC files as Heritrix does:
// PREFIX-YYYYMMDDhhmmssSSS-serial-pid~host~port.warc.gz.
type names struct {
	prefix, host string
	pid, serial  int
}

func (n *names) next(t time.Time) string {
	t = t.UTC()
	stamp := t.Format("20060102150405") + fmt.Sprintf("%03d", t.Nanosecond()/1e6)
	name := fmt.Sprintf("%s-%s-%05d-%d~%s~0%s", n.prefix, stamp, n.serial, n.pid, n.host, suffixWARC)
	n.serial++
	return name
}

// isWARC reports the name of a finished WARC file.
func isWARC(name string) bool {
	return strings.HasSuffix(name, ".warc") || strings.HasSuffix(name, suffixWARC)
}

// Files gives the final base names of the WARC files in a folder, closed or still being written, in
// order.
func Files(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if name := strings.TrimSuffix(e.Name(), suffixOpen); isWARC(name) && isFile(dir, e) {
			names = append(names, name)
		}
	}
	return names, nil
}

// isFile reports that an entry of a folder is a file, or a link to one: an operator moves files to
// another disk.
func isFile(dir string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.Type().IsRegular()
	}
	info, err := os.Stat(filepath.Join(dir, e.Name()))
	return err == nil && info.Mode().IsRegular()
}

// find gives the path of a WARC file by its base name, whether it was closed or is still being
// written.
func find(dir, file string) (string, error) {
	path := filepath.Join(dir, file)
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, openErr := os.Stat(path + suffixOpen); openErr == nil {
			return path + suffixOpen, nil
		}
	}
	return path, err
}
