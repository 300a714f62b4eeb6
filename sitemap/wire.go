package sitemap

import (
	"math"
	"slices"

	"watershed/flow"
	"watershed/graph"
)

// wiring is the network of a settlement: the pages of live blocks, the links inside these, each on
// its own, and those between, through bundles: all links of a block to one page share what Bundle
// of them can carry. Where there are no more links than that, a bundle would hold nothing back, and
// is left out.
type wiring struct {
	net    *flow.Network
	vertex []uint32          // network vertex by place, or none
	nodes  []node            // by network vertex
	parked map[uint32]uint32 // vertices of places that left the network

	stir    []bool // by place: something about its links changed since the network was wired
	shifted []bool // by block: the same of its capacities
	akin    []bool // by block: its name was akin when the network was wired
	near    [farthest + 1]float64
	// capacity of a link inside a block, by whether it is a stranger's and the distance of its ends
	along, against [2][farthest + 1]int64

	bundles map[bundleKey]*bundle
}

// node is what a vertex of the network stands for: a page, or a bundle of the links between a block
// and a page.
type node struct {
	place uint32
	block blockID // noBlock for the page itself
}

// arcRef names the arc of a link: 0 for none, else 1 + its number, and whether it leads to a
// bundle, to which the next arc leads back.
type arcRef uint32

const bundled arcRef = 1 << 31

func (r arcRef) arc() flow.ArcID { return flow.ArcID(r&^bundled - 1) }

// bundleKey names what the links of a block to a page lead through.
type bundleKey struct {
	place uint32
	block blockID
}

// bundle has a vertex for each direction, and an arc from the first to the page, and one from there
// to the second.
type bundle struct {
	in, out   graph.ID
	to, from  flow.ArcID
	unbundled int64 // capacity of one link
}

func newWiring() wiring {
	return wiring{
		net: flow.New(flow.Options{}), parked: make(map[uint32]uint32),
		bundles: make(map[bundleKey]*bundle),
	}
}

// wire makes the network that of the live blocks, by setting what differs.
func (s *settlement) wire() {
	all := s.weighDistances()
	renamed := s.renamed()
	for p := range s.b.places {
		s.wirePage(uint32(p))
	}
	for _, u := range s.joined {
		s.wireLinks(u, all || s.stir[u] || renamed[s.blocks.of[u]])
	}
	for key, x := range s.bundles {
		s.wireBundle(key, x)
	}
	clear(s.stir)
	clear(s.shifted)
}

// strangerLink is the part of its capacity that a link inside a stranger's block carries: a little
// more than a page pays at the default scale. So a page of such a block must be led to from the
// site's side by links of its own, and of a host that several sites share the cut takes the site's
// part. Where names are akin, a block is one place, and its links carry what they can.
const strangerLink = 0.04

// weighDistances computes what links inside blocks carry, and reports whether that changed.
func (s *settlement) weighDistances() bool {
	near := s.similarities()
	if near == s.near {
		return false
	}
	s.near = near
	for n, part := range [...]float64{1, strangerLink} {
		for d, x := range near {
			s.along[n][d], s.against[n][d] = graph.Fixed(part*x), graph.Fixed(part*x*s.b.opts.Reverse)
		}
	}
	return true
}

// renamed tells of each block whether its name has become akin, or a stranger's, since it was wired.
func (s *settlement) renamed() []bool {
	is := make([]bool, len(s.shares.akin))
	for k, akin := range s.shares.akin {
		is[k] = k < len(s.akin) && s.akin[k] != akin
	}
	s.akin = slices.Clone(s.shares.akin)
	return is
}

// wirePage gives a place its vertex, source and sink, or takes them away.
func (s *settlement) wirePage(p uint32) {
	k := s.blocks.of[p]
	if k == noBlock || !s.live[k] || !s.b.lives(p) {
		s.park(p)
		return
	}
	v := graph.ID(s.vertex[p])
	if s.vertex[p] == none {
		v = s.unpark(p)
	}
	supply, sink := s.b.tolls(p, k == prefixBlock)
	s.net.SetSource(v, supply)
	s.net.SetSink(v, sink)
}

// tolls gives what the source feeds into a place and what it pays.
func (b *boundary) tolls(p uint32, prefix bool) (supply, sink int64) {
	o, pl := &b.opts, &b.places[p]
	sink = graph.Fixed(o.Alpha * o.Foreign)
	if prefix {
		supply, sink = graph.Fixed(o.Soft), 0
		if supply == 0 {
			sink = graph.Fixed(o.Alpha)
		}
	}
	if pl.is(inCluster) && o.Clusters == SoftSources {
		supply += graph.Fixed(o.ClusterSource)
	}
	if pl.pin == pinnedSoft {
		supply += o.softPin()
	}
	if net := min(supply, sink); net > 0 { // what would go straight from source to sink
		supply, sink = supply-net, sink-net
	}
	switch {
	case pl.pin == pinnedOut:
		sink = flow.Infinite
	case pl.is(isSeed) || pl.pin == pinnedIn:
		supply = flow.Infinite
	}
	return supply, sink
}

// park takes a place out of the network. Its vertex stays, with nothing to feed it, nothing to pay
// and, once its links are wired, no arc with capacity.
func (s *settlement) park(p uint32) {
	if s.vertex[p] == none {
		return
	}
	v := graph.ID(s.vertex[p])
	s.net.SetSource(v, 0)
	s.net.SetSink(v, 0)
	s.parked[p], s.vertex[p], s.stir[p] = s.vertex[p], none, true
}

