package frontier

import (
	"fmt"

	"watershed/page"
	"watershed/store"
)

// represent makes sure of the page that stands for a URL that a prune rule leaves out: it was
// captured by some run, or waits in this one. If neither can be, stands is false and the URL is to
// be fetched itself. Other refusals need no page to stand for the URL.
func (c *changes) represent(u *store.URL, r refusal) (stands bool, err error) {
	if !r.reason.Stood() || r.representative == "" {
		return true, nil
	}
	stand, found, err := c.tx.URL(c.f.run, c.f.keyOf(r.representative))
	if err != nil {
		return false, err
	}
	if found && stand.URL == r.representative && stand.State != store.Known {
		return holds(&stand), nil
	}
	if held, err := captured(c.tx, r.representative); held || err != nil {
		return held, err
	}
	x := Candidate{
		URL: r.representative, via: u.Via, Hops: u.Hops, Kind: u.Kind, Wanted: true, Site: u.Site,
		Priority: u.Priority,
	}
	if _, _, err := c.add(&x); err != nil {
		return false, err
	}
	stand, found, err = c.tx.URL(c.f.run, c.f.keyOf(r.representative))
	return found && stand.URL == r.representative && stand.State == store.Pending, err
}

// holds reports that a URL of the run was captured, or still may be.
func holds(u *store.URL) bool {
	switch u.State {
	case store.Pending:
		return true
	case store.Done:
		return u.Status >= 200 && u.Status < 400
	}
	return false
}

// captured reports that some run has captured a URL.
func captured(tx *store.Tx, u page.URL) (bool, error) {
	_, found, err := tx.Capture(u)
	return found, err
}

// Orphans queues the URLs that prunes left out and whose representative could not be had after all:
// it failed, was refused, or is gone. They are fetched whatever the prunes say. It returns how many
// are pending that were not before; a crawl that has come to its end calls it, and goes on if there
// are any. It reads the whole ledger of the run, where a prune left anything out.
func (f *Frontier) Orphans() (int, error) {
	f.mu.Lock()
	pruned := f.totals.Reasons[store.Mirror] + f.totals.Reasons[store.Collection] +
		f.totals.Reasons[store.Copy]
	f.mu.Unlock()
	if pruned == 0 {
		return 0, nil
	}
	orphans := map[page.Key]bool{}
	err := f.st.View(func(tx *store.Tx) error {
		for x, err := range tx.Entries(f.run) {
			if err != nil {
				return err
			}
			if !x.Reason.Stood() || x.Representative == "" {
				continue
			}
			stand, found, err := tx.URL(f.run, f.keyOf(x.Representative))
			if err != nil {
				return err
			}
			held := found && stand.URL == x.Representative && holds(&stand)
			if !found || stand.State == store.Known {
				if held, err = captured(tx, x.Representative); err != nil {
					return err
				}
			}
			if !held {
				orphans[x.Key] = true
			}
		}
		return nil
	})
	if err != nil || len(orphans) == 0 {
		return 0, wrap("find what has lost its representative", err)
	}
	n, err := f.reopenAs(true, func(u *store.URL) bool { return orphans[f.keyOf(u.URL)] })
	return n, wrap("queue what has lost its representative", err)
}

func wrap(what string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
