package sitemap

import (
	"slices"

	"watershed/graph"
)

// takeIn counts the places that were learned: places met, places answered for the first time, and
// places that are folded otherwise than before. A place that does not count is skipped.
func (s *settlement) takeIn(x news) {
	b := s.book
	s.grow()
	for _, p := range x.met {
		if b.counts(p) {
			s.assign(p)
			s.news = true
		}
	}
	s.takeInFolds(x.folded)
	redirects := len(x.folded) > 0
	for _, p := range x.fresh {
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
		again = s.linkers(s.turned)
		s.unlinkAll(again)
	}
	for _, p := range x.fresh {
		if b.answeredVertex(p) && b.web.state[b.places[p].id] == alive {
			s.joined = append(s.joined, p)
			s.link(p, list{})
		}
	}
	s.relinkAll(again, true)
}

// grow makes space for the places that came.
func (s *settlement) grow() {
	n := len(s.book.places)
	old := len(s.lists)
	if n == old {
		return
	}
	s.lists = append(s.lists, make([]list, n-old)...)
	s.seen = append(s.seen, make([]uint32, n-old)...)
	s.kinship.nearest = append(s.kinship.nearest, slices.Repeat([]nearer{{place: none}}, n-old)...)
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

// link makes the links of a joined page count. old is the list that was last made of them, whose
// arcs stay where the link does.
func (s *settlement) link(u uint32, old list) {
	s.list(u)
	s.inherit(s.lists[u], old)
	a := s.blocks.of[u]
	for _, v := range s.links(u) {
		if s.blocks.of[v] != a && s.book.lives(v) {
			s.count(a, v)
		}
	}
	if a == prefixBlock {
		s.kinship.note(u)
	}
	s.anchors.tell(s, u, 1)
	s.stir[u] = true
}

// unlink takes the links of a page out of all counts. Its list stays until link makes a new one.
func (s *settlement) unlink(u uint32) {
	a := s.blocks.of[u]
	for _, v := range s.links(u) {
		if s.blocks.of[v] == a || !s.book.lives(v) {
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

// crossed looks whether k+1 links of a block to a page carry another part of their capacity each than
// k of them.
func (s *settlement) crossed(v, k uint32) {
	if s.bundled(graph.Unit, k) != s.bundled(graph.Unit, k+1) {
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

// moveAnchors draws the anchors anew where pages inside link to other places than before, and moves
// pages from block to block where they have moved.
func (s *settlement) moveAnchors() {
	b := s.book
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
	again := s.linkers(s.turned)
	s.unlinkAll(again)
	for root, a := range anchors {
		if a.deep == root {
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
