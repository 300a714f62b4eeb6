package frontier

import (
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"watershed/page"
	"watershed/store"
)

// Frontier decides what is fetched next and when, for one run of a harvest. Its methods may be
// called by several goroutines; those that take a *store.Tx are called inside store.Update (or as
// they say) and take effect when that transaction is committed. Lease must not be called inside a
// transaction.
//
// Invariants:
//  1. A URL is leased only if its record in the store is pending, and to one holder at a time.
//  2. No two leases are in force for one host, nor for one address unless Options.SharedAddresses.
//  3. Between the end of a lease that touched a host and the host's next lease lies at least the
//     host's delay, also across a restart.
//  4. Every URL that was pending ends as done, failed or skipped with a reason, or stays pending
//     when the crawl is stopped.
//  5. totals, sites, hosts and queues tell the committed state, and nothing else.
//
// A lease is in memory only. A process that dies leaves its leased URLs pending.
type Frontier struct {
	st  *store.Store
	run store.Run
	opt Options

	// Of the writing transaction: used by one goroutine at a time, under the store's lock.
	recent  recent
	changes *changes
	order   uint64 // last one given away

	keyOf func(page.URL) page.Key // page.URL.Key, but for tests of collisions
	least atomic.Int64            // delay of all hosts that was set by hand, in nanoseconds

	dropped func(page.URL, store.Reason) // see OnDrop; nil tells nobody
	turn    chan struct{}                // held by the one Lease that looks for a URL; the others queue up behind it
	changed chan struct{}                // something was committed or given back; the one that waits looks again

	mu       sync.Mutex // guards what follows
	schedule schedule
	hosts    map[page.Host]*host
	drains   []*lane
	leases   map[uint64]*leased
	leased   [2]int64 // of these, for pages and for parts
	lastID   uint64
	totals   store.Totals
	sites    map[uint32]*site
	limits   map[page.Host]Limits // of single hosts, set by hand
	paused   bool
	broken   error
}

// site is one of the harvest's sites, as committed.
type site struct {
	totals store.Totals
	leased [2]int64 // pages and parts
}

// Open gives the frontier of a run, as the store has it: URLs that were leased when the process
// ended are pending again. It reads all host records and the keys of all pending URLs, about half a
// second for each million.
func Open(st *store.Store, run store.Run, o Options) (*Frontier, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	f := &Frontier{
		st: st, run: run, opt: o,
		recent: newRecent(o.RecentURLs), keyOf: page.URL.Key,
		turn: make(chan struct{}, 1), changed: make(chan struct{}, 1),
		schedule: newSchedule(int64(o.Age)), hosts: map[page.Host]*host{}, leases: map[uint64]*leased{},
		sites: map[uint32]*site{}, limits: map[page.Host]Limits{},
	}
	if err := f.restore(); err != nil {
		return nil, fmt.Errorf("open frontier: %w", err)
	}
	return f, nil
}

// OnDrop has a function told of each URL that is recorded as failed or skipped without having been
// leased: its host was given up, or a limit was reached. It is called when that is committed, under
// the frontier's lock: it must not call the frontier. OnDrop is called before the first Lease.
func (f *Frontier) OnDrop(dropped func(page.URL, store.Reason)) { f.dropped = dropped }

// restore reads the store, and counts anew when a large transaction was cut in two by the end of a
// process.
func (f *Frontier) restore() error {
	var interrupted bool
	err := f.st.View(func(tx *store.Tx) (err error) {
		if interrupted, err = tx.Interrupted(); err != nil {
			return err
		}
		if f.totals, err = tx.Totals(f.run); err != nil {
			return err
		}
		if err = tx.EachSite(f.run, func(i uint32, t store.Totals) {
			f.sites[i] = &site{totals: t}
		}); err != nil {
			return err
		}
		return f.restoreQueues(tx)
	})
	if err != nil {
		return err
	}
	if (interrupted || f.rows() != f.totals.States[store.Pending]) && !f.st.ReadOnly() {
		if err := f.recount(); err != nil {
			return err
		}
	}
	f.placeAll()
	return nil
}

