package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"watershed/internal/extsort"
	"watershed/replica/sketch"
)

// ChangeKind is what became of a page between two sweeps.
type ChangeKind uint8

// The kinds.
const (
	Unchanged    ChangeKind = iota // the same bytes, or the same words where bytes were not digested
	Reformatted                    // other bytes, the same words
	Edited                         // other words; resemblance at the store's threshold or above
	Rewritten                      // resemblance below the threshold
	MovedWithin                    // gone from its URL, found under another one of the same server
	MovedBetween                   // found on another server
	Died                           // gone, and nothing like it is new
	Born                           // new, and like nothing that is gone
	changeKinds
)

var changeNames = [changeKinds]string{
	"unchanged", "reformatted", "edited", "rewritten", "moved within its server", "moved between servers",
	"died", "born",
}

// String is the kind in words.
func (k ChangeKind) String() string {
	if k < changeKinds {
		return changeNames[k]
	}
	return fmt.Sprintf("change %d", uint8(k))
}

// Change is what became of one page.
type Change struct {
	Kind        ChangeKind
	From        Info            // the zero Info when it was born
	To          Info            // the zero Info when it died
	Resemblance sketch.Estimate // of the two; exactly 1 where their bytes or words are the same
}

// maxMoves bounds, in one cluster, the pages gone and the pages new that are compared with each
// other, after those that are equal were paired.
const maxMoves = 64

// changes is the comparison of two sweeps.
type changes struct {
	s        *Store
	from, to uint32
	report   func(Change) error
	gone     bits // documents of the first sweep whose page is not in the second
	fresh    bits // documents of the second whose page is not in the first
}

// Changes reports what became of each page from one sweep to another: first the pages that both
// have, in the order of their keys, then the moves by cluster, then deaths and births. A page that
// is gone has moved to a page that is new, is in its cluster, and equals it or resembles it at the
// threshold; each page moves once, the closest pairs first, a page's own server before others.
// Memory: two bits a document and Options.MemoryBytes. Source: Broder et al., 1997, section 6.5.
func (s *Store) Changes(ctx context.Context, from, to uint32, report func(Change) error) error {
	if s.state.Documents == 0 || from == to {
		return nil
	}
	n := int(s.state.Documents)
	c := &changes{s: s, from: from, to: to, report: report, gone: newBits(n), fresh: newBits(n)}
	for _, step := range []func(context.Context) error{c.stayed, c.moved, c.rest} {
		if err := step(ctx); err != nil {
			return fmt.Errorf("changes from sweep %d to %d: %w", from, to, err)
		}
	}
	return nil
}

// stayed reports the pages that both sweeps have, and marks the others. The rows of documents lie
// by number, those of a page anywhere; so the pages' places are sorted by number, joined with the
// rows, and sorted back.
func (c *changes) stayed(ctx context.Context) (err error) {
	o := extsort.Options[tuple]{MemoryBytes: c.s.opts.MemoryBytes / 4}
	byNumber, err := extsort.NewSorter(c.s.dir, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, byNumber.Close()) }()
	if err := c.match(ctx, byNumber); err != nil {
		return err
	}
	byPage, err := extsort.NewSorter(c.s.dir, extsort.Options[row]{MemoryBytes: c.s.opts.MemoryBytes / 2})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, byPage.Close()) }()
	places, err := byNumber.Sort(ctx)
	if err != nil {
		return err
	}
	more := places.Next()
	err = c.s.tables.docs.All().Each(ctx, func(r row) error {
		if !more || places.Record()[0] != uint64(r.seq()) {
			return nil
		}
		r[0] = places.Record()[1]
		more = places.Next()
		return byPage.Add(r)
	})
	if err := errors.Join(err, places.Err(), places.Close()); err != nil {
		return err
	}
	rows, err := byPage.Sort(ctx)
	if err != nil {
		return err
	}
	var old row
	return rows.Each(ctx, func(r row) error {
		if r[0]%2 == 0 {
			old = r
			return nil
		}
		return c.compare(&old, &r)
	})
}

// match goes through the pages, marks those that only one sweep has, and adds ⟨number, page's place
// and sweep⟩ of the others.
func (c *changes) match(ctx context.Context, byNumber *extsort.Sorter[tuple]) error {
	var page uint64
	var old, now *version
	index := uint64(0)
	end := func() (err error) {
		switch {
		case old != nil && now != nil:
			err = errors.Join(byNumber.Add(tuple{uint64(old.seq), 2 * index}),
				byNumber.Add(tuple{uint64(now.seq), 2*index + 1}))
			index++
		case old != nil:
			c.gone.set(old.seq)
		case now != nil:
			c.fresh.set(now.seq)
		}
		old, now = nil, nil
		return err
	}
	err := c.s.tables.places.All().Each(ctx, func(p place) error {
		if p[0] != page {
			if err := end(); err != nil {
				return err
			}
			page = p[0]
		}
		switch v := p.version(); v.key.Sweep {
		case c.from:
			old = &v
		case c.to:
			now = &v
		}
		return nil
	})
	return errors.Join(err, end())
}

