package cluster

import (
	"context"
	"errors"
	"math"

	"watershed/internal/disjoint"
	"watershed/internal/extsort"
)

// duplicates is the elimination of duplicates: documents with an equal fingerprint of any kind are
// linked, and of those with an equal sketch only the one of the smallest number goes on. Source:
// Broder et al., 1997, section 5.2.
func (u *update) duplicates(ctx context.Context) error {
	u.forest, u.same = disjoint.New[uint32](u.n), newBits(u.n)
	u.counts = make([]uint32, u.n)
	c, err := u.prints.Sort(ctx, present(u.s.prints)...)
	if err != nil {
		return err
	}
	w, err := create[tuple](u, kindPrints)
	if err != nil {
		return errors.Join(err, c.Close())
	}
	first := tuple{0, math.MaxUint64}
	err = c.Each(ctx, func(t tuple) error {
		if t[0] != first[0] || t[1]>>32 != first[1]>>32 {
			first = t
			return w.Write(t)
		}
		u.forest.Union(uint32(first[1]), uint32(t[1]))
		if t[1]>>32 == printSet {
			u.same.set(uint32(t[1]))
			u.counts[uint32(t[1])] = uint32(first[1])
		}
		return w.Write(t)
	})
	if err != nil {
		return err
	}
	return errors.Join(commit(u, kindPrints, w, &u.fresh.prints), u.recall(ctx))
}

