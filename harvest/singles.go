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

// findSingles makes the list for the next run.
func (x *finder) findSingles(ctx context.Context, f *catalog.Finding, now time.Time) (int, error) {
	out, err := x.leftOutBy(f)
	if err != nil {
		return 0, err
	}
	held := func(u page.URL) bool {
		i, ok := f.Lookup(u)
		return ok && out[i] || u.PathQuery() == "/robots.txt" // which each run asks each host for
	}
	var list []catalog.Single
	if x.plan.Replicas.Singles > 0 && x.plan.Replicas.Confirm {
		rule := x.singleRule(f, now)
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

// leftOutBy tells which pages of a finding the table leaves out from now on: those that it covers, but
// for those for which no page stands, or none that is like them.
func (x *finder) leftOutBy(f *catalog.Finding) (out []bool, err error) {
	out = make([]bool, len(f.Pages))
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
				return nil, fmt.Errorf("compare %s with what stands for it: %w", u, err)
			}
			held = r >= cmp.Or(x.plan.Replicas.Rule.Resemblance, copies.DefaultLevel)
		}
		out[i] = held
	}
	return out, nil
}

// singleRule says which single pages the next run leaves out. Pages that stood for others go on
// standing, as do those of an original of which the copy has drifted. Seeds are fetched in any case, so
// they are the first choice to stand; a page of an original in the table is left out only for one of the
// same text.
func (x *finder) singleRule(f *catalog.Finding, now time.Time) catalog.SingleRule {
	r := &x.plan.Replicas
	rule := catalog.SingleRule{
		Resemblance: r.Singles, Sweeps: r.SingleRuns, Stands: map[page.URL]bool{}, Fixed: map[page.URL]bool{},
		Bound: map[page.URL]bool{},
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
	for _, e := range x.copies.InForce() {
		for _, prefix := range replica.Prefixes(e.To) {
			for lo, hi := f.Under(prefix); lo < hi; lo++ {
				rule.Bound[f.Pages[lo].URL] = true
			}
		}
	}
	for _, u := range x.seeds() {
		rule.Fixed[u] = true
	}
	if age := x.plan.Replicas.Options.WithDefaults().Expire; age > 0 {
		rule.Oldest = now.Add(-age).Unix()
	}
	return rule
}
