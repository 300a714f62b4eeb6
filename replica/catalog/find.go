package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"watershed/page"
	"watershed/replica/cluster"
	"watershed/replica/collection"
	"watershed/replica/sketch"
)

// Page is the current document of a page, as a finding has it.
type Page struct {
	URL     page.URL
	Sweep   uint32
	Time    int64
	Size    uint32
	Digest  uint64
	Cluster uint32 // 0 for a page that is like no other
	Similar uint32 // current pages of the cluster, this one included; 0 for a page that is like no other
	Text    bool   // it has a sketch
	Part    bool   // see Document

	at *sweep
	// offset in the sweep's file
	offset int64
}

// Finding is the result of a search among the current documents of a catalog. The search is among
// pages; their parts, such as images, only make clusters. A Finding reads sketches from the
// catalog, which must stay open and unchanged. It is safe for concurrent use once Find has returned
// it.
type Finding struct {
	Pages  []Page             // in the order of their URLs
	Result *collection.Result // its pairs tell pages by their index in Pages
	// Clusters counts how the documents of all sweeps were clustered.
	Clusters cluster.Stats

	index   map[page.Key]uint32
	catalog *Catalog

	mu    sync.Mutex // guards what follows
	cache [2]cached  // the two sketches that were asked for last
}

type cached struct {
	page  uint32
	valid bool
	some  bool
	value sketch.Sketch
}

// Find searches the current documents for replicated collections. Memory: see the package; time: a
// pass over all documents, and that of collection.Find.
func (c *Catalog) Find(ctx context.Context) (*Finding, error) {
	f := &Finding{catalog: c, index: map[page.Key]uint32{}}
	for d, err := range c.current(ctx) {
		if err != nil {
			return nil, err
		}
		f.Pages = append(f.Pages, Page{
			URL: d.URL, Sweep: d.sweep.Number, Time: d.Time, Size: d.Size, Digest: d.Digest,
			Text: len(d.Sketch) > 0, Part: d.Part,
			at: d.sweep, offset: d.offset,
		})
	}
	slices.SortFunc(f.Pages, func(a, b Page) int { return strings.Compare(string(a.URL), string(b.URL)) })
	for i := range f.Pages {
		f.index[f.Pages[i].URL.Key()] = uint32(i)
	}
	if err := f.readClusters(ctx); err != nil {
		return nil, err
	}
	if err := f.search(ctx); err != nil {
		return nil, fmt.Errorf("find collections: %w", err)
	}
	return f, nil
}

// search finds the collections among the pages that are not parts.
func (f *Finding) search(ctx context.Context) error {
	o := f.catalog.Options.Collection
	o.Dir, o.Memory = f.catalog.dir, f.catalog.Options.Memory/4
	var whole []uint32                     // the pages that are searched
	number := make([]uint32, len(f.Pages)) // their numbers there
	in := collection.Input{Clusters: []uint32{}}
	for i := range f.Pages {
		p := &f.Pages[i]
		number[i] = collection.NoCluster
		if p.Part {
			continue
		}
		number[i] = uint32(len(whole))
		whole = append(whole, uint32(i))
		in.Pages = append(in.Pages, collection.Page{URL: p.URL, First: p.Time})
		in.Clusters = append(in.Clusters, cmp.Or(p.Cluster, collection.NoCluster))
	}
	in.Links = func(add func(from, to uint32) error) error {
		return f.links(ctx, func(from, to uint32) error {
			if number[from] == collection.NoCluster || number[to] == collection.NoCluster {
				return nil
			}
			return add(number[from], number[to])
		})
	}
	var failed error
	in.Resemblance = func(p, q uint32) float64 {
		r, err := f.Resemblance(whole[p], whole[q])
		failed = errors.Join(failed, err)
		return r
	}
	var err error
	if f.Result, err = collection.Find(ctx, in, o); err != nil || failed != nil {
		return errors.Join(err, failed)
	}
	for i := range f.Result.Collections {
		for _, x := range f.Result.Collections[i].Replicas {
			for k, p := range x.Pairs {
				x.Pairs[k].Page, x.Pairs[k].Original = whole[p.Page], whole[p.Original]
			}
		}
	}
	return nil
}

