package sitemap

import (
	"cmp"
	"fmt"
	"slices"

	"watershed/flow"
	"watershed/graph"
)

// The scales of a site are the smallest source sides for all tolls at once, of the network as it
// stands: same pages, same links, same capacities. Pages of the prefix pay nothing, as in the settled
// network, so that a scale is what a harvest at its α draws of what is known: they are inside at every
// scale, as are seeds, and what rules include or pin inside; what is pinned outside, at none.
//
// The toll of a page outside the prefix is the family's parameter, in millionths, so that the map's
// own scale is met exactly; α is that over foreignFactor.

// ranks tells, by place, the first scale at which it is inside; noRank for none.
type ranks []uint32

const noRank = 1<<32 - 1

// family is the scales of a settlement.
type family struct {
	plateaus flow.Scales // in tolls
	own      int         // the scale of the settlement itself
	ranks    ranks
}

// family computes all scales. It costs a few cuts where the family is rich, and memory for a second
// network.
func (s *settlement) family() family {
	o := &s.book.opts
	own := o.Toll()
	least := max(1, min(own, graph.Fixed(leastAlpha*foreignFactor)))
	most := max(own+1, graph.Fixed(mostAlpha*foreignFactor))
	f := family{ranks: slices.Repeat(ranks{noRank}, len(s.book.places))}
	n, tolls := s.frozen()
	scales, err := flow.FindScales(n, tolls, flow.ScaleOptions{Least: least, Most: most})
	if err != nil {
		panic(fmt.Sprintf("sitemap: scales of site %s: %v", s.book.Name, err)) // the network is our own
	}
	f.add(s, scales)
	f.own = slices.IndexFunc(f.plateaus, func(x flow.Scale) bool { return own >= x.Least })
	return f
}

// frozen is the network of the settlement without its tolls, which are given apart: 1 for a page outside the
// prefix. Sources that the settlement has set off against tolls are whole again.
func (s *settlement) frozen() (*flow.Network, []int64) {
	b, n := s.book, flow.New()
	n.AddVertices(s.net.Len())
	tolls := make([]int64, s.net.Len())
	for v, p := range s.pages {
		pl, supply := &b.places[p], b.soft(p)
		tolls[v] = int64(b2i(!pl.is(inPrefix)))
		switch {
		case pl.pin == pinnedOut:
			n.SetSink(graph.ID(v), flow.Infinite)
		case pl.is(isSeed) || pl.pin == pinnedIn:
			supply = flow.Infinite
		}
		n.SetSource(graph.ID(v), supply)
	}
	for id := range s.net.Arcs() {
		from, a := s.net.Arc(flow.ArcID(id))
		n.AddArc(from, a)
	}
	return n, tolls
}

// add takes over the scales. A scale at which no page joins is one with the scale before.
func (f *family) add(s *settlement, scales flow.Scales) {
	for _, x := range scales {
		k, fresh := uint32(len(f.plateaus)), false
		for _, v := range x.Joined {
			if p := s.pages[v]; f.ranks[p] == noRank {
				f.ranks[p], fresh = k, true
			}
		}
		if !fresh && k > 0 {
			f.plateaus[k-1].Least, f.plateaus[k-1].Cut = x.Least, x.Cut
			continue
		}
		f.plateaus = append(f.plateaus, x)
	}
}

// rank is the first scale at which a place belongs, with predicate and rules; noRank for none.
func (f *family) rank(s *settlement, p uint32) uint32 {
	b := s.book
	pl := &b.places[p]
	moves := pl.is(isAnswered) && b.web.state[pl.id] == moved || b.isCopy(p)
	switch {
	case !b.counts(p), !b.lives(p) && !moves:
		return noRank
	case pl.pin == pinnedOut:
		return noRank
	case pl.pin.inside(), pl.is(isSeed), b.includes(pl.id):
		return 0
	}
	r := uint32(noRank)
	switch to := b.resolve(pl.id); {
	case !moves:
		r = f.ranks[p]
	case moves && to != none && b.lives(to):
		r = f.rank(s, to)
	}
	switch {
	case pl.is(inPrefix):
		return 0
	case pl.is(isOwned):
		return min(r, uint32(f.own))
	}
	return r
}

// owned gives the documents to which the site alone leads the first scale at which all pages that lead
// to them belong.
func (s *settlement) owned(byPlace ranks, own int) {
	b := s.book
	first := make(map[uint32]uint32)
	for p, r := range byPlace {
		for _, v := range s.links(uint32(p)) {
			if b.places[v].is(isOwned) && byPlace[v] != noRank && int(r) <= own {
				first[v] = max(first[v], r)
			}
		}
	}
	for v, r := range first {
		byPlace[v] = min(byPlace[v], r)
	}
}

// addScales tells the family in terms of pages and blocks. byPlace are the ranks of all places.
func (d *drawing) addScales(f *family, byPlace ranks) {
	m, s, b, o := d.m, d.s, d.b, &d.b.opts
	alpha := func(toll int64) float64 { return float64(toll) / (float64(graph.Unit) * foreignFactor) }
	m.Scale = f.own
	m.Scales = make([]Scale, len(f.plateaus))
	first := slices.Repeat(ranks{noRank}, len(s.blocks.list))
	for p, r := range byPlace {
		if r == noRank {
			continue
		}
		m.Scales[r].Pages++
		m.Scales[r].Known += b2i(!b.places[p].is(isAnswered | isPartDone))
		if k := s.block(uint32(p)); k >= 0 {
			first[k] = min(first[k], r)
		}
	}
	for k, r := range first {
		if r != noRank {
			m.Scales[r].Blocks = append(m.Scales[r].Blocks, k)
		}
	}
	for i, x := range f.plateaus {
		sc := &m.Scales[i]
		sc.Least, sc.Cut = alpha(x.Least), x.Cut
		if x.Least == o.Toll() {
			sc.Least = o.Alpha
		}
		sc.Most = alpha(f.plateaus[0].Most)
		if i > 0 {
			sc.Most = m.Scales[i-1].Least
			sc.Pages += m.Scales[i-1].Pages
			sc.Known += m.Scales[i-1].Known
		}
	}
	for i := range m.Scales {
		m.Scales[i].Fetches = m.Fetches(m.Scales[i].Least)
	}
}

// needs gives the first scale at which each requisite is needed, by a page that belongs then or by
// another requisite.
func (s *settlement) needs(byPlace ranks) map[graph.ID]uint32 {
	w := s.book.web
	var order []uint32
	for p, r := range byPlace {
		if r != noRank && len(w.links.parts(s.book.places[p].id)) > 0 {
			order = append(order, uint32(p))
		}
	}
	slices.SortFunc(order, func(p, q uint32) int {
		return cmp.Or(cmp.Compare(byPlace[p], byPlace[q]), cmp.Compare(p, q))
	})
	needed := make(map[graph.ID]uint32)
	for _, p := range order {
		w.partsOf(s.book.places[p].id, func(id graph.ID) bool {
			_, sooner := needed[id]
			if !sooner {
				needed[id] = byPlace[p]
			}
			return !sooner
		})
	}
	return needed
}
