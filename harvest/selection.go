package harvest

import (
	"watershed/page"
	"watershed/sitemap"
	"watershed/store"
)

// selection says which captures of a run belong in its archive. It takes some 60 bytes for each capture.
type selection struct {
	left map[page.Location]bool // captures of pages that do not belong
}

// has reports whether a capture is kept. Those that no visit stands for, such as DNS answers, are.
func (s *selection) has(loc page.Location) bool {
	return !s.left[page.Location{File: loc.File, Offset: loc.Offset}]
}

// selection keeps the captures of the sites' pages, requisites and context, of robots.txt and sitemaps on their hosts, and of what a
// kept revisit refers to. The rest of a capture that is lost is kept only where it was not made again, and is missing.
func (h *Harvest) selection(maps []*sitemap.Map, missing []*page.Visit) (*selection, error) {
	if h.plan.proof != nil { // all that was fetched is evidence
		return &selection{}, nil
	}
	wanted := map[page.Key]bool{}
	hosts := map[page.Host]bool{}
	for _, m := range maps {
		for _, x := range m.Members {
			wanted[x.URL.Key()] = true
			hosts[x.URL.Host()] = true
		}
		for _, x := range m.Requisites {
			wanted[x.URL.Key()] = true
			hosts[x.URL.Host()] = true
		}
		for _, x := range m.Context {
			wanted[x.URL.Key()] = true
			hosts[x.URL.Host()] = true
		}
	}
	for _, m := range maps { // a page that is gone is the site's answer too
		for _, x := range m.Outside {
			if x.Reason == "failed" {
				wanted[x.URL.Key()] = true
			}
		}
	}
	err := h.leftOut(func(_ *store.URL, x *store.Entry) error {
		wanted[x.Representative.Key()] = true // it stands for a page of the site
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = h.rescued(func(_ *store.URL, x *store.Entry) error {
		wanted[x.Representative.Key()] = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	s := &selection{left: map[page.Location]bool{}}
	origins, torn := map[page.Location]bool{}, map[uint64]bool{}
	for _, v := range missing {
		torn[v.Seq] = true
	}
	for v, err := range h.store.Heads(h.record.Number, 0) {
		if err != nil {
			return nil, err
		}
		if v.Record.IsZero() {
			continue
		}
		if h.losses.of(v) && !torn[v.Seq] {
			s.left[placeOf(v.Record)] = true
			continue
		}
		if wanted[v.URL.Key()] || h.copies.keeps(v.URL) || h.patch.keeps(v.URL) || hosts[v.URL.Host()] && support(v) {
			if v.Revisit {
				origins[v.Origin.Record] = true
			}
			continue
		}
		s.left[page.Location{File: v.Record.File, Offset: v.Record.Offset}] = true
	}
	for loc := range origins {
		delete(s.left, page.Location{File: loc.File, Offset: loc.Offset})
	}
	return s, nil
}

// support reports what was fetched to learn of a host, and not as a page: its robots.txt and its sitemaps.
func support(v *page.Visit) bool {
	if v.URL.PathQuery() == "/robots.txt" {
		return true
	}
	n := len(v.Hops)
	return n > 0 && (v.Hops[n-1] == 'P' || v.Hops[n-1] == page.Sitemap.Hop())
}
