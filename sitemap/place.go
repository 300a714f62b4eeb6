package sitemap

import "watershed/graph"

// place is a page as one site sees it.
type place struct {
	id    graph.ID
	flags flags
	why   Why // it was asked for, the first time
	pin   pin
}

type flags uint16

const (
	isVertex   flags = 1 << iota // a page of the graph, not only a requisite
	isSeed                       // or characteristic: fed without bound
	inPrefix                     // inside the predicate of the mode, or included by a rule
	isExcluded                   // by a rule
	isAsked
	isAnswered
	isInside    // on the source side of the last cut
	isRequisite // of a page of the site
	isSitemap   // of a host of the site
	isPartDone  // answered, as a requisite or sitemap
	partsAsked  // its requisites were asked for
	inCluster   // of the site's Markov cluster
	isQueued    // wanted from the crawler, for whatever reason
	isStray     // in the prefix by its URL, which says nothing, and not by its cluster
	isMember    // counted among those that belong
)

func (p *place) is(f flags) bool { return p.flags&f != 0 }

// place gives the place of a vertex, made if need be.
func (b *boundary) place(id graph.ID) uint32 {
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
func (b *boundary) find(id graph.ID) uint32 {
	if b.web.knower[id] == 0 {
		return none // as of most URLs that come
	}
	return b.local.get(b.places, id)
}

// maxRedirects bounds a chain of redirects, as browsers do (Fetch standard, 4.4: 20).
const maxRedirects = 20

// resolve gives the place that a vertex stands for: where redirects that this site was answered
// lead from it, or the page of which that is a copy, or none. A loop ends where it has gone on too
// long.
func (b *boundary) resolve(id graph.ID) uint32 {
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
func (b *boundary) counts(v uint32) bool {
	pl := &b.places[v]
	return pl.is(isVertex) && !pl.is(isExcluded)
}

// lives reports whether a place is a vertex of the network: it counts, did not fail, and is no
// copy.
func (b *boundary) lives(v uint32) bool {
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
func (b *boundary) belongs(p uint32) bool {
	return b.lives(p) && b.holds(p, b.Boundary == Logical && b.places[p].is(isInside))
}

// holds reports whether a place that lives belongs, where the cut has it inside or not.
func (b *boundary) holds(p uint32, inside bool) bool {
	switch pl := &b.places[p]; {
	case pl.pin == pinnedIn || pl.pin == pinnedOut:
		return pl.pin == pinnedIn
	case pl.is(isSeed | inPrefix):
		return true
	default:
		return inside
	}
}

// recount keeps the number of places that belong, after something about one changed.
func (b *boundary) recount(p uint32) {
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
