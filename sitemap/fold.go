package sitemap

import (
	"cmp"
	"slices"

	"watershed/graph"
)

// folds are the copies among a site's answered pages, and the pages that name another as their
// canonical address. All pages of a class but one are copies of that one, which stands for them:
// links to a copy count as links to it, and it has the links of all. Seeds and pinned pages are
// copies of none.
//
// The page that stands for those that name it is that page, and only those are copies of it that
// may be believed (canonicals). Of a prefix no page is a copy of one outside. In other classes the
// page that stands for the others depends on which pages were answered and not on the order: a seed
// goes before a page of the prefix, and this before all others; among equals the smallest key wins.
// A copy on another host than the page that stands for it lends it no links: a mirror links to more
// of the mirror, and that is not the opinion of the site.
//
// Invariant: folds that are not stale are those that foldAll would make.
type folds struct {
	class map[uint32][]uint32 // answered places that are alive and not pinned, by class
	into  map[uint32]uint32   // by copy: what stands for it
	of    map[uint32][]uint32 // and the other way round, in the order of keys
	named map[graph.ID]bool   // pages that one of them names as its canonical address
	stale bool                // something that is not an answer has changed
	news  []uint32            // places about which this changed since the last settlement
}

// folding reports whether the site's copies are folded.
func (b *boundary) folding() bool {
	return (len(b.web.payloads.class) > 0 || len(b.web.canonicals.of) > 0) && b.Boundary == Logical &&
		b.process == nil
}

// standsFor gives the place that stands for p, p itself where it is no copy.
func (b *boundary) standsFor(p uint32) uint32 {
	if len(b.folds.into) > 0 {
		if r, ok := b.folds.into[p]; ok {
			return r
		}
	}
	return p
}

// isCopy reports whether another place stands for p.
func (b *boundary) isCopy(p uint32) bool { return b.standsFor(p) != p }

// foldable gives the class of a place that can be a copy or stand for one.
func (b *boundary) foldable(p uint32) (class uint32, ok bool) {
	pl := &b.places[p]
	if !pl.is(isAnswered) || !b.counts(p) || pl.pin != unpinned || b.web.state[pl.id] != alive {
		return 0, false
	}
	if _, names := b.web.canonicals.of[pl.id]; names || b.folds.named[pl.id] {
		return b.web.canonicals.class(pl.id)
	}
	class, ok = b.web.payloads.class[pl.id]
	return class, ok
}

// fold takes in a place that was answered for the first time. Where another page stands for its
// class as before, this costs a search; else O(class).
func (b *boundary) fold(p uint32) {
	if !b.folding() || b.folds.stale {
		return
	}
	class, ok := b.foldable(p)
	if !ok {
		return
	}
	if b.folds.class == nil {
		b.folds.class = make(map[uint32][]uint32)
	}
	list := b.folds.class[class]
	at, _ := slices.BinarySearchFunc(list, p, b.compareCopies)
	b.folds.class[class] = slices.Insert(list, at, p)
	if b.name(p, class) || !b.foldInto(p, class, at) {
		b.foldClass(class)
	}
}

// foldInto folds a page that came to a class, at a place in its list, into the page that stands for
// the class; ok is false where that is another one than before.
func (b *boundary) foldInto(p, class uint32, at int) (ok bool) {
	list := b.folds.class[class]
	first := list[0]
	if class&canonicalClass != 0 {
		to, names := b.web.canonicals.of[b.places[p].id]
		if !names {
			return false // the others have waited for it
		}
		if first = b.find(to); first == none {
			return true
		}
		if _, answered := slices.BinarySearchFunc(list, first, b.compareCopies); !answered {
			return true // nothing stands for them yet
		}
	} else if at == 0 {
		return false
	}
	if b.folds.into == nil {
		return false
	}
	if !b.places[p].is(isSeed) && b.believes(p, first, class) {
		b.folds.into[p] = first
		copies := b.folds.of[first]
		i, _ := slices.BinarySearchFunc(copies, p, b.compareCopies)
		b.folds.of[first] = slices.Insert(copies, i, p)
		if b.last != nil {
			b.folds.news = append(b.folds.news, p)
		}
	}
	if b.last != nil {
		b.folds.news = append(b.folds.news, first)
	}
	b.recount(p)
	return true
}

// name notes the page that a page names, and adds it to the class where it was answered before,
// which it reports.
func (b *boundary) name(p, class uint32) (added bool) {
	to, ok := b.web.canonicals.of[b.places[p].id]
	if !ok || b.folds.named[to] {
		return false
	}
	if b.folds.named == nil {
		b.folds.named = make(map[graph.ID]bool)
	}
	b.folds.named[to] = true
	q := b.find(to)
	if q == none {
		return false
	}
	switch k, ok := b.foldable(q); {
	case !ok || k != class:
		return false
	case len(b.web.payloads.class) > 0:
		b.unsettle() // it may be of another class by its payload
	default:
		b.folds.class[class] = append(b.folds.class[class], q)
	}
	return true
}

