package sitemap

import (
	"iter"
	"maps"

	"watershed/page"
)

// Vain says as what a URL was asked for on behalf of a site that brought no page: it failed, is
// gone, or was left out when its turn came.
type Vain uint8

// As what a site asks. A page that would have told whether a block belongs is VainNothing as long
// as the block is outside, as are sitemaps and context.
const (
	VainNothing   Vain = iota
	VainPage           // of the site, as far as can be said of a page that was not seen
	VainRequisite      // of a page of the site
)

// Vain tells as what a URL was asked for in vain. Only a map that was drawn knows, not one that was
// read from its file.
func (m *Map) Vain(u page.URL) Vain { return m.vain[u.Key()] }

// InVain gives the keys of the URLs that were asked for in vain as pages or requisites of the site,
// in no order.
func (m *Map) InVain() iter.Seq[page.Key] { return maps.Keys(m.vain) }

// MadeUp reports an address that the survey made up, the index of a directory, and that no page
// names. Only a map that was drawn knows.
func (m *Map) MadeUp(u page.URL) bool { return m.madeUp[u.Key()] }

// Excludes reports a page that the site's pages lead to or need and that the boundary or a rule keeps
// out, those that are captured as context apart. It costs O(log pages).
func (m *Map) Excludes(u page.URL) bool {
	_, around := m.Surrounds(u)
	x := outsiderOf(m, u)
	return x != nil && x.Reason != notHad && !around
}

// NotHad reports a page that the site wants, and of which the server gave none. It costs O(log pages).
func (m *Map) NotHad(u page.URL) bool {
	x := outsiderOf(m, u)
	return x != nil && x.Reason == notHad
}

// Waits reports a URL that the site wants and that was not asked for, or not answered, yet: a page,
// a requisite or context. It costs O(log pages).
func (m *Map) Waits(u page.URL) bool {
	if i, ok := m.Members.Find(u); ok {
		return m.Members.At(i).State == waiting
	}
	if x := requisiteOf(m, u); x != nil {
		return x.State == waiting
	}
	x, ok := m.Surrounds(u)
	return ok && x.State == waiting
}

// Waiting gives the URLs for which Waits holds.
func (m *Map) Waiting() iter.Seq[page.URL] {
	return func(yield func(page.URL) bool) {
		for _, x := range m.Members.All() {
			if x.State == waiting && !yield(x.URL) {
				return
			}
		}
		for i := range m.Requisites {
			if m.Requisites[i].State == waiting && !yield(m.Requisites[i].URL) {
				return
			}
		}
		for i := range m.Context {
			if m.Context[i].State == waiting && !yield(m.Context[i].URL) {
				return
			}
		}
	}
}

// waiting is the state of what was not asked for, or not answered.
const waiting = "known"

// addVain takes note of a place that brought no page, if it did; x is what is told of it as a page.
func (d *drawing) addVain(p uint32, u page.URL, x *Member, needed bool) {
	m, b := d.m, d.b
	pl := &b.places[p]
	if !pl.is(isAnswered|isPartDone) || b.web.postponed.has(pl.id) {
		return
	}
	if st := b.web.state[pl.id]; st != dead && st != dropped && !b.web.missed.has(pl.id) {
		return
	}
	as := VainNothing
	switch {
	case pl.is(isAsked) && b.ofSite(m, p, x.Block):
		as = VainPage
	case needed:
		as = VainRequisite
	default:
		return
	}
	if m.vain == nil {
		m.vain = make(map[page.Key]Vain)
	}
	m.vain[u.Key()] = as
}

// ofSite reports that a page which was asked for and not seen would be of the site, as far as can
// be said: it lies in the predicate of the boundary, or in a block that has pages inside, or flow
// came to it that lies in none.
func (b *book) ofSite(m *Map, p uint32, block int) bool {
	pl := &b.places[p]
	switch {
	case !b.counts(p) || pl.pin == pinnedOut:
		return false
	case b.holds(p, false):
		return true
	case block >= 0 && block < len(m.Blocks):
		return m.Blocks[block].Inside > 0
	}
	return pl.why == WhyFlow
}
