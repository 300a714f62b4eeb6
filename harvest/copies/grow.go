package copies

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"watershed/page"
	"watershed/replica"
	"watershed/replica/growth"
	"watershed/replica/witness"
	"watershed/store"
)

// Grown is the method of entries that were found while a run went on.
const Grown = "growth"

// finds are the copies that are found while the run goes on. The zero value finds none.
//
// A copy that is found is entered in the table, in force. From then on its pages that wait are left
// out when their turn comes: for the time being, until Settle has drawn samples of them at the end.
// The pages that the run had before are evidence, but no samples of the rest.
type finds struct {
	grower  *growth.Grower // nil where nothing is looked for
	origins *witness.Origins
	names   map[string]page.URL // of the entries, and what stands for their places
	changed bool                // entries came or went
	visits  int                 // that were taken in
	review  int                 // visits at which the entries are reviewed next
}

func newFinds(p *Parts) (x finds) {
	if p.Began.IsZero() {
		return x
	}
	x.names = map[string]page.URL{}
	for _, e := range p.Table.All() {
		if e.Method == Grown && !e.Found.Before(p.Began.Truncate(time.Second)) {
			x.names[e.From] = ""
		}
	}
	var seeds []page.URL
	for i := range p.Sites {
		seeds = append(seeds, p.Sites[i].Seeds...)
	}
	x.origins = witness.NewOrigins(seeds)
	x.grower = growth.New()
	return x
}

// grow takes a visit in, and gives the copies that it shows. Cost: linear in the page, and for each
// of a few places some thousand pages at most.
func (x *finds) grow(v *page.Visit) (list []growth.Copy, err error) {
	if x.grower == nil || x.grower.Full() {
		return nil, nil
	}
	x.origins.Learn(v)
	x.visits++
	places, err := x.grower.Add(v)
	for _, p := range places {
		if c, ok := x.grower.Measure(p, x.rather); ok {
			list = append(list, c)
		}
	}
	return list, err
}

// rather says which of two places is the original, as far as it is known by now: see witness.Origins.
func (x *finds) rather(a, b string) (order int, sure bool) {
	p, q := page.URL(a), page.URL(b)
	if order = x.origins.Compare(p, q); order != 0 {
		return order, true
	}
	return x.origins.Order(p.Host(), q.Host()), false
}

// entryOf is the entry of a copy that was found while the run goes on.
func entryOf(c *growth.Copy, now time.Time) replica.Entry {
	e := replica.Entry{
		From: c.Place, To: c.Of, State: replica.Confirmed, Method: Grown, Found: now, Decided: now,
		Verified: now, By: "rule", Note: "found while the run went on",
		Evidence: replica.Evidence{
			Pages: c.Pages, Common: c.Twins, Tested: c.Twins, Agreed: c.Twins, Resemblance: c.Resemblance,
			Containment: c.Containment, Purity: c.Purity,
		},
	}
	place, of := page.URL(c.Place), page.URL(c.Of)
	if place.PathQuery() == "/" && of.PathQuery() == "/" {
		e.From, e.To = string(place.Host()), string(of.Host())
	}
	return e
}

// enter puts copies in force, but those on which somebody has decided, or which are left out already,
// and compares what the run has of them.
func (r *Room) enter(list []growth.Copy, now time.Time) error {
	var pages []page.URL // to be compared
	for i := range list {
		e := entryOf(&list[i], now)
		place, of := page.URL(list[i].Place), page.URL(list[i].Of)
		_, known := r.Table.Get(e.From)
		_, covered := r.of(place)
		_, denied := r.Table.Denial(&e)
		if known || covered || denied || strings.HasPrefix(string(of), string(place)) ||
			strings.HasPrefix(string(place), string(of)) || !r.owners.may(of) || r.Demotes(&e) {
			continue
		}
		var refused *replica.EntryError
		switch err := r.Table.Put(e); {
		case errors.As(err, &refused):
			continue // the table says already that the other one is the copy, or leads round
		case err != nil:
			return err
		}
		r.changed, r.finds.changed, r.finds.names[e.From] = true, true, ""
		r.opt.Log.Info("a copy was found while the run goes on", "copy", e.From, "original", e.To,
			"pages", list[i].Pages)
		pages = append(pages, r.finds.grower.Under(list[i].Place)...)
	}
	pages = append(pages, r.finds.forget(&r.samples)...)
	slices.Sort(pages)
	for _, u := range slices.Compact(pages) {
		delete(r.strangers, u)
		err := r.st.View(func(tx *store.Tx) error {
			v, found, err := r.recall(tx, u)
			if err != nil || !found {
				return err
			}
			return r.confront(tx, &v)
		})
		if err != nil {
			return fmt.Errorf("compare %s, which the run has of a copy: %w", u, err)
		}
	}
	return nil
}