// unpark gives a place its vertex, made if it never had one.
func (s *settlement) unpark(p uint32) graph.ID {
	v, ok := s.parked[p]
	if ok {
		delete(s.parked, p)
	} else {
		v = uint32(s.net.AddVertex())
		s.nodes = append(s.nodes, node{p, noBlock})
	}
	s.vertex[p], s.stir[p] = v, true
	return graph.ID(v)
}

// wireLinks sets the arcs of a page's links: all, or those about which something changed.
func (s *settlement) wireLinks(u uint32, all bool) {
	if s.vertex[u] == none && !all {
		return
	}
	a := s.blocks.of[u]
	l := s.lists[u]
	if !all && !s.shifted[a] {
		for i, v := range s.to[l.start : l.start+l.n] {
			if s.stir[v] {
				s.wireLink(u, v, l.start+uint32(i))
			}
		}
		return
	}
	for i, v := range s.to[l.start : l.start+l.n] {
		k := s.blocks.of[v]
		if all || s.stir[v] || k != a && s.shifted[k] {
			s.wireLink(u, v, l.start+uint32(i))
		}
	}
}

// wireLink sets the arc of a link, which is at a position of the lists.
func (s *settlement) wireLink(u, v, at uint32) {
	ref := &s.arcs[at]
	if s.vertex[u] == none || s.vertex[v] == none {
		s.setArc(*ref, 0, 0)
		return
	}
	a, k := s.blocks.of[u], s.blocks.of[v]
	d := uint8(0)
	if len(s.far) > 0 {
		d = s.far[at]
	}
	if a == k {
		n := b2i(!s.shares.akin[a])
		s.wireArc(ref, u, v, s.along[n][d], s.against[n][d])
		return
	}
	x := s.shares.capacity(a, k)
	if x == 0 {
		s.setArc(*ref, 0, 0)
	} else if back := s.reverse(x); float64(s.shares.count.pages(v, a)) > s.b.opts.Bundle {
		s.wireThrough(ref, u, bundleKey{v, a}, x, back)
	} else {
		s.wireArc(ref, u, v, x, back)
	}
}

// reverse is the capacity against a link that carries x.
func (s *settlement) reverse(x int64) int64 { return int64(math.Round(float64(x) * s.b.opts.Reverse)) }

// wireArc sets the arc of a link that leads through no bundle.
func (s *settlement) wireArc(ref *arcRef, u, v uint32, capacity, reverse int64) {
	if *ref&bundled != 0 {
		s.setArc(*ref, 0, 0)
		*ref = 0
	}
	if *ref == 0 {
		*ref = 1 + arcRef(s.net.AddArc(graph.ID(s.vertex[u]), graph.Arc{
			To:       graph.ID(s.vertex[v]),
			Capacity: capacity, Reverse: reverse,
		}))
		return
	}
	s.setArc(*ref, capacity, reverse)
}

// wireThrough sets the arcs of a link that leads through a bundle.
func (s *settlement) wireThrough(ref *arcRef, u uint32, key bundleKey, capacity, reverse int64) {
	if *ref&bundled == 0 {
		s.setArc(*ref, 0, 0)
		*ref = 0
	}
	if *ref != 0 {
		s.setArc(*ref, capacity, reverse)
		return
	}
	x := s.bundles[key]
	if x == nil {
		x = s.makeBundle(key)
	}
	page := graph.ID(s.vertex[u])
	*ref = bundled | 1 + arcRef(s.net.AddArc(page, graph.Arc{To: x.in, Capacity: capacity}))
	s.net.AddArc(x.out, graph.Arc{To: page, Capacity: reverse})
}

func (s *settlement) makeBundle(key bundleKey) *bundle {
	x := &bundle{in: s.net.AddVertex(), out: s.net.AddVertex()}
	s.bundles[key] = x
	s.nodes = append(s.nodes, node(key), node(key))
	page := graph.ID(s.vertex[key.place])
	x.to = s.net.AddArc(x.in, graph.Arc{To: page})
	x.from = s.net.AddArc(page, graph.Arc{To: x.out})
	return x
}

// wireBundle sets what a bundle carries.
func (s *settlement) wireBundle(key bundleKey, b *bundle) {
	x, o := int64(0), &s.b.opts
	if k := s.blocks.of[key.place]; s.vertex[key.place] != none && k != key.block {
		x = s.shares.capacity(key.block, k)
	}
	if x == b.unbundled {
		return
	}
	b.unbundled = x
	s.net.SetArc(b.to, int64(math.Round(o.Bundle*float64(x))), 0)
	s.net.SetArc(b.from, int64(math.Round(o.Bundle*float64(s.reverse(x)))), 0)
}

// setArc sets the capacities of the arc of a link, if it has one.
func (s *settlement) setArc(ref arcRef, capacity, reverse int64) {
	switch {
	case ref == 0:
	case ref&bundled == 0:
		s.net.SetArc(ref.arc(), capacity, reverse)
	default:
		s.net.SetArc(ref.arc(), capacity, 0)
		s.net.SetArc(ref.arc()+1, reverse, 0)
	}
}

// dropArcs takes the arcs of a part of an old list away.
func (s *settlement) dropArcs(l list) {
	for i := l.start; i < l.start+l.n; i++ {
		s.setArc(s.arcs[i], 0, 0)
		s.arcs[i] = 0
	}
}
