package harvest

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"time"

	"watershed/harvest/copies"
	"watershed/page"
	"watershed/replica"
	"watershed/replica/catalog"
)

// Copies is the harvest's list of single pages that the next run leaves out because another page
// has the same text: docs/formats/replicas.md. Each run makes it anew; it may be removed, or lines
// of it.
func (f Folder) Copies() string { return filepath.Join(string(f), "copies.tsv") }

// level is the resemblance from which on a text may stand for another one.
func (x *finder) level() float64 {
	return cmp.Or(x.plan.Replicas.Rule.Resemblance, copies.DefaultLevel)
}

// findSingles makes the list for the next run.
func (x *finder) findSingles(ctx context.Context, f *catalog.Finding, now time.Time) (int, error) {
	out, stoodFor, err := x.leftOutBy(f)
	if err != nil {
		return 0, err
	}
	held := func(u page.URL) bool {
		i, ok := f.Lookup(u)
		return ok && out[i] || u.PathQuery() == "/robots.txt" // which each run asks each host for
	}
	var list []catalog.Single
	if x.plan.Replicas.Singles > 0 && x.plan.Replicas.Confirm {
		rule := x.singleRule(f, stoodFor, now)
		rule.Held = held
		if list, err = f.Singles(ctx, rule); err != nil {
			return 0, fmt.Errorf("look for pages with the text of others: %w", err)
		}
	}
	singles := map[page.URL]copies.Single{}
	for i := range list {
		s := &list[i]
		singles[s.URL] = copies.Single{Stand: s.Stand, Resemblance: s.Resemblance, Runs: s.Sweeps}
	}
	return len(list), copies.WriteSingles(x.disk(), x.folder.Copies(), singles)
}

// leftOutBy tells which pages of a finding the table leaves out from now on, and for which page:
// those that it covers, without those for which no page stands, or no page that is like them (see
// setApart).
func (x *finder) leftOutBy(f *catalog.Finding) (out []bool, by map[page.URL][]page.URL, err error) {
	out, by = make([]bool, len(f.Pages)), map[page.URL][]page.URL{}
	for i := range f.Pages {
		u := f.Pages[i].URL
		stand, e, covered := x.copies.Table.Resolve(u)
		if !covered {
			continue
		}
		j, held := f.Lookup(stand)
		if held && !e.ByHand() && f.Pages[i].Text {
			r, err := f.Resemblance(uint32(i), j)
			if err != nil {
				return nil, nil, fmt.Errorf("compare %s with what stands for it: %w", u, err)
			}
			held = r >= x.level()
		}
		if out[i] = held; held {
			by[stand] = append(by[stand], u)
		}
	}
	return out, by, nil
}

// singleRule says which single pages the next run leaves out. Pages that stood for others go on
// standing, as do those of an original of which the copy has drifted. Seeds are fetched in any case, so
// they are the first choice to stand; a page that stands for others by the table is left out only for a
// page that these others are like, too.
func (x *finder) singleRule(f *catalog.Finding, stoodFor map[page.URL][]page.URL,
	now time.Time,
) catalog.SingleRule {
	r := &x.plan.Replicas
	rule := catalog.SingleRule{
		Resemblance: r.Singles, Sweeps: r.SingleRuns, Stands: map[page.URL]bool{}, Fixed: map[page.URL]bool{},
		Bound: map[page.URL]catalog.Standing{},
	}
	old, err := copies.ReadSingles(x.folder.Copies())
	if err != nil {
		x.log.Warn("the list of copies cannot be used and is made anew", "cause", err)
	}
	for _, s := range old {
		rule.Stands[s.Stand] = true
	}
	for _, e := range x.copies.Table.All() {
		for i := 0; e.Drifted() && i < len(f.Pages); i++ {
			if u := f.Pages[i].URL; e.Covers(u) {
				rule.Stands[e.Stand(u)] = true
				delete(rule.Stands, u)
			}
		}
	}
	for u, list := range stoodFor {
		rule.Bound[u] = catalog.Standing{For: list, Unseen: 1}
	}
	for _, e := range x.copies.InForce() {
		x.standing(f, &e, rule.Bound)
	}
	for _, u := range x.seeds() {
		rule.Fixed[u] = true
	}
	if age := x.plan.Replicas.Options.WithDefaults().Expire; age > 0 {
		rule.Oldest = now.Add(-age).Unix()
	}
	return rule
}

// standing notes the pages that stand for pages that an entry of the table leaves out, and how like
// them unseen pages will be that the entry may leave out later.
func (x *finder) standing(f *catalog.Finding, e *replica.Entry, into map[page.URL]catalog.Standing) {
	prefixes := []string{e.To}
	if replica.IsHost(e.To) {
		prefixes = []string{"http://" + e.To + "/", "https://" + e.To + "/"}
	}
	for _, prefix := range prefixes {
		lo, hi := f.Under(prefix)
		for i := lo; i < hi; i++ {
			u := f.Pages[i].URL
			s, known := into[u]
			if !known {
				s.Unseen = 1
			}
			if twin, ok := e.Twin(u); ok {
				if _, seen := f.Lookup(twin); !seen {
					s.Unseen = min(s.Unseen, e.Evidence.Resemblance)
				}
			}
			into[u] = s
		}
	}
}
