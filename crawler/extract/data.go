package extract

import (
	"path"
	"strings"

	"watershed/page"
)

// readData takes the pages that a script names which is nothing but data, as are the menus of manuals
// that Doxygen writes: like a sitemap it tells where pages lie. Such a script lies beside the pages
// that name it, from which its addresses count.
func (c *parts) readData(text string) {
	refs, only := dataRefs(text)
	if !only {
		return
	}
	for _, ref := range refs {
		c.add(page.Sitemap, "script/data", ref)
	}
}

// dataRefs gives the strings of a script that are paths of pages, and whether the script only gives
// names to literals: nothing in it is called, computed or decided. Time is linear in the source.
// Source: ECMAScript 2025, 13.2.4 and 13.2.5 (array and object initializers).
func dataRefs(src string) (refs []string, only bool) {
	for s := (moduleRefs{src: src}); ; {
		s.blank()
		if s.pos == len(src) {
			return refs, true
		}
		switch c := src[s.pos]; {
		case isQuote(c):
			text, ok := s.text()
			if !ok {
				return nil, false
			}
			if isPagePath(text) {
				refs = append(refs, text)
			}
		case ofName(c) || strings.IndexByte("={}[],:;.-", c) >= 0:
			s.pos++
		default:
			return nil, false
		}
	}
}

// isPagePath reports a relative address whose path is named like a page of HTML.
func isPagePath(ref string) bool {
	at, _, _ := strings.Cut(ref, "#")
	at, _, _ = strings.Cut(at, "?")
	switch strings.ToLower(path.Ext(at)) {
	case ".html", ".htm", ".xhtml":
		return !strings.ContainsAny(at, " <>\"':") && !strings.HasPrefix(at, "//")
	}
	return false
}