// foldAll folds everything anew if the folds are stale.
func (b *boundary) foldAll() {
	if !b.folds.stale {
		return
	}
	was := b.folds.into
	b.folds = folds{class: make(map[uint32][]uint32), named: make(map[graph.ID]bool)}
	if b.folding() {
		b.gatherClasses()
	}
	for class := range b.folds.class {
		b.foldClass(class)
	}
	for p := range was {
		b.recount(p)
	}
	b.folds.news = nil // the next settlement begins from nothing
}

// gatherClasses finds the pages of all classes.
func (b *boundary) gatherClasses() {
	for p := range b.places {
		if _, ok := b.foldable(uint32(p)); ok {
			if to, names := b.web.canonicals.of[b.places[p].id]; names {
				b.folds.named[to] = true
			}
		}
	}
	for p := range b.places {
		if class, ok := b.foldable(uint32(p)); ok {
			b.folds.class[class] = append(b.folds.class[class], uint32(p))
		}
	}
}

// foldClass draws who stands for the pages of a class.
func (b *boundary) foldClass(class uint32) {
	list := b.folds.class[class]
	if len(list) < 2 {
		return
	}
	if b.folds.into == nil {
		b.folds.into, b.folds.of = make(map[uint32]uint32), make(map[uint32][]uint32)
	}
	slices.SortFunc(list, b.compareCopies)
	first := list[0]
	if class&canonicalClass != 0 {
		first = b.named(list)
	}
	var copies []uint32
	for _, p := range list {
		was := b.standsFor(p)
		delete(b.folds.into, p)
		delete(b.folds.of, p)
		if first != none && p != first && !b.places[p].is(isSeed) && b.believes(p, first, class) {
			b.folds.into[p] = first
			copies = append(copies, p)
		}
		if b.last != nil && (p == first || b.standsFor(p) != was) {
			b.folds.news = append(b.folds.news, p)
		}
		b.recount(p)
	}
	if len(copies) > 0 {
		b.folds.of[first] = copies
	}
}

// named gives the page that the pages of a class name, none where it was not answered.
func (b *boundary) named(list []uint32) uint32 {
	for _, p := range list {
		if _, names := b.web.canonicals.of[b.places[p].id]; !names {
			return p
		}
	}
	return none
}

// believes reports whether a page of a class is one with the page that stands for it.
func (b *boundary) believes(p, first, class uint32) bool {
	if class&canonicalClass == 0 {
		return true
	}
	if b.places[p].is(inPrefix) && !b.places[first].is(inPrefix) {
		return false
	}
	return b.web.canonicals.like(b.web, b.places[p].id, b.places[first].id)
}

// compareCopies orders the pages of a class: the first stands for the others.
func (b *boundary) compareCopies(p, q uint32) int {
	x, y := &b.places[p], &b.places[q]
	return cmp.Or(
		cmp.Compare(b2i(!x.is(isSeed)), b2i(!y.is(isSeed))),
		cmp.Compare(b2i(!x.is(inPrefix)), b2i(!y.is(inPrefix))),
		cmp.Compare(b.key(p), b.key(q)))
}

// lenders are the places whose links count as those of p: none for a copy, else p and its copies on
// its host, and of the entry page the sitemaps that speak through it.
func (b *boundary) lenders(p uint32, list []uint32) []uint32 {
	if b.isCopy(p) {
		return list[:0]
	}
	list = append(list[:0], p)
	if len(b.folds.of) > 0 {
		for _, c := range b.folds.of[p] {
			if b.sameHost(p, c) {
				list = append(list, c)
			}
		}
	}
	if len(b.heard) > 0 && p == b.speaker() {
		list = append(list, b.heard...)
	}
	return list
}

// sameHost reports whether two places lie on one host, whatever their schemes.
func (b *boundary) sameHost(p, q uint32) bool {
	return b.web.root(b.places[p].id) == b.web.root(b.places[q].id)
}

// takeInFolds takes in the places that are copies now, or copies of other pages than before, or
// stand for others.
func (s *settlement) takeInFolds(news []uint32) {
	for _, p := range news {
		s.turned[p], s.stir[p], s.news = true, true, true
		if !s.b.lives(p) {
			s.bury(p)
		}
	}
}

// leastCopies is how many pages of a block must be copies of the prefix's before their part tells
// something.
const leastCopies = 2

// copied gives, by block, the part of its answered pages that are copies of pages of the prefix on
// the same host. It is 0 for blocks that were not probed, and where there are fewer than
// leastCopies. A block of copies belongs to the site, although it never links back, because its
// pages are one with pages of the prefix.
func (s *settlement) copied() []float64 {
	b := s.b
	part := make([]float64, len(s.blocks.list))
	if len(b.folds.into) == 0 {
		return part
	}
	copies := make([]int, len(part))
	for p, r := range b.folds.into {
		if k := s.blocks.of[p]; k != noBlock && k != prefixBlock && s.blocks.of[r] == prefixBlock &&
			b.sameHost(p, r) {
			copies[k]++
		}
	}
	pages := make([]int, len(part))
	for p, k := range s.blocks.of {
		if pl := &b.places[p]; k != noBlock && pl.is(isAnswered) && b.web.state[pl.id] == alive {
			pages[k]++
		}
	}
	for k, n := range copies {
		if n >= leastCopies && s.shares.probed(blockID(k)) {
			part[k] = float64(n) / float64(pages[k])
		}
	}
	return part
}
