package sitemap

// anchoring counts, by directory, the links from pages inside to foreign hosts. The anchor of such
// a host is the deepest directory that receives AnchorMass of them.
type anchoring struct {
	mass    map[dirID]int     // links to pages right in a directory
	dirs    map[dirID][]dirID // directories that ever had some, by the root of the host
	touched map[dirID]bool    // roots whose masses changed since the anchors were drawn
}

// newAnchoring gives an anchoring without counts, by which no anchor of the book is known to be
// right yet.
func newAnchoring(b *book) anchoring {
	t := anchoring{make(map[dirID]int), make(map[dirID][]dirID), make(map[dirID]bool)}
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
		t.touched[root] = true
	}
}

// moved gives the anchors that are not those of the boundary any more, by root; noDir where it is
// the root again.
func (t *anchoring) moved(b *book) map[dirID]dirID {
	var list map[dirID]dirID
	for root := range t.touched {
		a := t.anchor(b, root)
		was, ok := b.anchors[root]
		if !ok {
			was = noDir
		}
		if a != was {
			if list == nil {
				list = make(map[dirID]dirID)
			}
			list[root] = a
		}
	}
	return list
}

// anchor of a host, noDir where it is the root.
func (t *anchoring) anchor(b *book, root dirID) dirID {
	nodes := b.web.dirs.nodes
	below := make(map[dirID]int)
	for _, d := range t.dirs[root] {
		for m := t.mass[d]; m > 0 && d != noDir; d = nodes[d].parent {
			below[d] += m
		}
	}
	best := noDir
	for d, m := range below {
		if d != root && float64(m) >= b.opts.AnchorMass*float64(below[root]) &&
			(best == noDir || nodes[d].depth > nodes[best].depth) {
			best = d
		}
	}
	return best
}