// restoreQueues makes the hosts and counts their rows.
func (f *Frontier) restoreQueues(tx *store.Tx) error {
	byNumber := map[uint32]*host{}
	for rec, err := range tx.Hosts(f.run) {
		if err != nil {
			return err
		}
		h := newHost(rec)
		h.rule = f.ruleFor(rec.Name)
		f.hosts[rec.Name] = h
		byNumber[rec.Number] = h
	}
	if f.countWaiting(byNumber) {
		return nil
	}
	var number uint32
	var h *host
	return tx.EachRow(f.run, func(n uint32, p store.Place) {
		if n != number || h == nil {
			number, h = n, byNumber[n]
		}
		f.order = max(f.order, p.Order)
		if h != nil {
			h.lane(p).count(p)
		}
	})
}

// countWaiting counts the rows by what the records of URLs say, and reports that these are all.
func (f *Frontier) countWaiting(byNumber map[uint32]*host) bool {
	if f.opt.Waiting == nil {
		return false
	}
	for q, rows := range f.opt.Waiting {
		if h := byNumber[q.Host]; h != nil {
			first := store.Place{Rank: q.Rank, Order: rows.First}
			h.lane(first).countAll(first, rows.Rows)
			f.order = max(f.order, rows.Last)
		}
	}
	f.opt.Waiting = nil
	if f.rows() == f.totals.States[store.Pending] {
		return true
	}
	for _, h := range f.hosts {
		h.forgetRows()
	}
	return false
}

// rows is how many URLs wait, as the queues are counted.
func (f *Frontier) rows() (n int64) {
	for _, h := range f.hosts {
		n += int64(h.rows())
	}
	return n
}

// placeAll puts every host into the schedule. Which hosts were being fetched from when the process
// ended is not known, so all of them rest as if they had been.
func (f *Frontier) placeAll() {
	now := f.opt.Now().UnixNano()
	for _, h := range f.hosts {
		h.due = max(now+int64(f.gap(h, &h.rec, 0)), f.owed(h, now))
		h.own = h.due
		for i := range h.rec.Origins {
			if o := &h.rec.Origins[i]; f.believed(h, nanos(o.Due), now) == 0 {
				o.Due = time.Time{}
			}
		}
		h.takeDues()
		g := f.schedule.groupOf(f.groupAddress(h.rec.Address))
		if g.addr.IsValid() {
			g.due = now + int64(f.opt.AddressDelay)
		}
		f.schedule.join(h, g, now)
		f.drainGivenUp(h, now)
	}
}

// owed is when a host of an earlier process or run may be asked again.
func (f *Frontier) owed(h *host, now int64) int64 { return f.believed(h, nanos(h.rec.Due), now) }

// believed is due, the time until which a host or an origin shall rest, or 0 where due lies further
// ahead than any rest lasts: then a clock was wrong when it was set, and the host would be left
// alone for years.
func (f *Frontier) believed(h *host, due, now int64) int64 {
	if longest := max(f.opt.RetryMax, f.opt.RetryAfterMax, f.gap(h, &h.rec, day)); due-now > int64(longest) {
		return 0
	}
	return due
}

// day is longer than answers take.
const day = 24 * time.Hour

// groupAddress is the address by which a host is grouped.
func (f *Frontier) groupAddress(a netip.Addr) netip.Addr {
	if f.opt.SharedAddresses {
		return netip.Addr{}
	}
	return a
}

func (f *Frontier) ruleFor(name page.Host) Politeness {
	for _, h := range f.opt.Hosts {
		if h.Match.Match(name) {
			return h.Politeness
		}
	}
	return f.opt.Politeness
}

// signal makes the Lease that waits look again.
func (f *Frontier) signal() {
	select {
	case f.changed <- struct{}{}:
	default: // it is told already
	}
}

// Pause keeps Lease from leasing until Resume; leases in force stay.
func (f *Frontier) Pause() { f.setPaused(true) }

// Resume ends Pause.
func (f *Frontier) Resume() { f.setPaused(false) }

func (f *Frontier) setPaused(v bool) {
	f.mu.Lock()
	f.paused = v
	f.mu.Unlock()
	f.signal()
}

func (f *Frontier) now() int64 { return f.opt.Now().UnixNano() }

func timeOf(ns int64) time.Time { return time.Unix(0, ns).UTC() }

// nanos is t in Unix nanoseconds, 0 for no time.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}
