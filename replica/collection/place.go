package collection

import (
	"cmp"
	"slices"
	"strings"

	"watershed/internal/disjoint"
)

// place is a directory that holds a replica.
type place struct {
	prefix  string
	span    span
	similar int // pages that its alignments found similar, over all of them
}

// class is the places that replicate each other.
type class []place

// classes unites the directories that alignments join. A directory that lies in another of them and
// holds FoldShare of its replicated pages is the same place: a copy of the part seldom differs from
// a partial copy of the whole. Of the places of a class that lie in each other, the one that most
// likenesses speak for stays.
func (w *web) classes(t *groups, list []*alignment, o Options) []class {
	number := make(map[string]uint32)
	var places []place
	id := func(prefix string) uint32 {
		k, ok := number[prefix]
		if !ok {
			k = uint32(len(places))
			number[prefix] = k
			places = append(places, place{prefix: prefix, span: w.under(prefix)})
		}
		return k
	}
	for _, x := range list {
		places[id(x.a)].similar += x.similar
		places[id(x.b)].similar += x.similar
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.prefix, b.prefix) })
	for k, p := range places {
		number[p.prefix] = uint32(k)
	}
	s := disjoint.New[uint32](len(places))
	for _, x := range list {
		s.Union(number[x.a], number[x.b])
	}
	w.fold(t, places, s, o)
	g := groupsOf(s)
	var all []class
	for k := range uint32(g.len()) {
		var c class
		for _, m := range g.members(k) {
			c = append(c, places[m])
		}
		if c = c.outstanding(); len(c) > 1 {
			all = append(all, c)
		}
	}
	return all
}

func (w *web) fold(t *groups, places []place, s disjoint.Sets[uint32], o Options) {
	replicated := make([]uint32, len(w.urls)+1) // replicated[v]: pages before v that have a likeness
	for v := range w.urls {
		replicated[v+1] = replicated[v]
		if t.size(t.of[v]) > 1 {
			replicated[v+1]++
		}
	}
	count := func(p place) float64 { return float64(replicated[p.span.hi] - replicated[p.span.lo]) }
	var around []uint32
	for k, p := range places {
		for len(around) > 0 && !strings.HasPrefix(p.prefix, places[around[len(around)-1]].prefix) {
			around = around[:len(around)-1]
		}
		for _, outer := range around {
			if count(p) >= o.FoldShare*count(places[outer]) {
				s.Union(outer, uint32(k))
			}
		}
		around = append(around, uint32(k))
	}
}

// outstanding keeps of places within each other the one with most likenesses, the outer one if
// equal. c is in order of prefixes, and so is the result.
func (c class) outstanding() class {
	order := slices.Clone(c)
	slices.SortStableFunc(order, func(a, b place) int { return cmp.Compare(b.similar, a.similar) })
	var kept class
	for _, p := range order {
		if !slices.ContainsFunc(kept, func(q place) bool {
			return p.span.contains(q.span) || q.span.contains(p.span)
		}) {
			kept = append(kept, p)
		}
	}
	slices.SortFunc(kept, func(a, b place) int { return cmp.Compare(a.prefix, b.prefix) })
	return kept
}
