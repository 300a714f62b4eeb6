package crashdisk

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"watershed/internal/disk"
)

// file is a handle. Like an *os.File it has one place for reading and writing.
type file struct {
	disk.File
	d        *Disk
	rel      string
	node     int
	at       int64
	appended bool // each write goes to the end
}

// OpenFile implements disk.FS.
func (d *Disk) OpenFile(at string, flag int, perm fs.FileMode) (disk.File, error) {
	d.begin()
	defer d.mu.Unlock()
	p, err := d.known(at)
	if err != nil {
		return nil, err
	}
	f := &file{d: d, rel: p.rel, node: p.node, appended: flag&os.O_APPEND != 0}
	open := func() (err error) {
		f.File, err = d.os.OpenFile(at, flag, perm)
		return err
	}
	switch {
	case p.node == none && flag&os.O_CREATE != 0:
		if err = d.untouched(at, p.rel); err == nil {
			err = d.carryOut(open, func() op {
				f.node = d.grow(false)
				name := entry{p.folder, p.name, f.node}
				return op{kind: create, path: p.rel, node: f.node, mode: modeOf(at), names: []entry{name}}
			})
		}
	case p.node == none:
		_, err = d.existing(at)
	case flag&os.O_TRUNC != 0 && flag&os.O_EXCL == 0:
		err = d.carryOut(open, func() op { return d.cut(f, 0) })
	default:
		err = open()
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// untouched complains of a file that the Disk does not know of.
func (d *Disk) untouched(at, rel string) error {
	if _, err := os.Lstat(at); err == nil {
		_, err = d.existing(at)
		return err
	}
	return nil
}

func (d *Disk) cut(f *file, size int64) op {
	d.nodes[f.node].size = size
	return op{kind: truncate, path: f.rel, node: f.node, at: size}
}

func (f *file) Read(b []byte) (int, error) {
	n, err := f.File.Read(b)
	f.at += int64(n)
	return n, err
}

func (f *file) Seek(offset int64, whence int) (int64, error) {
	at, err := f.File.Seek(offset, whence)
	if err == nil {
		f.at = at
	}
	return at, err
}

func (f *file) Write(b []byte) (n int, err error) {
	f.d.begin()
	defer f.d.mu.Unlock()
	inode := f.d.nodes[f.node]
	if f.appended {
		f.at = inode.size
	}
	var failed error
	err = f.d.carryOut(func() error {
		if n, failed = f.File.Write(b); n == 0 {
			return failed
		}
		return nil
	}, func() op {
		o := op{kind: write, path: f.rel, node: f.node, at: f.at, data: slices.Clone(b[:n])}
		f.at += int64(n)
		inode.size = max(inode.size, f.at)
		return o
	})
	if err != nil || len(b) == 0 {
		return n, err
	}
	return n, failed
}

func (f *file) Truncate(size int64) error {
	return f.change(func() error { return f.File.Truncate(size) }, func() op { return f.d.cut(f, size) })
}

func (f *file) Sync() error {
	return f.change(f.File.Sync, func() op { return op{kind: syncFile, path: f.rel, node: f.node} })
}

func (f *file) Chmod(mode fs.FileMode) error {
	return f.change(func() error { return f.File.Chmod(mode) }, func() op {
		return op{kind: chmod, path: f.rel, node: f.node, mode: mode.Perm()}
	})
}

func (f *file) change(do func() error, record func() op) error {
	f.d.begin()
	defer f.d.mu.Unlock()
	return f.d.carryOut(do, record)
}

// Name implements disk.File. It is the name with which the file was opened.
func (f *file) Name() string { return filepath.Join(f.d.root, filepath.FromSlash(f.rel)) }
