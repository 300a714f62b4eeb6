package sitemap

import (
	"cmp"
	"math"
	"slices"

	"watershed/flow"
	"watershed/graph"
)

// settlement is a site's boundary computed from what the site knows at one moment. It is a pure function of the joined
// pages, their links and the anchors.
type settlement struct {
	b *boundary

	// Links of joined pages, redirects followed, as places: those of place u are to[start[u]:start[u+1]].
	start []uint32
	to    []uint32
	far   []uint8 // their distances, where these are measured

	blocks blocks
	shares shares
	live   []bool // by block: some arc with capacity leads to it, through others, from the prefix

	net    *flow.Network
	vertex []uint32 // network vertex by place, or none
	nodes  []node   // by network vertex
}

// node is what a vertex of the network stands for: a page, or a bundle of the links between a block and a page.
type node struct {
	place uint32
	block blockID // noBlock for the page itself
}

// gather collects the links of the joined pages. A link to a page that redirects counts as one to where it leads.
func (s *settlement) gather() {
	b := s.b
	s.start = make([]uint32, len(b.places)+1)
	last := make([]uint32, len(b.places)) // 1 + place that linked last
	for u := range b.places {
		if pl := &b.places[u]; pl.is(isAnswered) && pl.is(isVertex) && b.web.state[pl.id] == alive {
			far := b.web.links.distances(pl.id)
			for i, id := range b.web.links.pages(pl.id) {
				v := b.resolve(id)
				if v == none || v == uint32(u) || last[v] == uint32(u)+1 || !b.counts(v) {
					continue
				}
				last[v] = uint32(u) + 1
				s.to = append(s.to, v)
				if far != nil {
					s.far = append(s.far, far[i])
				}
			}
		}
		s.start[u+1] = uint32(len(s.to))
	}
}

// maxRedirects bounds a chain of redirects, as browsers do (Fetch standard, 4.4: 20).
const maxRedirects = 20

// resolve gives the place that a vertex stands for: where redirects that this site was answered lead from it, or none.
// A loop ends where it has gone on too long.
func (b *boundary) resolve(id graph.ID) uint32 {
	p := b.local.get(id)
	for range maxRedirects {
		if p == none || !b.places[p].is(isAnswered) || b.web.state[id] != moved {
			break
		}
		id = b.web.links.pages(id)[0]
		p = b.local.get(id)
	}
	return p
}

// counts reports whether a place takes part in the graph at all.
func (b *boundary) counts(v uint32) bool {
	pl := &b.places[v]
	return pl.is(isVertex) && !pl.is(isExcluded)
}

// lives reports whether a place is a vertex of the network: it counts and did not fail.
func (b *boundary) lives(v uint32) bool {
	if !b.counts(v) {
		return false
	}
	if b.places[v].is(isAnswered) {
		st := b.web.state[b.places[v].id]
		return st != dead && st != moved
	}
	return true
}

// links of a place.
func (s *settlement) links(u uint32) []uint32 { return s.to[s.start[u]:s.start[u+1]] }

// settle computes the boundary. The anchors are first drawn anew from the last cut; without that, the settlement is the same
// as long as nothing is learned.
func (b *boundary) settle(drawAnchors bool) *settlement {
	b.arrange()
	s := &settlement{b: b}
	s.gather()
	if drawAnchors {
		b.anchors = s.drawAnchors()
	}
	s.blocks = b.divide()
	s.shares = s.measure()
	s.spread()
	s.build()
	s.net.Solve()
	return s
}

// spread finds the blocks that arcs with capacity lead to from the prefix and the seeds. What lies in others can neither
// receive nor carry flow.
func (s *settlement) spread() {
	s.live = make([]bool, len(s.blocks.list))
	var queue []blockID
	visit := func(k blockID) {
		if k != noBlock && !s.live[k] {
			s.live[k] = true
			queue = append(queue, k)
		}
	}
	visit(prefixBlock)
	for _, p := range s.b.seeds {
		visit(s.blocks.of[p])
	}
	for p := range s.b.places {
		if s.b.opts.Clusters == SoftSources && s.b.places[p].is(inCluster) && s.b.lives(uint32(p)) {
			visit(s.blocks.of[p])
		}
	}
	for len(queue) > 0 {
		k := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, l := range s.shares.near[k] {
			visit(l)
		}
	}
}

