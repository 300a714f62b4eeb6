package sitemap

import (
	"slices"
	"strings"

	"watershed/graph"
	"watershed/page"
)

// boundary is a site under survey: what it knows (book), what it has asked for, and the mechanisms
// by which it asks for more. A link goes one way: from the web into the book, from there
// into the cut (settlement), and by the cut the boundary asks.
//
// Invariants:
//
//  1. open is the number of places that are asked and not answered, requisites apart.
//  2. A place is asked at most once. An excluded place is never asked, nor one pinned outside.
//  3. Links of a page count once it is asked and answered ("joined").
type boundary struct {
	*book
	last *settlement // of the last epoch

	known     int      // places that count
	asked     int      // pages
	vain      int      // of these, answered with no page: a file, an error, a redirect
	held      []uint32 // within, and not asked for because of MaxPages
	open      int      // pages asked and not answered
	answered  int      // pages since the last epoch
	budget    int      // answers that make the next epoch due while pages are open
	joined    int      // pages answered, in all
	limited   bool
	dirty     bool // something was learned since the last epoch
	epochs    int
	learned   int      // answers and changes, in all
	keptLinks int      // in last, as the survey knows
	settledAt int      // by the clock of the survey
	ready     []uint32 // asked places that the web already knew, to be answered
	queue     []wish

	wards    warding
	flat     flatHost
	crowds   crowding
	sisters  sisters
	clusters clustering
	buckets  buckets
	files    files
	moves    moves
	around   surroundings
	process  *process // that of figure 9 where it draws the boundary, else nil

	led map[uint32][]uint32 // by seed: seeds that redirect to it
}

func newBoundary(w *web, number int, site Site, opts Options) *boundary {
	b := &boundary{book: newBook(w, number, site, opts)}
	b.wards.b, b.flat.b, b.clusters.b, b.around.b = b, b, b, b
	b.crowds, b.sisters = newCrowding(), newSisters()
	b.list = b.mechanisms()
	b.files = files{b: b, roots: make(map[dirID]bool), feedsRead: make(map[dirID]int)}
	if site.Boundary == Logical && (opts.Preset != Shares || len(site.Seeds)+len(site.Characteristic) == 0) {
		b.process = newProcess(b)
		for _, u := range site.Superset {
			b.process.extend(u)
			b.know(w.intern(u, graph.None, 0))
		}
	}
	for _, u := range site.Seeds {
		b.addSeed(w.intern(u, graph.None, 0))
		if site.Boundary != Prefix && site.Boundary != Logical {
			b.widen(u)
		}
	}
	for _, u := range site.Characteristic {
		b.addSeed(w.intern(u, graph.None, 0))
	}
	for _, r := range site.Include {
		if u, ok := r.Names(); ok {
			b.know(b.web.intern(u, graph.None, 0))
		}
	}
	b.dirty = true
	b.advance()
	return b
}

// addSeed makes a page a seed and asks for it.
func (b *boundary) addSeed(id graph.ID) {
	p := b.place(id)
	if b.places[p].is(isSeed) {
		return
	}
	b.places[p].flags |= isSeed // before it is judged, which may ask for it
	b.know(id)
	b.seeds = append(b.seeds, p)
	b.unsettle()
	b.recount(p)
	b.ask(p, WhySeed, 0)
	if b.process != nil {
		b.process.extend(b.web.text(id))
	}
}

// widen extends the predicate of the mode by a seed, and judges the places by it that may be within
// now: those of its host, but for a domain.
func (b *boundary) widen(seed page.URL) {
	b.scope.widen(seed)
	d, _ := b.web.dirs.add(seed)
	b.rejudge(b.web.dirs.nodes[d].root)
}

// rejudge judges the places of a host by a predicate that has become wider, all for a domain.
func (b *boundary) rejudge(root dirID) {
	b.unsettle()
	for p := range b.places {
		if b.Boundary == Domain || b.web.root(b.places[p].id) == root {
			b.judge(uint32(p))
		}
	}
}

