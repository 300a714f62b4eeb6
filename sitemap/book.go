package sitemap

import (
	"cmp"
	"slices"

	"watershed/flow"
	"watershed/graph"
)

// book is what one site knows of the web: its pages' places, what came of them, which are copies of
// which, and how the cut ran last. It computes no cut and asks for nothing. It takes no notice of
// visits made for other sites alone, so the boundary of a site is the same whatever else is
// harvested with it.
//
// Every page it knows has a place; places are numbered in order of first sight.
type book struct {
	scope
	number uint32 // of the site in the survey
	opts   Options

	local  sparse
	places []place
	order  []uint32 // places by the keys of their URLs, as far as arranged
	seeds  []uint32 // places, as given and as redirected

	folds   folds
	foreign map[dirID]bool   // wards that are sites of their own
	anchors map[dirID]anchor // of foreign hosts, by the root, where it is another directory
	members int              // places that belong as things stand
	news    news

	list []mechanism // that are not left out
}

// news are the places about which something was learned since a cut was made that is kept. Where
// none is kept the next one begins from nothing.
type news struct {
	kept   bool
	met    []uint32 // places that became vertices
	fresh  []uint32 // places answered for the first time
	folded []uint32 // places that are folded otherwise
}

func newBook(w *web, number int, site Site, opts Options) *book {
	b := &book{
		scope: newScope(w, site), number: uint32(number), opts: opts, anchors: make(map[dirID]anchor),
	}
	b.folds.b = b
	return b
}

// unsettle makes the next settlement begin from nothing, after a change that is too rare to be
// worth taking in little by little.
func (b *book) unsettle() { b.news, b.folds.stale = news{}, true }

// place gives the place of a vertex, made if need be.
func (b *book) place(id graph.ID) uint32 {
	p := b.find(id)
	if p == none {
		p = uint32(len(b.places))
		b.places = append(b.places, place{id: id})
		b.local.add(b.places)
		b.web.knows(b.number, id)
	}
	return p
}

// find gives the place of a vertex, or none.
func (b *book) find(id graph.ID) uint32 {
	if b.web.knower[id] == 0 {
		return none // as of most URLs that come
	}
	return b.local.get(b.places, id)
}

// resolve gives the place that a vertex stands for: where redirects that this site was answered
// lead from it, or the page of which that is a copy, or none. A loop ends where it has gone on too
// long.
func (b *book) resolve(id graph.ID) uint32 {
	p := b.find(id)
	for range maxRedirects {
		if p == none || !b.places[p].is(isAnswered) || b.web.state[id] != moved {
			break
		}
		id = b.web.links.pages(id)[0]
		p = b.find(id)
	}
	if p == none {
		return none
	}
	return b.standsFor(p)
}

// counts reports whether a place takes part in the graph at all.
func (b *book) counts(v uint32) bool {
	pl := &b.places[v]
	return pl.is(isVertex) && !pl.is(isExcluded)
}

// lives reports whether a place is a vertex of the network: it counts, did not fail, and is no
// copy.
func (b *book) lives(v uint32) bool {
	if !b.counts(v) {
		return false
	}
	if b.places[v].is(isAnswered) {
		st := b.web.state[b.places[v].id]
		return st != dead && st != moved && !b.isCopy(v)
	}
	return true
}

// belongs reports whether a page is of the site as things stand.
func (b *book) belongs(p uint32) bool {
	return b.lives(p) && b.holds(p, b.Boundary == Logical && b.places[p].is(isInside))
}

// holds reports whether a place that lives belongs, where the cut has it inside or not.
func (b *book) holds(p uint32, inside bool) bool {
	switch pl := &b.places[p]; {
	case pl.pin.inside() || pl.pin == pinnedOut:
		return pl.pin.inside()
	case pl.is(isSeed | inPrefix | isOwned):
		return true
	default:
		return inside
	}
}

// recount keeps the number of places that belong, after something about one changed.
func (b *book) recount(p uint32) {
	pl := &b.places[p]
	switch is := b.belongs(p); {
	case is && !pl.is(isMember):
		pl.flags |= isMember
		b.members++
	case !is && pl.is(isMember):
		pl.flags &^= isMember
		b.members--
	}
}

// maxRedirects bounds a chain of redirects, as browsers do (Fetch standard, 4.4: 20).
const maxRedirects = 20

// arrange brings the places into an order that does not depend on the order in which they were met,
// so that results do not depend on how fast hosts answered.
func (b *book) arrange() {
	old := len(b.order)
	if old == len(b.places) {
		return
	}
	fresh := make([]uint32, len(b.places)-old)
	for i := range fresh {
		fresh[i] = uint32(old + i)
	}
	slices.SortFunc(fresh, func(p, q uint32) int { return cmp.Compare(b.key(p), b.key(q)) })
	b.order = append(b.order, fresh...)
	for i, j, to := old-1, len(fresh)-1, len(b.order)-1; j >= 0; to-- { // merge from the end
		if i >= 0 && b.key(b.order[i]) > b.key(fresh[j]) {
			b.order[to] = b.order[i]
			i--
		} else {
			b.order[to] = fresh[j]
			j--
		}
	}
}

// key orders places.
func (b *book) key(p uint32) uint64 { return b.web.index.Key(b.places[p].id) }

// answeredVertex reports whether a place counts and was answered.
func (b *book) answeredVertex(p uint32) bool {
	return b.places[p].is(isAnswered) && b.places[p].is(isVertex)
}

