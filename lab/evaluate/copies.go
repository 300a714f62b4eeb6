package evaluate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"time"

	"watershed/harvest"
	"watershed/internal/console"
	"watershed/lab/collections"
	"watershed/lab/testweb"
	"watershed/page"
	"watershed/replica/catalog"
	"watershed/replica/cluster"
	"watershed/replica/sketch"
)

// Copies judges what is found of copies on a web whose copies are known.
type Copies struct {
	Truth     string  `required:"" placeholder:"DIR"`
	Harvest   string  `placeholder:"DIR"`
	Changes   string  `placeholder:"FILE"`
	Threshold float64 `default:"0.5"`
	Problems  int     `default:"0"`

	seen func(*page.Visit) // gets every page; nil for nobody
}

func (c *Copies) Run(ctx context.Context, s console.Streams) error {
	if (c.Harvest == "") != (c.Changes == "") {
		return errors.New("--harvest and --changes go together")
	}
	if c.Harvest != "" {
		return c.changes(ctx, s.Out)
	}
	web := os.DirFS(c.Truth)
	truth, err := collections.ReadTruth(web)
	if err != nil {
		return err
	}
	return c.withWeb(ctx, truth, func(x *catalog.Catalog) error {
		finding, err := x.Find(ctx)
		if err != nil {
			return err
		}
		if err := c.collections(s.Out, truth, finding); err != nil {
			return err
		}
		if err := c.proposals(s.Out, finding); err != nil {
			return err
		}
		return c.pairs(s.Out, truth, finding)
	})
}

// withHarvest calls f with the catalog of a harvest.
func (c *Copies) withHarvest(f func(*catalog.Catalog) error) (err error) {
	x, err := catalog.Open(harvest.Folder(c.Harvest).Catalog(), catalog.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	return f(x)
}

// withWeb calls f with a catalog of the web's pages, which is taken away afterwards.
func (c *Copies) withWeb(ctx context.Context, truth *collections.Truth,
	f func(*catalog.Catalog) error,
) (err error) {
	dir, err := os.MkdirTemp("", "watershed-evaluate-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	x, err := catalog.Open(dir, catalog.Options{Cluster: cluster.Options{Threshold: c.Threshold}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	if _, err := x.Add(ctx, 1, c.Truth, c.documents(truth)); err != nil {
		return err
	}
	return f(x)
}

// errEnough ends a reading that nobody goes on with.
var errEnough = errors.New("enough")

// documents reads and sketches the web's pages.
func (c *Copies) documents(truth *collections.Truth) iter.Seq2[catalog.Document, error] {
	return func(yield func(catalog.Document, error) bool) {
		for v, err := range visitsOf(c.Truth, truth) {
			if err != nil {
				yield(catalog.Document{}, err)
				return
			}
			if c.seen != nil {
				c.seen(v)
			}
			if d, ok := catalog.Of(v); ok && !yield(d, nil) {
				return
			}
		}
	}
}

// visitsOf gives the pages of a test web as a harvest would remember them. A visit is valid until
// the next.
func visitsOf(dir string, truth *collections.Truth) iter.Seq2[*page.Visit, error] {
	return func(yield func(*page.Visit, error) bool) {
		b, err := sketch.NewBuilder(sketch.Options{})
		if err != nil {
			yield(nil, err)
			return
		}
		err = truth.Texts(os.DirFS(dir), nil, b.Text, func(p uint32, body []byte, links []page.Link) error {
			v := page.Visit{
				URL: truth.Pages[p].URL, Status: 200, Time: time.Unix(0, 0), Links: links,
				Size: int64(len(body)), Digest: page.SumDigest(body), MIME: "text/html",
			}
			if s := b.Sketch(); s.Tokens > 0 {
				v.Sketch = s.AppendEncode(nil)
			}
			if !yield(&v, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(nil, err)
		}
	}
}

// collections prints the scores of the collections found: section 4 and Table 2 of Cho, Shivakumar,
// Garcia-Molina, 2000.
func (c *Copies) collections(out io.Writer, truth *collections.Truth, f *catalog.Finding) error {
	r := *f.Result
	r.Collections = slices.Clone(r.Collections)
	for i := range r.Collections {
		x := &r.Collections[i]
		x.Replicas = slices.Clone(x.Replicas)
		for j := range x.Replicas {
			pairs := slices.Clone(x.Replicas[j].Pairs)
			for k := range pairs {
				pairs[k].Page, _ = truth.Number(f.Pages[pairs[k].Page].URL)
				pairs[k].Original, _ = truth.Number(f.Pages[pairs[k].Original].URL)
			}
			x.Replicas[j].Pairs = pairs
		}
	}
	score, problems := collections.Evaluation{Truth: truth, Result: &r}.Score()
	if err := score.WriteText(out); err != nil {
		return err
	}
	for _, p := range problems[:min(c.Problems, len(problems))] {
		if _, err := fmt.Fprintln(out, p); err != nil {
			return err
		}
	}
	return nil
}

// proposals prints what would be left out.
func (c *Copies) proposals(out io.Writer, f *catalog.Finding) error {
	list, err := f.Propose(catalog.Rule{}, time.Time{})
	if err != nil {
		return err
	}
	full, pages := 0, 0
	for i := range list {
		if list[i].Full() {
			full++
			pages += list[i].Entry.Evidence.Common
		}
	}
	_, err = fmt.Fprintf(out, "may be left out       %d replicas, %d of them with full evidence, those "+
		"with %d pages\n", len(list), full, pages)
	return err
}

func part(a, b int) float64 {
	if b == 0 {
		return 1
	}
	return float64(a) / float64(b)
}

// sites reads which site each page is of.
func (c *Copies) sites() (map[string]string, error) {
	sites := map[string]string{}
	err := testweb.Rows(os.DirFS(c.Truth), "sites.tsv", 2, func(r []string) error {
		sites[r[0]] = r[1]
		return nil
	})
	return sites, err
}
