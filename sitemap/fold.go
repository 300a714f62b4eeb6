package sitemap

import (
	"cmp"
	"slices"
)

// folds are the copies among a site's answered pages. All pages of a class but one are copies of that
// one, which stands for them: links to a copy count as links to it, and it has the links of all. Seeds
// and pinned pages are copies of none.
//
// The page that stands for the others of its class depends on which pages were answered and not on
// the order: a seed goes before a page of the prefix, and this before all others; among equals the
// smallest key wins.
//
// They are drawn anew before a settlement, where anything about them changed: that costs the pages
// that have a variant.
type folds struct {
	b     *book
	into  map[uint32]uint32   // by copy: what stands for it
	of    map[uint32][]uint32 // and the other way round, in the order of keys
	stale bool                // something has changed since they were drawn
}

// folding reports whether the site's copies are folded.
func (f *folds) folding() bool {
	return len(f.b.web.payloads.class) > 0 && f.b.computed()
}

// foldable reports whether a place can be a copy or stand for one.
func (f *folds) foldable(p uint32) bool {
	pl := &f.b.places[p]
	return pl.is(isAnswered) && f.b.counts(p) && pl.pin == unpinned && f.b.web.state[pl.id] == alive
}

// answered notes that a place was answered.
func (f *folds) answered(p uint32) {
	if !f.stale && f.folding() {
		_, f.stale = f.b.web.payloads.class[f.b.places[p].id]
	}
}

// draw folds everything anew if something has changed, and notes the places that are folded
// otherwise than before.
func (f *folds) draw() {
	if !f.stale {
		return
	}
	was := f.into
	f.stale, f.into, f.of = false, make(map[uint32]uint32), make(map[uint32][]uint32)
	if f.folding() {
		for _, list := range f.classes() {
			f.foldClass(list)
		}
	}
	var other []uint32 // that are folded otherwise, and those with which they are
	for p, r := range was {
		if now := f.b.standsFor(p); now != r {
			other = append(other, p, r, now)
		}
	}
	for p, r := range f.into {
		if _, again := was[p]; !again {
			other = append(other, p, r)
		}
	}
	slices.Sort(other)
	for _, p := range slices.Compact(other) {
		f.b.recount(p)
		if f.b.news.kept {
			f.b.news.folded = append(f.b.news.folded, p)
		}
	}
}

// classes gathers the pages of one payload, by class.
func (f *folds) classes() map[uint32][]uint32 {
	list := make(map[uint32][]uint32)
	for id, class := range f.b.web.payloads.class {
		if p := f.b.find(id); p != none && f.foldable(p) {
			list[class] = append(list[class], p)
		}
	}
	return list
}

// foldClass draws who stands for the pages of a class.
func (f *folds) foldClass(list []uint32) {
	first := slices.MinFunc(list, f.compareCopies)
	slices.SortFunc(list, func(p, q uint32) int { return cmp.Compare(f.b.key(p), f.b.key(q)) })
	for _, p := range list {
		if p != first && !f.b.places[p].is(isSeed) {
			f.into[p] = first
			f.of[first] = append(f.of[first], p)
		}
	}
}

// compareCopies orders the pages of a class: the first stands for the others.
func (f *folds) compareCopies(p, q uint32) int {
	x, y := &f.b.places[p], &f.b.places[q]
	return cmp.Or(
		cmp.Compare(b2i(!x.is(isSeed)), b2i(!y.is(isSeed))),
		cmp.Compare(b2i(!x.is(inPrefix)), b2i(!y.is(inPrefix))),
		cmp.Compare(f.b.key(p), f.b.key(q)))
}

// takeInFolds takes in the places that are copies now, or copies of other pages than before, or
// stand for others.
func (s *settlement) takeInFolds(news []uint32) {
	for _, p := range news {
		s.turned[p], s.stir[p], s.news = true, true, true
		if !s.book.lives(p) {
			s.bury(p)
		}
	}
}

// leastCopies is how many pages of a block must be copies of the prefix's before their part tells
// something.
const leastCopies = 2

// copies finds the blocks of which pages of the prefix are copies.
type copies struct{ witness }

// evidence gives, by block, the part of its answered pages that are copies of pages of the prefix.
// It is 0 for blocks that were not probed, and where there are fewer than
// leastCopies. A block of copies belongs to the site, although it never links back, because its
// pages are one with pages of the prefix.
func (copies) evidence(s *settlement) []float64 {
	b := s.book
	if len(b.folds.into) == 0 {
		return nil
	}
	part := make([]float64, len(s.blocks.list))
	count := make([]int, len(part))
	for p, r := range b.folds.into {
		if k := s.blocks.of[p]; k != noBlock && k != prefixBlock && s.blocks.of[r] == prefixBlock {
			count[k]++
		}
	}
	for k, n := range count {
		if n >= leastCopies && s.shares.probed(blockID(k)) {
			part[k] = float64(n) / float64(s.blocks.list[k].came)
		}
	}
	return part
}

func (x copies) explain(s *settlement, k blockID, to *Block) string {
	if to.Copied = s.shares.proof(x, k); to.Inside > 0 && to.Copied > to.Share && to.Copied >= to.Kin {
		return "its pages are copies of pages of the prefix"
	}
	return ""
}
