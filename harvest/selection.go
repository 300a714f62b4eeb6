package harvest

import (
	"slices"

	"watershed/page"
	"watershed/sitemap"
	"watershed/store"
)

// selection says which captures of a run belong in its archive. It takes some 60 bytes for each
// capture.
type selection struct {
	left map[page.Location]bool // captures of pages that do not belong
}

// has reports whether a capture is kept. Captures without a visit, such as DNS answers, are kept.
func (s *selection) has(loc page.Location) bool {
	return !s.left[page.Location{File: loc.File, Offset: loc.Offset}]
}

// selection keeps the captures of the sites' pages, requisites and context, of robots.txt and
// sitemaps on their hosts, and the captures to which a kept revisit refers. The remaining records
// of a lost capture are kept only if the capture was not made again, and is missing.
func (d *delivery) selection(ledger *ledger) (*selection, error) {
	if d.plan.proof != nil { // all that was fetched is evidence
		return &selection{}, nil
	}
	wanted, hosts := ownPages(d.Maps)
	stands := func(_ *store.URL, x *store.Entry) error {
		wanted = append(wanted, x.Representative.Key()) // it stands for a page of the site
		return nil
	}
	err := ledger.leftOut(stands)
	if err == nil {
		err = ledger.rescued(stands)
	}
	if err != nil {
		return nil, err
	}
	slices.Sort(wanted)
	s := &selection{left: map[page.Location]bool{}}
	origins, torn := map[page.Location]bool{}, map[uint64]bool{}
	for _, v := range d.Missing {
		torn[v.Seq] = true
	}
	for v, err := range d.store.Heads(d.record.Number, 0) {
		if err != nil {
			return nil, err
		}
		if v.Record.IsZero() {
			continue
		}
		if d.losses.of(v) && !torn[v.Seq] {
			s.left[placeOf(v.Record)] = true
			continue
		}
		if wanted.has(v.URL.Key()) || d.copies.Keeps(v.URL) || d.patch.keeps(v.URL) ||
			hosts[v.URL.Host()] && support(v) {
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

// ownPages are the keys of the pages, requisites and context of maps, and of pages that are gone,
// which are a site's answer too; and the hosts of all but these. The keys are in no order.
func ownPages(maps []*sitemap.Map) (list keys, hosts map[page.Host]bool) {
	n := 0
	for _, m := range maps {
		n += m.Members.Len() + len(m.Requisites) + len(m.Context) + len(m.Outside)
	}
	list, hosts = make(keys, 0, n), map[page.Host]bool{}
	own := func(u page.URL) {
		list = append(list, u.Key())
		hosts[u.Host()] = true
	}
	for _, m := range maps {
		for _, x := range m.Members.All() {
			own(x.URL)
		}
		for i := range m.Requisites {
			own(m.Requisites[i].URL)
		}
		for i := range m.Context {
			own(m.Context[i].URL)
		}
		for i := range m.Outside {
			if m.Outside[i].Reason == "failed" {
				list = append(list, m.Outside[i].URL.Key())
			}
		}
		list = slices.AppendSeq(list, m.InVain())
	}
	return list, hosts
}

// keys is a set of URLs by their keys, in order: 8 bytes each.
type keys []page.Key

func (k keys) has(x page.Key) bool {
	_, ok := slices.BinarySearch(k, x)
	return ok
}

// membersOf are the keys of the members of maps.
func membersOf(maps []*sitemap.Map) keys {
	n := 0
	for _, m := range maps {
		n += m.Members.Len()
	}
	list := make(keys, 0, n)
	for _, m := range maps {
		for _, x := range m.Members.All() {
			list = append(list, x.URL.Key())
		}
	}
	slices.Sort(list)
	return list
}

// support reports a visit that was made to learn of a host, and not for its page: its robots.txt
// and its sitemaps.
func support(v *page.Visit) bool {
	if v.URL.PathQuery() == robotsPath {
		return true
	}
	by := page.FoundBy(v.Hops)
	return by == 'P' || by == page.Sitemap.Hop()
}
