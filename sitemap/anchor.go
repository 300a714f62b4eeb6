package sitemap

// anchor is the part of a foreign host that is one block with the pages to which the site leads: the
// directory deep and what is below it, and the pages right in the directories from top down to it.
type anchor struct{ deep, top dirID }

// holds reports whether the pages right in d are of the anchor.
func (a anchor) holds(t *directories, d dirID) bool {
	return t.contains(a.deep, d) || t.contains(a.top, d) && t.contains(d, a.deep)
}

// anchoring counts, by directory, the links from pages inside to foreign hosts. The anchor of such a
// host begins at the deepest directory that receives AnchorMass of them. Once a second host has come
// in, its own pages are inside, too, and mostly lead to each other. Its home page, to which the pages
// of other hosts lead, may lie above them, as that of a wiki whose pages lie in /wiki/; so the
// directories from the deepest one that receives AnchorMass of the links from other hosts are part of
// the anchor, where more than one of these links is known: an organisation names the home page of each
// of its teams once. As a block of its own a home page shares too little, and its host fell out again.
type anchoring struct {
	mass    map[dirID]int     // links to pages right in a directory
	called  map[dirID]int     // of these, the links from other hosts
	dirs    map[dirID][]dirID // directories that ever had some, by the root of the host
	touched map[dirID]bool    // roots whose masses changed since the anchors were drawn
}

// newAnchoring gives an anchoring without counts, by which no anchor of the book is known to be
// right yet.
func newAnchoring(b *book) anchoring {
	t := anchoring{
		make(map[dirID]int), make(map[dirID]int), make(map[dirID][]dirID), make(map[dirID]bool),
	}
	for root := range b.anchors {
		t.touched[root] = true
	}
	return t
}

// tell counts the links of a page, if it is inside.
func (t *anchoring) tell(s *settlement, u uint32, by int) {
	if s.book.places[u].is(isInside | isSeed) {
		t.add(s, u, by)
	}
}

// add counts the links of a page by times.
func (t *anchoring) add(s *settlement, u uint32, by int) {
	b := s.book
	for _, v := range s.links(u) {
		d := b.web.dir[b.places[v].id]
		root := b.web.dirs.nodes[d].root
		if b.onSeedHost(root) {
			continue
		}
		m, ok := t.mass[d]
		if !ok {
			t.dirs[root] = append(t.dirs[root], d)
		}
		t.mass[d] = m + by
		if root != b.web.root(b.places[u].id) {
			t.called[d] += by
		}
		t.touched[root] = true
	}
}

// moved gives the anchors that are not those of the boundary any more, by root.
func (t *anchoring) moved(b *book) map[dirID]anchor {
	list := make(map[dirID]anchor)
	for root := range t.touched {
		was, ok := b.anchors[root]
		if !ok {
			was = anchor{root, root}
		}
		if a := t.anchor(b, root); a != was {
			list[root] = a
		}
	}
	return list
}

// anchor of a host.
func (t *anchoring) anchor(b *book, root dirID) anchor {
	deep, top := t.deepest(b, root, t.mass), t.deepest(b, root, t.called)
	calls := 0
	for _, d := range t.dirs[root] {
		calls += t.called[d]
	}
	if calls < 2 || !b.web.dirs.contains(top, deep) {
		top = deep
	}
	return anchor{deep, top}
}

// deepest is the deepest directory of a host that receives AnchorMass of some links to it.
func (t *anchoring) deepest(b *book, root dirID, mass map[dirID]int) dirID {
	nodes := b.web.dirs.nodes
	below := make(map[dirID]int)
	for _, d := range t.dirs[root] {
		for m := mass[d]; m > 0 && d != noDir; d = nodes[d].parent {
			below[d] += m
		}
	}
	best := root
	for d, m := range below {
		if float64(m) >= b.opts.AnchorMass*float64(below[root]) && nodes[d].depth > nodes[best].depth {
			best = d
		}
	}
	return best
}
