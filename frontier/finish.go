package frontier

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"time"

	"watershed/page"
	"watershed/store"
)

// Foretell gives the fate that Finish would give an outcome, for callers who must know it before
// they write: whether a 503 was the last try, for example.
func (f *Frontier) Foretell(l *Lease, o Outcome) Fate {
	f.mu.Lock()
	defer f.mu.Unlock()
	in := f.leases[l.ID]
	if in == nil {
		return Fate{}
	}
	return strangers{&f.books}.judge(&o, in, &in.host.known().Host)
}

// Finish ends a lease with its outcome: the URL is done, skipped or failed, or goes back to the end
// of its queue to be tried again, and the host rests. When the transaction is not committed, the
// lease stays in force.
func (f *Frontier) Finish(tx *store.Tx, l *Lease, o Outcome) (Fate, error) {
	c, in, err := f.ending(tx, l)
	if err != nil {
		return Fate{}, err
	}
	old, found, err := tx.URL(f.run, in.key)
	if err != nil {
		return Fate{}, err
	}
	if !found {
		return Fate{}, fmt.Errorf("finish %s: %w: its record is gone", in.url, store.ErrCorrupt)
	}
	rec := c.host(in.host)
	f.mu.Lock()
	who := strangers{&f.books}
	fate, moot := who.judge(&o, in, rec), who.moot(&o, in, rec)
	f.mu.Unlock()
	now := f.opt.Now()
	rest, own := f.treat(in, rec, &o, fate, now)
	lead := time.Duration(0)
	if in.hasty {
		rest, lead = f.hasten(in, rec, &o, rest, now)
	}
	u := old
	if err := c.finished(in.key, &u, rec, &o, fate); err != nil {
		return fate, err
	}
	fault := o.fault() && !in.hasty
	soon := fault && fate.State == store.Pending && in.host.faults >= fewFaults
	if soon {
		sooner(&u)
	}
	c.totals.Bytes += o.Bytes
	c.site(u.Site).Bytes += o.Bytes
	if err := c.move(in.key, &u, &old, true); err != nil {
		return fate, err
	}
	if fate.GivenUp && f.refused != nil {
		if err := c.again(f.refused(in.url)); err != nil {
			return fate, err
		}
	}
	c.steps = append(c.steps, func(int64) {
		end := now.UnixNano()
		in.host.begun = false
		in.host.trusts(&o)
		in.host.breaks = in.host.breaks || o.Broken && in.tries > 0
		if fault {
			in.host.faults = uint8(min(int(in.host.faults)+1, math.MaxUint8))
		} else if in.tries > 0 && fate.State == store.Done {
			in.host.faults = 0
		}
		f.release(in, end+int64(rest), end, !o.Unsent)
		if lead > 0 {
			in.host.lead = int64(lead)
			f.schedule.place(in.host, end)
		}
		in.host.own = max(in.host.own, end+int64(own))
		f.doubt(in, &o, end)
		in.host.tell().moot[store.LaneOf(in.url)] = moot
		f.moot = f.moot || moot
		if fate.GivenUp {
			c.givenUp(in.host, store.LaneOf(in.url), end)
		}
	})
	return fate, nil
}

// finished changes the record of a URL to its fate and counts it for its host.
func (c *changes) finished(key page.Key, u *store.URL, rec *store.Host, o *Outcome, fate Fate) error {
	u.Status = o.Status
	if o.Visit != 0 {
		u.Visit = o.Visit
	}
	if fate.State == store.Pending {
		if o.Respelled {
			u.Spelled, u.Asked = o.Spelled, u.Asked+fingerprint(u.URL.As(u.Spelled))
		} else {
			u.Tries++
		}
		if u.State != store.Pending {
			return nil // nobody wants it any more
		}
		return c.enqueue(u)
	}
	if fate.Reason == store.Loop {
		u.Tries, o.Evidence = uint8(len(u.Asked)/len(fingerprint(""))), "its redirects lead back to it"
	}
	u.State, u.Reason, u.Rule = fate.State, fate.Reason, ""
	if fate.State != store.Done || o.Status < 300 || o.Status > 399 {
		u.Asked = "" // no redirect leads back to it any more
	}
	switch fate.State {
	case store.Skipped:
		rec.Skipped++
		if fate.Reason == store.Robots {
			rec.Robots++
		}
		return c.skip(key, u, refusal{reason: fate.Reason, rule: o.Rule, evidence: o.Evidence})
	case store.Failed:
		u.Tries++
		u.Rule = after(o.cause(), int(u.Tries))
		rec.Failed++
	case store.Done:
		u.File = (u.Part || o.File) && !u.Redirects()
		countHost(rec, u, 1)
		if o.Unread != "" {
			u.Reason = store.Unread
			return c.tx.PutEntry(c.f.run, store.Entry{
				Key: key, Reason: store.Unread, Evidence: o.Unread,
				Time: c.f.opt.Now(),
			})
		}
	}
	return nil
}

