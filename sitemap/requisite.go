package sitemap

import (
	"strings"

	"watershed/graph"
	"watershed/page"
)

// Requisites and sitemaps are fetched for a site without being vertices of its graph: no link of
// theirs is evidence, and no host is crawled because it serves one.

// askParts wants the requisites of a page of the site, and the sitemaps of its host.
func (b *boundary) askParts(p uint32) {
	pl := &b.places[p]
	if pl.is(partsAsked) {
		return
	}
	pl.flags |= partsAsked
	id := pl.id
	b.askSitemaps(b.web.dirs.nodes[b.web.dir[id]].root)
	b.askFeeds(id)
	for _, to := range b.web.links.parts(id) {
		b.askPart(to, isRequisite)
	}
}

// askPart wants a requisite, a sitemap or a feed, from whatever host.
func (b *boundary) askPart(id graph.ID, as flags) {
	p := b.place(id)
	pl := &b.places[p]
	if pl.is(as) || b.stopped != "" {
		return
	}
	counts := !pl.is(isRequisite | isSitemap | isPartDone) // one that is asked for as both is asked once
	pl.flags |= as
	if b.excludes(id) {
		pl.flags |= isExcluded
		return
	}
	why := WhyRequisite
	if as == isSitemap {
		why = WhySitemap
	}
	if counts {
		b.parts++
	}
	if as == isSitemap && !pl.is(isPartDone) {
		b.lists++
	}
	b.want(p, why, 0)
}

// answerPart follows the requisites that a requisite or sitemap has in its turn.
func (b *boundary) answerPart(p uint32) {
	pl := &b.places[p]
	if !pl.is(isRequisite|isSitemap) || pl.is(isExcluded) {
		return
	}
	if !pl.is(isPartDone) {
		pl.flags |= isPartDone
		b.parts--
		if pl.is(isSitemap) {
			b.lists--
			b.dirty = b.dirty || b.Boundary == Logical && b.process == nil // an epoch may have waited for it
		}
	}
	id, as := pl.id, pl.flags&(isRequisite|isSitemap)
	if b.web.state[id] == moved {
		for _, as := range []flags{isRequisite, isSitemap} {
			if b.places[p].is(as) {
				b.askPart(b.web.links.pages(id)[0], as)
			}
		}
		return
	}
	if as&isRequisite != 0 {
		for _, to := range b.web.links.parts(id) {
			b.askPart(to, isRequisite)
		}
	}
	if as&isSitemap != 0 {
		b.hearSitemap(p)
		b.readSitemap(id)
	}
}

// askSitemaps wants the sitemaps that the robots.txt of a host names.
func (b *boundary) askSitemaps(root dirID) {
	if b.roots[root] {
		return
	}
	b.roots[root] = true
	if b.web.rooted == nil {
		b.web.rooted = make(map[dirID][]uint32)
	}
	b.web.rooted[root] = insert(b.web.rooted[root], b.number)
	b.namedSitemaps(root)
}

// namedSitemaps wants those that are known by now.
func (b *boundary) namedSitemaps(root dirID) {
	if b.Boundary == List {
		return
	}
	robots, ok := b.web.robots[root]
	if !ok {
		return
	}
	for _, to := range b.web.links.leads(robots) {
		if b.web.kind[to] == page.Sitemap {
			b.askPart(to, isSitemap)
		}
	}
}

// readSitemap makes the entries of a sitemap or feed known where they lie within, and wants the
// sitemaps that an index names.
func (b *boundary) readSitemap(id graph.ID) {
	for _, to := range b.entries(id) {
		switch {
		case namesSitemap(b.web.text(to)):
			b.askPart(to, isSitemap)
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
