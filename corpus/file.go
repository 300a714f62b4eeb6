package corpus

import (
	"errors"
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

// readerAt opens the file for reading at offsets; ok is false where it can only be read from its
// start. The caller closes it.
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

// records reads the records from the first on. In a file that can be sought the reader goes on
// behind damage; a compressed file in a package cannot be, and is read as a stream, up to the first
// damage.
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
	in, err := f.wacz.File(f.in)
	if err != nil {
		return nil, nil, err
	}
	r, err := archive.NewStreamReader(in, f.name)
	if err != nil {
		return nil, nil, errors.Join(err, in.Close())
	}
	return r, in.Close, nil
}

// gather finds the files that the arguments name. An argument that cannot be looked at is damage,
// and the others are read.
func (c *Corpus) gather(paths []string) error {
	var indexes []string
	for _, p := range paths {
		list, err := c.filesOf(p)
		if err != nil {
			c.damaged(Damage{File: p, Err: err})
			continue
		}
		for _, q := range list {
			switch kindOf(q) {
			case indexFile:
				indexes = append(indexes, q)
			case waczFile:
				c.guarded(Damage{File: q}, func() error { return c.addPackage(q) })
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

// filesOf are the archives that an argument names: the file itself, or those of a folder. The
// documents of a folder without archives are taken in.
func (c *Corpus) filesOf(p string) ([]string, error) {
	stat, err := os.Stat(p)
	if err != nil || !stat.IsDir() {
		return []string{p}, err
	}
	list, err := c.folder(p)
	if err != nil || len(list) > 0 {
		return list, err
	}
	files, err := documents(p)
	c.files = append(c.files, files...)
	c.stats.Captures += len(files)
	return nil, err
}

// folder gives the WARC files in a folder and below, and where there are none its packages. A
// folder in it that cannot be read is damage.
func (c *Corpus) folder(dir string) ([]string, error) {
	var warcs, waczs []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path != dir:
			c.damaged(Damage{File: path, Err: err})
			return nil
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
			_, stored := w.Section(name)
			c.files = append(c.files, file{
				path: p + "/" + name, name: path.Base(name), kind: warcFile,
				wacz: w, in: name, stream: !stored,
			})
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