// build makes the network of the live blocks.
func (s *settlement) build() {
	b, o := s.b, &s.b.opts
	s.vertex = make([]uint32, len(b.places))
	s.net = flow.New(flow.Options{Vertices: len(b.places), Arcs: len(s.to)})
	toll, soft := graph.Fixed(o.Alpha*o.Foreign), graph.Fixed(o.Soft)
	for _, p := range b.order {
		s.vertex[p] = none
		if !b.lives(p) || !s.live[s.blocks.of[p]] {
			continue
		}
		v := s.net.AddVertex()
		s.vertex[p] = uint32(v)
		s.nodes = append(s.nodes, node{p, noBlock})
		pl := &b.places[p]
		supply, sink := int64(0), toll
		if s.blocks.of[p] == prefixBlock {
			supply, sink = soft, 0
			if soft == 0 {
				sink = graph.Fixed(o.Alpha)
			}
		}
		if pl.is(inCluster) && o.Clusters == SoftSources {
			supply += graph.Fixed(o.ClusterSource)
		}
		if net := min(supply, sink); net > 0 { // what would go straight from source to sink
			supply, sink = supply-net, sink-net
		}
		if pl.is(isSeed) {
			supply = flow.Infinite
		}
		s.net.SetSource(v, supply)
		s.net.SetSink(v, sink)
		if pl.is(isAnswered) {
			s.net.Reveal(v, nil)
		}
	}
	s.addArcs()
}

// addArcs adds the links inside live blocks, each on its own, and those between, through bundles: all links of a block to
// one page share what Bundle of them can carry. Where there are no more links than that, a bundle would hold nothing back.
func (s *settlement) addArcs() {
	o := &s.b.opts
	similar := s.b.similarities()
	type bundle struct{ in, out graph.ID }
	bundles := make(map[uint64]bundle)
	for _, u := range s.b.order {
		from := s.vertex[u]
		if from == none {
			continue
		}
		for i, v := range s.links(u) {
			to := s.vertex[v]
			if to == none {
				continue
			}
			near := 1.0
			if s.far != nil {
				near = similar[s.far[s.start[u]+uint32(i)]]
			}
			a, k := s.blocks.of[u], s.blocks.of[v]
			if a == k {
				s.net.AddArc(graph.ID(from), graph.Arc{To: graph.ID(to), Capacity: graph.Fixed(near), Reverse: graph.Fixed(near * o.Reverse)})
				continue
			}
			x := s.shares.capacity(a, k)
			if o.Similarity == EditEverywhere {
				x = int64(math.Round(float64(x) * near))
			}
			if x == 0 {
				continue
			}
			back := int64(math.Round(float64(x) * o.Reverse))
			if float64(s.shares.count[bundleKey(v, a)]) <= o.Bundle {
				s.net.AddArc(graph.ID(from), graph.Arc{To: graph.ID(to), Capacity: x, Reverse: back})
				continue
			}
			n, ok := bundles[bundleKey(v, a)]
			if !ok {
				n = bundle{s.net.AddVertex(), s.net.AddVertex()}
				bundles[bundleKey(v, a)] = n
				s.nodes = append(s.nodes, node{v, a}, node{v, a})
				s.net.Reveal(n.in, nil)
				s.net.Reveal(n.out, nil)
				s.net.AddArc(n.in, graph.Arc{To: graph.ID(to), Capacity: int64(math.Round(o.Bundle * float64(x)))})
				s.net.AddArc(graph.ID(to), graph.Arc{To: n.out, Capacity: int64(math.Round(o.Bundle * float64(back)))})
			}
			s.net.AddArc(graph.ID(from), graph.Arc{To: n.in, Capacity: x})
			s.net.AddArc(n.out, graph.Arc{To: graph.ID(from), Capacity: back})
		}
	}
}

// inside reports whether a place is on the source side.
func (s *settlement) inside(p uint32) bool {
	return s.vertex[p] != none && s.net.Inside(graph.ID(s.vertex[p]))
}

// excess of a place that the network has.
func (s *settlement) excess(p uint32) int64 { return s.net.Excess(graph.ID(s.vertex[p])) }

// candidates are the pages inside that were never asked for, fullest first.
func (s *settlement) candidates() []uint32 {
	var list []uint32
	for p := range s.b.places {
		if s.inside(uint32(p)) && !s.b.places[p].is(isAsked) {
			list = append(list, uint32(p))
		}
	}
	slices.SortFunc(list, func(p, q uint32) int {
		return cmp.Or(cmp.Compare(s.excess(q), s.excess(p)), cmp.Compare(s.vertex[p], s.vertex[q]))
	})
	return list
}