// know makes a page a vertex of the site's graph and asks for it where the predicate or a rule says
// so.
func (b *boundary) know(id graph.ID) uint32 {
	p := b.place(id)
	if !b.places[p].is(isVertex) {
		b.places[p].flags |= isVertex
		if b.news.kept {
			b.news.met = append(b.news.met, p)
		}
		if b.excludes(id) {
			b.places[p].flags |= isExcluded
		} else {
			b.known++
		}
		if len(b.pins)+len(b.named) > 0 {
			b.applyPins(p)
		}
		b.judge(p)
	}
	return p
}

// judge applies predicate and rules to a place that is not yet within.
func (b *boundary) judge(p uint32) {
	pl := &b.places[p]
	if !pl.is(isVertex) || pl.is(isExcluded|inPrefix|isStray) {
		return
	}
	switch {
	case b.includes(pl.id):
		pl.flags |= inPrefix
		b.recount(p)
		b.askWithin(p, WhyRule)
	case !b.within(pl.id):
	case b.process != nil:
		b.process.gather(p)
	default:
		b.admit(p)
	}
}

// admit takes in a place that the predicate holds of, unless it is of a foreign ward.
func (b *boundary) admit(p uint32) {
	pl := &b.places[p]
	d := b.web.dir[pl.id]
	if !pl.is(isSeed) && b.foreignWard(d) != noDir {
		return
	}
	pl.flags |= inPrefix
	b.recount(p)
	b.flat.below++
	b.flat.right += b2i(b.web.dirs.nodes[d].depth == 0)
	if b.wards.waits(d) || b.flat.waits(p) || b.crowds.holds(b, p) {
		b.dirty = true
		return
	}
	b.askWithin(p, WhyPrefix)
}

// askWithin asks for a place that is within, once MaxPages lets it.
func (b *boundary) askWithin(p uint32, why Why) {
	if !b.ask(p, why, 0) && b.full() {
		b.held = append(b.held, p)
	}
}

// full reports that MaxPages are had or asked for, the context apart.
func (b *boundary) full() bool { return b.MaxPages > 0 && b.asked-b.vain >= b.MaxPages }

// brings counts an answer to what was asked for as a page, which may have brought none. Then
// another page may be asked for in its place, unless it was a limit that kept it from being
// fetched.
func (b *boundary) brings(id graph.ID, vain *int) {
	w := b.web
	if !w.files.has(id) && w.state[id] != dropped || w.postponed.has(id) ||
		w.state[id] == dropped && strings.HasPrefix(w.reasons[w.reason[id]], "limit") {
		return
	}
	*vain++
	for len(b.held) > 0 && !b.full() {
		p := b.held[0]
		b.held = b.held[1:]
		if why := WhyPrefix; b.places[p].is(inPrefix) {
			if b.includes(b.places[p].id) {
				why = WhyRule
			}
			b.ask(p, why, 0)
		}
	}
	b.limited = len(b.held) > 0 // the next epoch tells what it could not ask for
}

// ask wants a page, once, and reports whether it did.
func (b *boundary) ask(p uint32, why Why, excess int64) bool {
	pl := &b.places[p]
	if pl.is(isSeed) {
		why = WhySeed
	}
	switch {
	case pl.is(isAsked|isExcluded) || pl.pin == pinnedOut:
		return false
	case b.full() && why != WhySeed:
		b.limited = true
		return false
	}
	b.around.stale = true
	pl.flags |= isAsked
	pl.why = why
	b.asked++
	b.open++
	b.want(p, why, excess)
	return true
}

// want queues a place for the crawler, once, or for an answer at once where the web knows it. An
// excess above 0 is its priority.
func (b *boundary) want(p uint32, why Why, excess int64) {
	doublings := 0
	switch why {
	case WhyPrefix, WhyRule, WhySuperset:
		doublings = b.crowds.later(b, p)
	}
	if b.web.visited(b.places[p].id) {
		b.ready = append(b.ready, p)
		return
	}
	if b.places[p].is(isQueued) {
		return
	}
	b.places[p].flags |= isQueued
	w := b.wish(p, why)
	w.priority = max(w.priority>>doublings, priorities[WhyContext]+1)
	if excess > 0 {
		w.priority = excess
	}
	if len(b.queue) == 0 {
		b.web.wanting = append(b.web.wanting, b.number)
	}
	b.queue = append(b.queue, w)
}

