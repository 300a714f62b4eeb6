package copies

import (
	"maps"
	"net/http"
	"slices"

	"watershed/page"
	"watershed/replica"
	"watershed/store"
)

// stranger is a page of a copy that this run has compared, with the links that its stand has not.
type stranger struct {
	ticket
	own  []page.URL
	told bool // it counts as a page that differs
}

// own gives the links of a page of a copy to what lies on its host or in a copy, and to what it shows,
// that are neither the stand's nor those of old, however the copy is known to write them.
func (r *Room) own(x *rule, u, stand, old *page.Visit) (list []page.URL) {
	known, e := map[page.URL]bool{}, replica.Between(x.name, u.URL, x.twin)
	for i := range stand.Links {
		l := &stand.Links[i]
		known[l.URL] = true
		if plain, ok := e.Beside(u.URL, stand.URL, l.URL); ok {
			for _, t := range r.spelt[x.name].of(plain, l.Kind.Requisite()) {
				known[t] = true
			}
		}
	}
	if old != nil {
		for i := range old.Links {
			known[old.Links[i].URL] = true
		}
	}
	for i := range u.Links {
		l := &u.Links[i]
		if l.Kind != page.Embed && !l.Kind.Joins() || known[l.URL] {
			continue
		}
		s, covered := r.of(l.URL)
		if covered && known[s.stand] || !covered && !l.Kind.Requisite() && l.URL.Host() != u.URL.Host() {
			continue
		}
		known[l.URL] = true
		list = append(list, l.URL)
	}
	return list
}

// frame is from how many pages of a copy on a link is taken for one of the frame that its pages share.
const frame = 3

// elsewhere reports that what a page of a copy leads to is known without it: an earlier run has what
// stands for that, or this one another way there, or nothing is there.
func (r *Room) elsewhere(tx *store.Tx, u, to page.URL) (bool, error) {
	own, _, err := tx.URL(r.run, to.Key())
	if err != nil || own.Status == http.StatusNotFound || own.Status == http.StatusGone {
		return true, err
	}
	x, covered := r.of(to)
	if covered {
		if held, err := r.held(tx, x.stand); held != nil || err != nil {
			return true, err
		}
		_, stand, err := r.now(tx, x.stand)
		if err != nil || stand == lost && own.State == store.Skipped {
			return true, err // it is given back, and judged then
		}
		to = x.stand
	}
	known, found, err := tx.URL(r.run, to.Key())
	return found && known.State != store.Known && known.Via != u.Key(), err
}

// stray has pages count that this run found to be the only way to something as such that differ, though
// their words agree: other pages may lead to more, and nobody knows of that while they are left out.
func (r *Room) stray(tx *store.Tx) error {
	type way struct {
		name string // of the copy
		to   page.URL
	}
	count := map[way]int{}
	for _, c := range r.strangers {
		for _, to := range c.own {
			count[way{c.rule.name, to}]++
		}
	}
	for _, u := range slices.Sorted(maps.Keys(r.strangers)) {
		c := r.strangers[u]
		for _, to := range c.own {
			if c.told || count[way{c.rule.name, to}] >= frame {
				continue
			}
			known, err := r.elsewhere(tx, u, to)
			if err != nil {
				return err
			}
			if c.told = !known; known {
				continue
			}
			what := drifts
			if c.unseen {
				what = strays
			}
			r.count(&c.ticket, what, -1)
		}
	}
	return nil
}