// current gives the current document of each page, sweep by sweep from the latest.
func (c *Catalog) current(ctx context.Context) iter.Seq2[located, error] {
	return func(yield func(located, error) bool) {
		seen := map[page.Key]bool{}
		for i, s := range slices.Backward(c.sweeps) {
			for d, err := range s.all(ctx) {
				if err != nil {
					yield(d, err)
					return
				}
				k := d.URL.Key()
				if seen[k] {
					continue
				}
				if i > 0 { // what the first sweep has nobody asks for again
					seen[k] = true
				}
				if !d.Gone && !yield(d, nil) {
					return
				}
			}
		}
	}
}

// readClusters tells each page its cluster. A page whose fellow members are all gone, or out of
// date, has no cluster.
func (f *Finding) readClusters(ctx context.Context) (err error) {
	var members []uint32
	f.Clusters, err = f.catalog.Clusters(ctx, func(x cluster.Cluster) error {
		members = members[:0]
		for _, m := range x.Members {
			if i, ok := f.index[page.Key(m.Page)]; ok && f.Pages[i].Sweep == m.Sweep {
				members = append(members, i)
			}
		}
		if len(members) < 2 {
			return nil
		}
		for _, i := range members {
			f.Pages[i].Cluster, f.Pages[i].Similar = x.Number, uint32(len(members))
		}
		return nil
	})
	return err
}

// links hands on the links between the pages of the finding.
func (f *Finding) links(ctx context.Context, add func(from, to uint32) error) error {
	for _, s := range f.catalog.sweeps {
		for d, err := range f.catalog.Documents(ctx, s.Number) {
			if err != nil {
				return err
			}
			from, ok := f.index[d.URL.Key()]
			if !ok || f.Pages[from].at != s {
				continue
			}
			for _, k := range d.Links {
				if to, ok := f.index[k]; ok {
					if err := add(from, to); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// Lookup gives the number of a page.
func (f *Finding) Lookup(u page.URL) (uint32, bool) {
	i, ok := f.index[u.Key()]
	return i, ok && f.Pages[i].URL == u
}

// Under is the range of pages whose URLs begin with a prefix.
func (f *Finding) Under(prefix string) (lo, hi uint32) {
	byURL := func(p Page, s string) int { return strings.Compare(string(p.URL), s) }
	a, _ := slices.BinarySearchFunc(f.Pages, prefix, byURL)
	n, _ := slices.BinarySearchFunc(f.Pages[a:], prefix, func(p Page, s string) int {
		if strings.HasPrefix(string(p.URL), s) {
			return -1
		}
		return 1
	})
	return uint32(a), uint32(a + n)
}

// Resemblance is that of two pages: 1 for the same bytes, else the estimate of their sketches, and
// 0 where a page has none.
func (f *Finding) Resemblance(p, q uint32) (float64, error) {
	a, b := &f.Pages[p], &f.Pages[q]
	if a.Digest != 0 && a.Digest == b.Digest {
		return 1, nil
	}
	if !a.Text || !b.Text {
		return 0, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	x, err := f.sketch(p, q)
	if err != nil {
		return 0, err
	}
	y, err := f.sketch(q, p)
	if err != nil || !x.some || !y.some {
		return 0, err
	}
	e, err := sketch.Resemblance(&x.value, &y.value)
	if errors.Is(err, sketch.ErrIncomparable) {
		return 0, nil // made in different ways: nothing is known
	}
	return e.Value, err
}

// sketch reads a page's sketch into that half of the cache that does not hold the other page.
func (f *Finding) sketch(p, other uint32) (*cached, error) {
	for i := range f.cache {
		if f.cache[i].valid && f.cache[i].page == p {
			return &f.cache[i], nil
		}
	}
	c := &f.cache[0]
	if c.valid && c.page == other {
		c = &f.cache[1]
	}
	c.valid = false
	some, err := f.readSketch(p, &c.value)
	if err != nil {
		return nil, err
	}
	c.page, c.valid, c.some = p, true, some
	return c, nil
}

// readSketch reads a page's sketch from its sweep; some is false where it has none.
func (f *Finding) readSketch(p uint32, into *sketch.Sketch) (some bool, err error) {
	var d Document
	if err := f.Pages[p].at.read(f.Pages[p].offset, &d); err != nil {
		return false, err
	}
	if some, err = d.sketch(into); err != nil {
		err = fmt.Errorf("sketch of %s: %w", d.URL, err)
	}
	return some, err
}
