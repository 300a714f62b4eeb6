package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"watershed/internal/extsort"
	"watershed/page"
	"watershed/replica/cluster"
	"watershed/replica/sketch"
)

// Common is a shingle that says nothing of the documents that have it, and is left out of every
// comparison: one that more documents have than cluster.Options.MaxDocuments, or one of the
// template of a host. Source: Broder, Glassman, Manasse, Zweig, Syntactic Clustering of the Web,
// 1997, section 5.1.
type Common struct {
	Host      page.Host // whose template it is of; "" for one that is common everywhere
	Shingle   uint64
	Documents int      // different texts that have it
	Of        int      // different texts of the host; 0 for one that is common everywhere
	URL       page.URL // of a document that has it; "" where none was found
	Text      string   // its words, where somebody has found them
}

const (
	templateKind  = "template"
	leastTemplate = 8 // texts of a host below which nothing is called its template
)

// hostFeature is ⟨host, feature, texts that have it⟩; of feature 0 it is the number of the host's
// texts.
type hostFeature [3]uint64

func templateName(number uint32) string { return fmt.Sprintf("template-%04d.table", number) }

// learnTemplate finds the shingles that more than a share of a host's texts in this sweep have.
// Copies of one text on a host count once. Memory: half of the memory handed in, and 16 bytes a
// document.
func (s *sweep) learnTemplate(ctx context.Context, dir *extsort.Dir, memory int) (err error) {
	sorter, err := extsort.NewSorter(dir, extsort.Options[hostFeature]{
		MemoryBytes: memory / 2, Key: 2,
		Combine: extsort.AddUp[hostFeature],
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sorter.Close()) }()
	seen := map[[2]uint64]bool{}
	var x sketch.Sketch
	for d, err := range s.all(ctx) {
		if err != nil {
			return err
		}
		some, err := d.sketch(&x)
		if err != nil {
			return fmt.Errorf("sketch of %s: %w", d.URL, err)
		}
		text := [2]uint64{hostKey(d.URL), x.Lexical}
		if !some || d.Gone || d.Part || seen[text] {
			continue
		}
		seen[text] = true
		if err := sorter.Add(hostFeature{text[0], 0, 1}); err != nil {
			return err
		}
		for _, v := range x.Values {
			if v == 0 {
				continue // stands for the number of texts; one page in 10^9 has it
			}
			if err := sorter.Add(hostFeature{text[0], v, 1}); err != nil {
				return err
			}
		}
	}
	c, err := sorter.Sort(ctx)
	if err != nil {
		return err
	}
	w, err := extsort.NewWriter[hostFeature](dir, templateName(s.Number), templateKind)
	if err != nil {
		return errors.Join(err, c.Close())
	}
	defer func() { err = errors.Join(err, w.Abort()) }()
	texts := uint64(0)
	err = c.Each(ctx, func(h hostFeature) error {
		if h[1] == 0 {
			texts = h[2]
			return w.Write(h)
		}
		if texts < leastTemplate || float64(h[2]) <= max(2, s.MainText*float64(texts)) {
			return nil
		}
		return w.Write(h)
	})
	if err != nil {
		return err
	}
	return w.Commit()
}

// openTemplate opens the table of a sweep that has one.
func (s *sweep) openTemplate(dir *extsort.Dir) (err error) {
	if s.MainText > 0 {
		s.template, err = extsort.OpenTable[hostFeature](dir, templateName(s.Number), templateKind)
	}
	return err
}

// templateOf is the template of a host, ascending; nil where there is none.
func (s *sweep) templateOf(host uint64) (list []uint64, err error) {
	if s.template == nil {
		return nil, nil
	}
	c := s.template.From(hostFeature{host, 1})
	for c.Next() && c.Record()[0] == host {
		list = append(list, c.Record()[1])
	}
	return list, errors.Join(c.Err(), c.Close())
}

// Common lists the shingles that are left out of comparisons, the most common first, at most so
// many of all hosts and so many of templates, each with a document that has it. Time: a pass over
// the documents until all are found.
func (c *Catalog) Common(ctx context.Context, limit int) ([]Common, error) {
	everywhere, err := c.clusters.Common(ctx, limit)
	if err != nil {
		return nil, err
	}
	list := make([]Common, 0, len(everywhere))
	for _, x := range everywhere {
		list = append(list, Common{Shingle: x.Shingle, Documents: int(min(x.Documents, math.MaxInt))})
	}
	of, err := c.templates(ctx, limit)
	if err != nil {
		return nil, err
	}
	return c.withExamples(ctx, list, of)
}

// hosted is a shingle of the template of the host of that key.
type hosted struct {
	Common
	key uint64
}

// templates are the most common shingles of hosts, by the latest sweep that has a template.
func (c *Catalog) templates(ctx context.Context, limit int) (list []hosted, err error) {
	i := len(c.sweeps) - 1
	for i >= 0 && c.sweeps[i].template == nil {
		i--
	}
	if i < 0 {
		return nil, nil
	}
	byDocuments := func(a, b hosted) int {
		return cmp.Or(cmp.Compare(b.Documents, a.Documents), cmp.Compare(a.key, b.key),
			cmp.Compare(a.Shingle, b.Shingle))
	}
	texts := 0
	err = c.sweeps[i].template.All().Each(ctx, func(h hostFeature) error {
		if h[1] == 0 {
			texts = int(h[2])
			return nil
		}
		if list = append(list, hosted{
			Common{Shingle: h[1], Documents: int(h[2]), Of: texts},
			h[0],
		}); len(list) >= 2*limit {
			slices.SortFunc(list, byDocuments)
			list = list[:limit]
		}
		return nil
	})
	slices.SortFunc(list, byDocuments)
	return list[:min(len(list), max(limit, 0))], err
}

// withExamples finds a document for each shingle, and the names of the hosts.
func (c *Catalog) withExamples(ctx context.Context, list []Common, of []hosted) ([]Common, error) {
	everywhere, ofHost := map[uint64]int{}, map[[2]uint64]int{}
	for i, x := range list {
		everywhere[x.Shingle] = i
	}
	for _, x := range of {
		ofHost[[2]uint64{x.key, x.Shingle}] = len(list)
		list = append(list, x.Common)
	}
	left := len(list)
	found := func(i int, u page.URL) {
		if list[i].URL == "" {
			list[i].URL = u
			left--
		}
	}
	var x sketch.Sketch
	for _, s := range slices.Backward(c.sweeps) {
		for d, err := range s.all(ctx) {
			if err != nil {
				return nil, err
			}
			if left == 0 {
				return list, nil
			}
			some, err := d.sketch(&x)
			if err != nil {
				return nil, fmt.Errorf("sketch of %s: %w", d.URL, err)
			}
			if !some {
				continue
			}
			host := hostKey(d.URL)
			for _, v := range x.Values {
				if i, ok := everywhere[v]; ok {
					found(i, d.URL)
				}
				if i, ok := ofHost[[2]uint64{host, v}]; ok {
					list[i].Host = d.URL.Host()
					found(i, d.URL)
				}
			}
		}
	}
	return list, nil
}

// Recluster forms the clusters anew, with the catalog's options: for another threshold or
// containment. Source: section 6.1 there.
func (c *Catalog) Recluster(ctx context.Context) (cluster.Stats, error) {
	if c.opts.ReadOnly {
		return cluster.Stats{}, fmt.Errorf("form clusters: %w", extsort.ErrReadOnly)
	}
	return c.clusters.Recluster(ctx)
}
