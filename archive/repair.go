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
	File     string // final base name
	Captures int    // kept
	Bytes    int64  // kept
	Cut      int64  // bytes cut off its end
	Removed  bool   // no capture was left, so the file was taken away
	Tail     string // base name of the file that keeps what was cut off, where records can be read in it
	Cause    error  // what was wrong behind the last whole capture; nil when nothing was
}

// Repair finishes the files that a kill or a power cut left ".open" in the folder: each is cut
// behind its last whole capture, made durable and given its final name. The tail that is cut off is
// the torn end of the last write and worthless; where whole records lie behind a damage, which a
// kill never leaves, the tail is kept in a file NAME.tail. Temporary files are removed. No writer
// may be at work in the folder. It may be called again at any time. On an error the files before it
// are repaired.
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
		case !e.Type().IsRegular():
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
	if !temp {
		whole, temp = strings.CutSuffix(name, ".tmp") // of earlier versions of the program
	}
	return strings.HasPrefix(name, ".batch-") || temp && isWARC(strings.TrimSuffix(whole, suffixTail))
}

func repairFile(d disk.FS, dir, final string) (done Repaired, err error) {
	path := filepath.Join(dir, final)
	if _, err := os.Lstat(path); err == nil {
		return done, fmt.Errorf("%s is there already: %w", final, fs.ErrExist)
	}
	done, err = lastWhole(path + suffixOpen)
	if err != nil {
		return done, err
	}
	done.File = final
	if done.Tail != "" {
		if err := saveTail(d, path, done); err != nil {
			return done, err
		}
	}
	if done.Captures == 0 {
		done.Removed = true
		_ = d.Remove(path + suffixRegister) // it is good for nothing, and does no harm
		return done, d.Remove(path + suffixOpen)
	}
	f, err := d.OpenFile(path+suffixOpen, os.O_RDWR, 0)
	if err != nil {
		return done, err
	}
	if done.Cut > 0 {
		err = f.Truncate(done.Bytes)
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return done, err
	}
	return done, d.Rename(path+suffixOpen, path)
}

// lastWhole finds the end of the last capture that is whole, and whether records lie behind a damage.
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
	p := newParts(f, filepath.Base(path), false)
	defer func() { _ = p.close() }() // it was only read
	var last error                   // of the record that was read last
	next := func() (x part, named []string, err error) {
		x, named, err = p.next()
		last = err
		return x, named, err
	}
	cause := bundles(next, func(b bundle) error {
		if !b.whole() {
			return fmt.Errorf("capture at %d: %w", b.parts[0].loc.Offset, errTorn)
		}
		done.Bytes = b.end()
		if b.main().kind != TypeWarcinfo {
			done.Captures++
		}
		return nil
	})
	var format *FormatError
	if cause != nil && !errors.As(cause, &format) && !errors.Is(cause, errTorn) {
		return done, cause // the disk, not the file
	}
	done.Cause, done.Cut = cause, stat.Size()-done.Bytes
	if errors.Is(cause, errTorn) && last == nil || p.r != nil && p.r.Recover() {
		done.Tail = strings.TrimSuffix(filepath.Base(path), suffixOpen) + suffixTail
	}
	return done, nil
}

const suffixTail = ".tail"

func saveTail(d disk.FS, path string, done Repaired) (err error) {
	src, err := os.Open(path + suffixOpen)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	return disk.WriteFile(d, path+suffixTail, 0o644, func(w io.Writer) error {
		_, err := io.Copy(w, io.NewSectionReader(src, done.Bytes, done.Cut))
		return err
	})
}

var errTorn = errors.New("not all of its records are there")
