package harvest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"time"

	"watershed/harvest/copies"
	"watershed/page"
	"watershed/replica"
	"watershed/replica/catalog"
	"watershed/store"
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
	out, stoodFor, apart, err := x.leftOutBy(f)
	if err != nil {
		return 0, err
	}
	held := func(u page.URL) bool {
		i, ok := f.Lookup(u)
		return ok && out[i] || u.PathQuery() == "/robots.txt" // which each run asks each host for
	}
	var list []catalog.Single
	if x.plan.Replicas.Confirm {
		rule := x.singleRule(f, stoodFor, now)
		if rule.Held = held; rule.Resemblance > 0 {
			list, err = f.Singles(ctx, rule)
		} else {
			list, err = x.siblings(f, &rule, apart)
		}
		if err != nil {
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
// those that it covers, without those for which no page stands, or no page that is like them.
// Apart are the texts among the latter, by what would stand for them.
func (x *finder) leftOutBy(f *catalog.Finding) (out []bool, by map[page.URL][]page.URL,
	apart map[page.URL][]uint32, err error,
) {
	out, by, apart = make([]bool, len(f.Pages)), map[page.URL][]page.URL{}, map[page.URL][]uint32{}
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
				return nil, nil, nil, fmt.Errorf("compare %s with what stands for it: %w", u, err)
			}
			held = r >= x.level()
		}
		if out[i] = held; held {
			by[stand] = append(by[stand], u)
		} else if f.Pages[i].Text && !f.Pages[i].Part {
			apart[stand] = append(apart[stand], uint32(i))
		}
	}
	return out, by, apart, nil
}

// maxSiblings bounds with how many pages of other copies a page of one is compared.
const maxSiblings = 8

// siblings finds the pages that copies of an original have under the same path, and that it lacks or has
// otherwise: of those that are alike a seed, or the one with most in itself, stands for the others.
func (x *finder) siblings(f *catalog.Finding, r *catalog.SingleRule, apart map[page.URL][]uint32) (
	list []catalog.Single, err error,
) {
	for _, pages := range apart {
		if len(pages) < 2 {
			continue
		}
		order, err := x.holdMost(f, r, pages)
		if err != nil {
			return nil, err
		}
		slices.SortStableFunc(pages, func(i, j uint32) int { return cmp.Compare(order[j], order[i]) })
		var stands []uint32
		for _, i := range pages {
			s := catalog.Single{URL: f.Pages[i].URL, Sweeps: 1}
			for n := 0; n < len(stands) && s.Stand == "" && f.Pages[i].Time >= r.Oldest; n++ {
				like, err := f.Resemblance(i, stands[n])
				if err != nil {
					return nil, err
				}
				if like >= x.level() && !r.Fixed[s.URL] && !r.Held(s.URL) {
					s.Stand, s.Resemblance = f.Pages[stands[n]].URL, like
				}
			}
			if s.Stand != "" {
				list = append(list, s)
			} else if len(stands) < maxSiblings {
				stands = append(stands, i)
			}
		}
	}
	return list, nil
}

// holdMost ranks pages that may stand for each other: seeds, then those that hold most in themselves.
func (x *finder) holdMost(f *catalog.Finding, r *catalog.SingleRule, pages []uint32) (map[uint32]int, error) {
	order := map[uint32]int{}
	return order, x.store.View(func(tx *store.Tx) error {
		for _, i := range pages {
			u := f.Pages[i].URL
			last, _, err := tx.Capture(u)
			if err != nil {
				return err
			}
			v, _, err := tx.Visit(last.Run, last.Visit)
			if err != nil {
				return err
			}
			if order[i] = len(v.Inlay); r.Fixed[u] {
				order[i] = math.MaxInt
			}
		}
		return nil
	})
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
