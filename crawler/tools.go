package crawler

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"watershed/archive"
	"watershed/crawler/cookie"
	"watershed/crawler/fetch"
	"watershed/frontier"
	"watershed/page"
	"watershed/store"
)

// tools are the parts of a crawl and its options, with the patience that a full disk asks for.
type tools struct {
	Parts
	opt   Options
	space space
	hold  hold
	news  news
	needs *cookie.Needs // nil where no cookie is sent
}

// news wakes those who wait for something to change in the store.
type news struct {
	mu   sync.Mutex
	next chan struct{} // closed by the next change; nil where nobody waits
}

// coming is closed when something changes after this call.
func (n *news) coming() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.next == nil {
		n.next = make(chan struct{})
	}
	return n.next
}

func (n *news) ring() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.next != nil {
		close(n.next)
		n.next = nil
	}
}

// update is store.Update that pauses on a full disk, until the context ends.
func (t *tools) update(ctx context.Context, fn func(*store.Tx) error) error {
	for {
		err := t.Store.Update(fn)
		if !errors.Is(err, store.ErrNoSpace) {
			t.space.roomy()
			t.news.ring()
			return err
		}
		if err := t.awaitSpace(ctx, err); err != nil {
			return err
		}
	}
}

// write appends drafts to the archive, or to that for what was had with a login. A full disk pauses
// the crawl until there is room.
func (t *tools) write(ctx context.Context, login string, drafts ...archive.Draft) ([]page.Location, error) {
	to := t.Archive
	if t.Apart[login] != nil {
		to = t.Apart[login]
	}
	for {
		locs, err := to.Write(drafts...)
		if !errors.Is(err, archive.ErrNoSpace) {
			t.space.roomy()
			return locs, err
		}
		if err := t.awaitSpace(ctx, err); err != nil {
			return nil, err
		}
	}
}

// lastTime is for how long a request goes on when the crawl ends: most answers are here by then, and
// need not be asked for again.
const lastTime = 500 * time.Millisecond

// fetchUnder makes a request under a lease; it ends with the right to ask the lease's host, and soon
// after the context.
func fetchUnder(ctx context.Context, w *fetch.Worker, l *frontier.Lease, q fetch.Request) *page.Exchange {
	if ctx.Err() == nil {
		last, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		defer context.AfterFunc(ctx, func() { time.AfterFunc(lastTime, cancel) })()
		ctx = last
	}
	ctx, end := l.While(ctx)
	defer end()
	return w.Fetch(ctx, q)
}

// spoiled reports an exchange that says nothing of the page, because the crawl was stopped during
// it, the right to ask the host was lost, or the disk was full; in that case it waits for room. The
// URL is due again. So it is where the lease has expired meanwhile, which is an error; any other lease
// stays in force from here on.
func (t *tools) spoiled(ctx context.Context, l *frontier.Lease, x *page.Exchange) (ended bool,
	err error,
) {
	switch {
	case x.Err != nil && ctx.Err() != nil:
		return true, context.Cause(ctx)
	case x.Err != nil && l.Lost():
		return true, nil
	case errors.Is(x.Err, fetch.ErrSpool):
		return true, t.awaitSpace(ctx, x.Err)
	case !frontier.Keep(t.Frontier, l):
		return true, fmt.Errorf("%s: %w", l.URL, frontier.ErrLease)
	}
	return false, nil
}

// secure saves. Where the disk is full it has the crawl wait for room; the next call saves then.
func (t *tools) secure(ctx context.Context, save func() error) error {
	err := save()
	if isFull(err) {
		return t.pause(ctx, err)
	}
	return err
}

// isFull reports an error of writing that a full disk caused.
func isFull(err error) bool {
	return errors.Is(err, store.ErrNoSpace) || errors.Is(err, archive.ErrNoSpace)
}

// pause keeps workers from new leases until there is room on the disk.
func (t *tools) pause(ctx context.Context, cause error) error {
	t.hold.set(t.Frontier, forSpace, time.Now())
	defer func() { t.hold.release(t.Frontier, forSpace, time.Now()) }()
	return t.awaitSpace(ctx, cause)
}

// awaitSpace returns when there is room again, as far as the system tells, or with ErrNoSpace when
// no write has found any for Options.DiskWait. cause, for the log, is what found the disk full.
func (t *tools) awaitSpace(ctx context.Context, cause error) error {
	deadline := t.space.full().Add(t.opt.DiskWait)
	for {
		free, path := t.space.free()
		if t.space.setPaused(true) {
			t.opt.Log.Error("disk full, the harvest is paused", "path", path, "free_bytes", free,
				"needed_bytes", max(t.space.limit, spare), "waits_until", deadline, "cause", cause)
		}
		left := time.Until(deadline)
		if left <= 0 {
			return fmt.Errorf("%w: %d MiB are free on the disk of %s, %d MiB are needed", ErrNoSpace,
				free>>20, path, max(t.space.limit, spare)>>20)
		}
		if err := sleep(ctx, min(left, 2*time.Second)); err != nil {
			return err
		}
		if free, _ := t.space.free(); free > max(t.space.limit, spare) {
			t.opt.Log.Info("there is room on the disk again", "free_bytes", free)
			t.space.setPaused(false)
			return nil
		}
	}
}

// spare is the room that must be free again before a crawl that met a full disk goes on: the room
// that the state demands, and some more.
const spare = store.DefaultMinFreeBytes + 16<<20

// sleep waits, or returns the context's error.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
