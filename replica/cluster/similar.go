package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"watershed/replica/sketch"
)

// SimilarOptions say which documents Similar presents. The zero value means the defaults.
type SimilarOptions struct {
	// Threshold is the least estimate, of resemblance or of either containment, that is presented.
	// Default 0.5.
	Threshold float64
	// Limit is the greatest number of documents presented. Default 100.
	Limit int
	// Candidates is how many of the documents with most shingles in common are looked at. Default
	// 10000.
	Candidates int
}

// Validate tells the first field that has no meaning.
func (o SimilarOptions) Validate() error {
	switch {
	case !(o.Threshold >= 0 && o.Threshold <= 1):
		return fmt.Errorf("threshold %g: must be above 0, at most 1", o.Threshold)
	case o.Limit < 0 || o.Candidates < 0:
		return fmt.Errorf("limit %d, candidates %d: must not be negative", o.Limit, o.Candidates)
	}
	return nil
}

func (o SimilarOptions) withDefaults() SimilarOptions {
	o.Threshold = cmp.Or(o.Threshold, defaultThreshold)
	o.Limit, o.Candidates = cmp.Or(o.Limit, 100), cmp.Or(o.Candidates, 10_000)
	return o
}

// Match is a document that is like the one asked for.
type Match struct {
	Info
	Relation    Relation
	Common      int             // shingles in common
	Resemblance sketch.Estimate // of the two
	Contained   sketch.Estimate // the part of the asked document that is in this one
	Containing  sketch.Estimate // the part of this one that is in the asked document
	row         row
}

// best is the greatest of the three estimates.
func (m *Match) best() float64 {
	return max(m.Resemblance.Value, m.Contained.Value, m.Containing.Value)
}

// Similar finds the documents that resemble, contain, or are contained in a document, which need
// not be in the store; those most alike come first, and of more than Limit with one sketch those
// added first. Each shingle costs one block read, each candidate at most another. Source: Broder et
// al., 1997, section 6.1.
func (s *Store) Similar(ctx context.Context, d Document, o SimilarOptions) ([]Match, error) {
	if err := errors.Join(o.Validate(), d.Validate()); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	switch {
	case s.state.Super > 0:
		return nil, fmt.Errorf("similar documents: it holds super shingles: %w", errOptions)
	case s.state.Documents == 0:
		return nil, nil
	}
	set, _ := d.set(nil)
	asked := newRow(&d, 0, set)
	counts, err := s.count(ctx, &d, &asked)
	if err != nil {
		return nil, fmt.Errorf("similar documents: %w", err)
	}
	equal, err := s.equal(&asked)
	if err != nil {
		return nil, fmt.Errorf("similar documents: %w", err)
	}
	for _, seq := range equal {
		counts[seq] += 0 // be it with no shingle in common
	}
	rows, err := s.rows(most(counts, o.Candidates))
	if err != nil {
		return nil, fmt.Errorf("similar documents: %w", err)
	}
	var found []Match
	for i := range rows {
		if m := newMatch(&asked, &rows[i], counts[rows[i].seq()]); m.best() >= o.Threshold ||
			slices.Contains(equal, rows[i].seq()) {
			found = append(found, m)
		}
	}
	slices.SortFunc(found, compareMatches)
	return s.withEquals(&asked, found[:min(len(found), o.Limit)], o.Limit)
}

func compareMatches(a, b Match) int {
	return cmp.Or(
		cmp.Compare(a.Relation, b.Relation), cmp.Compare(b.Resemblance.Value, a.Resemblance.Value),
		cmp.Compare(b.best(), a.best()), a.Key.compare(b.Key),
	)
}

func newMatch(asked, r *row, common uint64) Match {
	p := newPair(asked, r, common)
	return Match{r.info(), p.Relation, p.Common, p.Resemblance, p.AInB, p.BInA, *r}
}

// count counts for each sketch of the store the shingles that it has in common with the document,
// and sets the document's own number of shingles that are not common.
func (s *Store) count(ctx context.Context, d *Document, asked *row) (map[uint32]uint64, error) {
	counts := map[uint32]uint64{}
	kept := uint32(len(d.Shingles))
	for _, f := range d.Shingles {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n := 0
		c := s.tables.postings.From(tuple{f})
		for c.Next() && c.Record()[0] == f {
			counts[uint32(c.Record()[1])]++
			n++
		}
		if err := errors.Join(c.Err(), c.Close()); err != nil {
			return nil, err
		}
		if n == 0 {
			c := s.tables.common.From(tuple{f})
			if c.Next() && c.Record()[0] == f {
				kept--
			}
			if err := errors.Join(c.Err(), c.Close()); err != nil {
				return nil, err
			}
		}
	}
	asked.setShingles(kept)
	return counts, nil
}

// equal are the documents that stand for the sketches of those equal to a document by a
// fingerprint.
func (s *Store) equal(asked *row) (out []uint32, err error) {
	for kind, print := range [...]uint64{
		printDigest: asked[7], printLexical: asked[8],
		printSet: asked.set(),
	} {
		c := s.tables.prints.From(tuple{print, uint64(kind) << 32})
		if print == 0 || !c.Next() || c.Record()[0] != print || c.Record()[1]>>32 != uint64(kind) {
			if err := errors.Join(c.Err(), c.Close()); err != nil {
				return nil, err
			}
			continue
		}
		rows, err := s.rows([]uint32{uint32(c.Record()[1])})
		if err != nil {
			return nil, errors.Join(err, c.Close())
		}
		seq, err := s.sketchOf(&rows[0])
		if err := errors.Join(err, c.Close()); err != nil {
			return nil, err
		}
		out = append(out, seq)
	}
	return out, nil
}

// most are the keys of the n greatest counts, ascending.
func most(counts map[uint32]uint64, n int) []uint32 {
	out := make([]uint32, 0, len(counts))
	for seq := range counts {
		out = append(out, seq)
	}
	if len(out) > n {
		slices.SortFunc(out, func(a, b uint32) int {
			return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
		})
		out = out[:n]
	}
	slices.Sort(out)
	return out
}

// withEquals adds to the documents that stand for their sketch those of the same sketch, and orders
// all.
func (s *Store) withEquals(asked *row, found []Match, limit int) ([]Match, error) {
	for i := range len(found) {
		m := found[i]
		if m.row.set() == 0 {
			continue
		}
		var equals []uint32
		c := s.tables.prints.From(tuple{m.row.set(), printSet << 32})
		for len(equals) < limit && c.Next() && c.Record()[0] == m.row.set() && c.Record()[1]>>32 == printSet {
			if seq := uint32(c.Record()[1]); seq != m.row.seq() {
				equals = append(equals, seq)
			}
		}
		if err := errors.Join(c.Err(), c.Close()); err != nil {
			return nil, fmt.Errorf("documents of one sketch: %w", err)
		}
		rows, err := s.rows(equals)
		if err != nil {
			return nil, fmt.Errorf("documents of one sketch: %w", err)
		}
		for i := range rows {
			found = append(found, newMatch(asked, &rows[i], uint64(m.Common)))
		}
	}
	slices.SortFunc(found, compareMatches)
	found = slices.CompactFunc(found, func(a, b Match) bool { return a.Key == b.Key })
	return found[:min(len(found), limit)], nil
}
