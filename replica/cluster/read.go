package cluster

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"watershed/internal/extsort"
)

// The kinds of fingerprints of a document, in the upper half of a print's second word.
const (
	printDigest = iota
	printLexical
	printSet
)

// maxDocuments leaves one number free.
const maxDocuments = math.MaxUint32 - 1

// reader is phase 1: rows, names, fingerprints and shingles of the new documents.
type reader struct {
	u      *update
	rows   *extsort.Writer[row]
	names  *extsort.Sorter[place]
	bytes  []byte
	supers []uint64
}

// read takes the documents. Memory: a half for shingles, a quarter for fingerprints, an eighth for
// names.
func (u *update) read(ctx context.Context, docs iter.Seq2[Document, error]) error {
	rows, err := extsort.NewWriter[row](u.s.dir, "of new documents", kindDocs)
	if err != nil {
		return err
	}
	keep(u, aborter{rows.Abort})
	r := &reader{u: u, rows: rows}
	if r.names, err = newSorter(u, 8, extsort.Options[place]{}); err != nil {
		return err
	}
	if u.prints, err = newSorter(u, 4, extsort.Options[tuple]{}); err != nil {
		return err
	}
	if u.tuples, err = newSorter(u, 2, extsort.Options[tuple]{}); err != nil {
		return err
	}
	if err := r.all(ctx, docs); err != nil {
		return err
	}
	if u.rows, err = rows.Temporary(); err != nil {
		return err
	}
	keep(u, u.rows)
	u.n = int(u.base) + int(u.stats.Documents)
	u.next.Documents = uint64(u.n)
	return r.merge(ctx)
}

func (r *reader) all(ctx context.Context, docs iter.Seq2[Document, error]) error {
	for d, err := range docs {
		if err == nil && r.u.stats.Documents%1024 == 0 {
			err = ctx.Err()
		}
		if err == nil {
			err = r.add(&d)
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (r *reader) add(d *Document) error {
	if err := d.Validate(); err != nil {
		return err
	}
	n := uint64(r.u.base) + r.u.stats.Documents
	if n >= maxDocuments {
		return fmt.Errorf("document %v: too many documents, more than %d", d.Key, maxDocuments)
	}
	seq := uint32(n)
	r.u.stats.Documents++
	var set uint64
	if d.Rate == 0 || d.Rate == 1 || len(d.Shingles) >= r.u.o.MinSample {
		set, r.bytes = d.set(r.bytes)
	}
	err := errors.Join(r.rows.Write(newRow(d, seq, set)), r.names.Add(place{d.Page, uint64(d.Sweep)<<32 | n}))
	for kind, print := range [...]uint64{printDigest: d.Digest, printLexical: d.Lexical, printSet: set} {
		if err == nil && print != 0 {
			err = r.u.prints.Add(tuple{print, uint64(kind)<<32 | n})
		}
	}
	features := d.Shingles
	if r.u.o.Super > 0 {
		r.supers = append(r.supers[:0], d.Super...)
		slices.Sort(r.supers)
		features = slices.Compact(r.supers)
	}
	for i := 0; i < len(features) && err == nil; i++ {
		err = r.u.tuples.Add(tuple{features[i], n})
	}
	return err
}

// merge merges the new names with the old ones and finds those that were given twice.
func (r *reader) merge(ctx context.Context) error {
	c, err := r.names.Sort(ctx, present(r.u.s.places)...)
	if err != nil {
		return err
	}
	w, err := extsort.NewWriter[place](r.u.s.dir, "of names", kindPlaces)
	if err != nil {
		return errors.Join(err, c.Close())
	}
	keep(r.u, aborter{w.Abort})
	var last place
	err = c.Each(ctx, func(p place) error {
		if w.Len() > 0 && p[0] == last[0] && p[1]>>32 == last[1]>>32 {
			return fmt.Errorf("document %v: %w", Key{p[0], uint32(p[1] >> 32)}, errDuplicate)
		}
		last = p
		return w.Write(p)
	})
	if err != nil {
		return err
	}
	if r.u.names, err = w.Temporary(); err != nil {
		return err
	}
	keep(r.u, r.u.names)
	return nil
}
