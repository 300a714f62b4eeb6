package frontier

import (
	"fmt"
	"iter"
	"time"

	"watershed/page"
	"watershed/store"
)

// SetCrawlDelay sets the delay that a host's robots.txt asks for; 0 for none. It holds from the end
// of the lease in force on.
func (f *Frontier) SetCrawlDelay(tx *store.Tx, name page.Host, d time.Duration) error {
	return f.setHost(tx, name, func(r *store.Host) { r.CrawlDelay = max(d, 0) })
}

// SetHostDelay sets the least pause of a host while crawling, from its last request on; 0 takes
// that back. It only lengthens what politeness wants by itself (Floor), and later runs inherit it.
func (f *Frontier) SetHostDelay(tx *store.Tx, name page.Host, d time.Duration) error {
	return f.setHost(tx, name, func(r *store.Host) { r.MinDelay = max(d, 0) })
}

// ResumeHost tries a host again that was given up; its URLs that were recorded as failed by then need
// Reopen.
func (f *Frontier) ResumeHost(tx *store.Tx, name page.Host) error {
	return f.setHost(tx, name, func(r *store.Host) { r.Origins = [store.Lanes]store.Origin{} })
}

func (f *Frontier) setHost(tx *store.Tx, name page.Host, change func(*store.Host)) error {
	c, err := f.in(tx)
	if err != nil {
		return err
	}
	h, err := c.hostOf(name)
	if err != nil {
		return err
	}
	change(c.host(h))
	c.steps = append(c.steps, func(now int64) { f.reschedule(h, now) })
	return nil
}

// reschedule puts a host where it belongs after its delay has changed: it rests for the new delay
// from its last request on, and for the time that it asked for itself.
func (b *books) reschedule(h *host, now int64) {
	if !h.known().Last.IsZero() && !h.busy {
		due := max(h.own, nanos(h.told.Last)+int64(b.gap(h, 0)))
		h.due, h.lead = max(due, min(h.due, now)), 0
	}
	b.schedule.place(h, now)
}

// Explanation is all that is known of one URL.
type Explanation struct {
	store.URL
	Run    store.Run // that knows this
	Leased bool
	Via    page.URL // the page on which it was found
	Entry  store.Entry
}

// Explain tells what is known of a URL, in this run or else in the first of those before that has
// seen it, which this one extends; found is false when none has.
func (f *Frontier) Explain(text page.URL, before ...store.Run) (x Explanation, found bool, err error) {
	err = f.st.View(func(tx *store.Tx) error {
		for _, run := range append([]store.Run{f.run}, before...) {
			if x, found, err = explain(tx, run, text, f.keyOf(text)); found || err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return x, false, fmt.Errorf("explain %s: %w", text, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, l := range f.leases {
		x.Leased = x.Leased || l.url == text
	}
	return x, found, nil
}

// explain tells what a run's rows have of a URL.
func explain(tx *store.Tx, run store.Run, text page.URL, key page.Key) (x Explanation, found bool,
	err error,
) {
	x.Run = run
	if x.URL, found, err = tx.URL(run, key); err != nil || !found || x.URL.URL != text {
		return x, found && x.URL.URL == text, err
	}
	via, _, err := tx.URL(run, x.URL.Via)
	if err != nil {
		return x, true, err
	}
	x.Via = via.URL
	x.Entry, _, err = tx.Entry(run, key)
	return x, true, err
}

// Left is a URL that was not fetched, or not read.
type Left struct {
	store.URL
	Entry store.Entry // zero when the record says all
}

// Left gives all URLs of the run that were not had: failed, skipped, still pending, and known to
// nobody's wish; the URLs that the server answered with an error of its own, and those that were
// fetched and not read in full. They come in no order.
func (f *Frontier) Left() iter.Seq2[Left, error] {
	return func(yield func(Left, error) bool) {
		stopped := false
		err := f.st.View(func(tx *store.Tx) error {
			entries := entriesOf(tx, f.run)
			defer entries.stop()
			for u, err := range tx.URLs(f.run) {
				if err != nil {
					return err
				}
				if u.State == store.Done && u.Reason != store.Unread && !u.Vain() {
					continue
				}
				left := Left{URL: u}
				if u.State == store.Failed || u.State == store.Done ||
					u.State == store.Skipped && u.Reason != store.Collision {
					if left.Entry, err = entries.of(f.keyOf(u.URL)); err != nil {
						return err
					}
				}
				if stopped = !yield(left, nil); stopped {
					break
				}
			}
			return nil
		})
		if err != nil && !stopped {
			yield(Left{}, err)
		}
	}
}

// entries gives the lines of the ledger to who asks in the order of their keys.
type entries struct {
	next func() (store.Entry, error, bool)
	stop func()
	at   store.Entry
	more bool // at is there
}

func entriesOf(tx *store.Tx, run store.Run) *entries {
	e := &entries{more: true}
	e.next, e.stop = iter.Pull2(tx.Entries(run))
	return e
}

// of gives the line of a key, which is not before the last one; the zero one where there is none.
func (e *entries) of(key page.Key) (x store.Entry, err error) {
	for e.more && e.at.Key < key {
		if e.at, err, e.more = e.next(); err != nil {
			return x, err
		}
	}
	if e.more && e.at.Key == key {
		x = e.at
	}
	return x, nil
}
