package sitemap

import (
	"slices"

	"watershed/flow"
	"watershed/graph"
	"watershed/page"
)

// Explain says why a URL is in or out of a site at a scale, Options.Alpha for 0, with what the
// clusters say and who links to it, and at Options.Alpha with the path of flow. The error is for a
// site that the survey does not have, and for a scale that is not known. It costs what Map costs; of a
// URL on a host of which the site knows nothing it costs, at Options.Alpha, O(pages that the site knows).
func (s *Survey) Explain(site string, u page.URL, alpha float64) (e Explanation, err error) {
	b, err := s.boundary(site)
	if err != nil {
		return e, err
	}
	if alpha == 0 && !b.knowsHostOf(u) {
		return b.unheardOf(u), nil
	}
	d, err := s.drawn(site)
	if err != nil {
		return e, err
	}
	m := d.m
	own := m.Scale
	if alpha != 0 {
		if m, err = m.At(alpha); err != nil {
			return e, err
		}
	}
	e = m.Explain(u)
	p := uint32(none)
	if id := s.web.find(u); id != graph.None {
		p = d.b.find(id)
	}
	if p == none {
		return e, nil
	}
	e.LinkedBy = d.linkedBy(p, m)
	if d.s.net == nil {
		return e, nil
	}
	e.Cluster = d.opinion(p)
	if m.Scale == own {
		e.Path, e.Excess = d.pathTo(p)
	}
	return e, nil
}

// knowsHostOf reports a URL on the host of a page that the site knows, or in the domain of a seed.
func (b *boundary) knowsHostOf(u page.URL) bool {
	host := u.Host()
	return slices.ContainsFunc(b.places, func(x place) bool { return b.web.text(x.id).Host() == host }) ||
		slices.ContainsFunc(b.seeds, func(p uint32) bool {
			return b.web.text(b.places[p].id).Host().Registrable() == host.Registrable()
		})
}

// unheardOf is what the map tells of a URL whose host the site does not know.
func (b *boundary) unheardOf(u page.URL) Explanation {
	m := Map{Boundary: b.Boundary.String()}
	if b.computed() {
		m.Certificate = &Certificate{Alpha: b.opts.Alpha}
	}
	return m.Explain(u)
}

// opinion is the opinion of the last clustering on a place.
func (d *drawing) opinion(p uint32) Cluster {
	pl := &d.b.places[p]
	switch {
	case d.b.clusters.consulted == 0 || d.s.vertex[p] == none || !pl.is(isAnswered):
		return ClusterUnasked
	case pl.is(inCluster):
		return ClusterIn
	}
	return ClusterOut
}

// linkedBy finds the fetched pages that link to a place.
func (d *drawing) linkedBy(p uint32, m *Map) *Linked {
	s := d.s
	if s.redirects(p) {
		return nil
	}
	var by linkers
	for _, u := range s.book.order {
		if slices.Contains(s.leadsTo(u), p) {
			by.add(m, s.book.web.text(s.book.places[u].id), s.redirects(u))
		}
	}
	for i := range by {
		slices.Sort(by[i])
	}
	return by.linked()
}

// redirects reports a place that was answered with a redirect. Nobody links to it: a link to it is
// one to where it leads.
func (s *settlement) redirects(p uint32) bool {
	pl := &s.book.places[p]
	return pl.is(isAnswered) && s.book.web.state[pl.id] == moved
}

// linkers lead to a page: pages of the site, other pages, and redirects, each by URL.
type linkers [3][]page.URL

func (l *linkers) add(m *Map, u page.URL, redirect bool) {
	i := 1
	switch {
	case redirect:
		i = 2
	case m.Members.Has(u):
		i = 0
	}
	l[i] = append(l[i], u)
}

// linked counts them, and names the first.
func (l *linkers) linked() *Linked {
	const most = 10
	all := slices.Concat(l[:]...)
	return &Linked{
		Inside: len(l[0]), Outside: len(l[1]), Redirects: len(l[2]),
		First: append([]page.URL{}, all[:min(most, len(all))]...), // JSON has a list, though it be empty
	}
}

// hop is a direction of an arc of the network.
type hop struct {
	to             uint32
	capacity, flow int64
}

// pathTo gives a path with the fewest links by which flow reaches a place. It begins at a seed, where no
// flow comes from one at a page that is fed softly, and where the place needs no flow (its block could
// still get some) it is a path of links that could carry some. excess is what stays at the place or
// is paid by it.
func (d *drawing) pathTo(p uint32) (path []Step, excess int64) {
	s := d.s
	target := s.vertex[p]
	if target == none {
		return nil, 0
	}
	excess = s.net.Excess(graph.ID(target)) + s.net.Absorbed(graph.ID(target))
	hops := d.hops()
	var seeds, fed []uint32
	for v, p := range s.pages {
		if s.book.places[p].is(isSeed) {
			seeds = append(seeds, uint32(v))
		}
		if s.net.Source(graph.ID(v)) > 0 {
			fed = append(fed, uint32(v))
		}
	}
	for _, try := range []struct {
		from    []uint32
		flowing bool
	}{{seeds, true}, {fed, true}, {seeds, false}} {
		if way := shortest(hops, try.from, target, try.flowing); way != nil {
			return d.steps(way), excess
		}
	}
	return nil, excess
}

// hops gives the arcs of the network by the vertex that they leave.
func (d *drawing) hops() [][]hop {
	s := d.s
	hops, flows := make([][]hop, s.net.Len()), make([]int64, s.net.Arcs())
	s.net.EachFlow(func(id flow.ArcID, f int64) { flows[id] = f })
	for id, f := range flows {
		from, a := s.net.Arc(flow.ArcID(id))
		u, v := uint32(from), uint32(a.To)
		if a.Capacity > 0 {
			hops[u] = append(hops[u], hop{v, a.Capacity, max(0, f)})
		}
		if a.Reverse > 0 {
			hops[v] = append(hops[v], hop{u, a.Reverse, max(0, -f)})
		}
	}
	return hops
}

// stride is how the search came to a vertex.
type stride struct {
	vertex, from uint32
	by           hop
}

// shortest finds a path with the fewest hops, or the fewest that carry flow, from any of some vertices to
// target, nil without one.
func shortest(hops [][]hop, from []uint32, target uint32, flowing bool) (way []stride) {
	reached, queue := make(map[uint32]stride), []stride(nil)
	reach := func(x stride) {
		if _, again := reached[x.vertex]; !again {
			reached[x.vertex] = x
			queue = append(queue, x)
		}
	}
	for _, v := range from {
		reach(stride{vertex: v, from: none})
	}
	for i := 0; i < len(queue) && queue[i].vertex != target; i++ {
		for _, h := range hops[queue[i].vertex] {
			if !flowing || h.flow > 0 {
				reach(stride{h.to, queue[i].vertex, h})
			}
		}
	}
	for x, ok := reached[target]; ok; x, ok = reached[x.from] {
		way = append(way, x)
	}
	slices.Reverse(way)
	return way
}

// steps tells a path in terms of pages.
func (d *drawing) steps(way []stride) (path []Step) {
	s := d.s
	for _, x := range way {
		p := s.pages[x.vertex]
		step := Step{URL: s.url(p), Capacity: x.by.capacity, Flow: x.by.flow}
		step.Against = x.from != none && !slices.Contains(s.links(s.pages[x.from]), p)
		path = append(path, step)
	}
	return path
}
