package archive

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"watershed/internal/disk"
)

// Repaired tells the result for a file that a writer had left unfinished.
type Repaired struct {
	File     string // final base name; of a file that was taken away, that which it would have had
	Captures int    // kept
	Bytes    int64  // kept
	Cut      int64  // bytes cut off its end, in which no capture is whole
	Damaged  int    // places before, of damage or of a capture that lacks a record
	Removed  bool   // no capture was left, so the file was taken away
	Cause    error  // what was wrong first; nil when nothing was
}

// Repair finishes the files that a kill or a power cut left ".open" in the folder: each is cut
// behind its last whole capture, made durable and given its final name. The end that is cut off is
// that of the last write, torn and worthless. Damage that has whole captures behind it, which a kill
// never leaves, stays where it is: whoever reads the file passes it over. Temporary files are
// removed. No writer may be at work in the folder. It may be called again at any time. On an error
// the files before it are repaired.
func Repair(d disk.FS, dir string) ([]Repaired, error) {
	d = disk.Or(d)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("repair: %w", err)
	}
	var all []Repaired
	for _, e := range entries {
		name := e.Name()
		switch final, open := strings.CutSuffix(name, suffixOpen); {
		case !isFile(dir, e):
		case temporary(name):
			if err := d.Remove(filepath.Join(dir, name)); err != nil {
				return all, fmt.Errorf("repair: %w", err)
			}
		case open && isWARC(final):
			done, err := repairFile(d, dir, final)
			if err != nil {
				return all, fmt.Errorf("repair %s: %w", name, err)
			}
			all = append(all, done)
		}
	}
	return all, d.SyncDir(dir)
}

// temporary reports the names of files that a kill may leave: spills, and files that disk.WriteFile
// had not finished.
func temporary(name string) bool {
	whole, temp := strings.CutSuffix(name, disk.Suffix)
	return strings.HasPrefix(name, ".batch-") || temp && isWARC(whole)
}

func repairFile(d disk.FS, dir, final string) (done Repaired, err error) {
	open := filepath.Join(dir, final+suffixOpen)
	done, err = lastWhole(open)
	if err != nil {
		return done, err
	}
	done.File = final
	if final, err = free(dir, final, done.Bytes); err != nil {
		return done, err
	}
	if done.Captures == 0 || final == "" {
		done.Removed = true
		if final != "" {
			_ = d.Remove(filepath.Join(dir, final) + suffixRegister) // it does no harm
		}
		return done, d.Remove(open)
	}
	done.File = final
	f, err := d.OpenFile(open, os.O_RDWR, 0)
	if err != nil {
		return done, err
	}
	if done.Cut > 0 {
		err = f.Truncate(done.Bytes)
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return done, err
	}
	return done, d.Rename(open, filepath.Join(dir, final))
}

// free is the name that an unfinished file gets: its own; another one where a finished file has that
// and does not begin with the same bytes; "" where it does. A folder that was copied twice while it
// was written to may have both.
func free(dir, final string, size int64) (string, error) {
	path := filepath.Join(dir, final)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return final, nil
	}
	same, err := beginsAlike(path, path+suffixOpen, size)
	if err != nil || same {
		return "", err
	}
	for n := 1; ; n++ {
		name := strings.TrimSuffix(final, suffixWARC) + fmt.Sprintf("~%d", n) + suffixWARC
		if _, err := os.Lstat(filepath.Join(dir, name)); errors.Is(err, fs.ErrNotExist) {
			return name, nil
		}
	}
}

// beginsAlike reports that the first bytes of two files are the same.
func beginsAlike(a, b string, size int64) (same bool, err error) {
	var sums [2]string
	for i, path := range []string{a, b} {
		f, err := os.Open(path)
		if err != nil {
			return false, err
		}
		sums[i], err = labelOf(io.NewSectionReader(f, 0, size))
		if info, e := f.Stat(); e == nil && info.Size() < size {
			sums[i] = path
		}
		if err = errors.Join(err, f.Close()); err != nil {
			return false, err
		}
	}
	return sums[0] == sums[1], nil
}

// lastWhole finds the end of the last capture that is whole, and counts what is wrong before it.
// Members that the file's register tells are compared with its sums, others unzipped.
func lastWhole(path string) (done Repaired, err error) {
	f, err := os.Open(path)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	stat, err := f.Stat()
	if err != nil {
		return done, err
	}
	wrong := 0 // places since the last whole capture
	note := func(err error) {
		wrong++
		if done.Cause == nil {
			done.Cause = err
		}
	}
	err = newParts(f, filepath.Base(path), false).each(func(b bundle) error {
		if !b.whole() {
			note(fmt.Errorf("capture at %d: %w", b.parts[0].loc.Offset, errTorn))
			return nil
		}
		done.Bytes, done.Damaged, wrong = b.end(), done.Damaged+wrong, 0
		if b.main().kind != TypeWarcinfo {
			done.Captures++
		}
		return nil
	}, note)
	done.Cut = stat.Size() - done.Bytes
	return done, err
}

var errTorn = errors.New("not all of its records are there")
