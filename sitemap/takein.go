package sitemap

import (
	"slices"

	"watershed/graph"
)

// takeIn counts the places that were learned: places met, places answered for the first time, and
// places that are folded otherwise than before. A place that does not count is skipped.
func (s *settlement) takeIn(met, fresh, folded []uint32) {
	b := s.b
	s.grow()
	for _, p := range met {
		if b.counts(p) {
			s.assign(p)
			s.news = true
		}
	}
	s.takeInFolds(folded)
	redirects := len(folded) > 0
	for _, p := range fresh {
		if !b.answeredVertex(p) {
			continue
		}
		s.news = true
		s.stir[p] = true
		switch b.web.state[b.places[p].id] {
		case moved:
			redirects = true
			s.turned[p] = true
			s.bury(p)
		case dead:
			s.bury(p)
		default:
			s.sample.add(b, p)
		}
	}
	var again []uint32
	if redirects {
		again = s.linkers()
		s.unlinkAll(again)
	}
	for _, p := range fresh {
		if b.answeredVertex(p) && b.web.state[b.places[p].id] == alive {
			s.joined = append(s.joined, p)
			s.link(p, list{})
		}
	}
	s.relinkAll(again, true)
}

// answeredVertex reports whether a place counts and was answered.
func (b *boundary) answeredVertex(p uint32) bool {
	return b.places[p].is(isAnswered) && b.places[p].is(isVertex)
}

// grow makes space for the places that came.
func (s *settlement) grow() {
	n := len(s.b.places)
	old := len(s.lists)
	if n == old {
		return
	}
	s.lists = append(s.lists, make([]list, n-old)...)
	s.seen = append(s.seen, make([]uint32, n-old)...)
	s.like = append(s.like, make([]bool, n-old)...)
	s.nearest = append(s.nearest, slices.Repeat([]nearer{{place: none}}, n-old)...)
	s.turned = append(s.turned, make([]bool, n-old)...)
	s.stir = append(s.stir, make([]bool, n-old)...)
	s.blocks.of = append(s.blocks.of, slices.Repeat([]blockID{noBlock}, n-old)...)
	s.vertex = append(s.vertex, slices.Repeat([]uint32{none}, n-old)...)
	s.shares.count.grow(n)
}

// bury forgets who links to a place: it failed, or only leads to another.
func (s *settlement) bury(p uint32) {
	to := s.blocks.of[p]
	if to == noBlock {
		return
	}
	s.shares.count.clear(p, func(f fromBlock) { s.shares.weigh(f.block, to, -int64(f.pages)*graph.Unit) })
}

// linkers are the joined pages that link to a place that is turned, or are one.
func (s *settlement) linkers() (list []uint32) {
	for _, u := range s.joined {
		if s.turned[u] || slices.ContainsFunc(s.links(u), func(v uint32) bool { return s.turned[v] }) {
			list = append(list, u)
		}
	}
	return list
}

// link makes the links of a joined page count. old is the list that was last made of them, whose
// arcs stay where the link does.
func (s *settlement) link(u uint32, old list) {
	s.list(u)
	s.inherit(s.lists[u], old)
	a := s.blocks.of[u]
	for _, v := range s.links(u) {
		if s.blocks.of[v] != a && s.b.lives(v) {
			s.count(a, v)
		}
	}
	if a == prefixBlock {
		s.noteKin(u)
		s.noteNearest(u)
	}
	s.anchors.tell(s, u, 1)
	s.stir[u] = true
}

// list makes the list of a page's links. A link to a page that redirects counts as one to where it
// leads, and one to a copy as one to the page that stands for it.
func (s *settlement) list(u uint32) {
	start := uint32(len(s.to))
	s.stamp++
	s.eachLink(u, func(v uint32, far []uint8) {
		if s.seen[v] == s.stamp {
			return
		}
		s.seen[v] = s.stamp
		s.to = append(s.to, v)
		s.arcs = append(s.arcs, 0)
		if far != nil {
			s.far = append(s.far, far[0])
		}
	})
	s.lists[u] = list{start, uint32(len(s.to)) - start}
}

