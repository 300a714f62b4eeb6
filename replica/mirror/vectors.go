package mirror

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"watershed/internal/extsort"
)

// posting is a term and a host that has it.
type posting [2]uint64

// sum is a pair (pairKey), its weight in units of 2^-20, and what else is counted of it.
type sum [3]uint64

// weightUnit makes sums exact, so that they do not depend on the order of adding.
const weightUnit = 1 << 20

func addSums(into *sum, from sum) { into[1] += from[1]; into[2] += from[2] }

func (s sum) weight() float64 { return float64(s[1]) / weightUnit }

// Terms counts the terms of a ranking, as the paper does (sections 3.2.1 to 3.4).
type Terms struct {
	Postings   uint64 // terms of hosts
	Shared     uint64 // terms of more than one host
	Rejected   uint64 // shared terms that too many hosts have
	Restricted uint64 // shared terms that count in some of their hosts only
	MaxHosts   int    // most hosts that a term has
	Pairs      uint64 // pairs that share a term
	Filtered   uint64 // pairs that were taken out afterwards
}

// scheme is how a ranking weighs.
type scheme struct {
	seed   uint64
	keep   func(hosts int) int                  // in how many of its hosts a term counts; 0 rejects it
	weight func(term uint64, hosts int) float64 // what a term adds to a pair
	count  func(term uint64) uint64             // what else it adds; nil for 1
	norm   func(a, b HostID) float64            // factor of a pair; nil for 1
	accept func(s sum) bool                     // nil for all
}

// vectors is the result of matching term vectors.
type vectors struct {
	pairs []Pair
	// for each host, the weight of the pair it would make with itself: a bound of all its pairs
	self  []float64
	size  []uint32 // for each host, how many terms it has, with those that do not count
	most  float64  // what a term weighs that two hosts have
	terms Terms
	// raw has the weight and count of each of pairs, before the normaliser.
	raw []rawSum
}

type rawSum struct {
	weight float64
	count  uint64
}

// matchAll goes through postings in order and gives the pairs of greatest weight. It closes the
// cursor.
func matchAll(ctx context.Context, e *engine, c *extsort.Cursor[posting], s scheme) (_ vectors, err error) {
	n := len(e.hosts.list)
	v := vectors{self: make([]float64, n), size: make([]uint32, n), most: s.weight(0, 2)}
	sums, err := extsort.NewSorter(e.spill, extsort.Options[sum]{
		MemoryBytes: e.o.Memory / 4, Key: 1,
		Combine: addSums,
	})
	if err != nil {
		return v, errors.Join(err, c.Close())
	}
	defer func() { err = errors.Join(err, sums.Close()) }()
	var group []HostID
	var term uint64
	flush := func() error {
		v.terms.Postings += uint64(len(group))
		for _, h := range group {
			v.size[h]++
		}
		kept := s.restrict(&v.terms, term, group)
		if len(kept) == 0 {
			return nil
		}
		w, n := s.weight(term, len(group)), uint64(1)
		if s.count != nil {
			n = s.count(term)
		}
		for i, a := range kept {
			v.self[a] += w
			for _, b := range kept[:i] {
				if err := sums.Add(sum{pairKey(a, b), uint64(math.Round(w * weightUnit)), n}); err != nil {
					return err
				}
			}
		}
		return nil
	}
	err = c.Each(ctx, func(p posting) error {
		if p[0] != term {
			if err := flush(); err != nil {
				return err
			}
			term, group = p[0], group[:0]
		}
		if h := HostID(p[1]); len(group) == 0 || group[len(group)-1] != h {
			group = append(group, h)
		}
		return nil
	})
	if err == nil {
		err = flush()
	}
	if err != nil {
		return v, err
	}
	return v, v.collect(ctx, e, sums, s)
}

// restrict gives the hosts in which a term counts: those of the smallest hashes with it, if not
// all.
func (s scheme) restrict(t *Terms, term uint64, group []HostID) []HostID {
	t.MaxHosts = max(t.MaxHosts, len(group))
	if len(group) > 1 {
		t.Shared++
	}
	n := s.keep(len(group))
	switch {
	case n == 0:
		t.Rejected++
		return nil
	case n >= len(group):
		return group
	}
	t.Restricted++
	slices.SortFunc(group, func(a, b HostID) int {
		x, y := draw(s.seed, term, uint64(a)), draw(s.seed, term, uint64(b))
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a, b))
	})
	return group[:n]
}

// collect keeps the best pairs.
func (v *vectors) collect(ctx context.Context, e *engine, sums *extsort.Sorter[sum], s scheme) error {
	c, err := sums.Sort(ctx)
	if err != nil {
		return err
	}
	best := newBest(e)
	err = c.Each(ctx, func(x sum) error {
		v.terms.Pairs++
		if s.accept != nil && !s.accept(x) {
			v.terms.Filtered++
			return nil
		}
		a, b := unpair(x[0])
		p := Pair{A: a, B: b, Score: x.weight()}
		if s.norm != nil {
			p.Score *= s.norm(a, b)
		}
		best.add(p, rawSum{x.weight(), x[2]})
		return nil
	})
	if err != nil {
		return err
	}
	v.pairs, v.raw = best.finish()
	return nil
}
