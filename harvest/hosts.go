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
