package harvest

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"watershed/page"
	"watershed/store"
)

// Hosts gives the hosts of all URLs that the runs of a harvest know, whether fetched or not, in
// order; none for a harvest that was never started. It reads every record, some hundred thousand a
// second. The error is store.ErrLocked while a run is under way.
func (f Folder) Hosts() (list []page.Host, err error) {
	if _, err := f.Last(); err != nil {
		if errors.Is(err, ErrNoRun) {
			err = nil
		}
		return nil, err
	}
	st, err := store.Open(store.Options{Dir: f.State(), ReadOnly: true, SkipCheck: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	hosts := map[page.Host]struct{}{}
	err = st.View(func(tx *store.Tx) error {
		for run, err := range tx.Runs() {
			if err != nil {
				return err
			}
			for u, err := range tx.URLs(run.Number) {
				if err != nil {
					return err
				}
				hosts[u.URL.Host()] = struct{}{}
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find the hosts that are known: %w", err)
	}
	return slices.Sorted(maps.Keys(hosts)), nil
}

// strangers makes a function that reports a URL that no rule includes, on a host on which no seed lies
// and of which no earlier run had anything.
func (g *ground) strangers() func(page.URL) bool {
	named := map[page.Host]bool{}
	var include []page.Rule
	for i := range g.plan.Sites {
		s := &g.plan.Sites[i]
		for _, u := range slices.Concat(s.Seeds, s.Characteristic, s.Superset) {
			named[u.Host()] = true
		}
		include = append(include, s.Include...)
	}
	return func(u page.URL) bool {
		included := func(r page.Rule) bool { return r.Match(u) }
		return !named[u.Host()] && !slices.ContainsFunc(include, included) && !g.hadBefore(u.Host())
	}
}

// hadBefore reports a host of which an earlier run had something.
func (g *ground) hadBefore(host page.Host) (had bool) {
	err := g.store.View(func(tx *store.Tx) error {
		for run := g.record.Number - 1; run > 0 && !had; run-- {
			h, _, err := tx.Host(run, host)
			if err != nil {
				return err
			}
			had = h.Done > 0 || h.Files > 0
		}
		return nil
	})
	return err != nil || had // of an error nothing follows
}
