package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"watershed/internal/disjoint"
	"watershed/internal/extsort"
)

// Cluster is documents that are alike, each with one other at least.
type Cluster struct {
	Number  uint32 // from 1, in the order of the clusters' first documents by page and sweep
	Members []Key  // by sweep, and in a sweep the one fetched first: the representative is the first
}

type (
	// tuple is ⟨shingle, document⟩, ⟨print, kind and document⟩, or ⟨two documents, count⟩.
	tuple [2]uint64
	// row is ⟨page, sweep and document, time⟩.
	row [3]uint64
	// member is ⟨cluster and sweep, time, page⟩.
	member [3]uint64
)

// The kinds of fingerprints of a document, in the upper half of a print's second word.
const (
	printDigest = iota
	printLexical
	printSet
)

// maxDocuments leaves one number free.
const maxDocuments = math.MaxUint32 - 1

// unnumbered stands for the number of a cluster that has none yet.
const unnumbered = ^uint32(0)

// finder is one search. Documents are numbered as they come.
type finder struct {
	o     Options
	stats Stats

	rows   *extsort.Sorter[row]
	prints *extsort.Sorter[tuple]
	tuples *extsort.Sorter[tuple] // of shingles
	pairs  *extsort.Sorter[tuple]
	found  *extsort.Sorter[member]

	rates  []float32
	forest disjoint.Sets[uint32]
	same   []bool   // documents whose sketch one of a smaller number has
	counts []uint32 // shingles of each document's sketch that are not common
	supers []uint64
}

// Find calls each with the clusters of documents, of which no two have one key, in the order of
// their numbers. Dir takes what memory does not hold, and is empty again afterwards. An error of
// docs, of each or of the context ends the search. Time: O(n log n) in the shingles and pairs.
func Find(ctx context.Context, dir *extsort.Dir, docs iter.Seq2[Document, error], o Options,
	each func(Cluster) error,
) (_ Stats, err error) {
	if err := o.Validate(); err != nil {
		return Stats{}, fmt.Errorf("cluster options: %w", err)
	}
	f := &finder{o: o.withDefaults()}
	defer func() { err = errors.Join(err, f.close()) }()
	if err := f.open(dir); err != nil {
		return f.stats, err
	}
	for _, step := range []struct {
		phase Phase
		do    func() error
	}{
		{Reading, func() error { return f.read(ctx, docs) }},
		{Duplicates, func() error { return f.duplicates(ctx) }},
		{PairFormation, func() error { return f.expand(ctx) }},
		{PairMerging, func() error { return f.link(ctx) }},
		{Formation, func() error { return f.form(ctx, each) }},
	} {
		if f.o.Phase != nil {
			f.o.Phase(step.phase)
		}
		if err := step.do(); err != nil {
			return f.stats, fmt.Errorf("%s: %w", step.phase, err)
		}
	}
	return f.stats, nil
}

// open begins the sorts. A sort takes memory when it gets records, and gives it back when it has
// been read: those of a half come one after the other.
func (f *finder) open(dir *extsort.Dir) (err error) {
	memory := f.o.MemoryBytes
	f.rows, err = extsort.NewSorter(dir, extsort.Options[row]{MemoryBytes: memory / 8})
	if err == nil {
		f.prints, err = extsort.NewSorter(dir, extsort.Options[tuple]{MemoryBytes: memory / 4})
	}
	if err == nil {
		f.tuples, err = extsort.NewSorter(dir, extsort.Options[tuple]{MemoryBytes: memory / 2})
	}
	if err == nil {
		f.pairs, err = extsort.NewSorter(dir, extsort.Options[tuple]{
			MemoryBytes: memory / 2, Key: 1, Combine: extsort.AddUp[tuple],
		})
	}
	if err == nil {
		f.found, err = extsort.NewSorter(dir, extsort.Options[member]{MemoryBytes: memory / 2})
	}
	return err
}

func (f *finder) close() error {
	var errs []error
	for _, s := range []*extsort.Sorter[tuple]{f.prints, f.tuples, f.pairs} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	if f.rows != nil {
		errs = append(errs, f.rows.Close())
	}
	if f.found != nil {
		errs = append(errs, f.found.Close())
	}
	return errors.Join(errs...)
}

