package frontier

import (
	"slices"

	"watershed/page"
	"watershed/store"
)

// Unread records of a URL that was fetched that not all of it was read after all, and why.
func (f *Frontier) Unread(tx *store.Tx, u page.URL, cause string) error {
	c, err := f.in(tx)
	if err != nil {
		return err
	}
	return c.edit(u, func(x *store.URL) (bool, error) {
		if x.State != store.Done {
			return false, nil
		}
		x.Reason = store.Unread
		return true, tx.PutEntry(f.run, store.Entry{
			Key: f.keyOf(u), Reason: store.Unread, Evidence: cause, Time: f.opt.Now(),
		})
	})
}

// Retry queues a URL that failed for a reason that holds no more.
func Retry(f *Frontier, tx *store.Tx, u page.URL) error {
	c, err := f.in(tx)
	if err != nil {
		return err
	}
	old, found, err := tx.URL(f.run, f.keyOf(u))
	if err != nil || !found || old.URL != u || old.State != store.Failed {
		return err
	}
	return c.reopen(&old, false)
}

// Restore has URLs that were answered by a status be done by that, which were asked for once more, and did
// not come for a fault of the server or of the way there, or for a limit.
func Restore(f *Frontier, tx *store.Tx, urls []page.URL, status int) error {
	c, err := f.in(tx)
	if err != nil {
		return err
	}
	for _, text := range urls {
		if err := c.edit(text, func(u *store.URL) (bool, error) { return c.restore(u, status) }); err != nil {
			return err
		}
	}
	return nil
}

func (c *changes) restore(u *store.URL, status int) (changed bool, err error) {
	limited := u.State == store.Skipped && slices.Contains(
		[]store.Reason{store.LimitPages, store.LimitFiles, store.LimitBytes}, u.Reason)
	if u.Visit == 0 || !limited && !u.Vain() {
		return false, nil
	}
	h, err := c.hostOf(u.URL.Host())
	if err != nil {
		return false, err
	}
	was, rec := u.State, c.host(h)
	u.State, u.Reason, u.Rule, u.Status = store.Done, store.NoReason, "", status
	switch was {
	case store.Failed:
		rec.Failed--
	case store.Skipped:
		rec.Skipped--
	}
	if was != store.Done {
		countHost(rec, u, 1)
	}
	return true, c.tx.DeleteEntry(c.f.run, c.f.keyOf(u.URL))
}

// Lose has URLs be failed that were fetched, and whose server gave something else in place of them.
func Lose(f *Frontier, tx *store.Tx, urls []page.URL, cause string) error {
	c, err := f.in(tx)
	if err != nil {
		return err
	}
	return c.undo(urls, func(h *store.Host, u *store.URL) error {
		h.Failed++
		u.State, u.Reason, u.Rule = store.Failed, store.NoReason, cause
		return nil
	})
}

// AskAsPage queues a URL, which was fetched as what another page needs, as a page. It reports that it was.
func AskAsPage(f *Frontier, tx *store.Tx, text page.URL) (asked bool, err error) {
	c, err := f.in(tx)
	if err != nil {
		return false, err
	}
	err = c.undo([]page.URL{text}, func(_ *store.Host, u *store.URL) error {
		asked, u.Part, u.Kind = true, false, page.Navigation
		return c.enqueue(u)
	})
	return asked, err
}

// Again queues URLs that were fetched and whose capture was lost: its record did not reach the disk
// before the power failed, or that are to be asked for once more for another reason: they come before others
// of their rank, so that it is known soon whether that is of use. Others stay as they are.
func (f *Frontier) Again(tx *store.Tx, urls []page.URL) error {
	c, err := f.in(tx)
	if err != nil {
		return err
	}
	return c.again(urls)
}

func (c *changes) again(urls []page.URL) error {
	return c.undo(urls, func(_ *store.Host, u *store.URL) error {
		err := c.enqueue(u)
		sooner(u)
		return err
	})
}

// undo has the URLs that were fetched count as such no more, and makes something else of them.
func (c *changes) undo(urls []page.URL, as func(*store.Host, *store.URL) error) error {
	for _, text := range urls {
		err := c.edit(text, func(u *store.URL) (bool, error) {
			if u.State != store.Done {
				return false, nil
			}
			h, err := c.hostOf(u.URL.Host())
			if err != nil {
				return false, err
			}
			countHost(c.host(h), u, -1)
			return true, as(c.host(h), u)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