// forget takes back the evidence of copies that have got another original since, and gives their pages:
// these told what the former original has. With a copy go those around it and within it, for which
// its pages are evidence, too. Cost: the pages of these copies, for each pair that is found to be a
// copy itself, or turned round.
func (x *finds) forget(r *samples) (pages []page.URL) {
	if !x.changed {
		return nil
	}
	x.changed = false
	moved := map[string]bool{}
	names := slices.Sorted(maps.Keys(x.names))
	for _, name := range names {
		by, covered := r.of(page.URL(x.placeOf(name)))
		if !covered || by.name != name {
			continue
		}
		before := x.names[name]
		x.names[name] = by.stand
		if before == "" || before == by.stand {
			continue
		}
		e := replica.Entry{From: name}
		for _, other := range names {
			if e.Meets(other) {
				moved[other] = true
			}
		}
	}
	for name := range moved {
		for kind := range kinds {
			delete(r.strata, stratumKey{name, kind})
		}
		pages = append(pages, x.grower.Under(x.placeOf(name))...)
	}
	for _, u := range pages {
		delete(r.drawn, u)
		delete(r.early, u)
		delete(r.doubted, u)
	}
	return pages
}

// again looks anew at the pairs that were found in this run, for what tells the original comes with the
// pages that lead to the two, and what is a copy with the pages of both. It ends pairs of which the copy
// looks like the original: where the other one is a copy, which is among those that it gives; and where
// it is not, but more than their order tells the original. It looks once for each eighth of visits more,
// or now. Cost: as of Measure for each such pair.
func (x *finds) again(r *samples, now bool) (list []growth.Copy) {
	if x.grower == nil || !now && x.visits < x.review {
		return nil
	}
	x.review = x.visits + max(x.visits/8, 64)
	for _, name := range slices.Sorted(maps.Keys(x.names)) {
		e, there := r.Table.Get(name)
		if !there || !e.ByRule() {
			continue
		}
		from, to := x.placeOf(e.From), x.placeOf(e.To)
		order, sure := x.rather(from, to)
		if order >= 0 {
			continue
		}
		c, ok := x.grower.Measure(growth.Candidate{A: from, B: to}, x.rather)
		turned := ok && strings.HasPrefix(c.Of, from)
		if !sure && !turned {
			continue
		}
		r.opt.Log.Info("what was found as a copy while the run goes on is the original", "original", e.From,
			"copy", e.To)
		r.Table.Delete(name)
		delete(x.names, name)
		r.changed, r.drifted, x.changed = true, true, true
		if turned {
			list = append(list, c)
		}
	}
	return list
}

// placeOf is the place of an entry's name, of a host by the scheme of which the run has pages.
func (x *finds) placeOf(name string) string {
	root := string(replica.RootOf(name))
	if replica.IsHost(name) && !x.grower.Has(root) {
		root = "https://" + name + "/"
	}
	return root
}

// recall gives the visit of a page in this run.
func (c *captures) recall(tx *store.Tx, u page.URL) (v page.Visit, found bool, err error) {
	x, found, err := tx.URL(c.run, u.Key())
	if err != nil || !found || x.URL != u || x.State != store.Done {
		return v, false, err
	}
	return tx.Visit(c.run, x.Visit)
}

// late reports an entry that was found in this run.
func (x *finds) late(by *rule) bool {
	_, late := x.names[by.name]
	return late && by.name != ""
}

// Late reports a URL that may have been queued before it was known to lie in a copy. It is meant for
// frontier.Options.Late.
func (r *Room) Late(u page.URL) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.finds.names) == 0 {
		return false
	}
	x, ok := r.of(u)
	return ok && r.finds.late(&x)
}
