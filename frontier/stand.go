package frontier

import (
	"fmt"
	"slices"

	"watershed/page"
	"watershed/store"
)

// stoodFor is the refusal of a URL for which another page stands. That page is asked for where
// nobody has yet; if it cannot be, the URL is fetched. A page that is left out itself stands for now: the
// crawl asks for it by GiveBack where its own stand is not had.
func (c *changes) stoodFor(u *store.URL) (refusal, error) {
	if c.f.opt.Stand == nil || c.f.opt.Hasty.has(u.Priority) {
		return refusal{}, nil
	}
	s, err := c.f.opt.Stand(c.tx, u.URL)
	if err != nil || s.URL == "" || s.URL == u.URL {
		return refusal{}, err
	}
	if s.Ask {
		x := Candidate{
			URL: s.URL, via: u.Via, Hops: u.Hops, Inside: len(u.Hops) - int(u.Depth), Kind: u.Kind,
			Wanted: true, Site: u.Site, Priority: u.Priority, Part: u.Part,
		}
		if s.Site > 0 {
			x.Site = uint32(s.Site - 1)
		}
		if _, _, err := c.add(&x); err != nil {
			return refusal{}, err
		}
		stand, found, err := c.tx.URL(c.f.run, c.f.keyOf(s.URL))
		waits := stand.State == store.Pending || stand.State == store.Skipped && stand.Reason.Stood()
		if err != nil || !found || stand.URL != s.URL || !waits {
			return refusal{}, err
		}
	}
	return refusal{reason: s.Reason, rule: s.Rule, evidence: s.Evidence, representative: s.URL}, nil
}

// leaveOut ends a lease whose URL another page has come to stand for since it was queued.
func leaveOut(f *Frontier, l *Lease) (left bool, err error) {
	if f.opt.Late == nil || !f.opt.Late(l.URL) {
		return false, nil
	}
	err = f.update(func(c *changes) error {
		_, in, err := f.ending(c.tx, l)
		if err != nil {
			return err
		}
		u, found, err := c.tx.URL(f.run, in.key)
		if err != nil || !found || u.State != store.Pending || u.Forced {
			return err
		}
		r, err := c.stoodFor(&u)
		if left = err == nil && r.reason != store.NoReason; !left {
			return err
		}
		c.steps = append(c.steps, func(now int64) { f.release(in, 0, now, false) })
		return c.giveUp(&refused{URL: u, host: in.host, why: r})
	})
	if err != nil {
		f.Release(l, false)
		return false, fmt.Errorf("leave out %s: %w", l.URL, err)
	}
	return left, nil
}

// GiveBack queues URLs that were left out because another page stood for them. They are fetched
// whatever Options.Stand says. Others of the list stay as they are.
func (f *Frontier) GiveBack(list []page.URL) error {
	for batch := range slices.Chunk(list, reopenBatch) {
		var urls []store.URL
		err := f.st.View(func(tx *store.Tx) error {
			for _, u := range batch {
				x, found, err := tx.URL(f.run, f.keyOf(u))
				if err != nil {
					return err
				}
				if found && x.URL == u && x.State == store.Skipped && x.Reason.Stood() {
					urls = append(urls, x)
				}
			}
			return nil
		})
		if err == nil {
			err = f.reopen(urls, true)
		}
		if err != nil {
			return fmt.Errorf("queue what nothing stands for: %w", err)
		}
	}
	return nil
}