func (f *finder) read(ctx context.Context, docs iter.Seq2[Document, error]) error {
	for d, err := range docs {
		if err == nil && f.stats.Documents%1024 == 0 {
			err = ctx.Err()
		}
		if err == nil {
			err = f.add(&d)
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// add takes a document: its row, fingerprints and shingles.
func (f *finder) add(d *Document) error {
	if err := d.Validate(); err != nil {
		return err
	}
	n := f.stats.Documents
	if n >= maxDocuments {
		return fmt.Errorf("document %v: too many documents, more than %d", d.Key, maxDocuments)
	}
	f.stats.Documents++
	rate := cmp.Or(d.Rate, 1)
	f.rates = append(f.rates, rate)
	var set uint64
	if rate == 1 || len(d.Shingles) >= f.o.MinSample {
		set = d.Set()
	}
	err := f.rows.Add(row{d.Page, uint64(d.Sweep)<<32 | n, uint64(d.Time)})
	for kind, print := range [...]uint64{printDigest: d.Digest, printLexical: d.Lexical, printSet: set} {
		if err == nil && print != 0 {
			err = f.prints.Add(tuple{print, uint64(kind)<<32 | n})
		}
	}
	features := d.Shingles
	if f.o.Super > 0 {
		f.supers = append(f.supers[:0], d.Super...)
		slices.Sort(f.supers)
		features = slices.Compact(f.supers)
	}
	for i := 0; i < len(features) && err == nil; i++ {
		err = f.tuples.Add(tuple{features[i], n})
	}
	return err
}

// duplicates is the elimination of duplicates: documents with an equal fingerprint of any kind are
// linked, and of those with an equal sketch, taken at an equal rate, only the one of the smallest number
// goes on. Source: Broder et al., 1997, section 5.2.
func (f *finder) duplicates(ctx context.Context) error {
	n := int(f.stats.Documents)
	f.forest, f.same, f.counts = disjoint.New[uint32](n), make([]bool, n), make([]uint32, n)
	c, err := f.prints.Sort(ctx)
	if err != nil {
		return err
	}
	first := tuple{0, math.MaxUint64}
	return c.Each(ctx, func(t tuple) error {
		if t[0] != first[0] || t[1]>>32 != first[1]>>32 {
			first = t
			return nil
		}
		f.forest.Union(uint32(first[1]), uint32(t[1]))
		// equal bytes and equal words have an equal sketch
		if f.rates[uint32(t[1])] == f.rates[uint32(first[1])] {
			f.same[uint32(t[1])] = true
		}
		return nil
	})
}

// expand makes of the documents of each shingle its pairs. Source: Broder et al., 1997, section
// 4.1; with one super shingle in common as the condition there are no pairs, and no list is too
// long (section 5.3).
func (f *finder) expand(ctx context.Context) error {
	c, err := f.tuples.Sort(ctx)
	if err != nil {
		return err
	}
	most := f.o.MaxDocuments
	if f.o.Super == 1 {
		most = math.MaxInt
	}
	var docs []uint32 // that have the shingle, ascending; no more than most+1
	shingle := uint64(0)
	end := func() error {
		if len(docs) > most {
			f.stats.Common++
			return nil
		}
		f.stats.Postings += uint64(len(docs))
		for j, d := range docs {
			f.counts[d]++
			if f.o.Super == 1 {
				f.forest.Union(docs[0], d)
				continue
			}
			for _, before := range docs[:j] {
				if err := f.pairs.Add(tuple{uint64(before)<<32 | uint64(d), 1}); err != nil {
					return err
				}
			}
		}
		return nil
	}
	err = c.Each(ctx, func(t tuple) error {
		if t[0] != shingle {
			if err := end(); err != nil {
				return err
			}
			shingle, docs = t[0], docs[:0]
		}
		if d := uint32(t[1]); !f.same[d] && len(docs) <= most {
			docs = append(docs, d)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return end()
}

// link adds up the pairs, and links those above the threshold.
func (f *finder) link(ctx context.Context) error {
	c, err := f.pairs.Sort(ctx)
	if err != nil {
		return err
	}
	of := func(d uint32) sample { return sample{float64(f.counts[d]), float64(f.rates[d])} }
	return c.Each(ctx, func(t tuple) error {
		f.stats.Pairs++
		if a, b := uint32(t[0]>>32), uint32(t[0]); f.o.linked(float64(t[1]), of(a), of(b)) {
			f.forest.Union(a, b)
		}
		return nil
	})
}

// form numbers the components in the order of their first documents, by page and sweep, and tells
// their members.
func (f *finder) form(ctx context.Context, each func(Cluster) error) error {
	number := make([]uint32, f.stats.Documents) // of each component of two or more, at its root
	for i := range number {
		if root := f.forest.Find(uint32(i)); root != uint32(i) {
			number[root] = unnumbered
		}
	}
	rows, err := f.rows.Sort(ctx)
	if err != nil {
		return err
	}
	err = rows.Each(ctx, func(r row) error {
		n := &number[f.forest.Find(uint32(r[1]))]
		switch *n {
		case 0:
			return nil
		case unnumbered:
			f.stats.Clusters++
			*n = uint32(f.stats.Clusters)
		}
		f.stats.Members++
		time := r[2] ^ 1<<63 // times before 1970 come first
		return f.found.Add(member{uint64(*n)<<32 | r[1]>>32, time, r[0]})
	})
	if err != nil {
		return err
	}
	found, err := f.found.Sort(ctx)
	if err != nil {
		return err
	}
	var x Cluster
	err = found.Each(ctx, func(m member) error {
		if n := uint32(m[0] >> 32); n != x.Number {
			if x.Number > 0 {
				if err := each(x); err != nil {
					return err
				}
			}
			x = Cluster{Number: n}
		}
		x.Members = append(x.Members, Key{Page: m[2], Sweep: uint32(m[0])})
		return nil
	})
	if err == nil && x.Number > 0 {
		err = each(x)
	}
	return err
}
