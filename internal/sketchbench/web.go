package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// web is a built test web: its pages in one file, and a manifest of host, path, offset, length, media type and time.
type web struct {
	pack  *os.File
	pages map[string]place // by URL without "http://"
}

type place struct {
	offset int64
	length int
}

func openWeb(dir string) (*web, error) {
	w := &web{pages: make(map[string]place)}
	err := readLines(filepath.Join(dir, "manifest.tsv"), func(f []string) error {
		if len(f) < 5 || !strings.HasPrefix(f[4], "text/html") {
			return nil
		}
		offset, err1 := strconv.ParseInt(f[2], 10, 64)
		length, err2 := strconv.Atoi(f[3])
		w.pages[f[0]+f[1]] = place{offset, length}
		return errors.Join(err1, err2)
	})
	if err != nil {
		return nil, err
	}
	w.pack, err = os.Open(filepath.Join(dir, "pack.dat"))
	return w, err
}

// page is the body of a URL; false when the web has none of it.
func (w *web) page(url string) (body []byte, ok bool, err error) {
	p, ok := w.pages[strings.TrimPrefix(url, "http://")]
	if !ok {
		return nil, false, nil
	}
	body = make([]byte, p.length)
	if _, err := w.pack.ReadAt(body, p.offset); err != nil {
		return nil, false, fmt.Errorf("read %s: %w", url, err)
	}
	return body, true, nil
}

// readLines gives the fields of each line that is no comment.
func readLines(name string, line func(fields []string) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		if err := line(strings.Split(lines.Text(), "\t")); err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	return lines.Err()
}
