// Package questions answers questions on the documents of a catalog: which are similar to one,
// where a lost page is now, which texts many hosts have, what changed between two sweeps, which
// shingles say nothing. Source: Broder, Glassman, Manasse, Zweig, Syntactic Clustering of the Web,
// 1997, sections 5.1 and 6. The program forms the clusters and asks none of these. A Collection holds
// all documents in memory.
package questions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"watershed/page"
	"watershed/replica/catalog"
	"watershed/replica/cluster"
	"watershed/replica/sketch"
)

var (
	// ErrUnknown says that no sweep has the page.
	ErrUnknown = errors.New("no sweep has the page")
	// ErrSketch says that a page has no sketch, because it has no text.
	ErrSketch = errors.New("the page has no text to compare")
)

// Document is what a page was in a sweep, as it is compared. Shingles are without those that say
// nothing.
type Document struct {
	cluster.Document
	URL  page.URL
	Host uint64 // of the server: equal for pages of one
	Gone bool   // the sweep found that there is no such page any more; the rest is then zero
	Part bool   // it is a part of pages, such as an image

	all     []uint64 // its shingles, with those that say nothing
	set     uint64   // fingerprint of all; 0 for none
	cluster uint32   // 0 for none
}

// Collection is the documents of all sweeps and their clusters. It is safe for concurrent use.
type Collection struct {
	docs     []*Document // by page and sweep
	clusters [][]*Document
	common   map[uint64]int // shingles that are common everywhere: sketches that have them
	o        cluster.Options
}

// Read reads a catalog, which may be closed afterwards.
func Read(ctx context.Context, x *catalog.Catalog) (*Collection, error) {
	var docs []*Document
	for _, s := range x.Sweeps() {
		for d, err := range x.Documents(ctx, s.Number) {
			var doc *Document
			if err == nil {
				doc, err = documentOf(d, s.Number)
			}
			if err != nil {
				return nil, fmt.Errorf("read sweep %d: %w", s.Number, err)
			}
			docs = append(docs, doc)
		}
	}
	o := x.Options.Cluster
	return collect(docs, o, func(each func(cluster.Cluster) error) error {
		_, err := x.Clusters(ctx, each)
		return err
	})
}

// collect puts documents and their clusters together.
func collect(docs []*Document, o cluster.Options, clusters func(each func(cluster.Cluster) error) error,
) (*Collection, error) {
	c := &Collection{docs: docs, o: o}
	slices.SortFunc(c.docs, func(a, b *Document) int { return compareKeys(a.Key, b.Key) })
	of := map[cluster.Key]*Document{}
	for _, d := range c.docs {
		of[d.Key] = d
	}
	err := clusters(func(x cluster.Cluster) error {
		var members []*Document
		for _, m := range x.Members {
			d := of[m]
			if d == nil {
				return fmt.Errorf("cluster %d: %v: %w", x.Number, m, ErrUnknown)
			}
			d.cluster = x.Number
			members = append(members, d)
		}
		c.clusters = append(c.clusters, members)
		return nil
	})
	c.leaveCommon()
	return c, err
}

// leaveCommon takes the shingles out of more than MaxDocuments different sketches.
func (c *Collection) leaveCommon() {
	most := cmp.Or(c.o.MaxDocuments, 1000) // the default of cluster.Options
	c.common = map[uint64]int{}
	seen := map[uint64]bool{0: true}
	for _, d := range c.docs {
		d.set = d.Set()
		if seen[d.set] {
			continue
		}
		seen[d.set] = true
		for _, s := range d.Shingles {
			c.common[s]++
		}
	}
	for s, n := range c.common {
		if n <= most {
			delete(c.common, s)
		}
	}
	for _, d := range c.docs {
		d.all = d.Shingles
		d.Shingles = c.telling(d.all)
	}
}

// telling are the shingles that are not common.
func (c *Collection) telling(all []uint64) []uint64 {
	if !slices.ContainsFunc(all, func(s uint64) bool { return c.common[s] > 0 }) {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(s uint64) bool { return c.common[s] > 0 })
}

// versions are the documents of a page, by sweep.
func (c *Collection) versions(k page.Key) []*Document {
	byPage := func(d *Document, k uint64) int { return cmp.Compare(d.Page, k) }
	from, _ := slices.BinarySearchFunc(c.docs, uint64(k), byPage)
	to := from
	for to < len(c.docs) && c.docs[to].Page == uint64(k) {
		to++
	}
	return c.docs[from:to]
}

// Latest is the document of a page in the latest sweep that has it; one that is gone says so. The
// error is ErrUnknown where none has.
func (c *Collection) Latest(u page.URL) (*Document, error) {
	all := c.versions(u.Key())
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: %w", u, ErrUnknown)
	}
	return all[len(all)-1], nil
}

// alive is the document of a page in the latest sweep in which it was not gone.
func (c *Collection) alive(k page.Key) (*Document, error) {
	for _, d := range slices.Backward(c.versions(k)) {
		if !d.Gone {
			return d, nil
		}
	}
	return nil, fmt.Errorf("page %016x: %w", uint64(k), ErrUnknown)
}

// isCurrent reports a document of whose page no later sweep tells.
func (c *Collection) isCurrent(d *Document) bool {
	all := c.versions(page.Key(d.Page))
	return all[len(all)-1] == d
}

// Clusters are all clusters, by number, with what each document is to the representative.
func (c *Collection) Clusters() [][]Match {
	list := make([][]Match, len(c.clusters))
	for i, members := range c.clusters {
		for _, m := range members {
			list[i] = append(list[i], Match{m, pair{Relation: relate(members[0], m)}})
		}
		list[i][0].Relation = Identical
	}
	return list
}

func compareKeys(a, b cluster.Key) int {
	return cmp.Or(cmp.Compare(a.Page, b.Page), cmp.Compare(a.Sweep, b.Sweep))
}

// documentOf is a document as it is compared. It keeps nothing of d.
func documentOf(d *catalog.Document, sweep uint32) (*Document, error) {
	doc := &Document{URL: d.URL, Host: uint64(page.URL(d.URL.Host()).Key()), Gone: d.Gone, Part: d.Part}
	var err error
	doc.Document, err = d.Clusterable(new(sketch.Sketch), sweep)
	return doc, err
}
