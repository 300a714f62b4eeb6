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

// stranger reports a URL that no rule includes, on a host on which no seed lies and of which no earlier
// run had anything.
func (g *ground) stranger(u page.URL) bool {
	host := u.Host()
	for i := range g.plan.Sites {
		s := &g.plan.Sites[i]
		given := slices.Concat(s.Seeds, s.Characteristic, s.Superset)
		if slices.ContainsFunc(given, func(x page.URL) bool { return x.Host() == host }) ||
			slices.ContainsFunc(s.Include, func(r page.Rule) bool { return r.Match(u) }) {
			return false
		}
	}
	had := false
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
	return err == nil && !had
}
