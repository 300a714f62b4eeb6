package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"

	"watershed/internal/disjoint"
	"watershed/internal/extsort"
)

// update is one addition of documents to a store, or one repetition of its last phases.
//
// Invariant: what it writes has names of the next generation, which the store's state does not
// mention until commit.
type update struct {
	s     *Store
	o     Options
	next  state
	stats Stats
	base  uint32 // documents before
	n     int    // documents now
	made  []io.Closer
	files []string // tables committed so far

	rows   *extsort.Table[row]    // of the new documents, common shingles still counted
	names  *extsort.Table[place]  // of all documents, old or no clusters
	prints *extsort.Sorter[tuple] // of the new documents
	tuples *extsort.Sorter[tuple] // of the new documents
	pairs  *extsort.Sorter[tuple]
	forest disjoint.Sets[uint32]
	same   bits // documents whose sketch one of a smaller number has
	// shingles of each document's sketch that are not common; of one in same, the document that has
	// its sketch
	counts []uint32
	rates  []float32
	fresh  tables // those made so far
}

// Add takes the documents of a sweep, or of part of one, into the store and forms all clusters anew
// from the tables. When it fails, or the context ends it, the store is as before. An error of the
// iterator ends it. Memory: see the package comment. Time: O(n log n) in the new shingles and
// pairs, and one pass over the tables of the old ones. Without documents, the clusters are formed
// anew by the options of the store: for another threshold, containment or rank (section 6.1).
func (s *Store) Add(ctx context.Context, docs iter.Seq2[Document, error]) (Stats, error) {
	u := &update{s: s, o: s.opts, next: *s.state, base: uint32(s.state.Documents)}
	err := u.add(ctx, docs)
	return u.stats, u.finish(err)
}

func (u *update) add(ctx context.Context, docs iter.Seq2[Document, error]) error {
	u.begin()
	for _, step := range []struct {
		phase Phase
		do    func(context.Context) error
	}{
		{Reading, func(ctx context.Context) error { return u.read(ctx, docs) }},
		{Duplicates, u.duplicates},
		{ShingleMerging, u.shingles},
		{PairFormation, u.expand},
		{PairMerging, u.mergePairs},
		{Formation, u.form},
	} {
		if u.o.Phase != nil {
			u.o.Phase(step.phase)
		}
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", step.phase, err)
		}
	}
	return nil
}

func (u *update) begin() {
	u.next.Generation++
	u.next.MaxDocuments, u.next.MinSample, u.next.Super = u.o.MaxDocuments, u.o.MinSample, u.o.Super
	u.next.Threshold, u.next.Containment = u.o.Threshold, u.o.Containment
	u.next.Tables = map[string]tableFile{}
	maps.Copy(u.next.Tables, u.s.state.Tables)
}

// finish makes the new tables the store's, or removes them.
func (u *update) finish(err error) error {
	for _, c := range u.made {
		err = errors.Join(err, c.Close())
	}
	if err == nil {
		var b []byte
		if b, err = u.next.encode(); err == nil {
			err = u.s.dir.WriteFile(stateName, b)
		}
	}
	err = errors.Join(err, u.fresh.close())
	if err != nil {
		for _, n := range u.files {
			err = errors.Join(err, u.s.dir.Remove(n))
		}
		return err
	}
	err = u.s.tables.close()
	u.s.state = &u.next
	return errors.Join(err, u.s.removeStrays(), u.s.tables.open(u.s.dir, u.s.state))
}

// keep has c closed at the end, if it was not before.
func keep[C io.Closer](u *update, c C) C {
	u.made = append(u.made, c)
	return c
}

// newSorter begins a sort with a part of the memory.
func newSorter[T extsort.Record](u *update, part int, o extsort.Options[T]) (*extsort.Sorter[T], error) {
	o.MemoryBytes = u.o.MemoryBytes / part
	s, err := extsort.NewSorter(u.s.dir, o)
	if err != nil {
		return nil, err
	}
	return keep(u, s), nil
}

// aborter ends a writer that was not committed.
type aborter struct{ abort func() error }

func (a aborter) Close() error { return a.abort() }

// create begins a table of the next generation.
func create[T extsort.Record](u *update, kind string) (*extsort.Writer[T], error) {
	w, err := extsort.NewWriter[T](u.s.dir, fileName(kind, u.next.Generation), kind)
	if err != nil {
		return nil, err
	}
	keep(u, aborter{w.Abort})
	return w, nil
}

// commit ends a table of the next generation and opens it.
func commit[T extsort.Record](u *update, kind string, w *extsort.Writer[T], to **extsort.Table[T]) error {
	name := fileName(kind, u.next.Generation)
	if err := w.Commit(); err != nil {
		return err
	}
	u.files = append(u.files, name)
	u.next.Tables[kind] = tableFile{File: name, Records: w.Len()}
	t, err := extsort.OpenTable[T](u.s.dir, name, kind)
	*to = t
	return err
}

// bits is a set of numbers.
type bits []uint64

func newBits(n int) bits         { return make(bits, (n+63)/64) }
func (b bits) set(i uint32)      { b[i/64] |= 1 << (i % 64) }
func (b bits) has(i uint32) bool { return b[i/64]>>(i%64)&1 == 1 }
