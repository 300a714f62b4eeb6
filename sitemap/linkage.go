package sitemap

import "slices"

// linkage has the links of a site's joined pages, redirects followed and copies folded, as places.
// It takes 9 bytes a link, and 12 a place.
type linkage struct {
	book  *book
	plain bool // the boundary is a simple predicate: links are looked up, and none kept

	lists   []list // by place
	joined  []uint32
	to      []uint32
	far     []uint8  // their distances, where these are measured
	arcs    []arcRef // their arcs in the network
	waste   int      // of the above, in lists that were replaced
	seen    []uint32 // by place: stamp of the list it was last met in
	stamp   uint32
	lenders []uint32 // of the list that was made last
}

// list is where the links of a page lie.
type list struct{ start, n uint32 }

// links of a place. Of a boundary that is a simple predicate the list is good until the next call.
func (l *linkage) links(u uint32) []uint32 {
	if l.plain {
		return l.plainLinks(u)
	}
	if int(u) >= len(l.lists) {
		return nil
	}
	at := l.lists[u]
	return l.to[at.start : at.start+at.n]
}

// plainLinks looks the links of a place up, where none are kept.
func (l *linkage) plainLinks(u uint32) []uint32 {
	l.to = l.to[:0]
	if l.book.answeredVertex(u) && l.book.web.state[l.book.places[u].id] == alive {
		l.eachLink(u, func(v uint32, _ []uint8) { l.to = append(l.to, v) })
	}
	slices.Sort(l.to)
	l.to = slices.Compact(l.to)
	return l.to
}

// list makes the list of a page's links. A link to a page that redirects counts as one to where it
// leads, and one to a copy as one to the page that stands for it.
func (l *linkage) list(u uint32) {
	start := uint32(len(l.to))
	l.stamp++
	l.eachLink(u, func(v uint32, far []uint8) {
		if l.seen[v] == l.stamp {
			return
		}
		l.seen[v] = l.stamp
		l.to = append(l.to, v)
		l.arcs = append(l.arcs, 0)
		if far != nil {
			l.far = append(l.far, far[0])
		}
	})
	l.lists[u] = list{start, uint32(len(l.to)) - start}
}

// eachLink calls yield with the places to which the links of a page lead, repeated ones too, and
// with a list of distances that begins with the link's; nil where they are not measured.
func (l *linkage) eachLink(u uint32, yield func(v uint32, far []uint8)) {
	b := l.book
	l.lenders = b.lenders(u, l.lenders)
	for _, p := range l.lenders {
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

// linkers are the joined pages that link to a place that is turned, or are one.
func (l *linkage) linkers(turned []bool) (list []uint32) {
	for _, u := range l.joined {
		if turned[u] || slices.ContainsFunc(l.links(u), func(v uint32) bool { return turned[v] }) {
			list = append(list, u)
		}
	}
	return list
}

// tidy moves the lists together when half of the space is of old ones.
func (l *linkage) tidy() {
	if l.waste <= len(l.to)/2 {
		return
	}
	n := len(l.to) - l.waste
	to, far, arcs := make([]uint32, 0, n), make([]uint8, 0, n), make([]arcRef, 0, n)
	for _, u := range l.joined {
		at := &l.lists[u]
		from, end := at.start, at.start+at.n
		at.start = uint32(len(to))
		to, arcs = append(to, l.to[from:end]...), append(arcs, l.arcs[from:end]...)
		if len(l.far) > 0 {
			far = append(far, l.far[from:end]...)
		}
	}
	l.to, l.far, l.arcs, l.waste = to, far, arcs, 0
}
