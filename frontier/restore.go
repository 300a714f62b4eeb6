package frontier

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/zeebo/xxh3"

	"watershed/page"
	"watershed/store"
)

// restorer fills the books of a frontier that is being opened from the store.
type restorer struct {
	*Frontier
	asked int // rows that were looked for one by one
}

// restore reads the store, and counts anew when a large transaction was cut in two by the end of a
// process.
func (r *restorer) restore() error {
	var interrupted bool
	err := r.st.View(func(tx *store.Tx) (err error) {
		if interrupted, err = tx.Interrupted(); err != nil {
			return err
		}
		if r.totals, err = tx.Totals(r.run); err != nil {
			return err
		}
		if err = tx.EachSite(r.run, func(i uint32, t store.Totals) {
			r.sites[i] = &site{totals: t}
		}); err != nil {
			return err
		}
		return r.restoreQueues(tx)
	})
	if err != nil {
		return err
	}
	if (interrupted || r.rows() != r.totals.States[store.Pending]) && !r.st.ReadOnly() {
		if err := r.recount(); err != nil {
			return err
		}
	}
	r.placeAll()
	return nil
}

// restoreQueues makes the hosts and counts their rows.
func (r *restorer) restoreQueues(tx *store.Tx) error {
	byNumber := map[uint32]*host{}
	for rec, err := range tx.Hosts(r.run) {
		if err != nil {
			return err
		}
		h := newHost(rec, r.ruleFor(rec.Name))
		r.hosts[h.name] = h
		r.kin[h.name.Registrable()]++
		byNumber[rec.Number] = h
	}
	if r.countWaiting(byNumber) {
		return nil
	}
	var number uint32
	var h *host
	return tx.EachRow(r.run, func(n uint32, p store.Place) {
		if n != number || h == nil {
			number, h = n, byNumber[n]
		}
		r.order = max(r.order, p.Order)
		if h != nil {
			h.lane(p).count(p)
		}
	})
}

// countWaiting counts the rows by what the records of URLs say, and reports that these are all.
func (r *restorer) countWaiting(byNumber map[uint32]*host) bool {
	if r.opt.Waiting == nil {
		return false
	}
	for q, rows := range r.opt.Waiting {
		if h := byNumber[q.Host]; h != nil {
			first := store.Place{Rank: q.Rank, Order: rows.First}
			h.lane(first).countAll(first, rows.Rows)
			r.order = max(r.order, rows.Last)
		}
	}
	r.opt.Waiting = nil
	if r.rows() == r.totals.States[store.Pending] {
		return true
	}
	for _, h := range r.hosts {
		h.forgetRows()
	}
	return false
}

// recount makes totals, sites, queues and queue rows from the records alone, for a store whose
// writer died half way through a large transaction, or whose database brought deleted rows back. It
// reads every record and row of the run once, in the order of their tables. Only of hosts whose rows
// are not those that the records ask for, each is looked for.
func (r *restorer) recount() error {
	differ := sums{}
	totals := store.Totals{Bytes: r.totals.Bytes}
	sites := map[uint32]*store.Totals{}
	for i, s := range r.sites {
		sites[i] = &store.Totals{Bytes: s.totals.Bytes}
	}
	for _, h := range r.hosts {
		h.forgetRows()
	}
	for u, err := range r.st.URLs(r.run) {
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
		r.order = max(r.order, u.Place.Order)
		h := r.hosts[u.URL.Host()]
		if h == nil || h.number != u.Host {
			return fmt.Errorf("%w: %s waits for host %d, which has no record", store.ErrCorrupt,
				u.URL, u.Host)
		}
		h.lane(u.Place).count(u.Place)
		differ.add(u.Host, u.Place, r.keyOf(u.URL), 1)
	}
	if err := r.mendRows(differ); err != nil {
		return err
	}
	r.totals = totals
	for i, t := range sites {
		r.sites[i] = &site{totals: *t}
	}
	return r.keepCounts(&totals, sites)
}

