package harvest

import (
	"cmp"
	"fmt"
	"slices"

	"watershed/frontier"
	"watershed/page"
	"watershed/replica"
	"watershed/store"
)

// failover asks the replicas of pages that could not be had from their own hosts, the surest
// replica first, and reports how many URLs came to be wanted by it. The capture is that of the
// replica, under the replica's address; the ledger's line of the page that failed names it, and so
// does that page's metadata record.
func (c *copies) failover() (int, error) {
	mirrors := c.mirrors()
	if !c.h.plan.Replicas.Failover || len(mirrors) == 0 {
		return 0, nil
	}
	var wanted []rescue
	err := c.h.failures(func(u *store.URL) error {
		r, err := c.rescue(u, mirrors)
		if r.from != "" {
			wanted = append(wanted, r)
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("find what could not be had: %w", err)
	}
	if len(wanted) == 0 {
		return 0, nil
	}
	before := c.h.frontier.Stats().States[store.Pending]
	err = c.h.store.Update(func(tx *store.Tx) error {
		candidates := make([]frontier.Candidate, len(wanted))
		for i, r := range wanted {
			candidates[i] = frontier.Candidate{
				URL: r.from, Via: r.failed.URL,
				Hops: r.failed.Hops + string(page.Alternate.Hop()), Kind: page.Alternate, Wanted: true,
				Forced: true, Site: r.failed.Site,
			}
			err := tx.PutEntry(c.h.record.Number, store.Entry{
				Key: r.failed.URL.Key(), Reason: r.failed.Reason, Representative: r.from,
				Evidence: r.evidence, Time: c.h.record.Started,
			})
			if err != nil {
				return err
			}
		}
		_, err := c.h.frontier.Add(tx, candidates)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("ask replicas of what could not be had: %w", err)
	}
	n := int(c.h.frontier.Stats().States[store.Pending] - before)
	c.h.log.Info("pages that could not be had from their hosts are asked of replicas", "urls", n)
	return n, nil
}

// failures calls yield with every URL of the run that could not be had for a fault of its server:
// no answer, or one of 500 and above.
func (h *Harvest) failures(yield func(*store.URL) error) error {
	for u, err := range h.store.URLs(h.record.Number) {
		if err != nil {
			return err
		}
		if u.Vain() {
			if err := yield(&u); err != nil {
				return err
			}
		}
	}
	return nil
}

// rescue is a page that failed, and where a replica of it is to be had.
type rescue struct {
	failed   store.URL
	from     page.URL // "" for nowhere
	evidence string
}

// rescue finds the first replica of a page that was not asked in vain.
func (c *copies) rescue(failed *store.URL, mirrors []replica.Entry) (r rescue, err error) {
	err = c.h.store.View(func(tx *store.Tx) error {
		for i := range mirrors {
			u, ok := mirrors[i].Twin(failed.URL)
			if !ok {
				continue
			}
			known, found, err := tx.URL(c.h.record.Number, u.Key())
			if err != nil {
				return err
			}
			if found && known.URL == u {
				if known.State == store.Done && known.Status < 400 || known.State == store.Pending {
					return nil // it was had, or will be
				}
				if known.State != store.Known && !known.Reason.Stood() {
					continue // asked in vain, or not to be asked
				}
			}
			r = rescue{*failed, u, "replica of the page that failed; " + mirrors[i].String()}
			return nil
		}
		return nil
	})
	return r, err
}

// mirrors are the entries in force whose pages may stand in for those of their representatives, the
// surest first.
func (c *copies) mirrors() []replica.Entry {
	list := c.table.InForce([]int{1, 2, 3})
	slices.SortStableFunc(list, func(a, b replica.Entry) int { return cmp.Compare(a.Level, b.Level) })
	return list
}
