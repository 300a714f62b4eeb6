package copies

import (
	"maps"
	"slices"

	"watershed/page"
	"watershed/replica"
	"watershed/sitemap"
	"watershed/store"
)

// spelling is how pages of a copy write addresses of a scheme: by the other scheme, or with a query
// that their original lacks, such as the number of a session. Parts of pages, such as pictures, may
// have another one than pages.
type spelling struct {
	part                 bool
	plain, scheme, query string // the query with its question mark
}

// spellings are those of a copy, each with the first address that was seen so, or "" where a second one
// was, from which on it counts. An address is plain if it is written as the original's page writes it.
type spellings map[spelling]page.URL

// maxSpellings bounds those of a copy.
const maxSpellings = 16

// learn compares the links of a page of a copy with those of its stand, and reports whether a spelling
// came to count.
func (x spellings) learn(e *replica.Entry, u, stand *page.Visit) (more bool) {
	plain := map[page.URL]bool{}
	for i := range stand.Links {
		if t, ok := e.Beside(u.URL, stand.URL, stand.Links[i].URL); ok {
			plain[t] = true
		}
	}
	for i := range u.Links {
		l := &u.Links[i]
		if l.Kind != page.Navigation && !l.Kind.Requisite() {
			continue
		}
		path, query := l.URL, ""
		if q := l.URL.Query(); q != "" && !plain[l.URL] {
			query = "?" + q
			path = l.URL[:len(l.URL)-len(query)]
		}
		for _, scheme := range []string{"http", "https"} {
			t := page.URL(scheme) + path[len(path.Scheme()):]
			if plain[t] && (t == l.URL || !plain[l.URL]) {
				s := spelling{l.Kind.Requisite(), scheme, l.URL.Scheme(), query}
				more = x.note(s, t) || more
			}
		}
	}
	return more
}

func (x spellings) note(s spelling, plain page.URL) (counts bool) {
	first, seen := x[s]
	switch {
	case !seen && len(x) < maxSpellings:
		x[s] = plain
	case seen && first != "" && first != plain:
		x[s] = ""
		return true
	}
	return false
}

// of gives the addresses that a copy may have for a plain one: that itself, unless the copy was seen to
// write such addresses otherwise.
func (x spellings) of(plain page.URL, part bool) (list []page.URL) {
	for s, first := range x {
		if first == "" && s.part == part && s.plain == plain.Scheme() &&
			(s.query == "" || plain.Query() == "") {
			list = append(list, page.URL(s.scheme)+plain[len(s.plain):]+page.URL(s.query))
		}
	}
	if len(list) == 0 {
		return []page.URL{plain}
	}
	slices.Sort(list)
	return list
}