// mostRecounted is how many totals of sites are written at once: those of very many sites are more than
// a transaction takes.
const mostRecounted = 1 << 10

// keepCounts writes what was counted. Until all is written the store says that it is to be counted.
func (r *restorer) keepCounts(totals *store.Totals, sites map[uint32]*store.Totals) error {
	err := r.st.Update(func(tx *store.Tx) error { tx.Distrust(); return nil })
	for part := range slices.Chunk(slices.Collect(maps.Keys(sites)), mostRecounted) {
		if err != nil {
			return err
		}
		err = r.st.Update(func(tx *store.Tx) error {
			for _, i := range part {
				tx.PutSite(r.run, i, sites[i])
			}
			return nil
		})
	}
	if err != nil {
		return err
	}
	return r.st.Update(func(tx *store.Tx) error {
		tx.PutTotals(r.run, totals)
		tx.Repaired()
		return nil
	})
}

// sums tell by the numbers of hosts what their rows are: the sum of a hash of each, without carry.
// Of two lists of rows the sums are equal where the rows are, in whatever order, and else with a
// probability of 5e-20.
type sums map[uint32]uint64

// add takes a row in n times, or out where n is -1.
func (s sums) add(host uint32, p store.Place, key page.Key, n int) {
	var b [17]byte
	b[0] = p.Rank
	binary.BigEndian.PutUint64(b[1:], p.Order)
	binary.BigEndian.PutUint64(b[9:], uint64(key))
	s[host] += uint64(n) * xxh3.Hash(b[:])
}

// mendRows writes the rows that are missing and deletes those that no record stands for; differ has
// the sums of those that should be there.
func (r *restorer) mendRows(differ sums) error {
	err := r.st.View(func(tx *store.Tx) error {
		for row, err := range tx.Rows(r.run) {
			if err != nil {
				return err
			}
			differ.add(row.Host, row.Place, row.Key, -1)
		}
		return nil
	})
	if err != nil {
		return err
	}
	maps.DeleteFunc(differ, func(_ uint32, sum uint64) bool { return sum == 0 })
	if len(differ) == 0 {
		return nil
	}
	for u, err := range r.st.URLs(r.run) {
		if err != nil {
			return err
		}
		if _, differs := differ[u.Host]; !differs || u.State != store.Pending {
			continue
		}
		if err := r.restoreRow(&u); err != nil {
			return err
		}
	}
	return r.deleteStrayRows(differ)
}

// restoreRow writes the row of a pending URL, should it be gone.
func (r *restorer) restoreRow(u *store.URL) error {
	there := false
	r.asked++
	err := r.st.View(func(tx *store.Tx) (err error) {
		there, err = tx.HasRow(r.run, u)
		return err
	})
	if err != nil || there {
		return err
	}
	return r.st.Update(func(tx *store.Tx) error { return tx.PutURL(r.run, r.keyOf(u.URL), u, nil) })
}

// deleteStrayRows deletes the rows of some hosts that no record stands for.
func (r *restorer) deleteStrayRows(differ sums) error {
	var stray []store.Row
	err := r.st.View(func(tx *store.Tx) error {
		for row, err := range tx.Rows(r.run) {
			if err != nil {
				return err
			}
			if _, differs := differ[row.Host]; !differs {
				continue
			}
			r.asked++
			u, found, err := tx.URL(r.run, row.Key)
			if err != nil {
				return err
			}
			if !found || u.State != store.Pending || u.Host != row.Host || u.Place != row.Place {
				stray = append(stray, row)
			}
		}
		return nil
	})
	if err != nil || len(stray) == 0 {
		return err
	}
	return r.st.Update(func(tx *store.Tx) error {
		for _, row := range stray {
			if err := tx.DeleteRow(r.run, row); err != nil {
				return err
			}
		}
		return nil
	})
}
