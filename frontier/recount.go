package frontier

import (
	"fmt"

	"watershed/store"
)

// recount makes totals, sites, queues and queue rows from the records alone, for a store whose
// writer died half way through a large transaction, or whose database brought deleted rows back. It
// reads every record and row of the run.
func (f *Frontier) recount() error {
	totals := store.Totals{Bytes: f.totals.Bytes}
	sites := map[uint32]*store.Totals{}
	for i, s := range f.sites {
		sites[i] = &store.Totals{Bytes: s.totals.Bytes}
	}
	for _, h := range f.hosts {
		h.forgetRows()
	}
	for u, err := range f.st.URLs(f.run) {
		if err != nil {
			return err
		}
		totals.Add(&u, 1)
		if u.State != store.Known {
			if sites[u.Site] == nil {
				sites[u.Site] = &store.Totals{}
			}
			sites[u.Site].Add(&u, 1)
		}
		if u.State != store.Pending {
			continue
		}
		f.order = max(f.order, u.Place.Order)
		h := f.hosts[u.URL.Host()]
		if h == nil || h.rec.Number != u.Host {
			return fmt.Errorf("%w: %s waits for host %d, which has no record", store.ErrCorrupt,
				u.URL, u.Host)
		}
		h.lane(u.Place).count(u.Place)
		if err := f.restoreRow(&u); err != nil {
			return err
		}
	}
	if err := f.deleteStrayRows(); err != nil {
		return err
	}
	f.totals = totals
	for i, t := range sites {
		f.sites[i] = &site{totals: *t}
	}
	return f.st.Update(func(tx *store.Tx) error {
		tx.PutTotals(f.run, &totals)
		for i, t := range sites {
			tx.PutSite(f.run, i, t)
		}
		tx.Repaired()
		return nil
	})
}

// restoreRow writes the row of a pending URL, should it be gone.
func (f *Frontier) restoreRow(u *store.URL) error {
	there := false
	err := f.st.View(func(tx *store.Tx) (err error) {
		there, err = tx.HasRow(f.run, u)
		return err
	})
	if err != nil || there {
		return err
	}
	return f.st.Update(func(tx *store.Tx) error { return tx.PutURL(f.run, f.keyOf(u.URL), u, nil) })
}

// deleteStrayRows deletes the rows that no record stands for.
func (f *Frontier) deleteStrayRows() error {
	var stray []store.Row
	err := f.st.View(func(tx *store.Tx) error {
		for r, err := range tx.Rows(f.run) {
			if err != nil {
				return err
			}
			u, found, err := tx.URL(f.run, r.Key)
			if err != nil {
				return err
			}
			if !found || u.State != store.Pending || u.Host != r.Host || u.Place != r.Place {
				stray = append(stray, r)
			}
		}
		return nil
	})
	if err != nil || len(stray) == 0 {
		return err
	}
	return f.st.Update(func(tx *store.Tx) error {
		for _, r := range stray {
			if err := tx.DeleteRow(f.run, r); err != nil {
				return err
			}
		}
		return nil
	})
}
