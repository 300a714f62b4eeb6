package corpus

import (
	"watershed/archive"
	"watershed/page"
)

// file is a row of records, on its own or inside a package, a link list, or a document.
type file struct {
	archive.Source
	document bool     // a file of a folder of documents
	url      page.URL // of a document

	indexed bool // what it holds is told by an index
	stream  bool // its records cannot be sought
}

// gather finds the files that the arguments name. A file that cannot be looked at is damage, and
// the others are read.
func (c *Corpus) gather(paths []string) error {
	c.gathered = archive.Gather(paths,
		func(path string, err error) { c.damaged(Damage{File: path, Err: err}) })
	c.stats.Left = c.gathered.Left
	var indexes []string
	for _, s := range c.gathered.Sources {
		switch {
		case s.Format == archive.FormatZipNum:
			files, err := archive.IndexFiles(s.Path)
			if err != nil {
				c.damaged(Damage{File: s.Path, Err: err})
			}
			indexes = append(indexes, files...)
		case s.Format.Index():
			indexes = append(indexes, s.Path)
		case s.Format == archive.FormatDocuments:
			if err := c.addDocuments(s.Path); err != nil {
				c.damaged(Damage{File: s.Path, Err: err})
			}
		default:
			c.files = append(c.files, file{Source: s, stream: s.Compressed()})
		}
	}
	for i, w := range c.gathered.Packages {
		c.addPackageSeeds(c.gathered.Paths[i], w)
	}
	if len(indexes) > 0 {
		return c.readIndexes(indexes)
	}
	return nil
}

// addDocuments takes in the files of a folder.
func (c *Corpus) addDocuments(dir string) error {
	files, err := documents(dir)
	c.files = append(c.files, files...)
	c.stats.Captures += len(files)
	c.stats.Documents += len(files)
	return err
}

// addPackageSeeds takes in the seeds that a package names.
func (c *Corpus) addPackageSeeds(path string, w *archive.WACZ) {
	for x, err := range w.Pages() {
		if err != nil {
			c.damaged(Damage{File: path, Err: err})
			return
		}
		if x.Seed {
			c.addSeed(string(x.URL))
		}
	}
}
