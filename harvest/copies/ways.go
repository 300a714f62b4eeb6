package copies

import (
	"maps"
	"slices"

	"watershed/page"
	"watershed/store"
)

// way is a link of pages of a copy.
type way struct {
	name string // of the copy
	to   page.URL
}

// ways are the links that pages of copies have and their stands have not. A page that is the only way
// to something may get another such link, and nobody would know of that while the page is left out.
type ways struct {
	pages map[page.URL][]way
	count map[way]int
}

func newWays() ways { return ways{pages: map[page.URL][]way{}, count: map[way]int{}} }

func (w *ways) add(name string, u page.URL, own []page.URL) {
	for _, to := range own {
		w.pages[u] = append(w.pages[u], way{name, to})
		w.count[way{name, to}]++
	}
}

// own gives the links of a page of a copy to what lies on its host or in a copy, and to what it shows,
// that are neither the stand's nor those of old, however the copy is known to write them.
func (r *Room) own(x *rule, u, stand, old *page.Visit, spelt spellings) (list []page.URL) {
	known, e := map[page.URL]bool{}, x.between(u.URL)
	for i := range stand.Links {
		l := &stand.Links[i]
		known[l.URL] = true
		if plain, ok := twin(&e, u.URL, stand.URL, l.URL); ok {
			for _, t := range spelt.of(plain, l.Kind == page.Embed) {
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
		if covered && known[s.stand] || !covered && l.Kind != page.Embed && l.URL.Host() != u.URL.Host() {
			continue
		}
		known[l.URL] = true
		list = append(list, l.URL)
	}
	return list
}

// frame is from how many pages of a copy on a link is taken for one of the frame that its pages share.
const frame = 3

// only gives the pages that are the only way to something: no earlier run knows what stands for that,
// nor, where asked for, does this one, or another way.
func (r *Room) only(tx *store.Tx, w *ways, now bool) (pages []page.URL, err error) {
	for _, u := range slices.Sorted(maps.Keys(w.pages)) {
		for _, to := range w.pages[u] {
			if w.count[to] >= frame {
				continue
			}
			known, err := r.elsewhere(tx, u, to.to, now)
			if err != nil {
				return nil, err
			}
			if !known {
				pages = append(pages, u)
				break
			}
		}
	}
	return pages, nil
}

// elsewhere reports that what a page of a copy leads to is known without it.
func (r *Room) elsewhere(tx *store.Tx, u, to page.URL, now bool) (bool, error) {
	x, covered := r.of(to)
	if covered {
		if held, err := r.held(tx, x.stand); held != nil || err != nil {
			return true, err
		}
		to = x.stand
	}
	if !now {
		return false, nil
	}
	known, found, err := tx.URL(r.run, to.Key())
	return found && known.State != store.Known && known.Via != u.Key(), err
}

// stray has pages count that this run found to be the only way to something as such that differ, though
// their words agree: other pages may lead to more, and nobody knows of that while they are left out.
func (r *Room) stray(tx *store.Tx) error {
	pages, err := r.only(tx, &r.fresh, true)
	if err != nil {
		return err
	}
	for _, u := range pages {
		if t := r.compared[u]; t != nil {
			delete(r.compared, u)
			what := drifts
			if t.unseen {
				what = strays
			}
			r.count(t, what, -1)
		}
	}
	return nil
}
