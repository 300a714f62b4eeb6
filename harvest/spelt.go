package harvest

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"

	"watershed/archive"
	"watershed/frontier"
	"watershed/page"
	"watershed/sitemap"
	"watershed/store"
)

// Bounds of what is held of the links that spell a URL as nobody asked for it: links looked at, 16
// bytes each and then forgotten, spellings of a URL, and URLs with them.
const (
	maxSpeltSeen = 1 << 20
	maxSpelt     = 8
	maxSpeltURLs = 1 << 20
)

// spelt are, of URLs of a run that were answered, the spellings that links on its pages have and
// that nobody asked for, by the spelling that was asked for last.
type spelt map[string][]page.Spelling

// spelt reads the links of the run, unless nothing was asked for that can be spelled in several
// ways. wants says by the status of a visit whether other spellings of its URL are looked for.
func (g *ground) spelt(ctx context.Context, wants func(status int) bool) (spelt, error) {
	asked, any := map[page.Key]bool{}, false
	for v, err := range g.store.Heads(g.record.Number, 0) {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
		if v.URL.Spellable() {
			asked[keyOf(v.URL, v.Spelled)] = true
			any = any || wants(v.Status)
		}
	}
	if !any {
		return nil, nil
	}
	found, seen := spelt{}, map[page.Key]bool{}
	for v, err := range g.store.Visits(g.record.Number, 0) {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
		for _, l := range v.Links {
			key := keyOf(l.URL, l.Spelled)
			if !l.URL.Spellable() || asked[key] || seen[key] || len(found) >= maxSpeltURLs {
				continue
			}
			if len(seen) >= maxSpeltSeen {
				clear(seen)
			}
			seen[key] = true
			u, known, err := g.urlOf(l.URL)
			if err != nil {
				return nil, err
			}
			as, other := u.URL.As(u.Spelled), page.Spelling(l.URL.As(l.Spelled))
			if known && u.State == store.Done && wants(u.Status) && len(found[as]) < maxSpelt &&
				!slices.Contains(found[as], other) {
				found[as] = append(found[as], other)
			}
		}
	}
	return found, nil
}

func keyOf(u page.URL, as page.Spelling) page.Key { return page.URL(u.As(as)).Key() }

// urlOf is what the run knows of a URL.
func (g *ground) urlOf(u page.URL) (x store.URL, found bool, err error) {
	err = g.store.View(func(tx *store.Tx) (err error) {
		x, found, err = tx.URL(g.record.Number, u.Key())
		return err
	})
	return x, found && x.URL == u, err
}

// respell has each URL that is not found, and that the site spells in another way too, asked for in
// that way: most servers take both for the same, but not all. It gives how many there are.
func (h *Harvest) respell(ctx context.Context) (n int, err error) {
	found, err := h.spelt(ctx, func(status int) bool {
		return status == http.StatusNotFound || status == http.StatusGone
	})
	if err != nil {
		return 0, err
	}
	for _, others := range found {
		u, as := others[0].URL()
		err := h.store.Update(func(tx *store.Tx) error {
			return h.frontier.Respell(tx, frontier.Turn{URL: u, Spelled: as})
		})
		if err != nil {
			return 0, err
		}
	}
	return len(found), nil
}

// add adds an entry of the index, and a line for each other spelling of its address.
func (s spelt) add(sorter *archive.Sorter, e *archive.Entry) error {
	if err := sorter.Add(e); err != nil || e.Status == "" || e.Extra["method"] != "" {
		return err
	}
	for _, as := range s[e.URL] {
		if err := sorter.Add(e.As(string(as))); err != nil {
			return err
		}
	}
	return nil
}

// spell finds out how the URLs of a map are spelled: as they were asked for or, where they were not,
// as a page that leads there has them.
func (g *ground) spell(m *sitemap.Map) error {
	m.Spelled = map[page.URL]page.Spelling{}
	unasked := map[page.URL][]page.URL{} // by the page that leads there
	for u, from := range m.Spellable() {
		x, found, err := g.urlOf(u)
		switch {
		case err != nil:
			return err
		case found && x.Spelled != "":
			m.Spelled[u] = x.Spelled
		case !found && from != "":
			unasked[from] = append(unasked[from], u)
		}
	}
	for _, from := range slices.Sorted(maps.Keys(unasked)) {
		spelled, err := g.linked(from, unasked[from])
		if err != nil {
			return err
		}
		for u, as := range spelled {
			m.Spelled[u] = cmp.Or(m.Spelled[u], as)
		}
	}
	return nil
}

// linked is how the links of a page spell those URLs of a list that they do not spell by their
// names.
func (g *ground) linked(from page.URL, list []page.URL) (map[page.URL]page.Spelling, error) {
	spelled := map[page.URL]page.Spelling{}
	x, found, err := g.urlOf(from)
	if err != nil || !found || x.Visit == 0 {
		return nil, err
	}
	err = g.store.View(func(tx *store.Tx) error {
		v, _, err := tx.Visit(g.record.Number, x.Visit)
		for _, l := range v.Links {
			if l.Spelled != "" && spelled[l.URL] == "" && slices.Contains(list, l.URL) {
				spelled[l.URL] = l.Spelled
			}
		}
		return err
	})
	return spelled, err
}
