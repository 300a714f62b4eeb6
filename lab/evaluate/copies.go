package evaluate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/textproto"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"watershed/crawler/extract"
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
	if c.Harvest != "" && c.Changes != "" {
		return c.changes(ctx, s.Out)
	}
	if c.Harvest != "" {
		return c.runs(ctx, s)
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
		reader, err := extract.New(extract.Options{})
		if err != nil {
			yield(nil, err)
			return
		}
		err = truth.Bodies(os.DirFS(dir), func(p uint32, mediaType string, body []byte) error {
			v := page.Visit{
				URL: truth.Pages[p].URL, Status: 200, Time: time.Unix(0, 0),
				Size: int64(len(body)), Digest: page.SumDigest(body), MIME: "text/html",
			}
			v.Links = reader.Extract(extract.Input{
				URL: v.URL, Header: textproto.MIMEHeader{"Content-Type": {mediaType}},
				Body: body, Text: b.Text,
			}).Links
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
	number := make(map[page.URL]uint32, len(truth.Pages))
	for i := range truth.Pages {
		number[truth.Pages[i].URL] = uint32(i)
	}
	r := *f.Result
	r.Collections = slices.Clone(r.Collections)
	for i := range r.Collections {
		x := &r.Collections[i]
		x.Replicas = slices.Clone(x.Replicas)
		for j := range x.Replicas {
			pairs := slices.Clone(x.Replicas[j].Pairs)
			for k := range pairs {
				pairs[k].Page, pairs[k].Original = number[f.Pages[pairs[k].Page].URL],
					number[f.Pages[pairs[k].Original].URL]
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

// runs tells what each run of a harvest fetched: how many of its pages are near duplicates of
// others that it fetched, by the truth and by the sketches, and which pages that it did not fetch
// are nowhere in what it did.
func (c *Copies) runs(ctx context.Context, s console.Streams) (err error) {
	return c.withHarvest(func(x *catalog.Catalog) error {
		clusters := map[page.URL]string{}
		err := testweb.Rows(os.DirFS(c.Truth), "dupclusters.tsv", 2, func(r []string) error {
			clusters[page.URL(r[1])] = r[0]
			return nil
		})
		if err != nil {
			return err
		}
		finding, err := x.Find(ctx)
		if err != nil {
			return err
		}
		stands := map[uint32]uint32{}
		for i := range finding.Result.Collections {
			for _, replica := range finding.Result.Collections[i].Replicas[1:] {
				for _, p := range replica.Pairs {
					stands[p.Page] = p.Original
				}
			}
		}
		e := runsEvaluation{
			x: x, f: finding, stands: stands, clusters: clusters, threshold: c.Threshold,
			known: map[page.URL]bool{},
		}
		w := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "run\tpages fetched\tnear duplicates (truth)\tsimilar (sketches)\tof earlier ones "+
			"left out\tlost")
		for _, sweep := range x.Sweeps() {
			r, err := e.run(ctx, sweep.Number)
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "%d\t%d\t%d = %.1f%%\t%d = %.1f%%\t%d\t%d\n", sweep.Number, r.fetched,
				r.near, 100*part(r.near, r.fetched), r.similar, 100*part(r.similar, r.fetched),
				r.left, len(r.lost))
			for _, u := range r.lost[:min(len(r.lost), c.Problems)] {
				fmt.Fprintf(w, "lost\t%s\n", u)
			}
		}
		return w.Flush()
	})
}

// runsEvaluation goes through the runs of a harvest.
type runsEvaluation struct {
	x         *catalog.Catalog
	f         *catalog.Finding
	stands    map[uint32]uint32   // pages of replicas and what they were mapped to
	clusters  map[page.URL]string // near duplicates in truth
	threshold float64
	known     map[page.URL]bool // pages that some run had, and that were not found gone
}

type runFigures struct {
	fetched, near, similar, left int
	lost                         []page.URL
}

func (e *runsEvaluation) run(ctx context.Context, number uint32) (r runFigures, err error) {
	fetched := map[page.URL]bool{}
	for d, err := range e.x.Documents(ctx, number) {
		if err != nil {
			return r, err
		}
		switch {
		case d.Gone:
			delete(e.known, d.URL)
		case len(d.Sketch) > 0 && !d.Part:
			fetched[d.URL] = true
		}
	}
	r.fetched = len(fetched)
	inCluster := map[string]int{}
	similar := map[uint32][]uint32{} // pages fetched, by cluster
	for u := range fetched {
		if k := e.clusters[u]; k != "" {
			inCluster[k]++
		}
		if i, ok := e.f.Lookup(u); ok && e.f.Pages[i].Cluster != 0 {
			similar[e.f.Pages[i].Cluster] = append(similar[e.f.Pages[i].Cluster], i)
		}
	}
	for _, n := range inCluster {
		if n > 1 {
			r.near += n
		}
	}
	for _, list := range similar {
		if len(list) > 1 {
			r.similar += len(list)
		}
	}
	for u := range e.known {
		if fetched[u] {
			continue
		}
		r.left++
		held, err := e.held(u, similar, fetched)
		if err != nil {
			return r, err
		}
		if !held && inCluster[e.clusters[u]] == 0 {
			r.lost = append(r.lost, u)
		}
	}
	if r.lost, err = e.unlike(r.lost, fetched); err != nil {
		return r, err
	}
	for u := range fetched {
		e.known[u] = true
	}
	return r, nil
}

// unlike are those of some pages that are like none that a run fetched, in order. Clusters are made
// of other parts of the sketches than pairs are compared by, so that pages at the threshold may be
// in none, or in another one.
func (e *runsEvaluation) unlike(list []page.URL, fetched map[page.URL]bool) ([]page.URL, error) {
	slices.Sort(list)
	for u := range fetched {
		j, ok := e.f.Lookup(u)
		if !ok || len(list) == 0 {
			continue
		}
		var err error
		list = slices.DeleteFunc(list, func(u page.URL) bool {
			i, known := e.f.Lookup(u)
			if !known || err != nil {
				return false
			}
			r, failed := e.f.Resemblance(i, j)
			err = failed
			return r >= e.threshold
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// held reports that a run fetched a page similar to one that it did not fetch.
func (e *runsEvaluation) held(u page.URL, similar map[uint32][]uint32, fetched map[page.URL]bool) (bool,
	error,
) {
	i, ok := e.f.Lookup(u)
	if !ok {
		return false, nil
	}
	list := similar[e.f.Pages[i].Cluster]
	if j, ok := e.stands[i]; ok && fetched[e.f.Pages[j].URL] {
		list = append(slices.Clone(list), j)
	}
	for _, j := range list {
		if r, err := e.f.Resemblance(i, j); err != nil || r >= e.threshold {
			return err == nil, err
		}
	}
	return false, nil
}
