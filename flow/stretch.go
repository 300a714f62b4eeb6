package flow

import (
	"slices"

	"watershed/graph"
)

// stretch is a range of tolls and the vertices that join the source side somewhere in it: at its
// smallest toll all of them are inside, at its largest none. Vertices that are inside all along are
// part of s, those never inside part of t.
type stretch struct {
	least, most int64
	vertices    []graph.ID // by local number
	source      []int64    // from s and what is part of it; Infinite for pins
	sink        []int64    // to what is part of t; Infinite for pins
	toll        []int64
	arcs        []arc // between local numbers

	network *Network // of all this, once it was needed
}

// wholeStretch is the network with all its vertices.
func wholeStretch(n *Network, toll []int64, o ScaleOptions) *stretch {
	s := &stretch{least: o.Least, most: o.Most, toll: toll, arcs: n.arcs}
	for u, t := range n.traits {
		source, sink := n.supply[u], int64(0)
		if t&pinnedIn != 0 {
			source = Infinite
		} else if t&pinnedOut != 0 {
			sink = Infinite
		}
		s.vertices = append(s.vertices, graph.ID(u))
		s.source, s.sink = append(s.source, source), append(s.sink, sink)
	}
	return s
}

// ends solves the whole network at both ends of the range: core is inside at the largest toll, rest
// joins on the way down.
func (s *stretch) ends() (core []graph.ID, rest *stretch) {
	s.solve(s.most)
	parts := make([]uint8, len(s.vertices))
	for u := range parts {
		if s.network.Inside(graph.ID(u)) {
			core = append(core, s.vertices[u])
		} else {
			parts[u] = 1
		}
	}
	s.solve(s.least)
	for u := range parts {
		if !s.network.Inside(graph.ID(u)) {
			parts[u] = 2
		}
	}
	return core, s.part(parts, 1, s.least, s.most)
}

// split narrows the range until the vertices no longer join together, and gives the vertices that
// join at larger tolls and those that join at smaller ones. Both are nil if all join at one toll,
// s.least.
func (s *stretch) split() (upper, lower *stretch) {
	parts := make([]uint8, len(s.vertices))
	for len(s.vertices) > 0 && s.most-s.least > 1 {
		alpha := min(s.evenToll(), s.most-1)
		s.solve(alpha)
		in := 0
		for u := range parts {
			parts[u] = 1
			if s.network.Inside(graph.ID(u)) {
				parts[u] = 0
				in++
			}
		}
		switch in {
		case 0:
			s.most = alpha
		case len(parts):
			s.least = alpha
		default:
			return s.part(parts, 0, alpha, s.most), s.part(parts, 1, s.least, alpha)
		}
	}
	return nil, nil
}

// evenToll is the smallest toll at which all vertices inside cost no less than none. At s.least
// they cost less, so it is larger; at s.most they do not.
func (s *stretch) evenToll() int64 {
	none, all, paid := int64(0), int64(0), int64(0)
	for u := range s.vertices {
		none += s.source[u]
		all += s.sink[u]
		paid += s.toll[u]
	}
	return (none - all + paid - 1) / paid
}

// solve finds the source side at a toll.
func (s *stretch) solve(alpha int64) {
	if s.network == nil {
		s.network = New()
		s.network.AddVertices(len(s.vertices))
		s.network.arcs = slices.Clone(s.arcs)
		for u, c := range s.source {
			s.network.SetSource(graph.ID(u), c)
		}
	}
	for u, c := range s.sink {
		if c != Infinite {
			c += alpha * s.toll[u]
		}
		s.network.SetSink(graph.ID(u), c)
	}
	s.network.Solve()
}

// part is the stretch of the vertices of one part. Smaller parts become part of s, larger ones part
// of t.
func (s *stretch) part(parts []uint8, which uint8, least, most int64) *stretch {
	p := &stretch{least: least, most: most}
	local := make([]graph.ID, len(parts))
	for u, k := range parts {
		if k == which {
			local[u] = graph.ID(len(p.vertices))
			p.vertices = append(p.vertices, s.vertices[u])
			p.source, p.sink = append(p.source, s.source[u]), append(p.sink, s.sink[u])
			p.toll = append(p.toll, s.toll[u])
		}
	}
	contract := func(from, to graph.ID, capacity int64) {
		switch {
		case parts[from] == which && parts[to] > which:
			p.sink[local[from]] += capacity
		case parts[from] < which && parts[to] == which:
			p.source[local[to]] += capacity
		}
	}
	for _, a := range s.arcs {
		if parts[a.from] == which && parts[a.to] == which {
			p.arcs = append(p.arcs, arc{local[a.from], local[a.to], a.forward, a.backward})
			continue
		}
		contract(a.from, a.to, a.forward)
		contract(a.to, a.from, a.backward)
	}
	return p
}
