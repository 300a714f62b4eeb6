package sitemap

import (
	"watershed/graph"
	"watershed/page"
)

// Tell makes pages known to a site where its prefix or a rule says that they belong, without a link
// being evidence, as an entry of a sitemap does. It is for those who know the pages beforehand,
// from an archive or a list. It costs O(pages), and the epochs that they make due.
func (s *Survey) Tell(site string, pages ...page.URL) {
	b, err := s.boundary(site)
	if err != nil {
		return
	}
	for _, u := range pages {
		if id := s.web.intern(u, graph.None, 0); b.within(id) || b.included(u) {
			b.know(id)
		}
	}
	epochs := b.epochs
	b.advance()
	if b.epochs != epochs {
		s.forget(b)
	}
}