// compare reports a page that both sweeps have.
func (c *changes) compare(old, now *row) error {
	p, err := c.s.between(old, now)
	if err != nil {
		return err
	}
	kind := Rewritten
	switch {
	case p.Relation == Identical, p.Relation == LexicallyEquivalent && (old[7] == 0 || now[7] == 0):
		kind = Unchanged
	case p.Relation == LexicallyEquivalent:
		kind = Reformatted
	case p.Relation == ShingleEquivalent, p.Resemblance.Value >= c.s.opts.Threshold:
		kind = Edited
	}
	return c.report(Change{kind, old.info(), now.info(), certain(p)})
}

// certain is the resemblance of a pair, which is 1 where words are the same.
func certain(p pair) sketch.Estimate {
	if p.Relation <= LexicallyEquivalent {
		return sketch.Estimate{Value: 1, Low: 1, High: 1, Common: p.Common, Sample: p.Common, Exact: true}
	}
	return p.Resemblance
}

// moved reports the moves, cluster by cluster, and takes their marks away.
func (c *changes) moved(ctx context.Context) error {
	return c.s.eachCluster(ctx, func(rows []row) error {
		var gone, fresh []*row
		for i := range rows {
			switch seq := rows[i].seq(); {
			case c.gone.has(seq):
				gone = append(gone, &rows[i])
			case c.fresh.has(seq):
				fresh = append(fresh, &rows[i])
			}
		}
		if len(gone) == 0 || len(fresh) == 0 {
			return nil
		}
		for _, list := range [][]*row{gone, fresh} {
			slices.SortFunc(list, func(a, b *row) int { return a.key().compare(b.key()) })
		}
		for _, word := range []int{7, 8, 9} { // digest, words, sketch
			for _, sameHost := range []bool{true, false} {
				if err := c.moveEqual(gone, fresh, word, sameHost); err != nil {
					return err
				}
			}
		}
		return c.moveSimilar(gone, fresh)
	})
}

// moveEqual pairs the pages gone with the pages new that have the same fingerprint, which stands in
// that word of a row.
func (c *changes) moveEqual(gone, fresh []*row, word int, sameHost bool) error {
	type place struct{ print, host uint64 }
	at := func(r *row) place {
		if sameHost {
			return place{r[word], r[3]}
		}
		return place{print: r[word]}
	}
	to := map[place][]*row{}
	for _, r := range fresh {
		if r[word] != 0 && c.fresh.has(r.seq()) {
			to[at(r)] = append(to[at(r)], r)
		}
	}
	for _, r := range gone {
		list := to[at(r)]
		if len(list) == 0 || r[word] == 0 || !c.gone.has(r.seq()) {
			continue
		}
		to[at(r)] = list[1:]
		p, err := c.s.between(r, list[0])
		if err != nil {
			return err
		}
		if err := c.move(r, list[0], p); err != nil {
			return err
		}
	}
	return nil
}

// moveSimilar pairs those that are left by resemblance, the greatest first.
func (c *changes) moveSimilar(gone, fresh []*row) error {
	type candidate struct {
		from, to *row
		pair     pair
	}
	left := func(list []*row, marks bits) []*row {
		list = slices.DeleteFunc(slices.Clone(list), func(r *row) bool { return !marks.has(r.seq()) })
		return list[:min(len(list), maxMoves)]
	}
	var all []candidate
	for _, a := range left(gone, c.gone) {
		for _, b := range left(fresh, c.fresh) {
			p, err := c.s.between(a, b)
			if err != nil {
				return err
			}
			if p.Common > 0 && p.Resemblance.Value >= c.s.opts.Threshold {
				all = append(all, candidate{a, b, p})
			}
		}
	}
	slices.SortFunc(all, func(x, y candidate) int {
		return cmp.Or(
			cmp.Compare(y.pair.Resemblance.Value, x.pair.Resemblance.Value), falseFirst(x.from[3] != x.to[3],
				y.from[3] != y.to[3]),
			x.from.key().compare(y.from.key()), x.to.key().compare(y.to.key()),
		)
	})
	for _, m := range all {
		if c.gone.has(m.from.seq()) && c.fresh.has(m.to.seq()) {
			if err := c.move(m.from, m.to, m.pair); err != nil {
				return err
			}
		}
	}
	return nil
}

// move reports a move, and takes the marks away.
func (c *changes) move(from, to *row, p pair) error {
	c.gone.clear(from.seq())
	c.fresh.clear(to.seq())
	kind := MovedWithin
	if from[3] != to[3] {
		kind = MovedBetween
	}
	return c.report(Change{kind, from.info(), to.info(), certain(p)})
}

// rest reports the pages that are still marked.
func (c *changes) rest(ctx context.Context) error {
	return c.s.tables.docs.All().Each(ctx, func(r row) error {
		switch {
		case c.gone.has(r.seq()):
			return c.report(Change{Kind: Died, From: r.info()})
		case c.fresh.has(r.seq()):
			return c.report(Change{Kind: Born, To: r.info()})
		}
		return nil
	})
}
