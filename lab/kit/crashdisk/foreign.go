package crashdisk

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// copied is a folder of files as it was at a time. It is never changed. A copy shares the pages
// that are as in the copy before.
type copied struct {
	files map[string]*sparse
}

// equal reports whether two copies, one of which was made with the other at hand, hold the same.
func (c *copied) equal(o *copied) bool {
	return maps.EqualFunc(c.files, o.files, func(a, b *sparse) bool {
		return a.size == b.size && a.mode == b.mode && maps.Equal(a.pages, b.pages)
	})
}

// sparse is a file without the pages that are nothing but zeros.
type sparse struct {
	size  int64
	mode  fs.FileMode
	pages map[int64]*[pageBytes]byte // by number
}

// pageBytes is the usual size of a page of memory and of a block of a disk.
const pageBytes = 4096

// attempts is how often a copy is begun again because a file was made or taken away meanwhile.
const attempts = 20

// copyFolder copies a folder that may be written meanwhile, but for the time in which its names
// change: so a file whose content moves into another one is in the copy under either name.
func copyFolder(dir string, before *copied) (*copied, error) {
	if before == nil {
		before = &copied{}
	}
	for range attempts {
		names, err := list(dir)
		if err != nil {
			return nil, err
		}
		c := &copied{files: map[string]*sparse{}}
		for _, name := range names {
			if c.files[name], err = copyFile(filepath.Join(dir, name), before.files[name]); err != nil {
				break
			}
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		after, listed := list(dir)
		if err == nil && listed == nil && slices.Equal(names, after) {
			return c, nil
		}
	}
	return nil, errors.New("its files change all the time")
}

// list gives the names of the regular files in a folder.
func list(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// copyFile reads the parts of a file that hold data.
func copyFile(path string, before *sparse) (*sparse, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if before == nil {
		before = &sparse{}
	}
	c := &sparse{size: info.Size(), mode: info.Mode().Perm(), pages: map[int64]*[pageBytes]byte{}}
	for at := int64(0); at < c.size && err == nil; {
		from, to := extent(f, at, c.size)
		err = c.read(f, from, to, before)
		at = to
	}
	return c, errors.Join(err, f.Close())
}

var zeros [pageBytes]byte

// read takes the pages from one place to another, those of before where they are the same.
func (c *sparse) read(f io.ReaderAt, from, to int64, before *sparse) error {
	var page [pageBytes]byte
	for n := from / pageBytes; n*pageBytes < to; n++ {
		got, err := f.ReadAt(page[:], n*pageBytes)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		clear(page[got:])
		old := before.pages[n]
		switch {
		case page == zeros:
		case old != nil && *old == page:
			c.pages[n] = old
		default:
			fresh := page
			c.pages[n] = &fresh
		}
	}
	return nil
}

// write fills a folder.
func (c *copied) write(dir string) error {
	for name, s := range c.files {
		if err := s.write(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

func (c *sparse) write(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, c.mode)
	if err != nil {
		return err
	}
	for n, page := range c.pages {
		at := n * pageBytes
		if at >= c.size {
			continue // the file was made shorter while it was read
		}
		if _, err := f.WriteAt(page[:min(pageBytes, c.size-at)], at); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return errors.Join(f.Truncate(c.size), f.Chmod(c.mode), f.Close())
}