// answer takes over the facts that the web has of a place. A page that was answered before is only
// looked at where it changed.
func (b *boundary) answer(p uint32, changed bool) {
	pl := &b.places[p]
	if pl.is(isAsked) && (changed || !pl.is(isAnswered)) {
		if !pl.is(isAnswered) {
			pl.flags |= isAnswered
			b.open--
			b.answered++
			b.joined++
			if b.news.kept {
				b.news.fresh = append(b.news.fresh, p)
			}
			b.folds.answered(p)
			b.brings(pl.id, &b.vain)
		} else {
			pl.flags &^= partsAsked // it may have others
			b.unsettle()
			if b.web.late {
				b.brings(pl.id, &b.vain)
			}
		}
		b.recount(p)
		b.around.stale = true
		b.dirty = true
		b.learned++
		b.join(p)
	}
	b.files.answer(p)
}

// join makes the links of an answered page count.
func (b *boundary) join(p uint32) {
	pl := b.places[p] // a copy: places grow
	w := b.web
	switch w.state[pl.id] {
	case moved:
		to := w.links.pages(pl.id)[0]
		t := b.know(to)
		if pl.is(inPrefix|isInside) && w.kind[to] == page.Redirect && w.root(to) == w.root(pl.id) &&
			(b.within(to) || b.includes(to)) && b.foreignWard(w.dir[to]) == noDir {
			b.ask(t, WhyRedirect, 0)
		}
		if pl.is(isSeed) {
			b.addSeed(to)
			b.leads(p, b.find(to))
			b.establish(p)
		} else {
			b.sisters.relate(b, p)
		}
		b.moves.cross(b, p, b.find(to))
		return
	case alive:
		b.each(pl.id, w.links.pages(pl.id), func(to graph.ID) { b.know(to) })
	}
	if pl.is(isSeed) {
		b.establish(p)
		b.askInLowerCase(pl.id)
		for _, to := range w.forwards[pl.id] {
			b.addSeed(to)
		}
	}
	b.sisters.relate(b, p)
	b.each(pl.id, w.links.leads(pl.id), func(to graph.ID) {
		if b.within(to) || b.includes(to) {
			b.know(to)
		}
	})
	if pl.is(inPrefix | isSeed | isInside) {
		b.files.askOf(p)
	}
}

// leads notes that a seed redirects to another.
func (b *boundary) leads(p, to uint32) {
	if !slices.Contains(b.led[to], p) {
		if b.led == nil {
			b.led = make(map[uint32][]uint32)
		}
		b.led[to] = append(b.led[to], p)
	}
}

// establish extends the prefix by a seed and those that lead to it, once it is answered where they
// lead in the end: that may tell better where the site lies.
func (b *boundary) establish(p uint32) {
	end := b.resolve(b.places[p].id)
	if end != none && b.web.postponed.has(b.places[end].id) {
		return
	}
	if b.Boundary != Logical && b.Boundary != Prefix || b.process != nil || end == none ||
		!b.places[end].is(isAnswered) || b.web.state[b.places[end].id] == moved {
		return
	}
	if len(b.Characteristic) > 0 {
		p = end // which may have been no more than characteristic until now
	}
	id := b.places[end].id
	b.establishUpTo(p, b.web.text(id), b.directoryOf(id), b.tenantOf(id))
}

// directoryOf gives the directory of whose name an answered page without a slash at its end is the
// index, as /user is of /user/ and /dept.html of /dept/: of its links to pages beside it and below
// them at least half lead there, or did so when it was first answered. It is "" for any other page.
// Pages of the name index or default are those of the directory around them: a program index.php
// has pages below its name, and files beside it.
func (b *scope) directoryOf(id graph.ID) page.URL {
	u := b.web.text(id)
	_, name := cutName(u)
	if name == "" || strings.Contains(name, "?") || strings.Contains(name, ".") && isIndexName(name) {
		return ""
	}
	around := schemeless(page.URL(u.Directory()))
	for _, own := range directoriesOf(u) {
		if d, _ := b.web.dirs.add(own); b.isIndex(id) && b.stands[d] {
			return own
		}
		below, beside := 0, 0
		b.each(id, b.web.links.pages(id), func(to graph.ID) {
			v := schemeless(b.web.text(to))
			rest, under := strings.CutPrefix(v, around)
			switch bare, _, _ := strings.Cut(v, "?"); {
			case strings.HasPrefix(v, schemeless(own)):
				below++
			case bare != schemeless(u):
				beside += b2i(under && rest != "")
			}
		})
		if below > 0 && below >= beside {
			return own
		}
	}
	return ""
}