// eachLink calls yield with the places to which the links of a page lead, repeated ones too, and
// with a list of distances that begins with the link's; nil where they are not measured.
func (s *settlement) eachLink(u uint32, yield func(v uint32, far []uint8)) {
	b := s.b
	s.lenders = b.lenders(u, s.lenders)
	for _, p := range s.lenders {
		far := b.web.links.distances(b.places[p].id)
		leaving := b.leaving(b.places[p].id)
		for i, id := range b.web.links.pages(b.places[p].id) {
			v := b.resolve(id)
			if v == none || v == u || b.leaves(leaving, id) || !b.counts(v) {
				continue
			}
			if far != nil {
				yield(v, far[i:])
			} else {
				yield(v, nil)
			}
		}
	}
}

// unlink takes the links of a page out of all counts. Its list stays until link makes a new one.
func (s *settlement) unlink(u uint32) {
	a := s.blocks.of[u]
	for _, v := range s.links(u) {
		if s.blocks.of[v] == a || !s.b.lives(v) {
			continue
		}
		s.shares.weigh(a, s.blocks.of[v], -graph.Unit)
		s.crossed(v, s.shares.count.remove(v, a))
	}
	s.anchors.tell(s, u, -1)
}

// count counts a link from block a to a page of another.
func (s *settlement) count(a blockID, v uint32) {
	s.shares.weigh(a, s.blocks.of[v], graph.Unit)
	s.crossed(v, s.shares.count.add(v, a)-1)
}

// crossed looks whether a link more than k makes a bundle hold back, or a link less than k+1 makes
// it not.
func (s *settlement) crossed(v, k uint32) {
	if m := s.b.opts.Bundle; float64(k) <= m && float64(k+1) > m {
		s.stir[v] = true
	}
}

func (s *settlement) unlinkAll(pages []uint32) {
	for _, u := range pages {
		s.unlink(u)
	}
}

// relinkAll puts pages in again that were taken out. Their arcs may stay where no block has
// changed.
func (s *settlement) relinkAll(pages []uint32, keepArcs bool) {
	for _, u := range pages {
		old := s.lists[u]
		if !keepArcs {
			s.dropArcs(old)
		}
		s.link(u, old)
	}
	clear(s.turned)
	s.tidy()
}

// inherit takes the arcs of the links that stay over from the old list to the new one.
func (s *settlement) inherit(l, old list) {
	from, to := s.to[old.start:old.start+old.n], s.to[l.start:l.start+l.n]
	for i, v := range to {
		k := slices.Index(from, v)
		if k < 0 {
			continue
		}
		at := old.start + old.n - uint32(len(from))
		s.dropArcs(list{at, uint32(k)})
		s.arcs[int(l.start)+i] = s.arcs[int(at)+k]
		from = from[k+1:]
	}
	s.dropArcs(list{old.start + old.n - uint32(len(from)), uint32(len(from))})
	s.waste += int(old.n)
}

// tidy moves the lists together when half of the space is of old ones.
func (s *settlement) tidy() {
	if s.waste <= len(s.to)/2 {
		return
	}
	n := len(s.to) - s.waste
	to, far, arcs := make([]uint32, 0, n), make([]uint8, 0, n), make([]arcRef, 0, n)
	for _, u := range s.joined {
		l := &s.lists[u]
		from, end := l.start, l.start+l.n
		l.start = uint32(len(to))
		to, arcs = append(to, s.to[from:end]...), append(arcs, s.arcs[from:end]...)
		if len(s.far) > 0 {
			far = append(far, s.far[from:end]...)
		}
	}
	s.to, s.far, s.arcs, s.waste = to, far, arcs, 0
}

// moveAnchors draws the anchors anew where pages inside link to other places than before, and moves
// pages from block to block where they have moved.
func (s *settlement) moveAnchors() {
	b := s.b
	anchors := s.anchors.moved(b)
	clear(s.anchors.touched)
	if len(anchors) == 0 {
		return
	}
	var movers []uint32
	for p, k := range s.blocks.of {
		if k == noBlock || k == prefixBlock {
			continue
		}
		if _, ok := anchors[b.web.root(b.places[p].id)]; ok {
			movers = append(movers, uint32(p))
			s.turned[p] = true
		}
	}
	again := s.linkers()
	s.unlinkAll(again)
	for root, a := range anchors {
		if a == noDir {
			delete(b.anchors, root)
		} else {
			b.anchors[root] = a
		}
	}
	for _, p := range movers {
		s.assign(p)
	}
	s.relinkAll(again, false)
	s.news = true
}

// root is the root directory of a URL's host.
func (w *web) root(id graph.ID) dirID { return w.dirs.nodes[w.dir[id]].root }
