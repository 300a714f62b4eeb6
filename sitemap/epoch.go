package sitemap

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// epoch draws the boundary anew and asks for what it wants next: the fullest part of the pages inside, or, when none is
// open, samples of blocks that may belong.
func (b *boundary) epoch() {
	b.dirty = false
	b.answered = 0
	b.epochs++
	s := b.settle(true)
	s.mark()
	s.askInside()
	if b.idle() {
		s.askProbes()
	}
	if b.idle() && s.splitFlat() {
		s = b.settle(false)
		s.mark()
		s.askInside()
		s.askProbes()
	}
	if b.idle() {
		s = s.listen()
		s.askInside()
		if b.idle() {
			s.askProbes()
		}
	}
	if b.idle() && b.restless < mostRestless && !maps.Equal(b.anchors, s.drawAnchors()) {
		b.dirty = true // the anchors move with the cut, and the cut with them
		b.restless++
	}
	for p := range b.places {
		if pl := &b.places[p]; pl.is(isInside) && pl.is(isAnswered) {
			b.askParts(uint32(p))
		}
	}
	b.budget = math.MaxInt
	if b.opts.Growth > 0 {
		b.budget = max(b.opts.MinBatch, int(math.Ceil(b.opts.Growth*float64(b.joined))), (b.open+1)/2)
	}
}

// mostRestless bounds the epochs after which cut and anchors may still move each other; they nearly always rest at once.
const mostRestless = 8

// idle reports that nothing is open.
func (b *boundary) idle() bool { return b.open == 0 && len(b.ready) == 0 }

// mark notes on the places what is inside.
func (s *settlement) mark() {
	for p := range s.b.places {
		pl := &s.b.places[p]
		pl.flags &^= isInside | isVetoed
		if s.inside(uint32(p)) {
			pl.flags |= isInside
		}
	}
}

// listen takes the second opinion where it is asked for, and gives the settlement that holds after it.
func (s *settlement) listen() *settlement {
	b := s.b
	if b.opts.Clusters == NoClusters {
		return s
	}
	changed := s.consult()
	switch {
	case b.opts.Clusters == Veto:
		for p := range b.places {
			if pl := &b.places[p]; pl.is(isInside) && !pl.is(inPrefix|isSeed|inCluster) {
				pl.flags |= isVetoed
			}
		}
	case changed:
		s = b.settle(false)
		s.mark()
	}
	return s
}

// askInside wants the fullest of the pages inside.
func (s *settlement) askInside() {
	list := s.candidates()
	quota := max(s.b.opts.MinBatch, int(math.Ceil(s.b.opts.Batch*float64(len(list)))))
	for _, p := range list[:min(quota, len(list))] {
		s.b.ask(p, WhyFlow, s.excess(p))
	}
}

// askProbes wants samples of every block that is linked from inside and might share enough. They are spread evenly over the
// pages of the block that are linked, from the most linked down: what a template links from every page (an index, a notice)
// is not like the rest, and the sample has to speak for the rest.
func (s *settlement) askProbes() {
	left := s.prospects()
	if len(left) == 0 {
		return
	}
	linked := s.linkedFromInside(left)
	for k := range s.blocks.list {
		list, n := linked[blockID(k)], left[blockID(k)]
		for i := range min(n, len(list)) {
			s.b.ask(list[i*len(list)/min(n, len(list))], WhyProbe, 0)
		}
	}
}

// linkedFromInside lists, for some blocks, the pages never asked for that pages inside link to, the most linked first.
func (s *settlement) linkedFromInside(some map[blockID]int) map[blockID][]uint32 {
	b := s.b
	count := make(map[uint32]int)
	lists := make(map[blockID][]uint32)
	for u := range b.places {
		if !b.places[u].is(isInside) {
			continue
		}
		for _, v := range s.links(uint32(u)) {
			k := s.blocks.of[v]
			if b.places[v].is(isAsked) || some[k] == 0 {
				continue
			}
			if count[v]++; count[v] == 1 {
				lists[k] = append(lists[k], v)
			}
		}
	}
	for _, list := range lists {
		slices.SortFunc(list, func(p, q uint32) int {
			return cmp.Or(cmp.Compare(count[q], count[p]), cmp.Compare(b.web.index.Key(b.places[p].id), b.web.index.Key(b.places[q].id)))
		})
	}
	return lists
}

// prospects gives the blocks to be probed, with how many pages of each.
func (s *settlement) prospects() map[blockID]int {
	b := s.b
	has := make([]bool, len(s.blocks.list))
	for p := range b.places {
		if b.places[p].is(isInside) {
			has[s.blocks.of[p]] = true
		}
	}
	left := make(map[blockID]int)
	for key := range s.shares.flow {
		a, k := blockID(key>>32), blockID(key)
		if has[a] && !has[k] && !s.shares.probed(k) && s.shares.hopeful(a, k) {
			left[k] = b.opts.Probes - s.blocks.list[k].fetched
		}
	}
	return left
}
