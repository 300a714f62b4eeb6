package sitemap

import (
	"cmp"
	"slices"

	"watershed/flow"
	"watershed/graph"
)

// settlement is a site's boundary computed from what the site knows at one moment. It is a pure
// function of the joined pages, their links, the anchors, the cluster and the pins: one that took
// them in little by little (boundary.resettle) is equal in all that counts to one that took them in
// at once (settle). These rules keep it so:
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
	linkage

	turned []bool // by place, within one update: it moves to another block, or leads elsewhere
	news   bool   // since shares were computed

	blocks  blocks
	shares  shares
	anchors anchoring
	kinship kinship
	live    []bool // by block: some arc with capacity leads to it, through others, from the prefix
	sample  sample

	wiring
}

// newSettlement gives one that has taken in nothing.
func newSettlement(b *book) *settlement {
	s := &settlement{linkage: linkage{book: b}, news: true}
	s.kinship.s = s
	s.shares = newShares(b)
	s.blocks = blocks{list: []block{{dir: noDir}}, byDir: make(map[dirID]blockID)}
	s.anchors = newAnchoring(b)
	s.wiring = wiring{s: s, net: flow.New(), parked: make(map[uint32]uint32), sigma: -1}
	return s
}

// settle computes a boundary from nothing. The anchors are first drawn anew from the last cut, if
// wanted. The settlement stays as it is, whatever is learned later.
func settle(b *book, drawAnchors bool) *settlement {
	b.arrange()
	b.folds.draw()
	s := newSettlement(b)
	s.update(news{met: b.order, fresh: b.order}, drawAnchors)
	return s
}

// resettle brings the last settlement up to date, with the same result as settle. It costs O(links
// learned), and a few passes over places and links that each take a nanosecond or two an item.
func (b *boundary) resettle(drawAnchors bool) *settlement {
	b.folds.draw()
	if b.news.kept {
		b.last.update(b.news, drawAnchors)
	} else {
		b.last = settle(b.book, drawAnchors)
	}
	b.news = news{kept: true, met: b.news.met[:0], fresh: b.news.fresh[:0], folded: b.news.folded[:0]}
	return b.last
}

// update takes in what was learned. Places that do not count are skipped.
func (s *settlement) update(x news, drawAnchors bool) {
	s.takeIn(x)
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
	for p := range s.book.places {
		if s.book.feeds(uint32(p)) {
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

// inside reports whether a place is on the source side.
func (s *settlement) inside(p uint32) bool {
	return s.vertex[p] != none && s.net.Inside(graph.ID(s.vertex[p]))
}

// candidate is a page inside that was never asked for. The capacity that binds it to the pages
// inside bounds the excess that it can hold, and unlike that is the same however the flow came to
// be.
type candidate struct {
	place uint32
	bond  int64
}

// candidates are the pages that the cut wants and that were never asked for, those bound most
// first. Candidates in the prefix have to wait for their wards.
func (s *settlement) candidates() []candidate {
	var list []candidate
	for _, v := range s.net.Wanted() {
		if p := s.pages[v]; !s.book.places[p].is(isAsked | inPrefix) {
			list = append(list, candidate{p, s.net.Bond(v)})
		}
	}
	slices.SortFunc(list, func(p, q candidate) int {
		return cmp.Or(cmp.Compare(q.bond, p.bond), cmp.Compare(s.book.key(p.place), s.book.key(q.place)))
	})
	return list
}
