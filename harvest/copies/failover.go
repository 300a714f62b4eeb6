package copies

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"watershed/frontier"
	"watershed/page"
	"watershed/replica"
	"watershed/store"
)

// rescue is a page that failed, and where a copy of it is to be had.
type rescue struct {
	failed   store.URL
	from     page.URL
	evidence string
}

// rescues finds, for each page that could not be had for a fault of its server, the first copy that
// was not asked in vain.
func (r *Room) rescues() (list []rescue, err error) {
	mirrors := r.Table.InForce([]int{0, 1, 2, 3})
	if !r.opt.Failover || len(mirrors) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(mirrors, func(a, b replica.Entry) int { // those that nobody classified come last
		return cmp.Compare(cmp.Or(a.Level, 4), cmp.Or(b.Level, 4))
	})
	for u, err := range r.st.URLs(r.run) {
		if err != nil {
			return nil, err
		}
		if !u.Vain() {
			continue
		}
		x, err := r.rescue(u, mirrors)
		if err != nil {
			return nil, err
		}
		if x.from != "" {
			list = append(list, x)
		}
	}
	return list, nil
}

func (r *Room) rescue(failed store.URL, mirrors []replica.Entry) (x rescue, err error) {
	err = r.st.View(func(tx *store.Tx) error {
		for i := range mirrors {
			u, ok := mirrors[i].Twin(failed.URL)
			if !ok || r.opt.Login(u) != r.opt.Login(failed.URL) || r.owners.bars(u) {
				continue
			}
			_, state, err := r.now(tx, u)
			if err != nil || state == had || state == waits {
				return err
			}
			known, found, err := tx.URL(r.run, u.Key())
			if err != nil {
				return err
			}
			if found && known.URL == u && known.State != store.Known && !known.Reason.Stood() {
				continue // asked in vain, or not to be asked
			}
			x = rescue{failed, u, "copy of the page that failed; " + mirrors[i].String()}
			return nil
		}
		return nil
	})
	return x, err
}

// askRescues asks copies for pages that failed. The capture is that of the copy, under its address;
// the ledger's line of the page that failed names it.
func (r *Room) askRescues(list []rescue) error {
	if len(list) == 0 {
		return nil
	}
	r.opt.Log.Info("pages that could not be had from their hosts are asked of copies", "urls", len(list))
	for batch := range slices.Chunk(list, settleBatch) {
		err := r.st.Update(func(tx *store.Tx) error {
			candidates := make([]frontier.Candidate, len(batch))
			for i := range batch {
				x := &batch[i]
				candidates[i] = frontier.Candidate{
					URL: x.from, Via: x.failed.URL, Hops: x.failed.Hops + string(page.Alternate.Hop()),
					Kind: page.Alternate, Wanted: true, Forced: true, Site: x.failed.Site,
				}
				err := tx.PutEntry(r.run, store.Entry{
					Key: x.failed.URL.Key(), Reason: x.failed.Reason, Representative: x.from,
					Evidence: x.evidence, Time: time.Now(),
				})
				if err != nil {
					return err
				}
			}
			_, err := r.frontier.Add(tx, candidates)
			return err
		})
		if err != nil {
			return fmt.Errorf("ask copies for what could not be had: %w", err)
		}
	}
	return nil
}

// follow goes on with the crawl of a host that is down through a copy of it: the pages to which a
// copy of a page that failed leads are asked for under their own addresses, and where these fail,
// too, of the copy.
func (r *Room) follow(tx *store.Tx, x *round, failed *store.URL, twin page.URL) error {
	if r.walked[failed.URL] {
		return nil
	}
	v, state, err := r.now(tx, twin)
	if err != nil || state != had {
		return err
	}
	r.walked[failed.URL] = true
	for i := range v.Links {
		l := &v.Links[i]
		own, ok := r.of(l.URL)
		if !ok || own.stand.Host() != failed.URL.Host() || excludes(&r.owners.sites[failed.Site], own.stand) {
			continue
		}
		if old, found, err := tx.URL(r.run, own.stand.Key()); err != nil {
			return err
		} else if found && old.State != store.Known {
			continue
		}
		x.wants = append(x.wants, linked(failed.URL, failed.Hops, l, own.stand, failed.Site))
	}
	return nil
}
