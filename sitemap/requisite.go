package sitemap

import (
	"strings"

	"watershed/graph"
	"watershed/page"
)

// Requisites and sitemaps are fetched for a site without being vertices of its graph: no link of
// theirs is evidence, and no host is crawled because it serves one.

// files are the requisites, sitemaps and feeds of a site.
type files struct {
	b         *boundary
	parts     int            // asked and not answered
	lists     int            // of these, sitemaps and feeds
	roots     map[dirID]bool // hosts whose sitemaps were asked for
	feedsRead map[dirID]int  // feeds asked for outside the prefix, by the root of their host
}

// askOf wants the requisites of a page of the site, and the sitemaps of its host.
func (f *files) askOf(p uint32) {
	b := f.b
	pl := &b.places[p]
	if pl.is(partsAsked) {
		return
	}
	pl.flags |= partsAsked
	id := pl.id
	f.askSitemaps(b.web.dirs.nodes[b.web.dir[id]].root)
	f.askFeeds(id)
	for _, to := range b.web.links.parts(id) {
		f.askPart(to, isRequisite)
	}
}

// askPart wants a requisite, a sitemap or a feed, from whatever host.
func (f *files) askPart(id graph.ID, as flags) {
	b := f.b
	p := b.place(id)
	pl := &b.places[p]
	if pl.is(as) {
		return
	}
	counts := !pl.is(isRequisite | isSitemap | isPartDone) // one that is asked for as both is asked once
	pl.flags |= as
	if b.excludes(id) {
		pl.flags |= isExcluded
		return
	}
	f.parts += b2i(counts)
	why := WhyRequisite
	if as == isSitemap {
		why = WhySitemap
		f.lists += b2i(!pl.is(isPartDone))
	}
	b.want(p, why, 0)
}

// answer follows the requisites that a requisite or sitemap has in its turn.
func (f *files) answer(p uint32) {
	b := f.b
	pl := &b.places[p]
	if !pl.is(isRequisite|isSitemap) || pl.is(isExcluded) {
		return
	}
	if !pl.is(isPartDone) {
		pl.flags |= isPartDone
		f.parts--
		if pl.is(isSitemap) {
			f.lists--
			b.dirty = b.dirty || b.computed() // an epoch may have waited for it
		}
	}
	id, as := pl.id, pl.flags&(isRequisite|isSitemap)
	if b.web.state[id] == moved {
		for _, as := range []flags{isRequisite, isSitemap} {
			if b.places[p].is(as) {
				f.askPart(b.web.links.pages(id)[0], as)
			}
		}
		return
	}
	if as&isRequisite != 0 {
		for _, to := range b.web.links.parts(id) {
			f.askPart(to, isRequisite)
		}
		for _, to := range b.web.links.leads(id) { // those of a menu, say, that a script has
			if b.web.kind[to] == page.Sitemap && b.within(to) && !namesSitemap(b.web.text(to)) {
				b.know(to)
			}
		}
	}
	if as&isSitemap != 0 {
		f.readSitemap(id)
	}
}

// askSitemaps wants the sitemaps that the robots.txt of a host names, or the one in the usual place.
func (f *files) askSitemaps(root dirID) {
	b := f.b
	if f.roots[root] {
		return
	}
	f.roots[root] = true
	if b.web.rooted == nil {
		b.web.rooted = make(map[dirID][]uint32)
	}
	b.web.rooted[root] = insert(b.web.rooted[root], b.number)
	f.namedSitemaps(root)
}

// namedSitemaps wants those that are known by now.
func (f *files) namedSitemaps(root dirID) {
	b := f.b
	if b.Boundary == List {
		return
	}
	robots, ok := b.web.robots[root]
	if !ok {
		return
	}
	named := false
	for _, to := range b.web.links.leads(robots) {
		if b.web.kind[to] == page.Sitemap {
			named = true
			f.askPart(to, isSitemap)
		}
	}
	if !named && b.opts.GuessSitemaps && b.process == nil {
		usual := b.web.text(robots).Root() + usualSitemap
		if id := b.web.intern(usual, robots, page.Sitemap); b.within(id) {
			f.askPart(id, isSitemap)
		}
	}
}

// usualSitemap is where a sitemap lies that no robots.txt names. Other crawlers that read sitemaps look
// there, and common programs that make sites have one there or redirect to it.
const usualSitemap = "sitemap.xml"

// readSitemap makes the entries of a sitemap or feed known where they lie within, and wants the
// sitemaps that an index names.
func (f *files) readSitemap(id graph.ID) {
	b := f.b
	for _, to := range b.web.entries(id) {
		switch {
		case namesSitemap(b.web.text(to)):
			f.askPart(to, isSitemap)
		case b.within(to):
			b.know(to)
		}
	}
}

// namesSitemap guesses from its URL whether an entry of a sitemap is a sitemap itself, as those of
// an index are.
func namesSitemap(u page.URL) bool {
	path := strings.ToLower(u.Path())
	name := strings.TrimSuffix(path[strings.LastIndexByte(path, '/')+1:], ".gz")
	return strings.HasSuffix(name, ".xml") ||
		strings.HasSuffix(name, ".txt") && strings.Contains(name, "sitemap")
}

// askFeeds wants the feeds that a page names and that do not lie in the prefix, where all is asked
// for.
func (f *files) askFeeds(id graph.ID) {
	b := f.b
	if !b.computed() || b.opts.ListSample == 0 {
		return
	}
	for _, to := range b.web.links.leads(id) {
		if b.web.kind[to] != page.Feed || b.within(to) || b.web.root(to) != b.web.root(id) {
			continue
		}
		if p := b.find(to); p != none && b.places[p].is(isSitemap) {
			continue
		}
		if root := b.web.root(to); f.feedsRead[root] < mostFeeds {
			f.feedsRead[root]++
			f.askPart(to, isSitemap)
		}
	}
}

// count counts a requisite or sitemap that is not answered among the open ones, or takes it
// off them, by n.
func (f *files) count(p uint32, n int) {
	if pl := &f.b.places[p]; pl.is(isRequisite|isSitemap) && !pl.is(isPartDone) {
		f.parts += n
		if pl.is(isSitemap) {
			f.lists += n
		}
	}
}