// feeds reports whether the source feeds a place, apart from those of the prefix.
func (b *book) feeds(p uint32) bool {
	pl := &b.places[p]
	return pl.is(isSeed) || b.lives(p) &&
		(pl.pin == pinnedIn || pl.pin == pinnedSoft || pl.is(inCluster) && !b.opts.NoClusters)
}

// soft gives what the source feeds softly into a place.
func (b *book) soft(p uint32) (supply int64) {
	o, pl := &b.opts, &b.places[p]
	if pl.is(inPrefix) {
		supply += graph.Fixed(o.Soft)
	}
	if pl.is(inCluster) && !o.NoClusters {
		supply += graph.Fixed(o.ClusterSource)
	}
	if pl.pin == pinnedSoft {
		supply += o.softPin()
	}
	return supply
}

// tolls gives what the source feeds into a place and what it pays.
func (b *book) tolls(p uint32) (supply, sink int64) {
	pl := &b.places[p]
	if supply = b.soft(p); !pl.is(inPrefix) {
		sink = b.opts.Toll()
	}
	net := min(supply, sink) // what would go straight from source to sink
	supply, sink = supply-net, sink-net
	switch {
	case pl.pin == pinnedOut:
		sink = flow.Infinite
	case pl.is(isSeed) || pl.pin == pinnedIn:
		supply = flow.Infinite
	}
	return supply, sink
}

// foreignWard gives the directory of the foreign ward that holds d, or noDir.
func (b *book) foreignWard(d dirID) dirID {
	if len(b.foreign) == 0 {
		return noDir
	}
	a := b.prefixOf(d)
	if a == noDir {
		return noDir
	}
	return b.web.dirs.within(b.foreign, a, d)
}

// blockDir gives the directory that names the block of a page outside the prefix, by the page's
// directory.
func (b *book) blockDir(d dirID) dirID {
	if a := b.apartOf(d); a != noDir {
		return a
	}
	t := &b.web.dirs
	if ward := b.foreignWard(d); ward != noDir {
		return ward
	}
	root := t.nodes[d].root
	around, deepest := root, -1
	if a, ok := b.anchors[root]; ok {
		if around = a.deep; a.holds(t, d) {
			return around
		}
	}
	for i := 0; i < len(b.prefix) && b.onSeedHost(root); i++ {
		if p := b.prefix[i]; t.nodes[p].root == root {
			if common := t.common(p, d); common > deepest {
				around, deepest = p, common
			}
		}
	}
	if t.contains(around, d) {
		return around
	}
	return t.beside(around, d)
}

// homes are the directories that name the site: those of the prefix, or, where it has none, the
// roots of the seeds' hosts.
func (b *book) homes() []dirID {
	if len(b.prefix) > 0 {
		return b.prefix
	}
	var roots []dirID
	for _, p := range b.seeds {
		roots = append(roots, b.web.root(b.places[p].id))
	}
	return roots
}

// why says on what ground a page is of the site.
func (b *book) why(p uint32, inside func(uint32) bool) Why {
	pl := &b.places[p]
	if !b.counts(p) || pl.pin == pinnedOut {
		return WhyNothing
	}
	if pl.is(isAnswered) && b.web.state[pl.id] == moved {
		to := b.resolve(pl.id)
		if pl.is(isSeed|inPrefix) || to != none && inside(to) {
			return WhyRedirect
		}
		return WhyNothing
	}
	if r := b.standsFor(p); r != p {
		switch {
		case b.includes(pl.id):
			return WhyRule
		case pl.is(inPrefix):
			return WhyPrefix
		case inside(r):
			return WhyCopy
		}
		return WhyNothing
	}
	switch {
	case !inside(p):
		return WhyNothing
	case pl.pin.inside():
		return WhyRule
	case pl.is(isSeed):
		return WhySeed
	case b.includes(pl.id):
		return WhyRule
	case pl.is(inPrefix):
		return WhyPrefix
	case pl.is(isOwned):
		return WhyDocument
	}
	return WhyFlow
}

// state tells in a word the result for a place, and why it was not fetched.
func (b *book) state(p uint32) (state, note string) {
	pl := &b.places[p]
	if !pl.is(isAnswered | isPartDone) {
		return "known", ""
	}
	if r := b.standsFor(p); r != p && b.web.state[pl.id] == alive && !b.web.missed.has(pl.id) {
		return "fetched", "same as " + string(b.web.text(b.places[r].id))
	}
	return b.web.outcome(pl.id)
}

// standsFor gives the place that stands for p, p itself where it is no copy.
func (b *book) standsFor(p uint32) uint32 {
	if len(b.folds.into) > 0 {
		if r, ok := b.folds.into[p]; ok {
			return r
		}
	}
	return p
}

// isCopy reports whether another place stands for p.
func (b *book) isCopy(p uint32) bool { return b.standsFor(p) != p }

// lenders are the places whose links count as those of p: none for a copy, else p and its copies.
func (b *book) lenders(p uint32, list []uint32) []uint32 {
	if b.isCopy(p) {
		return list[:0]
	}
	return append(append(list[:0], p), b.folds.of[p]...)
}

// sameHost reports whether two places lie on one host, whatever their schemes.
func (b *book) sameHost(p, q uint32) bool {
	return b.web.root(b.places[p].id) == b.web.root(b.places[q].id)
}
