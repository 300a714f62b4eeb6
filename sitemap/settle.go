package sitemap

import (
	"cmp"
	"slices"

	"watershed/graph"
)

// settlement is a site's boundary computed from what the site knows at one moment. It is a pure
// function of the joined pages, their links, the anchors, the cluster and the pins: one that took
// them in little by little (boundary.resettle) is equal in all that counts to one that took them in
// at once (boundary.settle). These rules keep it so:
//
//  1. A page's links are counted under the blocks as they are: before a redirect or an anchor moves
//     a link from one block to another, all pages that have it are taken out (unlink), and put in
//     again after (link).
//  2. Sums are of integers, so a link that is taken out leaves no trace.
//  3. Links to a page that failed count nowhere from the moment it is known (bury).
//  4. The network is that of blocks, shares and pins as they are: wire sets every capacity that
//     differs. Arcs that have gone stay behind without capacity, so that they change no flow. The
//     source side of a smallest minimum cut is unique.
//  5. Nothing that is told of it depends on where the flow happens to run, on numbers of blocks, or
//     of vertices.
//
// A settlement takes 36 bytes a place, 9 a link, and 64 a link of the network.
type settlement struct {
	b     *boundary
	plain bool // the boundary is a simple predicate: nothing of what follows is kept

	// Links of joined pages, redirects followed, as places.
	lists  []list // by place
	joined []uint32
	to     []uint32
	far    []uint8  // their distances, where these are measured
	arcs   []arcRef // their arcs in the network
	waste  int      // of the above, in lists that were replaced
	seen   []uint32 // by place: stamp of the list it was last met in
	stamp  uint32
	turned []bool // by place, within one update: it moves to another block, or leads elsewhere
	news   bool   // since shares were computed

	lenders []uint32 // of the list that was made last
	names   []string // theirs

	ownName, otherName []uint32 // tokens of names that are compared

	blocks  blocks
	shares  shares
	anchors anchoring
	like    []bool // by place: a page of the prefix with a like name links to it
	nearest []nearer
	live    []bool // by block: some arc with capacity leads to it, through others, from the prefix
	sample  sample

	wiring
}

// list is where the links of a page lie.
type list struct{ start, n uint32 }

// newSettlement gives one that has taken in nothing.
func newSettlement(b *boundary) *settlement {
	s := &settlement{b: b, news: true}
	s.shares = newShares(b)
	s.blocks = newBlocks()
	s.anchors = newAnchoring(b)
	s.wiring = newWiring()
	return s
}

// settle computes the boundary from nothing. The anchors are first drawn anew from the last cut, if
// wanted. The settlement stays as it is, whatever is learned later.
func (b *boundary) settle(drawAnchors bool) *settlement {
	b.arrange()
	b.foldAll()
	s := newSettlement(b)
	s.update(b.order, b.order, nil, drawAnchors)
	return s
}

// resettle brings the last settlement up to date, with the same result as settle. It costs O(links
// learned), and a few passes over places and links that each take a nanosecond or two an item.
func (b *boundary) resettle(drawAnchors bool) *settlement {
	if b.last == nil {
		b.last = b.settle(drawAnchors)
	} else {
		b.last.update(b.met, b.fresh, b.folds.news, drawAnchors)
	}
	b.met, b.fresh, b.folds.news = b.met[:0], b.fresh[:0], b.folds.news[:0]
	return b.last
}

// unsettle makes the next settlement begin from nothing, after a change that is too rare to be
// worth taking in little by little.
func (b *boundary) unsettle() {
	b.last, b.met, b.fresh = nil, nil, nil
	b.folds.stale, b.folds.news = true, nil
}

// update takes in the places that were met, the places that were answered for the first time, and
// the places whose folds have changed. Places that do not count are skipped.
func (s *settlement) update(met, fresh, folded []uint32, drawAnchors bool) {
	s.takeIn(met, fresh, folded)
	if drawAnchors {
		s.moveAnchors()
	}
	if s.news {
		s.countPages()
		s.joinBlocks()
		s.news = false
	}
	s.spread()
	s.wire()
	s.net.Solve()
}

// spread finds the blocks that arcs with capacity lead to from the prefix and the seeds. The places
// of other blocks can neither receive nor carry flow.
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
	for p := range s.b.places {
		if s.b.feeds(uint32(p)) {
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

// feeds reports whether the source feeds a place, apart from those of the prefix.
func (b *boundary) feeds(p uint32) bool {
	pl := &b.places[p]
	return pl.is(isSeed) || (pl.pin == pinnedIn || pl.pin == pinnedSoft) && b.lives(p) ||
		pl.is(inCluster) && b.opts.Clusters == SoftSources && b.lives(p)
}

// links of a place. Of a boundary that is a simple predicate the list is good until the next call.
func (s *settlement) links(u uint32) []uint32 {
	if s.plain {
		return s.plainLinks(u)
	}
	if int(u) >= len(s.lists) {
		return nil
	}
	l := s.lists[u]
	return s.to[l.start : l.start+l.n]
}

// plainLinks looks the links of a place up, where none are kept.
func (s *settlement) plainLinks(u uint32) []uint32 {
	s.to = s.to[:0]
	if s.b.answeredVertex(u) && s.b.web.state[s.b.places[u].id] == alive {
		s.eachLink(u, func(v uint32, _ []uint8) { s.to = append(s.to, v) })
	}
	slices.Sort(s.to)
	s.to = slices.Compact(s.to)
	return s.to
}

// inside reports whether a place is on the source side.
func (s *settlement) inside(p uint32) bool {
	return s.vertex[p] != none && s.net.Inside(graph.ID(s.vertex[p]))
}

// bond of a place that the network has: the capacity of the arcs that join it to the pages inside.
// It bounds the excess that the place can hold, and unlike it is the same however the flow came to
// be.
func (s *settlement) bond(p uint32) int64 { return s.net.Bond(graph.ID(s.vertex[p])) }

// candidate is a page inside that was never asked for.
type candidate struct {
	place uint32
	bond  int64
}

// candidates are the pages inside that were never asked for, those bound most first. Candidates in
// the prefix have to wait for their wards.
func (s *settlement) candidates() []candidate {
	var list []candidate
	for p := range s.b.places {
		if !s.b.places[p].is(isAsked|inPrefix) && s.inside(uint32(p)) {
			list = append(list, candidate{uint32(p), s.bond(uint32(p))})
		}
	}
	slices.SortFunc(list, func(p, q candidate) int {
		return cmp.Or(cmp.Compare(q.bond, p.bond), cmp.Compare(s.b.key(p.place), s.b.key(q.place)))
	})
	return list
}
