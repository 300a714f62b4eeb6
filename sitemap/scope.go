package sitemap

import (
	"watershed/graph"
	"watershed/page"
)

// matching gives the first rule that matches.
func matching(rules []page.Rule, u page.URL) (page.Rule, bool) {
	for _, r := range rules {
		if r.Match(u) {
			return r, true
		}
	}
	return page.Rule{}, false
}

// included reports whether a rule of the site wants u inside.
func (s *Site) included(u page.URL) bool {
	_, ok := matching(s.Include, u)
	return ok
}

// excluded reports whether a rule of the site keeps u out.
func (s *Site) excluded(u page.URL) bool {
	_, ok := matching(s.Exclude, u)
	return ok
}

// includes is included of a vertex.
func (b *boundary) includes(id graph.ID) bool {
	return len(b.Include) > 0 && b.included(b.web.text(id))
}

// excludes is excluded of a vertex.
func (b *boundary) excludes(id graph.ID) bool {
	return len(b.Exclude) > 0 && b.excluded(b.web.text(id))
}
