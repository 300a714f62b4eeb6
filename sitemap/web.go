package sitemap

import (
	"slices"
	"strings"

	"watershed/graph"
	"watershed/page"
)

// state is what came of a URL so far.
type state uint8

const (
	unknown state = iota // never tried
	alive                // answered with a page
	moved                // answered with a redirect
	dead                 // failed: no vertex of any network
	dropped              // will not be tried; exists as far as anyone knows
)

// web is what all sites of a survey know together: URLs, what came of them, and the links of those
// that were visited.
//
// Invariants:
//
//  1. A URL has links only if it is alive or moved.
//  2. The links of a URL are distinct and do not lead to itself.
//  3. A moved URL has one link, to where it redirects.
type web struct {
	urls
	state  []state
	reason []uint8    // of a URL that is dropped or missed: index into reasons
	via    []graph.ID // where it was first seen; None for a seed
	kind   []page.LinkKind

	links   links
	shunned map[graph.ID][]graph.ID // to what links of a URL lead that ask not to be followed; nil heeds none

	linked []graph.ID // to what the links of the visit lead that was read last; None for one to itself
	keys   []uint64   // of what it names
	found  lists      // what it leads to

	knower  []uint32              // 1 + the first site that has a place for a URL
	knowers map[graph.ID][]uint32 // the others, ascending
	rooted  map[dirID][]uint32    // sites that want what robots.txt names, by the root of its host
	wanting []uint32              // sites that have wants to tell

	forwards map[graph.ID][]graph.ID // where pages take their visitors that are only a way there

	targets map[graph.ID]page.Digest // pages that tell whether a site has moved to them, and what they hold

	robots  map[dirID]graph.ID // robots.txt that was visited, by the root of its host
	reasons []string

	payloads  payloads
	documents bitset // URLs that brought a document
	files     bitset // URLs that brought something else than a page
	missed    bitset // URLs that this crawl does not have, and are as an earlier one had them
	postponed bitset // URLs that are dropped until they are tried again
	late      bool   // the URL that was learned last was postponed before

	measured bool
	meter    meter
	along    along
	sayings  sayings
}

// grow makes room for so many URLs in all.
func (w *web) grow(n int) {
	w.index.Grow(n)
	n -= w.len()
	if n <= 0 {
		return
	}
	w.names, w.dir = slices.Grow(w.names, n), slices.Grow(w.dir, n)
	w.state, w.reason, w.via = slices.Grow(w.state, n), slices.Grow(w.reason, n), slices.Grow(w.via, n)
	w.kind, w.knower = slices.Grow(w.kind, n), slices.Grow(w.knower, n)
}

// intern gives the vertex of u, first seen on via by a link of this kind.
func (w *web) intern(u page.URL, via graph.ID, kind page.LinkKind) graph.ID {
	return w.internAs(u, uint64(u.Key()), via, kind)
}

// internAs is intern of a URL whose key is known.
func (w *web) internAs(u page.URL, key uint64, via graph.ID, kind page.LinkKind) graph.ID {
	id, fresh := w.add(u, key)
	if fresh {
		w.state = append(w.state, unknown)
		w.reason = append(w.reason, 0)
		w.via = append(w.via, via)
		w.kind = append(w.kind, kind)
		w.knower = append(w.knower, 0)
	} else if w.kind[id] == page.Inferred && kind != page.Inferred && via != graph.None {
		w.via[id], w.kind[id] = via, kind // a page names it after all
	}
	return id
}

// learn takes over what a visit brought. It gives the vertex, and whether anything is new.
func (w *web) learn(v *page.Visit) (id graph.ID, changed bool) { return w.take(v, false) }

// take is learn; missed tells that the visit is of an earlier crawl, because this one could not have
// the page.
func (w *web) take(v *page.Visit, missed bool) (id graph.ID, changed bool) {
	if notTried(v.Status) {
		return w.drop(v.URL, v.Cause)
	}
	id = w.intern(v.URL, graph.None, 0)
	is, found := w.read(id, v)
	w.learnForward(id, is, v)
	if _, is := w.targets[id]; is {
		w.targets[id] = v.Digest
	}
	other := w.payloads.note(id, v, is)
	other = w.documents.put(id, isDocument(v, is)) || other
	other = w.files.put(id, is != alive || !v.Page()) || other
	other = w.missed.put(id, missed) || other
	w.late = w.postponed.put(id, false)
	same := is == w.state[id] && found.equal(w.links.of(id)) && !other
	if is == alive && (!same || v.Drawing == page.Drawn) { // a drawing may change the title alone
		w.sayings.learn(w, id, v)
	}
	if same {
		return id, false
	}
	w.state[id] = is
	w.links.set(id, found)
	if w.measured {
		w.links.measure(id, func(to graph.ID) uint8 { return w.meter.measure(w, id, to) })
	}
	if (is == alive || is == dead) && v.URL.PathQuery() == "/robots.txt" {
		if w.robots == nil {
			w.robots = make(map[dirID]graph.ID)
		}
		w.robots[w.dir[id]] = id
	}
	return id, true
}