// countHost counts a URL that was fetched for the limits of its host.
func countHost(rec *store.Host, u *store.URL, n int) {
	if u.File {
		rec.Files += uint64(n)
	}
	if u.File || !u.Redirects() {
		rec.Done += uint64(n)
	}
}

// doubt has a host resolved again when its address did not answer, and another one taken if there
// is one.
func (b *books) doubt(in *leased, o *Outcome, now int64) {
	h := in.host
	switch o.Status {
	case page.StatusConnect, page.StatusTimeout, page.StatusDNS:
		h.tell().resolved, h.tell().shunned = 0, in.addr
		if h.group.addr.IsValid() {
			b.schedule.join(h, b.schedule.groupOf(netip.Addr{}), now)
		}
	default:
		if !o.Unsent { // else nobody was asked
			h.tell().shunned = netip.Addr{}
		}
	}
}

// Postpone ends a lease whose host was asked for something else first, usually its robots.txt: the
// host rests and the URL returns to its place. Of o count ResponseTime, Bytes, Status and
// RetryAfter.
func (f *Frontier) Postpone(tx *store.Tx, l *Lease, o Outcome) error {
	c, in, err := f.ending(tx, l)
	if err != nil {
		return err
	}
	now := f.opt.Now()
	rec := c.host(in.host)
	moot := strangers{&f.books}.moot(&o, in, rec)
	rest, own := f.treat(in, rec, &o, Fate{}, now)
	c.totals.Bytes += o.Bytes
	c.steps = append(c.steps, func(int64) {
		end := now.UnixNano()
		in.host.begun = o.Status > 0
		in.host.trusts(&o)
		in.host.tell().moot[store.LaneOf(in.url)] = moot
		f.moot = f.moot || moot
		f.release(in, end+int64(rest), end, !o.Unsent)
		in.host.own = max(in.host.own, end+int64(own))
		f.doubt(in, &o, end)
	})
	return nil
}

// ending finds the lease that a transaction is about to end.
func (f *Frontier) ending(tx *store.Tx, l *Lease) (*changes, *leased, error) {
	c, err := f.in(tx)
	if err != nil {
		return nil, nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	in := f.leases[l.ID]
	if in == nil {
		return nil, nil, fmt.Errorf("%s: %w", l.URL, ErrLease)
	}
	return c, in, nil
}

// Release gives a lease back, unfinished: its URL is due again. If anything was sent to the host,
// touched, it rests first. Releasing a lease that is not in force does nothing.
func (f *Frontier) Release(l *Lease, touched bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	in := f.leases[l.ID]
	if in == nil {
		return
	}
	now := f.now()
	due := int64(0)
	if touched {
		due = now + int64(f.gap(in.host, 0))
	}
	in.host.own = max(in.host.own, due)
	f.release(in, due, now, touched)
	f.signal()
}

// Keep has a lease in force until its holder ends it, who has all that it needs for that: what is then
// written, and learnt of the page, holds. It is false for a lease that is not in force any more.
func Keep(f *Frontier, l *Lease) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	in := f.leases[l.ID]
	if in == nil || in.expired {
		return false
	}
	in.kept = true
	return true
}

// expire takes a lease back whose holder does not come back, as a try that brought nothing.
func (l *leased) expire(f *Frontier) error {
	err := f.st.Update(func(tx *store.Tx) error {
		_, err := f.Finish(tx, &Lease{ID: l.id, URL: l.url}, Outcome{
			Status:       page.StatusTimeout,
			ResponseTime: time.Second,
		})
		return err
	})
	if errors.Is(err, ErrLease) {
		return nil // it came back after all
	}
	return err
}
