package sitemap

import (
	"slices"

	"watershed/flow"
	"watershed/graph"
)

// wiring is the network of a settlement: the pages of live blocks, and the links inside these and
// between them. All links of a block to one page of another share what Options.Bundle of them can
// carry.
type wiring struct {
	s *settlement

	net    *flow.Network
	vertex []uint32          // network vertex by place, or none
	pages  []uint32          // places, by network vertex
	parked map[uint32]uint32 // vertices of places that left the network

	stir    []bool  // by place: something about its links changed since the network was wired
	shifted []bool  // by block: the same of its capacities
	akin    []bool  // by block: its name was akin when the network was wired
	sigma   float64 // of the similarities when the network was wired; below 0 before
	along   *along  // by that sigma, while the network is wired
}

// arcRef names the arc of a link: 0 for none, else 1 + its number.
type arcRef uint32

// wire makes the network that of the live blocks, by setting what differs.
func (w *wiring) wire() {
	all := w.weighDistances()
	renamed := w.renamed()
	for p := range w.s.book.places {
		w.wirePage(uint32(p))
	}
	for _, u := range w.s.joined {
		w.wireLinks(u, all || w.stir[u] || renamed[w.s.blocks.of[u]])
	}
	clear(w.stir)
	clear(w.shifted)
}

// strangerLink is the part of its capacity that a link inside a stranger's block carries: a little
// more than a page pays at the default scale. So a page of such a block must be led to from the
// site's side by links of its own, and of a host that several sites share the cut takes the site's
// part. Where names are akin, a block is one place, and its links carry what they can.
const strangerLink = 0.04

// along is the capacity of a link inside a block, by whether it is a stranger's and the distance of its
// ends. Sites take turns at one table: each makes it anew for its sigma.
type along struct {
	sigma float64
	of    [2][farthest + 1]int64 // 0 before the first site was wired
}

// weighDistances computes what links inside blocks carry, and reports whether that changed.
func (w *wiring) weighDistances() bool {
	sigma := w.deviation()
	w.along = &w.s.book.web.along
	if w.along.sigma != sigma || w.along.of[0][0] == 0 {
		w.along.sigma = sigma
		for n, part := range [...]float64{1, strangerLink} {
			for d := range w.along.of[n] {
				w.along.of[n][d] = graph.Fixed(part * similarity(d, sigma))
			}
		}
	}
	changed := sigma != w.sigma
	w.sigma = sigma
	return changed
}

// renamed tells of each block whether its name has become akin, or a stranger's, since it was
// wired.
func (w *wiring) renamed() []bool {
	is := make([]bool, len(w.s.shares.akin))
	for k, akin := range w.s.shares.akin {
		is[k] = k < len(w.akin) && w.akin[k] != akin
	}
	w.akin = slices.Clone(w.s.shares.akin)
	return is
}

// wirePage gives a place its vertex, source and sink, or takes them away. The vertex is hidden until
// the page was answered.
func (w *wiring) wirePage(p uint32) {
	k := w.s.blocks.of[p]
	if k == noBlock || !w.s.live[k] || !w.s.book.lives(p) {
		w.park(p)
		return
	}
	v := graph.ID(w.vertex[p])
	if w.vertex[p] == none {
		v = w.unpark(p)
	}
	if w.s.book.places[p].is(isAnswered) && w.net.Hidden(v) {
		w.net.Reveal(v, nil) // wireLinks sets its arcs
	}
	supply, sink := w.s.book.tolls(p)
	w.net.SetSource(v, supply)
	w.net.SetSink(v, sink)
}

// park takes a place out of the network. Its vertex stays, with nothing to feed it, nothing to pay
// and, once its links are wired, no arc with capacity.
func (w *wiring) park(p uint32) {
	if w.vertex[p] == none {
		return
	}
	v := graph.ID(w.vertex[p])
	w.net.SetSource(v, 0)
	w.net.SetSink(v, 0)
	w.parked[p], w.vertex[p], w.stir[p] = w.vertex[p], none, true
}

// unpark gives a place its vertex, made if it never had one.
func (w *wiring) unpark(p uint32) graph.ID {
	v, ok := w.parked[p]
	if ok {
		delete(w.parked, p)
	} else {
		v = uint32(w.net.AddVertex())
		w.pages = append(w.pages, p)
	}
	w.vertex[p], w.stir[p] = v, true
	return graph.ID(v)
}

// wireLinks sets the arcs of a page's links: all, or those about which something changed.
func (w *wiring) wireLinks(u uint32, all bool) {
	if w.vertex[u] == none && !all {
		return
	}
	a := w.s.blocks.of[u]
	l := w.s.lists[u]
	if !all && !w.shifted[a] {
		for i, v := range w.s.to[l.start : l.start+l.n] {
			if w.stir[v] {
				w.wireLink(u, v, l.start+uint32(i))
			}
		}
		return
	}
	for i, v := range w.s.to[l.start : l.start+l.n] {
		k := w.s.blocks.of[v]
		if all || w.stir[v] || k != a && w.shifted[k] {
			w.wireLink(u, v, l.start+uint32(i))
		}
	}
}

// wireLink sets the arc of a link, which is at a position of the lists.
func (w *wiring) wireLink(u, v, at uint32) {
	ref := &w.s.arcs[at]
	if w.vertex[u] == none || w.vertex[v] == none {
		w.setArc(*ref, 0)
		return
	}
	a, k := w.s.blocks.of[u], w.s.blocks.of[v]
	x := w.s.shares.capacity(a, k)
	switch {
	case a == k:
		d := uint8(0)
		if len(w.s.far) > 0 {
			d = w.s.far[at]
		}
		x = w.along.of[b2i(!w.s.shares.akin[a])][d]
	case x == 0:
		w.setArc(*ref, 0)
		return
	default:
		x = w.s.bundled(x, w.s.shares.count.pages(v, a))
	}
	if *ref == 0 {
		*ref = 1 + arcRef(w.net.AddArc(graph.ID(w.vertex[u]), graph.Arc{
			To: graph.ID(w.vertex[v]), Capacity: x, Reverse: x,
		}))
		return
	}
	w.setArc(*ref, x)
}

// bundled is what each of n links of a block to one page carries, where a single one carries x.
func (s *settlement) bundled(x int64, n uint32) int64 {
	links := float64(max(1, round(uint64(n), bundleBits)))
	return min(x, max(1, int64(float64(x)*s.book.opts.Bundle/links)))
}

// bundleBits is how many binary digits of a number of links count for what each carries, so that one
// link more leaves nearly all bundles as they are.
const bundleBits = 4

// setArc sets the capacities of the arc of a link, if it has one.
func (w *wiring) setArc(ref arcRef, capacity int64) {
	if ref != 0 {
		w.net.SetArc(flow.ArcID(ref-1), capacity, capacity)
	}
}

// dropArcs takes the arcs of a part of an old list away.
func (w *wiring) dropArcs(l list) {
	for i := l.start; i < l.start+l.n; i++ {
		w.setArc(w.s.arcs[i], 0)
		w.s.arcs[i] = 0
	}
}
