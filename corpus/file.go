package corpus

import (
	"watershed/archive"
)

// file is a row of records, on its own or inside a package, or a link list.
type file struct {
	archive.Source
	indexed bool // what it holds is told by an index
	stream  bool // its records cannot be sought
}

// gather finds the files that the arguments name. A file that cannot be looked at is damage, and
// the others are read.
func (c *Corpus) gather(paths []string) {
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
		default:
			c.files = append(c.files, file{Source: s, stream: s.Compressed()})
		}
	}
	for i, w := range c.gathered.Packages {
		c.addPackageSeeds(c.gathered.Paths[i], w)
	}
	if len(indexes) > 0 {
		c.readIndexes(indexes)
	}
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
