package sitemap

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"watershed/graph"
	"watershed/page"
)

// Sitemaps, feeds and the index of a directory tell where pages lie that no link leads to. They do
// not tell whose pages these are: the sitemap of a host lists all its tenants, a feed whatever its
// editor likes. So a page listed in the prefix belongs, as all pages there do. Of the pages listed
// in another block that has pages inside, a sample is fetched, then as many again each time, as
// long as half of them come in. They come in by their own links, since a page that no link leads to
// nearly always links home. Pages listed in blocks without a page inside are not asked for.

const (
	// listSuccess is the part of the listed pages tried that must be inside for more of them to be
	// asked for.
	listSuccess = 0.5
	// mostFeeds is how many feeds of a host are read that do not lie in the prefix; where a site
	// has a feed for every page, the feeds tell nothing that the pages do not tell.
	mostFeeds = 4
)

// listing asks for the pages that lists name.
type listing struct{ scout }

// ask wants pages that are listed, and the index of the directories of blocks that have pages
// inside.
func (x listing) ask(b *boundary, at turn) {
	if at != sampling {
		return
	}
	s := b.last
	inside := s.blocksInside()
	tried, came := make(map[blockID]int), make(map[blockID]int)
	for p := range b.places {
		pl := &b.places[p]
		if k := s.blocks.of[p]; k != noBlock && pl.is(isAsked) && pl.why == WhyListed {
			tried[k]++
			came[k] += b2i(pl.is(isInside))
		}
	}
	left := x.listed(s, inside)
	for k, index := range x.indices(s, inside) {
		left[k] = append(left[k], index)
	}
	for _, k := range slices.SortedFunc(maps.Keys(left), func(a, k blockID) int {
		return cmp.Compare(s.blockName(a), s.blockName(k))
	}) {
		list := left[k]
		slices.SortFunc(list, func(id, other graph.ID) int {
			return cmp.Compare(b.web.index.Key(id), b.web.index.Key(other))
		})
		list = slices.Compact(list)
		n := max(0, b.opts.ListSample-tried[k])
		if float64(came[k]) >= listSuccess*float64(tried[k]) {
			n = max(n, tried[k])
		}
		for _, id := range evenly(list, n) {
			b.ask(b.know(id), WhyListed, 0)
		}
	}
}

// blocksInside gives, by block but the prefix, a page inside, or none.
func (s *settlement) blocksInside() []uint32 {
	inside := slices.Repeat([]uint32{none}, len(s.blocks.list))
	for p := range s.book.places {
		if k := s.blocks.of[p]; k != noBlock && k != prefixBlock && s.book.places[p].is(isInside) &&
			s.book.places[p].is(isAnswered) && inside[k] == none {
			inside[k] = uint32(p)
		}
	}
	return inside
}

// listed gives, by block, the pages that were never asked for and that a list names in blocks with
// pages inside.
func (x listing) listed(s *settlement, inside []uint32) map[blockID][]graph.ID {
	b := s.book
	left := make(map[blockID][]graph.ID)
	for p := range b.places {
		if !b.places[p].is(isSitemap) || !b.places[p].is(isPartDone) || b.places[p].is(isExcluded) {
			continue
		}
		for _, id := range b.web.entries(b.places[p].id) {
			if k, ok := x.blockOf(s, id); ok && inside[k] != none && !namesSitemap(b.web.text(id)) {
				left[k] = append(left[k], id)
			}
		}
	}
	return left
}

// blockOf gives the block that a page is of, or would be were it known, unless it was asked for or
// lies in the prefix.
func (x listing) blockOf(s *settlement, id graph.ID) (blockID, bool) {
	b := s.book
	if p := b.find(id); p != none && b.places[p].is(isAsked|isExcluded|inPrefix|isStray) || b.within(id) {
		return 0, false
	}
	k, ok := s.blocks.byDir[b.blockDir(b.web.dir[id])]
	return k, ok
}

// indices gives the URL of the directory of each block that has pages inside, where nobody has
// asked for it.
func (x listing) indices(s *settlement, inside []uint32) map[blockID]graph.ID {
	b := s.book
	list := make(map[blockID]graph.ID)
	for k, p := range inside {
		if p == none || s.blocks.list[k].known < minKin {
			continue
		}
		scheme, _, _ := strings.Cut(string(b.web.text(b.places[p].id)), "://")
		u, err := page.ParseURL(scheme + "://" + b.web.dirs.path(s.blocks.list[k].dir))
		if err != nil {
			continue // a directory that no URL names, as that of a host with a strange name
		}
		id := b.web.intern(u, b.places[p].id, page.Inferred)
		if at, ok := x.blockOf(s, id); ok && at == blockID(k) {
			list[at] = id
		}
	}
	return list
}

// lists reports a sitemap: it links to no page, and names some.
func (w *web) lists(id graph.ID) bool {
	return len(w.links.pages(id)) == 0 &&
		slices.ContainsFunc(w.links.leads(id), func(to graph.ID) bool { return w.kind[to] == page.Sitemap })
}

// listed reports a site map or a feed of the site, or what the site's directories have that such a list
// names; but no site map that was asked for where it usually lies, and that nothing names.
func (b *book) listed(p uint32) bool {
	id := b.places[p].id
	robots, known := b.web.robots[b.web.root(id)]
	if known && b.web.via[id] == robots && !slices.Contains(b.web.links.leads(robots), id) {
		return false
	}
	names := b.web.kind[id] == page.Sitemap || b.web.kind[id] == page.Feed
	return b.places[p].is(isSitemap) || names && b.within(id)
}

// entries are the URLs that a sitemap or a feed lists.
func (w *web) entries(id graph.ID) []graph.ID {
	if w.kind[id] == page.Feed {
		return w.links.pages(id)
	}
	return w.links.leads(id)
}