// directoriesOf are the directories of whose names a page without a slash at its end may be the index.
func directoriesOf(u page.URL) []page.URL {
	name, _, _ := strings.Cut(string(u), "?")
	if bare := stem(name); bare != name {
		return []page.URL{page.URL(name) + "/", page.URL(bare) + "/"}
	}
	return []page.URL{page.URL(name) + "/"}
}

// establishUpTo extends the prefix by a seed that leads to some end, and by those that lead to it. A
// seed that is led below itself stands for the directory that it names: /docs, which redirects to
// /docs/, is not a wish for all of /. So does one that is led to a page of its own path which is the
// index of a directory.
func (b *boundary) establishUpTo(p uint32, end, directory page.URL, tenant string) {
	id := b.places[p].id
	u := b.web.text(id)
	switch {
	case directory != "" && end.PathQuery() == u.PathQuery():
		if d, name := b.web.dirs.add(u); !slices.Contains(b.indices[d], name) {
			b.indices[d] = append(b.indices[d], name)
		}
		u = u.Root() + page.URL(strings.TrimPrefix(directory.PathQuery(), "/"))
	case strings.HasPrefix(end.PathQuery(), u.PathQuery()+"/"):
		u += "/"
	}
	d, _ := b.web.dirs.add(u)
	switch {
	case b.characteristic(id) || b.stands[d] || b.isTenant(id):
	case tenant != "" && end.PathQuery() == u.PathQuery():
		b.let(d, tenant)
		b.rejudge(b.web.dirs.nodes[d].root)
	default:
		b.widen(u)
	}
	for _, q := range b.led[p] {
		if from := b.places[q].id; b.web.state[from] == moved && b.web.links.pages(from)[0] == id {
			b.establishUpTo(q, end, directory, tenant)
		}
	}
}

// askInLowerCase asks for the lower case of a seed whose path has capitals. A server that minds no
// case has all pages under both, and the links of its own site may lead to the other one alone.
// Elsewhere it costs a request, mostly for nothing.
func (b *boundary) askInLowerCase(id graph.ID) {
	u := b.web.text(id)
	if !b.computed() || b.web.state[id] != alive {
		return
	}
	path := u.Path()
	root := len(u) - len(u.PathQuery())
	v, err := page.ParseURL(string(u[:root]) + strings.ToLower(path) + string(u[root:])[len(path):])
	if err == nil && v != u {
		b.ask(b.know(b.web.intern(v, graph.None, 0)), WhyProbe, 0)
	}
}

// advance answers the pages that the survey knows already and runs the epochs that are due, until
// the crawler is needed.
func (b *boundary) advance() {
	for {
		for len(b.ready) > 0 {
			p := b.ready[0]
			b.ready = b.ready[1:]
			b.answer(p, false)
		}
		switch {
		case b.moves.followAll(b):
		case !b.due():
			if !b.around.look() {
				return
			}
		case b.process != nil:
			b.process.step()
		default:
			b.epoch()
		}
	}
}

// due reports whether an epoch would tell more than the last one and is worth its cost.
func (b *boundary) due() bool {
	switch {
	case !b.dirty:
		return false
	case b.process != nil:
		return b.process.due()
	}
	return b.computed() && (b.open+b.files.lists == 0 || b.answered >= b.budget)
}

// settled reports that nothing is open and the last epoch asked for nothing more.
func (b *boundary) settled() bool { return b.idle() && (b.Boundary != Logical || !b.dirty) }

// isIndexName reports the name of a directory's index page: none, or index or default with any
// extension and query.
func isIndexName(name string) bool {
	name, _, _ = strings.Cut(strings.ToLower(name), "?")
	name, _, _ = strings.Cut(name, ".")
	return name == "" || name == "index" || name == "default"
}
