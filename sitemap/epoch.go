package sitemap

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// epoch draws the boundary anew and asks for the next pages: those inside that are bound most, or,
// when none is open, samples of blocks that may belong.
func (b *boundary) epoch() {
	b.dirty = false
	b.around.stale = true
	b.answered = 0
	b.epochs++
	b.resettle(true)
	b.round(dividing)
	b.mark(b.last)
	b.askInside(b.last)
	if b.idle() {
		b.askProbes(b.last)
	}
	b.round(resting)
	if b.idle() {
		b.round(sampling)
	}
	for p := range b.places {
		pl := &b.places[p]
		if pl.is(isAnswered) &&
			(pl.is(isInside) || b.isCopy(uint32(p)) && b.places[b.standsFor(uint32(p))].is(isInside)) {
			b.files.askOf(uint32(p))
		}
	}
	b.budget = math.MaxInt
	if b.opts.Growth > 0 {
		b.budget = max(b.opts.MinBatch, int(math.Ceil(b.opts.Growth*float64(b.joined))),
			min((b.open+1)/2, b.joined))
	}
}

// again draws the boundary from nothing, after pages have left the prefix or come back, and asks
// for what follows from that.
func (b *boundary) again() *settlement {
	b.unsettle()
	s := b.resettle(false)
	b.mark(s)
	b.askInside(s)
	b.askProbes(s)
	return s
}

// idle reports that no open page can change the boundary.
func (b *boundary) idle() bool { return b.open == 0 && b.files.lists == 0 && len(b.ready) == 0 }

// mark notes on the places which are inside.
func (b *boundary) mark(s *settlement) {
	for p := range b.places {
		pl := &b.places[p]
		is := s.inside(uint32(p))
		if is == pl.is(isInside) {
			continue
		}
		if !pl.is(isSeed) {
			s.anchors.add(s, uint32(p), 2*b2i(is)-1)
		}
		pl.flags ^= isInside
		b.recount(uint32(p))
	}
}

// askInside wants half of the pages inside, those that are bound to it most.
func (b *boundary) askInside(s *settlement) {
	list := s.candidates()
	quota := max(b.opts.MinBatch, (len(list)+1)/2)
	for _, c := range list[:min(quota, len(list))] {
		b.ask(c.place, WhyFlow, c.bond)
	}
}

// askProbes wants samples of every block that is linked from inside and might share enough. They
// are spread evenly over the pages of the block that are linked, from the most linked down: a page
// that a template links from every page (an index, a notice) is not like the other pages, for which
// the sample has to speak. A single one is neither the most linked nor the least.
func (b *boundary) askProbes(s *settlement) {
	left := s.prospects()
	if len(left) == 0 {
		return
	}
	linked := s.linkedFromInside(left)
	blocks := slices.SortedFunc(maps.Keys(left), func(a, k blockID) int {
		return cmp.Compare(s.blockName(a), s.blockName(k))
	})
	for _, k := range blocks {
		list, n := linked[k], left[k]
		if n == 1 && len(list) > 1 {
			list = list[(len(list)-1)/2:][:1]
		}
		for _, p := range evenly(list, n) {
			b.ask(p, WhyProbe, 0)
		}
	}
}

// blockName is host and directory of a block, "" for the prefix.
func (s *settlement) blockName(k blockID) string {
	if k == prefixBlock {
		return ""
	}
	return s.book.web.dirs.path(s.blocks.list[k].dir)
}

// linkedFromInside lists, for some blocks, the pages never asked for that pages of the site link to,
// those of the prefix that the cut leaves out, too; the most linked first.
func (s *settlement) linkedFromInside(some map[blockID]int) map[blockID][]uint32 {
	b := s.book
	wanted := make([]bool, len(s.blocks.list))
	for k := range some {
		wanted[k] = true
	}
	count := make(map[uint32]int)
	lists := make(map[blockID][]uint32)
	for _, u := range s.joined {
		own, inside := s.blocks.of[u], b.places[u].is(isInside|isMember)
		if !inside && !(wanted[own] && s.shares.bar[own]) {
			continue
		}
		for _, v := range s.links(u) {
			k := s.blocks.of[v]
			if !wanted[k] || b.places[v].is(isAsked) || !inside && k != own {
				continue
			}
			if count[v]++; count[v] == 1 {
				lists[k] = append(lists[k], v)
			}
		}
	}
	for _, list := range lists {
		slices.SortFunc(list, func(p, q uint32) int {
			return cmp.Or(cmp.Compare(count[q], count[p]), cmp.Compare(b.key(p), b.key(q)))
		})
	}
	return lists
}

// prospects gives the blocks to be probed, with how many pages of each. A block that has come in by its
// first page is sampled, too, as that page may prove too little for the others.
func (s *settlement) prospects() map[blockID]int {
	b := s.book
	has := make([]bool, len(s.blocks.list))
	for p := range b.places {
		if k := s.blocks.of[p]; k != noBlock && b.places[p].is(isInside) {
			has[k] = true
		}
	}
	left := make(map[blockID]int)
	for key := range s.shares.flow {
		a, k := blockID(key>>32), blockID(key)
		switch {
		case !has[a] || has[k] && s.shares.sampled(k) || b.opts.Probes == 0 || s.blocks.list[k].stray:
		case !s.shares.probed(k) && s.shares.hopeful(a, k):
			left[k] = s.shares.wanting(k)
		}
	}
	return left
}
