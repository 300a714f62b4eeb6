package corpus

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"watershed/archive"
	"watershed/page"
)

// kind of a file, told by its name.
type kind uint8

const (
	warcFile kind = iota
	waczFile
	indexFile
	listFile
	documentFile
)

func kindOf(name string) kind {
	name = strings.TrimSuffix(strings.ToLower(name), ".open")
	switch {
	case strings.HasSuffix(name, ".warc"), strings.HasSuffix(name, ".warc.gz"):
		return warcFile
	case strings.HasSuffix(name, ".wacz"):
		return waczFile
	case strings.HasSuffix(strings.TrimSuffix(name, ".gz"), ".cdxj"):
		return indexFile
	}
	return listFile
}

// file is a WARC file, on its own or inside a package, a link list, or a document.
type file struct {
	path string // as told
	name string // base name
	kind kind
	wacz *archive.WACZ // that holds it, nil for none
	in   string        // its path in there
	url  page.URL      // of a document

	indexed bool // what it holds is told by an index
	stream  bool // its records cannot be sought
}

// readerAt opens the file for reading at offsets; ok is false where it can only be read from its start. The caller closes it.
func (f *file) readerAt() (r io.ReaderAt, close func() error, ok bool, err error) {
	if f.wacz != nil {
		section, ok := f.wacz.Section(f.in)
		return section, func() error { return nil }, ok, nil
	}
	file, err := os.Open(f.path)
	if err != nil {
		return nil, nil, false, err
	}
	return file, file.Close, true, nil
}

// records reads the records from the first on. What can be sought goes on behind damage; what cannot is marked so.
func (f *file) records() (*archive.FileReader, func() error, error) {
	at, close, ok, err := f.readerAt()
	if err != nil {
		return nil, nil, err
	}
	if ok {
		r, err := archive.NewFileReader(at, f.name)
		if err != nil {
			return nil, nil, errors.Join(err, close())
		}
		return r, close, nil
	}
	f.stream = true
	in, err := f.wacz.File(f.in)
	if err != nil {
		return nil, nil, err
	}
	r, err := archive.NewReader(in, f.name)
	if err != nil {
		return nil, nil, errors.Join(err, in.Close())
	}
	return &archive.FileReader{Reader: r}, in.Close, nil
}

// gather finds the files that the arguments name.
func (c *Corpus) gather(paths []string) error {
	var indexes []string
	for _, p := range paths {
		stat, err := os.Stat(p)
		if err != nil {
			return err
		}
		list := []string{p}
		if stat.IsDir() {
			if list, err = folder(p); err != nil {
				return fmt.Errorf("look for archives in %s: %w", p, err)
			}
			if len(list) == 0 {
				files, err := documents(p)
				if err != nil {
					return fmt.Errorf("look for documents in %s: %w", p, err)
				}
				c.files = append(c.files, files...)
				c.stats.Captures += len(files)
			}
		}
		for _, q := range list {
			switch kindOf(q) {
			case indexFile:
				indexes = append(indexes, q)
			case waczFile:
				if err := c.addPackage(q); err != nil {
					c.damaged(Damage{File: q, Err: err})
				}
			default:
				c.files = append(c.files, file{path: q, name: plainName(q), kind: kindOf(q)})
			}
		}
	}
	if len(indexes) > 0 {
		return c.readIndexes(indexes)
	}
	return nil
}

// folder gives the WARC files in a folder and below, and where there are none its packages.
func folder(dir string) ([]string, error) {
	var warcs, waczs []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir():
		case kindOf(path) == warcFile:
			warcs = append(warcs, path)
		case kindOf(path) == waczFile:
			waczs = append(waczs, path)
		}
		return err
	})
	if len(warcs) == 0 {
		warcs = waczs
	}
	slices.Sort(warcs)
	return warcs, err
}

// addPackage adds the WARC files of a package and the seeds that it names.
func (c *Corpus) addPackage(p string) error {
	w, err := archive.OpenWACZ(p)
	if err != nil {
		return err
	}
	c.packages = append(c.packages, w)
	for _, name := range w.Files() {
		if strings.HasPrefix(name, "archive/") && kindOf(name) == warcFile {
			c.files = append(c.files, file{path: p + "/" + name, name: path.Base(name), kind: warcFile, wacz: w, in: name})
		}
	}
	for x, err := range w.Pages() {
		if err != nil {
			c.damaged(Damage{File: p, Err: err})
			break
		}
		if x.Seed {
			c.addSeed(string(x.URL))
		}
	}
	return nil
}

func plainName(path string) string { return strings.TrimSuffix(filepath.Base(path), ".open") }
