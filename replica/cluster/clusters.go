package cluster

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"watershed/internal/extsort"
	"watershed/replica/sketch"
)

// Member is a document of a cluster.
type Member struct {
	Info
	Relation Relation // to the representative
}

// Cluster is documents that are alike, each with one other at least. A document that is like no
// other is a cluster of its own, with the number 0.
type Cluster struct {
	Number  uint32
	Members []Member // by rank, the representative first
	rows    []row
}

// newCluster makes a cluster of its rows, in order of rank.
func newCluster(rows []row) Cluster {
	c := Cluster{Number: rows[0].cluster(), rows: slices.Clone(rows)}
	for i := range rows {
		c.Members = append(c.Members, Member{rows[i].info(), relate(&rows[0], &rows[i])})
	}
	c.Members[0].Relation = Identical
	return c
}

// All goes through the clusters in the order of their numbers. Memory: one cluster.
func (s *Store) All(ctx context.Context) iter.Seq2[Cluster, error] {
	return func(yield func(Cluster, error) bool) {
		err := s.eachCluster(ctx, func(rows []row) error {
			if !yield(newCluster(rows), nil) {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(Cluster{}, err)
		}
	}
}

// errStop ends a walk that the caller wants no more of.
var errStop = errors.New("stop")

// eachCluster calls f with the rows of each cluster, which f may not keep.
func (s *Store) eachCluster(ctx context.Context, f func([]row) error) error {
	var rows []row
	err := all(s.tables.clusters).Each(ctx, func(r row) error {
		if len(rows) > 0 && rows[0].cluster() != r.cluster() {
			if err := f(rows); err != nil {
				return err
			}
			rows = rows[:0]
		}
		rows = append(rows, r)
		return nil
	})
	if err == nil && len(rows) > 0 {
		err = f(rows)
	}
	return err
}

// Cluster is the cluster of that number, which must be 1 to Clusters.
func (s *Store) Cluster(number uint32) (Cluster, error) {
	if number == 0 || uint64(number) > s.state.Clusters {
		return Cluster{}, fmt.Errorf("cluster %d of %d: %w", number, s.state.Clusters, errUnknown)
	}
	var rows []row
	c := s.tables.clusters.From(row{uint64(number) << 32})
	for c.Next() {
		r := c.Record()
		if r.cluster() != number {
			break
		}
		rows = append(rows, r)
	}
	if err := errors.Join(c.Err(), c.Close()); err != nil || len(rows) == 0 {
		return Cluster{}, fmt.Errorf("cluster %d: %w", number, errors.Join(err, missing(len(rows) == 0)))
	}
	return newCluster(rows), nil
}

func missing(yes bool) error {
	if yes {
		return errUnknown
	}
	return nil
}

// version is a page in one sweep, as the table of places has it.
type version struct {
	key     Key
	seq     uint32
	cluster uint32
}

func (p *place) version() version {
	return version{Key{p[0], uint32(p[1] >> 32)}, uint32(p[1]), uint32(p[2])}
}

// versions are those of a page, by sweep.
func (s *Store) versions(page uint64) (out []version, err error) {
	if s.tables.places == nil {
		return nil, fmt.Errorf("page %016x: %w", page, errUnknown)
	}
	c := s.tables.places.From(place{page})
	for c.Next() {
		p := c.Record()
		if p[0] != page {
			break
		}
		out = append(out, p.version())
	}
	if err := errors.Join(c.Err(), c.Close()); err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("page %016x: %w", page, errUnknown)
	}
	return out, nil
}

// ClusterOf is the cluster of a page as it was in its latest sweep; errUnknown when no sweep has
// it. A few blocks are read.
func (s *Store) ClusterOf(page uint64) (Cluster, error) {
	vs, err := s.versions(page)
	if err != nil {
		return Cluster{}, err
	}
	v := vs[len(vs)-1]
	if v.cluster > 0 {
		return s.Cluster(v.cluster)
	}
	rows, err := s.rows([]uint32{v.seq})
	if err != nil {
		return Cluster{}, err
	}
	rows[0][0] = 0
	return newCluster(rows), nil
}

// rows reads the documents of those numbers, which ascend. Where they are near each other, blocks
// are read once.
func (s *Store) rows(seqs []uint32) ([]row, error) {
	const near = 256 // about half a block
	out := make([]row, 0, len(seqs))
	var c *extsort.Cursor[row]
	at := uint32(0)
	for _, seq := range seqs {
		if c == nil || seq-at > near {
			c = s.tables.docs.From(row{uint64(seq)})
			at = seq
		}
		for ; at <= seq; at++ {
			if !c.Next() {
				return nil, fmt.Errorf("document number %d: %w", seq,
					errors.Join(c.Err(), missing(c.Err() == nil)))
			}
		}
		out = append(out, c.Record())
	}
	return out, nil
}

// pair is what is known of two documents.
type pair struct {
	A, B        Key
	Relation    Relation
	Common      int // shingles in common, common ones left out
	Resemblance sketch.Estimate
	AInB, BInA  sketch.Estimate // containments
}

func (r *row) sample() sample { return sample{float64(r.shingles()), float64(r.rate())} }

// newPair estimates from the shingles in common how alike two documents are.
func newPair(a, b *row, common uint64) pair {
	p := pair{A: a.key(), B: b.key(), Relation: relate(a, b), Common: int(common)}
	p.Resemblance, p.AInB, p.BInA = estimates(float64(common), a.sample(), b.sample())
	return p
}

// estimates are the three of two samples with c shingles in common.
func estimates(c float64, a, b sample) (resemblance, aInB, bInA sketch.Estimate) {
	_, inB, inA, union := compare(c, a, b)
	resemblance = estimate(c, union, a, b)
	if c > 0 {
		return resemblance, estimate(c, c/inB, a, b), estimate(c, c/inA, a, b)
	}
	return resemblance, estimate(0, a.shingles, a, b), estimate(0, b.shingles, a, b)
}

// between is what is known of two documents: from the table of pairs, or because their sketches are
// one.
func (s *Store) between(a, b *row) (pair, error) {
	x, err := s.sketchOf(a)
	if err != nil {
		return pair{}, err
	}
	y, err := s.sketchOf(b)
	if err != nil {
		return pair{}, err
	}
	if x == y {
		return newPair(a, b, uint64(a.shingles())), nil
	}
	want := tuple{uint64(min(x, y))<<32 | uint64(max(x, y))}
	c := s.tables.pairs.From(want)
	var common uint64
	if c.Next() && c.Record()[0] == want[0] {
		common = c.Record()[1]
	}
	return newPair(a, b, common), errors.Join(c.Err(), c.Close())
}

// sketchOf is the number of the document that stands for all of the same sketch.
func (s *Store) sketchOf(r *row) (uint32, error) {
	if r.set() == 0 {
		return r.seq(), nil
	}
	c := s.tables.prints.From(tuple{r.set(), printSet << 32})
	if !c.Next() || c.Record()[0] != r.set() {
		return 0, fmt.Errorf("sketch of %v: %w", r.key(), errors.Join(c.Err(), missing(c.Err() == nil)))
	}
	return uint32(c.Record()[1]), c.Close()
}
