package frontier

import (
	"watershed/page"
	"watershed/store"
)

// sweep records the URLs that are not to be fetched any more, in the order of their table. To read
// all records of a run so takes less time than to find a tenth of them by their rows, as drain does:
// what a limit left waiting may be most of what is known.
//
// A sweep is made of transactions that are as short as others. A sweep that the end of the process
// cuts short begins anew when the next URL is refused.
type sweep struct {
	least    int64    // no sweep for fewer URLs that may be taken
	underWay bool     // it goes on at from
	from     page.Key // all records before were read
	read     int64
	taken    int64
	known    int64 // no sweep before so many URLs are known, as the last one took few
}

const (
	leastSwept  = 10_000 // fewer are found by their rows in a second
	sweepShare  = 16     // a sweep is begun where it may take one of so many URLs
	sweepReads  = 4096   // records that a transaction reads at most
	sweepWrites = 1024   // and writes: half of what a transaction of the database holds
)

// consider begins a sweep where a limit or the end of a host leaves many URLs waiting, in all or in
// the lane in which one was refused.
func (b *books) consider(l *lane, reason store.Reason) {
	s, waiting := &b.sweep, b.totals.States[store.Pending]
	if reason == store.HostGivenUp {
		waiting = int64(l.waiting())
	}
	known := b.totals.Known()
	if !s.underWay && waiting >= s.least && waiting >= known/sweepShare && known >= s.known {
		*s = sweep{least: s.least, underWay: true}
	}
}

// swept takes over what a transaction of a sweep did.
func (b *books) swept(read, taken int, next page.Key, end bool) {
	s := &b.sweep
	s.read += int64(read)
	s.taken += int64(taken)
	s.from, s.underWay = next, !end
	if end && s.taken < s.read/sweepShare {
		s.known = 2 * s.read
	}
}

// sweepSome is a transaction of the sweep under way.
func (f *Frontier) sweepSome() error {
	return f.update(func(c *changes) error {
		f.mu.Lock()
		from := f.sweep.from
		f.mu.Unlock()
		read, end := 0, true
		var found []refused
		next := from
		for u, err := range c.tx.URLsFrom(f.run, from) {
			if err != nil {
				return err
			}
			if read == sweepReads || len(found) == sweepWrites {
				next, end = f.keyOf(u.URL), false
				break
			}
			read++
			if u.State != store.Pending {
				continue
			}
			f.mu.Lock()
			x, ok := f.refusedOf(u)
			f.mu.Unlock()
			if ok {
				found = append(found, x)
			}
		}
		for i := range found {
			if err := c.giveUp(&found[i]); err != nil {
				return err
			}
		}
		c.steps = append(c.steps, func(int64) { f.swept(read, len(found), next, end) })
		return nil
	})
}

// refused is a pending URL that is not to be fetched.
type refused struct {
	store.URL
	host *host
	why  refusal
}

// refusedOf finds out whether a URL is one, and not leased.
func (b *books) refusedOf(u store.URL) (x refused, ok bool) {
	h := b.hosts[u.URL.Host()]
	if h == nil || h.number != u.Host || h.lane(u.Place).out == u.Place {
		return x, false
	}
	x = refused{URL: u, host: h}
	x.why, _ = b.forbid(h, &u)
	return x, x.why.reason != store.NoReason
}

// giveUp records a URL that is refused.
func (c *changes) giveUp(x *refused) error {
	f, u := c.f, x.URL
	key := f.keyOf(u.URL)
	if err := c.skip(key, &u, x.why); err != nil {
		return err
	}
	rec := c.host(x.host)
	if x.why.reason == store.HostGivenUp {
		u.State = store.Failed
		rec.Failed++
	} else {
		rec.Skipped++
	}
	if f.dropped != nil {
		c.steps = append(c.steps, func(int64) {
			f.dropped(u.URL, u.Reason)
			f.untold++
		})
	}
	c.remember(key, checkOf(u.URL), &u)
	return c.move(key, &u, &x.URL, false)
}
