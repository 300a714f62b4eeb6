// Package disk changes files. WARC files, indexes, packages, logs, tables, decisions and catalogs
// are written, renamed and removed through an FS, so that a test can put a disk in its place that
// forgets changes which were not synced, as a power cut does. Reading needs no such care: readers
// open the files by their paths.
//
// # Changes that survive a crash
//
// The process may end at any point: then all that was written is there. The power may fail: then a
// file has its content at its last Sync, with any part of the later writes, and a folder has the
// names that it had at its last SyncDir, with any of the changes made later, in any order. Whoever
// needs A to survive before B calls Sync and SyncDir between.
package disk

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"
)

// FS changes a file system. Errors are those of package os.
type FS interface {
	// OpenFile is os.OpenFile, for files that are written.
	OpenFile(path string, flag int, perm fs.FileMode) (File, error)
	// Rename gives a file or folder another name, and replaces a file that has that name.
	Rename(from, to string) error
	// Link gives a file a second name.
	Link(from, to string) error
	// Remove takes a name away.
	Remove(path string) error
	// RemoveAll takes a folder away with all that is in it; one that is not there is no error.
	RemoveAll(path string) error
	// MkdirAll makes a folder and those above it.
	MkdirAll(path string, perm fs.FileMode) error
	// SyncDir makes the names in a folder durable.
	SyncDir(path string) error
}

// File is a file that is written.
type File interface {
	io.Reader
	io.ReaderAt
	io.Writer
	io.Seeker
	io.Closer
	Name() string
	Truncate(size int64) error
	Sync() error
	Chmod(mode fs.FileMode) error
}

// OS is the file system of the machine.
type OS struct{}

// Or gives the machine's file system in place of none.
func Or(f FS) FS {
	if f == nil {
		return OS{}
	}
	return f
}

func (OS) OpenFile(path string, flag int, perm fs.FileMode) (File, error) {
	f, err := os.OpenFile(path, flag, perm)
	if err != nil {
		return nil, err // a nil *os.File would be a File that is not nil
	}
	return f, nil
}

func (OS) Rename(from, to string) error                 { return os.Rename(from, to) }
func (OS) Link(from, to string) error                   { return os.Link(from, to) }
func (OS) Remove(path string) error                     { return os.Remove(path) }
func (OS) RemoveAll(path string) error                  { return os.RemoveAll(path) }
func (OS) MkdirAll(path string, perm fs.FileMode) error { return os.MkdirAll(path, perm) }

func (OS) SyncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Unsynced is an FS that waits for nothing to be on disk. SyncAll makes durable what was written
// through it: of many small files, waiting for the disk after each takes most of the time.
type Unsynced struct{ FS }

// OpenFile is the OpenFile of the FS beneath, for a file whose Sync does nothing.
func (u Unsynced) OpenFile(path string, flag int, perm fs.FileMode) (File, error) {
	f, err := u.FS.OpenFile(path, flag, perm)
	if err != nil {
		return nil, err
	}
	return unsyncedFile{f}, nil
}

// SyncDir does nothing.
func (Unsynced) SyncDir(string) error { return nil }

type unsyncedFile struct{ File }

func (unsyncedFile) Sync() error { return nil }

// syncsAtOnce is how many files SyncAll syncs at a time. A disk makes those durable together that
// are waited for together.
const syncsAtOnce = 32

// AtOnce is most, or fewer, but not 0, where this process may have few files open. Of those each request
// in flight takes three, its connection and two of the spool, an idle connection one, and a state twenty.
func AtOnce(most int) int { return max(1, min(most, openFiles()/8)) }

// SyncAll makes durable what a folder has: files, folders, and what is in those.
func SyncAll(f FS, dir string) error {
	var g errgroup.Group
	g.SetLimit(AtOnce(syncsAtOnce))
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir():
			g.Go(func() error { return f.SyncDir(path) })
		case e.Type().IsRegular():
			g.Go(func() error { return syncFile(f, path) })
		}
		return nil
	})
	return errors.Join(err, g.Wait())
}

func syncFile(f FS, path string) error {
	file, err := f.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// List gives the paths of what a folder has under names that begin and end so, in their order; none
// where there is no folder. Unlike with filepath.Glob, no character of a path means another.
func List(dir, prefix, suffix string) (paths []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		rest, begins := strings.CutPrefix(e.Name(), prefix)
		if begins && strings.HasSuffix(rest, suffix) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, err
}

// Suffix ends the name of a file that is not whole yet: that of the file it is to become, and this.
// A kill may leave one.
const Suffix = ".new"

// Temporary is the name under which WriteFile fills a file.
func Temporary(path string) string { return path + Suffix }

// WriteFile makes a file that appears under its name, in place of another one, only when it is
// whole and on disk. It is durable when there is no error. Two that write the same file at a time
// must not; a file that a killed process left unfinished is written over.
func WriteFile(f FS, path string, perm fs.FileMode, fill func(io.Writer) error) error {
	err := replace(f, path, perm, func(out File) error {
		w := bufio.NewWriterSize(out, 64<<10)
		if err := fill(w); err != nil {
			return err // which Flush would repeat
		}
		return w.Flush()
	})
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	return nil
}

// WriteText is WriteFile of a text that is there.
func WriteText(f FS, path string, perm fs.FileMode, text []byte) error {
	return WriteFile(f, path, perm, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// WriteLines writes values as JSON, each in a line.
func WriteLines[T any](w io.Writer, list []T) (err error) {
	out := json.NewEncoder(w)
	for i := 0; i < len(list) && err == nil; i++ {
		err = out.Encode(list[i])
	}
	return err
}

// ReadJSON reads a file that is one JSON value.
func ReadJSON[T any](path string) (*T, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	value := new(T)
	if err := json.Unmarshal(text, value); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return value, nil
}

// FindJSON is ReadJSON, and nil for a file that is not there.
func FindJSON[T any](path string) (*T, error) {
	value, err := ReadJSON[T](path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return value, err
}

// WriteNamed is WriteFile for a path that a person named. A pipe or a device there, such as
// /dev/stdout, is written to as it is, and a link stays one: the file that it leads to is replaced.
// A file that replaces another one has its mode.
func WriteNamed(path string, fill func(io.Writer) error) error {
	info, err := os.Stat(path)
	to, e := os.Readlink(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && e == nil: // a link to a file that is to be made
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		return WriteNamed(to, fill)
	case errors.Is(err, fs.ErrNotExist):
		return WriteFile(OS{}, path, 0o666, fill)
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		out, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(fill(out), out.Close())
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return err
	}
	return WriteFile(OS{}, path, info.Mode().Perm(), fill)
}

// Replace is WriteFile for a caller who seeks in the file that is filled.
func Replace(f FS, path string, perm fs.FileMode, fill func(File) error) error {
	return replace(f, path, perm, fill)
}

func replace(f FS, path string, perm fs.FileMode, fill func(File) error) error {
	temp := Temporary(path)
	out, err := f.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	if err = errors.Join(fill(out), out.Sync(), out.Close()); err == nil {
		err = f.Rename(temp, path)
	}
	if err != nil {
		_ = f.Remove(temp) // the error before matters more
		return err
	}
	return f.SyncDir(filepath.Dir(path))
}

// Sweep removes the unfinished files that WriteFile left in a folder when a process was killed.
// Nobody may be writing there. A folder that is not there is no error.
func Sweep(f FS, dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), Suffix) {
			err = errors.Join(err, f.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}