// lend asks for what a page that was left out leads to if it is like its twin is now: what lies in
// the copy as that to which the twin leads lies in the original. These are the files; the pages
// where a site is bounded by host or domain; and else those of which the run asked for the like, if
// they lie below a seed, or the like belongs to a site as computed. Of a page that was captured
// these are those to which the twin did not lead before, or of which an earlier run knows in the
// copy; all, where the copy catches up. A twin that is left out itself leads to what it did when it
// was captured.
func (r *Room) lend(tx *store.Tx, x *round, u *store.URL, held *page.Visit, by *rule) error {
	now, state, err := r.now(tx, by.twin)
	if err != nil {
		return err
	}
	before, err := r.held(tx, by.twin)
	if err != nil {
		return err
	}
	if state != had {
		now = before
	}
	if now == nil {
		return x.lendOwn(r, tx, u)
	}
	r.lent[u.URL] = true
	old := map[page.URL]bool{}
	for i := 0; held != nil && before != nil && i < len(before.Links); i++ {
		old[before.Links[i].URL] = true
	}
	e := replica.Between(by.name, u.URL, by.twin)
	site := &r.owners.sites[u.Site]
	for i := range now.Links {
		l := &now.Links[i]
		plain, ok := e.Beside(u.URL, by.twin, l.URL)
		if !ok || excludes(site, plain) || !l.Kind.Requisite() && (!l.Kind.Joins() || l.NoFollow) {
			continue
		}
		if !l.Kind.Requisite() && !whole(site) {
			reached, err := r.reaches(tx, &r.owners, site, plain, l.URL)
			if err != nil {
				return err
			}
			if !reached {
				r.lent[u.URL] = false // the run may come to ask for that, and to take it in
				continue
			}
		}
		for _, t := range r.spelt[by.name].of(plain, l.Kind.Requisite()) {
			known := !old[l.URL]
			if !known {
				_, known, err = r.formerSite(tx, &r.owners, t, held)
			}
			if !known && err == nil && r.caughtUp[by.name] {
				known, err = r.vain(tx, t)
				known = !known
			}
			if err == nil && known {
				err = x.want(r, tx, u, l, t, u.Site)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// lendOwn asks for the pages of the copy to which a page of it leads that the run has, though not its
// twin, where its site takes them in as the originals' does the like: the survey may not know the way to
// the page.
func (x *round) lendOwn(r *Room, tx *store.Tx, u *store.URL) error {
	v, found, err := r.recall(tx, u.URL)
	site := &r.owners.sites[u.Site]
	for i := 0; err == nil && found && i < len(v.Links); i++ {
		l := &v.Links[i]
		by, covered := r.of(l.URL)
		if !covered || !l.Kind.Joins() || l.NoFollow || excludes(site, l.URL) {
			continue
		}
		reached := false
		if reached, err = r.reaches(tx, &r.owners, site, l.URL, by.twin); reached && err == nil {
			err = x.want(r, tx, u, l, l.URL, u.Site)
		}
	}
	return err
}

// reaches reports that a site takes in what lies in a copy as the like does in the original, as far as is
// known by now: the run asked for the like, by either scheme, and that is so by the links, or the site's
// seeds lie above.
func (c *captures) reaches(tx *store.Tx, o *owners, s *sitemap.Site, u, like page.URL) (bool, error) {
	for _, scheme := range []string{"http", "https"} {
		x, found, err := tx.URL(c.run, (page.URL(scheme) + like[len(like.Scheme()):]).Key())
		if err != nil {
			return false, err
		}
		if found && x.State != store.Known && (below(s, u) || o.computed(&x)) {
			return true, nil
		}
	}
	return false, nil
}

// lendFetched lends to the pages of copies that the run has, as to those that were left out.
func (x *round) lendFetched(r *Room, tx *store.Tx) error {
	for _, u := range slices.Sorted(maps.Keys(r.fetched)) {
		by, covered := r.of(u)
		if !covered || r.lent[u] {
			continue
		}
		known, found, err := tx.URL(r.run, u.Key())
		if err != nil {
			return err
		}
		if !found || int(known.Site) >= len(r.owners.sites) {
			continue
		}
		held, err := r.held(tx, u)
		if err == nil {
			err = r.lend(tx, x, &known, held, &by)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// learnLinks learns how a copy writes its links, and whether it catches up. Links that were lent
// before may have to be asked for otherwise, and others besides.
func (x *rule) learnLinks(r *Room, u, stand, mine, before *page.Visit) {
	if stand.URL != x.twin || x.name == "" {
		return
	}
	if r.spelt[x.name] == nil {
		r.spelt[x.name] = spellings{}
	}
	e := replica.Between(x.name, u.URL, x.twin)
	more := r.spelt[x.name].learn(&e, u, stand)
	if !r.caughtUp[x.name] && catchesUp(&e, u, mine, before) {
		r.caughtUp[x.name], more = true, true
	}
	if more {
		clear(r.lent)
	}
}

// catchesUp reports that a page of a copy has come to lead to the like of what its stand led to
// before.
func catchesUp(e *replica.Entry, u, mine, before *page.Visit) bool {
	if mine == nil || before == nil {
		return false
	}
	had := map[page.URL]bool{}
	for i := range mine.Links {
		had[mine.Links[i].URL] = true
	}
	late := map[page.URL]bool{}
	for i := range before.Links {
		if t, ok := e.Beside(u.URL, before.URL, before.Links[i].URL); ok && !had[t] {
			late[t] = true
		}
	}
	return slices.ContainsFunc(u.Links, func(l page.Link) bool { return late[l.URL] })
}
