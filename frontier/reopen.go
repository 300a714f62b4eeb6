package frontier

import (
	"fmt"

	"watershed/store"
)

// reopenBatch is how many records one transaction of Reopen changes.
const reopenBatch = 1000

// Reopen queues again all failed and skipped URLs that match says, for example those over a limit
// that was raised. It reads every record of the run, some hundred thousand a second, and works in
// transactions of its own; how many are pending again is returned, also with an error.
func (f *Frontier) Reopen(match func(*store.URL) bool) (reopened int, err error) {
	var batch []store.URL
	flush := func() error {
		err := f.reopen(batch, false)
		if err == nil {
			reopened += len(batch)
		}
		batch = batch[:0]
		return err
	}
	for u, err := range f.st.URLs(f.run) {
		if err != nil {
			return reopened, fmt.Errorf("reopen: %w", err)
		}
		if u.State != store.Failed && u.State != store.Skipped || u.Reason == store.Collision || !match(&u) {
			continue
		}
		if batch = append(batch, u); len(batch) == reopenBatch {
			if err := flush(); err != nil {
				return reopened, fmt.Errorf("reopen: %w", err)
			}
		}
	}
	if err := flush(); err != nil {
		return reopened, fmt.Errorf("reopen: %w", err)
	}
	return reopened, nil
}

// reopen queues a batch in one transaction; forced URLs are fetched whatever stands for them.
func (f *Frontier) reopen(batch []store.URL, forced bool) error {
	if len(batch) == 0 {
		return nil
	}
	return f.update(func(c *changes) error {
		for i := range batch {
			if err := c.reopen(&batch[i], forced); err != nil {
				return err
			}
		}
		return nil
	})
}

// reopen queues a URL, unless something has happened to it since.
func (c *changes) reopen(old *store.URL, forced bool) error {
	return c.edit(old.URL, func(u *store.URL) (bool, error) {
		if u.State != old.State || u.Reason != old.Reason {
			return false, nil
		}
		u.Tries = 0
		u.Forced = u.Forced || forced
		if err := c.tx.DeleteEntry(c.f.run, c.f.keyOf(u.URL)); err != nil {
			return false, err
		}
		return true, c.enqueue(u)
	})
}
