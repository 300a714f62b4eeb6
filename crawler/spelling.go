package crawler

import (
	"watershed/page"
	"watershed/sitemap"
	"watershed/store"
)

// spellings has the spellings of a page's links, where a link is not spelled as its canonical URL.
// The survey knows URLs alone: when it wants one, the page on which it was found tells the
// spelling.
type spellings struct {
	of    page.URL
	links map[page.URL]page.Spelling
}

func spellingsOf(v *page.Visit) spellings {
	s := spellings{of: v.URL}
	for i := range v.Links {
		l := &v.Links[i]
		if l.Spelled == "" {
			continue
		}
		if s.links == nil {
			s.links = map[page.URL]page.Spelling{}
		}
		if _, told := s.links[l.URL]; !told {
			s.links[l.URL] = l.Spelled
		}
	}
	return s
}

// spelled is how the page on which a URL was found spells it. It reads the visit of that page, but
// for the page that was read last, and only of URLs that can be spelled in several ways. A
// URL that no page names is spelled as the plan says.
func (c *commits) spelled(tx *store.Tx, w sitemap.Want) (page.Spelling, error) {
	switch {
	case !w.URL.Spellable(), w.Via == "" && c.opt.Spelled == nil:
		return "", nil
	case w.Via == "":
		return c.opt.Spelled(w.URL), nil
	}
	if c.spells.of != w.Via {
		v, found, err := c.visitOn(tx, w.Via)
		if err != nil || !found {
			return "", err
		}
		c.spells = spellingsOf(&v)
	}
	return c.spells.links[w.URL], nil
}

// visitOn is the last visit of a URL in this run, or in an earlier one where this has none.
func (c *commits) visitOn(tx *store.Tx, u page.URL) (v page.Visit, found bool, err error) {
	x, found, err := tx.URL(c.Number, u.Key())
	if err != nil {
		return v, false, err
	}
	if found && x.URL == u && x.Visit != 0 {
		return tx.Visit(c.Number, x.Visit)
	}
	last, found, err := tx.Capture(u)
	if err != nil || !found {
		return v, false, err
	}
	return tx.Visit(last.Run, last.Visit)
}