// read gives the state that a visit leaves its URL in, and sorts its links; the lists are good
// until the next visit.
func (w *web) read(id graph.ID, v *page.Visit) (state, lists) {
	if !v.Alive() {
		return dead, lists{}
	}
	if to, ok := redirection(v); ok {
		return moved, lists{pages: []graph.ID{w.intern(to, id, page.Redirect)}}
	}
	x := &w.found
	x.pages, x.parts, x.leads, w.linked = x.pages[:0], x.parts[:0], x.leads[:0], w.linked[:0]
	w.keys = w.keys[:0]
	for i := range v.Links {
		w.keys = append(w.keys, uint64(v.Links[i].URL.Key()))
	}
	w.index.Prefetch(w.keys)
	var shunned []graph.ID
	for i := range v.Links {
		l := &v.Links[i]
		if l.URL == v.URL {
			w.linked = append(w.linked, graph.None)
			continue
		}
		to := w.internAs(l.URL, w.keys[i], id, l.Kind)
		w.linked = append(w.linked, to)
		switch {
		case l.NoFollow && l.Kind.Joins() && w.shunned != nil:
			shunned = append(shunned, to)
		case l.Kind.Joins() && !l.NoFollow:
			x.pages = append(x.pages, to)
		case l.Kind != page.Embed:
			x.leads = append(x.leads, to)
		}
		if l.Kind.Requisite() {
			x.parts = append(x.parts, to)
		}
	}
	if len(shunned) > 0 {
		w.shunned[id] = distinct(shunned)
	}
	return alive, lists{distinct(x.pages), distinct(x.parts), distinct(x.leads)}
}

// miss takes over a visit of an earlier crawl, because this one has none for a reason, "" for a failure.
func (w *web) miss(before *page.Visit, reason string) (id graph.ID, changed bool) {
	if id, changed = w.take(before, true); w.missed.has(id) {
		w.reason[id] = w.reasonID(reason)
	}
	return id, changed
}

// redirection is where a visit was redirected to.
func redirection(v *page.Visit) (page.URL, bool) {
	if l := v.Redirected(); l != nil && l.URL != v.URL {
		return l.URL, true
	}
	return "", false
}

// notTried reports a status that says that a page was left out, not that it failed.
func notTried(status int) bool {
	switch status {
	case page.StatusRobots, page.StatusUnreachable, page.StatusOutOfScope, page.StatusBlocked,
		page.StatusPrivate, page.StatusLogin, page.StatusDenied:
		return true
	}
	return false
}

// drop notes that u will not be fetched, and why, unless it was.
func (w *web) drop(u page.URL, reason string) (id graph.ID, changed bool) {
	id = w.intern(u, graph.None, 0)
	w.late = w.postponed.put(id, false)
	if w.state[id] != unknown && !w.late {
		return id, false
	}
	w.state[id] = dropped
	w.reason[id] = w.reasonID(reason)
	return id, true
}

// postpone drops u, unless it was visited, until it is tried again.
func (w *web) postpone(u page.URL) (id graph.ID, changed bool) {
	id, changed = w.drop(u, "")
	w.postponed.put(id, changed)
	changed, w.late = changed && !w.late, false
	return id, changed
}

// reasonID numbers reasons; there are a handful of them, and what comes beyond 255 is told as the
// last.
func (w *web) reasonID(reason string) uint8 {
	i := slices.Index(w.reasons, reason)
	if i < 0 {
		i = min(len(w.reasons), 255)
		if i == len(w.reasons) {
			w.reasons = append(w.reasons, strings.Clone(reason)) // it may be a part of a visit
		}
	}
	return uint8(i)
}

// visited reports whether a fetch of the URL would bring nothing new.
func (w *web) visited(id graph.ID) bool { return w.state[id] != unknown && !w.postponed.has(id) }

// knows notes that a site has a place for a URL.
func (w *web) knows(site uint32, id graph.ID) {
	if w.knower[id] == 0 {
		w.knower[id] = 1 + site
		return
	}
	if w.knowers == nil {
		w.knowers = make(map[graph.ID][]uint32)
	}
	w.knowers[id] = insert(w.knowers[id], site)
}

// insert keeps a list of sites in ascending order and without repetitions.
func insert(sites []uint32, site uint32) []uint32 {
	i, ok := slices.BinarySearch(sites, site)
	if ok {
		return sites
	}
	return slices.Insert(sites, i, site)
}

// concerned appends the sites that may have use for what was learned of a URL, ascending.
func (w *web) concerned(sites []uint32, id graph.ID) []uint32 {
	if w.knower[id] > 0 {
		sites = append(sites, w.knower[id]-1)
	}
	sites = append(sites, w.knowers[id]...)
	if root := w.root(id); len(w.rooted) > 0 && w.robots[root] == id {
		sites = append(sites, w.rooted[root]...)
	}
	slices.Sort(sites)
	return slices.Compact(sites)
}
