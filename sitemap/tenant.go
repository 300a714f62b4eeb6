package sitemap

import (
	"slices"
	"strings"

	"watershed/graph"
	"watershed/page"
)

// On some hosts a part of the query says whose a page is: /?site=ann, /index.php?id=7&site=ann. A
// seed that has such a part stands for the pages that have it, in its directory and below, and not
// for that directory, if at least half of its links into the directory lead to pages that have it,
// too. The code of a language is no such part, as it tells variants of one work, nor is a number,
// as a part of a forum has it. Nor is there a tenant where no cut draws the boundary: of
// /index.php?option=article it takes back in what else the site has.

// tenantOf gives the part of the query of an answered seed by which it is a tenant of its
// directory, "" if it is none.
func (b *scope) tenantOf(id graph.ID) string {
	u := b.web.text(id)
	if !b.computed() {
		return ""
	}
	dir, query := b.web.dir[id], u.Query()
	for _, part := range strings.Split(query, "&") {
		key, value, _ := strings.Cut(part, "=")
		if key == "" || isTongue(value) || strings.Trim(value, "0123456789") == "" {
			continue
		}
		own, others := 0, 0
		b.each(id, b.web.links.pages(id), func(to graph.ID) {
			switch v := b.web.text(to); {
			case v == u || b.web.root(to) != b.web.root(id) || !b.web.dirs.contains(dir, b.web.dir[to]):
			case hasPart(v, part):
				own++
			default:
				others++
			}
		})
		if own > 1 && own >= others {
			return part
		}
	}
	return ""
}

// hasPart reports a URL with a part of a query.
func hasPart(u page.URL, part string) bool {
	return slices.Contains(strings.Split(u.Query(), "&"), part)
}

// isTenant reports a page that has the part of the query for which a seed stands.
func (b *scope) isTenant(id graph.ID) bool {
	if len(b.tenants) == 0 {
		return false
	}
	for d := b.web.dir[id]; d != noDir; d = b.web.dirs.nodes[d].parent {
		for _, part := range b.tenants[d] {
			if hasPart(b.web.text(id), part) {
				return true
			}
		}
	}
	return false
}
