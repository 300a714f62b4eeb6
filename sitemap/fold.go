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
	b     *book
	class map[uint32][]uint32 // answered places that are alive and not pinned, by class
	into  map[uint32]uint32   // by copy: what stands for it
	of    map[uint32][]uint32 // and the other way round, in the order of keys
	named map[graph.ID]bool   // pages that one of them names as its canonical address
	stale bool                // something that is not an answer has changed
}

// folding reports whether the site's copies are folded.
func (f *folds) folding() bool {
	return (len(f.b.web.payloads.class) > 0 || len(f.b.web.canonicals.of) > 0) && f.b.computed()
}

// foldable gives the class of a place that can be a copy or stand for one.
func (f *folds) foldable(p uint32) (class uint32, ok bool) {
	pl := &f.b.places[p]
	if !pl.is(isAnswered) || !f.b.counts(p) || pl.pin != unpinned || f.b.web.state[pl.id] != alive {
		return 0, false
	}
	if _, names := f.b.web.canonicals.of[pl.id]; names || f.named[pl.id] {
		return f.b.web.canonicals.class(pl.id)
	}
	class, ok = f.b.web.payloads.class[pl.id]
	return class, ok
}

// fold takes in a place that was answered for the first time. Where another page stands for its
// class as before, this costs a search; else O(class).
func (f *folds) fold(p uint32) {
	if !f.folding() || f.stale {
		return
	}
	class, ok := f.foldable(p)
	if !ok {
		return
	}
	if f.class == nil {
		f.class = make(map[uint32][]uint32)
	}
	list := f.class[class]
	at, _ := slices.BinarySearchFunc(list, p, f.compareCopies)
	f.class[class] = slices.Insert(list, at, p)
	if f.name(p, class) || !f.foldInto(p, class, at) {
		f.foldClass(class)
	}
}

// foldInto folds a page that came to a class, at a place in its list, into the page that stands for
// the class; ok is false where that is another one than before.
func (f *folds) foldInto(p, class uint32, at int) (ok bool) {
	list := f.class[class]
	first := list[0]
	if class&canonicalClass != 0 {
		to, names := f.b.web.canonicals.of[f.b.places[p].id]
		if !names {
			return false // the others have waited for it
		}
		if first = f.b.find(to); first == none {
			return true
		}
		if _, answered := slices.BinarySearchFunc(list, first, f.compareCopies); !answered {
			return true // nothing stands for them yet
		}
	} else if at == 0 {
		return false
	}
	if f.into == nil {
		return false
	}
	if !f.b.places[p].is(isSeed) && f.believes(p, first, class) {
		f.into[p] = first
		copies := f.of[first]
		i, _ := slices.BinarySearchFunc(copies, p, f.compareCopies)
		f.of[first] = slices.Insert(copies, i, p)
		if f.b.news.kept {
			f.b.news.folded = append(f.b.news.folded, p)
		}
	}
	if f.b.news.kept {
		f.b.news.folded = append(f.b.news.folded, first)
	}
	f.b.recount(p)
	return true
}

// name notes the page that a page names, and adds it to the class where it was answered before,
// which it reports.
func (f *folds) name(p, class uint32) (added bool) {
	to, ok := f.b.web.canonicals.of[f.b.places[p].id]
	if !ok || f.named[to] {
		return false
	}
	if f.named == nil {
		f.named = make(map[graph.ID]bool)
	}
	f.named[to] = true
	q := f.b.find(to)
	if q == none {
		return false
	}
	switch k, ok := f.foldable(q); {
	case !ok || k != class:
		return false
	case len(f.b.web.payloads.class) > 0:
		f.b.unsettle() // it may be of another class by its payload
	default:
		f.class[class] = append(f.class[class], q)
	}
	return true
}

// foldAll folds everything anew if the folds are stale.
func (f *folds) foldAll() {
	if !f.stale {
		return
	}
	was := f.into
	*f = folds{b: f.b, class: make(map[uint32][]uint32), named: make(map[graph.ID]bool)}
	if f.folding() {
		f.gatherClasses()
	}
	for class := range f.class {
		f.foldClass(class)
	}
	for p := range was {
		f.b.recount(p)
	}
	f.b.news.folded = nil // the next settlement begins from nothing
}

// gatherClasses finds the pages of all classes.
func (f *folds) gatherClasses() {
	for p := range f.b.places {
		if _, ok := f.foldable(uint32(p)); ok {
			if to, names := f.b.web.canonicals.of[f.b.places[p].id]; names {
				f.named[to] = true
			}
		}
	}
	for p := range f.b.places {
		if class, ok := f.foldable(uint32(p)); ok {
			f.class[class] = append(f.class[class], uint32(p))
		}
	}
}

// foldClass draws who stands for the pages of a class.
func (f *folds) foldClass(class uint32) {
	list := f.class[class]
	if len(list) < 2 {
		return
	}
	if f.into == nil {
		f.into, f.of = make(map[uint32]uint32), make(map[uint32][]uint32)
	}
	slices.SortFunc(list, f.compareCopies)
	first := list[0]
	if class&canonicalClass != 0 {
		first = f.namedBy(list)
	}
	var copies []uint32
	for _, p := range list {
		was := f.b.standsFor(p)
		delete(f.into, p)
		delete(f.of, p)
		if first != none && p != first && !f.b.places[p].is(isSeed) && f.believes(p, first, class) {
			f.into[p] = first
			copies = append(copies, p)
		}
		if f.b.news.kept && (p == first || f.b.standsFor(p) != was) {
			f.b.news.folded = append(f.b.news.folded, p)
		}
		f.b.recount(p)
	}
	if len(copies) > 0 {
		f.of[first] = copies
	}
}

// namedBy gives the page that the pages of a class name, none where it was not answered.
func (f *folds) namedBy(list []uint32) uint32 {
	for _, p := range list {
		if _, names := f.b.web.canonicals.of[f.b.places[p].id]; !names {
			return p
		}
	}
	return none
}

// believes reports whether a page of a class is one with the page that stands for it.
func (f *folds) believes(p, first, class uint32) bool {
	if class&canonicalClass == 0 {
		return true
	}
	if f.b.places[p].is(inPrefix) && !f.b.places[first].is(inPrefix) {
		return false
	}
	return f.b.web.canonicals.like(f.b.web, f.b.places[p].id, f.b.places[first].id)
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

// evidence gives, by block, the part of its answered pages that are copies of pages of the prefix
// on the same host. It is 0 for blocks that were not probed, and where there are fewer than
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
		if k := s.blocks.of[p]; k != noBlock && k != prefixBlock && s.blocks.of[r] == prefixBlock &&
			b.sameHost(p, r) {
			count[k]++
		}
	}
	pages := make([]int, len(part))
	for p, k := range s.blocks.of {
		if pl := &b.places[p]; k != noBlock && pl.is(isAnswered) && b.web.state[pl.id] == alive {
			pages[k]++
		}
	}
	for k, n := range count {
		if n >= leastCopies && s.shares.probed(blockID(k)) {
			part[k] = float64(n) / float64(pages[k])
		}
	}
	return part
}

func (x copies) explain(s *settlement, k blockID, to *Block) string {
	if to.Copied = s.shares.proof(x, k); to.Inside > 0 && to.Copied > to.Share && to.Copied == to.Kin {
		return "its pages are copies of pages of the prefix"
	}
	return ""
}