// recall reads what is known of the documents' sketches: rates, and of the old ones the shingles
// that were not common.
func (u *update) recall(ctx context.Context) error {
	rate := func(r *row) {
		if u.rates == nil && r.rate() != 1 {
			u.rates = make([]float32, u.n)
			for i := range u.rates {
				u.rates[i] = 1
			}
		}
		if u.rates != nil {
			u.rates[r.seq()] = r.rate()
		}
	}
	err := all(u.s.docs).Each(ctx, func(r row) error {
		rate(&r)
		if !u.same.has(r.seq()) {
			u.counts[r.seq()] = r.shingles()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return u.rows.All().Each(ctx, func(r row) error { rate(&r); return nil })
}

// sample is what is compared of a document.
func (u *update) sample(seq uint32) sample {
	s := sample{shingles: float64(u.counts[seq]), rate: 1}
	if u.rates != nil {
		s.rate = float64(u.rates[seq])
	}
	return s
}

// merger is phase 2: it merges the new ⟨shingle, document⟩ with the old, one shingle's documents at
// a time.
type merger struct {
	u        *update
	postings *extsort.Writer[tuple]
	common   *extsort.Writer[tuple]
	known    *extsort.Cursor[tuple] // common shingles of before
	more     bool                   // known is at a record
	shingle  uint64
	docs     []uint32 // that have the shingle, ascending; no more than max+1
	over     uint64   // how many more have it
	max      int
}

// shingles makes the postings. A shingle that becomes common now takes back what it gave to the
// counts and pairs of old documents.
func (u *update) shingles(ctx context.Context) error {
	c, err := u.tuples.Sort(ctx, present(u.s.postings)...)
	if err != nil {
		return err
	}
	m := &merger{u: u, known: all(u.s.common), max: u.o.MaxDocuments}
	if u.o.Super == 1 {
		m.max = math.MaxInt // one in common links, without pairs: no list is too long
	}
	if m.postings, err = create[tuple](u, kindPostings); err != nil {
		return errors.Join(err, c.Close())
	}
	if m.common, err = create[tuple](u, kindCommon); err != nil {
		return errors.Join(err, c.Close())
	}
	if u.pairs, err = newSorter(u, 2, extsort.Options[tuple]{Key: 1, Combine: extsort.AddUp[tuple]}); err !=
		nil {
		return errors.Join(err, c.Close())
	}
	m.more = m.known.Next()
	err = c.Each(ctx, m.add)
	if err == nil {
		err = m.end()
	}
	if err == nil {
		err = m.copyKnown(math.MaxUint64, true)
	}
	if err = errors.Join(err, m.known.Err(), m.known.Close()); err != nil {
		return err
	}
	u.stats.Postings, u.stats.Common = m.postings.Len(), m.common.Len()
	return errors.Join(commit(u, kindPostings, m.postings, &u.fresh.postings), commit(u, kindCommon, m.common,
		&u.fresh.common))
}

// add takes the next ⟨shingle, document⟩.
func (m *merger) add(t tuple) error {
	if t[0] != m.shingle {
		if err := m.end(); err != nil {
			return err
		}
		m.shingle = t[0]
	}
	switch seq := uint32(t[1]); {
	case m.u.same.has(seq):
	case len(m.docs) <= m.max:
		m.docs = append(m.docs, seq)
	default:
		m.over++
	}
	return nil
}

// end handles the documents of one shingle. Old ones come first, and are no more than max, or their
// shingle would be common before.
func (m *merger) end() error {
	if len(m.docs) == 0 {
		return nil
	}
	docs, count := m.docs, uint64(len(m.docs))+m.over
	m.docs, m.over = docs[:0], 0
	if err := m.copyKnown(m.shingle, false); err != nil {
		return err
	}
	if m.more && m.known.Record()[0] == m.shingle {
		count += m.known.Record()[1]
		m.more = m.known.Next()
	}
	if count <= uint64(m.max) {
		for _, d := range docs {
			if d >= m.u.base {
				m.u.counts[d]++
			}
			if err := m.postings.Write(tuple{m.shingle, uint64(d)}); err != nil {
				return err
			}
		}
		return nil
	}
	for j, d := range docs {
		if d >= m.u.base {
			break
		}
		m.u.counts[d]--
		for _, before := range docs[:j] {
			if err := m.u.pairs.Add(tuple{uint64(before)<<32 | uint64(d), math.MaxUint64}); err != nil {
				return err
			}
		}
	}
	return m.common.Write(tuple{m.shingle, count})
}

// copyKnown copies common shingles of before, below one, or to the end.
func (m *merger) copyKnown(below uint64, end bool) error {
	for m.more && (end || m.known.Record()[0] < below) {
		if err := m.common.Write(m.known.Record()); err != nil {
			return err
		}
		m.more = m.known.Next()
	}
	return m.known.Err()
}

// expand is phase 3: each posting list becomes its pairs, of which those of two old documents are
// known. Source: Broder et al., 1997, section 4.1; with one super shingle in common as the
// condition there are no pairs (section 5.3).
func (u *update) expand(ctx context.Context) error {
	if u.stats.Documents == 0 && u.o.Super != 1 {
		return nil
	}
	var docs []uint32
	shingle := uint64(0)
	err := u.fresh.postings.All().Each(ctx, func(t tuple) error {
		if t[0] != shingle {
			shingle, docs = t[0], docs[:0]
		}
		seq := uint32(t[1])
		if u.o.Super == 1 {
			if len(docs) == 0 {
				docs = append(docs, seq)
			}
			u.forest.Union(docs[0], seq)
			return nil
		}
		if seq >= u.base {
			for _, d := range docs {
				if err := u.pairs.Add(tuple{uint64(d)<<32 | uint64(seq), 1}); err != nil {
					return err
				}
			}
		}
		docs = append(docs, seq)
		return nil
	})
	u.tuples = nil
	return err
}

// mergePairs is the merge of phase 3, and the threshold of phase 4.
func (u *update) mergePairs(ctx context.Context) error {
	c, err := u.pairs.Sort(ctx, present(u.s.pairs)...)
	if err != nil {
		return err
	}
	w, err := create[tuple](u, kindPairs)
	if err != nil {
		return errors.Join(err, c.Close())
	}
	err = c.Each(ctx, func(t tuple) error {
		if t[1] == 0 {
			return nil // what its shingles gave was taken back
		}
		a, b := uint32(t[0]>>32), uint32(t[0])
		if u.o.linked(float64(t[1]), u.sample(a), u.sample(b)) {
			u.forest.Union(a, b)
		}
		return w.Write(t)
	})
	if err != nil {
		return err
	}
	u.stats.Pairs = w.Len()
	return commit(u, kindPairs, w, &u.fresh.pairs)
}
