package corpus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"watershed/archive"
	"watershed/crawler/extract"
	"watershed/internal/guard"
	"watershed/page"
)

// Corpus is the pages that can be read from some files. It has to be closed. It is not safe for
// concurrent use.
type Corpus struct {
	opt      Options
	files    []file
	gathered *archive.Gathered
	extract  *extract.Extractor

	captures []capture // by file and place
	seeds    map[page.URL]bool
	stats    Stats

	mu    sync.Mutex // guards what follows, stats.Damaged and the calls of Options.Damaged
	first error      // of the damage
}

// Open looks at all records of the files, in memory that grows with their captures and not with
// their size. Damage is told and passed over, also an argument that is not there. The error is
// ErrNothing where no file holds a page or a link; it wraps the first damage, too.
func Open(ctx context.Context, paths []string, o Options) (*Corpus, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	c := &Corpus{opt: o.withDefaults(), seeds: map[page.URL]bool{}}
	if err := c.open(ctx, paths); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func (c *Corpus) open(ctx context.Context, paths []string) (err error) {
	if c.extract, err = extract.New(c.opt.Extract); err != nil {
		return err
	}
	c.gather(paths)
	if err := c.scan(ctx); err != nil {
		return err
	}
	slices.SortStableFunc(c.captures, func(a, b capture) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.offset, b.offset),
			cmp.Compare(a.number, b.number))
	})
	c.resolve()
	c.choose()
	c.stats.Files = len(c.files)
	if len(c.captures) == 0 && !slices.ContainsFunc(c.files, func(f file) bool {
		return f.Format == archive.FormatLinks
	}) {
		err := fmt.Errorf("%w in %s", ErrNothing, strings.Join(paths, ", "))
		if c.stats.Records > 0 {
			err = fmt.Errorf("%w: none of %d records is a page", err, c.stats.Records)
		}
		if c.first != nil {
			err = fmt.Errorf("%w: %w", err, c.first)
		}
		return err
	}
	return nil
}

// add takes a capture in.
func (c *Corpus) add(x capture) {
	c.captures = append(c.captures, x)
	c.stats.Captures++
	if x.revisit {
		c.stats.Revisits++
	}
}

// addSeed takes a URL with which, by an archive, its crawl began; a text that is no URL is passed
// over.
func (c *Corpus) addSeed(text string) {
	if u, err := page.ParseURL(text); err == nil && u.PathQuery() != "/robots.txt" {
		c.seeds[u] = true
	}
}

// Seeds are the URLs that the archives say their crawls began with, sorted: those that the hops of
// Heritrix and of our own harvests, the arguments of GNU wget, and the pages of packages tell.
func (c *Corpus) Seeds() []page.URL {
	return slices.Sorted(maps.Keys(c.seeds))
}

// Stats counts the records and captures. After Pages it also counts those that could not be read
// then.
func (c *Corpus) Stats() Stats { return c.stats }

// Close closes packages. It may be called twice.
func (c *Corpus) Close() error {
	if c.gathered == nil {
		return nil
	}
	return c.gathered.Close()
}

// guarded reads something of a file. A failure, a panic too, is damage at that place, and ends
// nothing else; ok is false then.
func (c *Corpus) guarded(at Damage, read func() error) (ok bool) {
	err := guard.Try(read)
	if err != nil {
		at.Err = err
		c.damaged(at)
	}
	return err == nil
}

// damaged tells of a place that cannot be read.
func (c *Corpus) damaged(d Damage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Damaged++
	if c.first == nil {
		c.first = d.Err
	}
	if c.opt.Damaged != nil {
		c.opt.Damaged(d)
	}
}

// ErrNothing says that no page can be read from the given files.
var ErrNothing = errors.New("nothing can be read")

// Damage is a place that could not be read; the bytes around it are read all the same.
type Damage struct {
	File   string // path, inside a package with that of the package before it
	Offset int64  // of a WARC record or member; of a link list or index the line, counted from 1
	Err    error
}

func (d Damage) String() string { return fmt.Sprintf("%s at %d: %v", d.File, d.Offset, d.Err) }
