package frontier

import (
	"fmt"
	"sync"
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

	// Of the writing transaction: used by one goroutine at a time, under the store's lock.
	changes *changes
	order   uint64 // last one given away

	keyOf func(page.URL) page.Key // page.URL.Key, but for tests of collisions

	dropped func(page.URL, store.Reason) // see OnDrop; nil tells nobody
	refused func(page.URL) []page.URL    // see OnDrop; nil for none

	turn chan struct{} // held by the one Lease that looks for a URL; the others queue up behind it
	bell               // something was committed or given back; the one that waits looks again

	mu sync.Mutex // guards the books; of their options those limits that change
	books
}

// books are what is committed, in memory: the hosts with their queues, what they have taken, and
// the leases in force. They see neither the store nor its transactions; the frontier's lock guards
// them.
type books struct {
	manners
	others   *neighbours // nil where there are none
	schedule schedule
	hosts    map[page.Host]*host
	kin      map[string]int // how many of them each registrable domain has
	nested   map[string]int // how many nested files each has, see Traps
	drains   []*lane
	untold   int  // URLs that were dropped since Lease said ErrDropped
	moot     bool // there may be hosts with an outcome that is moot: see strangers
	leases   map[uint64]*leased
	leased   [2]int64 // of these, for pages and for files
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
	leased [2]int64 // pages and files
}

// Open gives the frontier of a run, as the store has it: URLs that were leased when the process
// ended are pending again. It reads all host records and the keys of all pending URLs, about half a
// second for each million.
func Open(st *store.Store, run store.Run, o Options) (*Frontier, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	r := restorer{Frontier: newFrontier(st, run, o.withDefaults())}
	if err := r.restore(); err != nil {
		return nil, fmt.Errorf("open frontier: %w", err)
	}
	return r.Frontier, nil
}

// newFrontier gives a frontier that knows nothing.
func newFrontier(st *store.Store, run store.Run, o Options) *Frontier {
	return &Frontier{
		st: st, run: run, keyOf: page.URL.Key,
		turn: make(chan struct{}, 1), bell: make(bell, 1),
		books: books{
			manners:  manners{opt: o},
			others:   newNeighbours(o.Machine, o.Turns, o.Log),
			schedule: newSchedule(int64(o.Age), o.Hasty),
			hosts:    map[page.Host]*host{}, kin: map[string]int{}, nested: map[string]int{},
			leases: map[uint64]*leased{},
			sites:  map[uint32]*site{}, limits: map[page.Host]Limits{},
		},
	}
}

// OnDrop has a function told of each URL that is recorded as failed or skipped without having been
// leased: its host was given up, or a limit was reached. It is called when that is committed, under
// the frontier's lock: it must not call the frontier. When the origin of a URL is given up, refused, nil
// for none, names URLs of it that were fetched and got an answer that is none of its pages: they fail with
// it. OnDrop is called before the first Lease.
func (f *Frontier) OnDrop(dropped func(page.URL, store.Reason), refused func(page.URL) []page.URL) {
	f.dropped, f.refused = dropped, refused
}

// rows is how many URLs wait, as the queues are counted.
func (b *books) rows() (n int64) {
	for _, h := range b.hosts {
		n += int64(h.rows())
	}
	return n
}

// placeAll puts every host into the schedule. Which hosts were being fetched from when the process
// ended is not known, so all of them rest as if they had been.
func (b *books) placeAll() {
	now := b.opt.Now().UnixNano()
	for _, h := range b.hosts {
		h.due = max(now+int64(b.gap(h, 0)), b.owed(h, now))
		h.own = h.due
		for i, o := range h.known().Origins {
			switch due := b.believed(h, nanos(o.Due), now); {
			case o.Due.IsZero() || due == nanos(o.Due):
			case due == 0:
				h.tell().Origins[i].Due = time.Time{}
			default:
				h.tell().Origins[i].Due = timeOf(due)
			}
		}
		h.takeDues()
		g := b.schedule.groupOf(b.groupAddress(h.known().Address))
		if g.addr.IsValid() {
			g.due = now + int64(b.opt.AddressDelay)
		}
		b.schedule.join(h, g, now)
		b.drainGivenUp(h, now)
	}
}

// SetPaused keeps Lease from leasing, or lets it lease again; leases in force stay.
func (f *Frontier) SetPaused(paused bool) {
	f.mu.Lock()
	f.paused = paused
	f.mu.Unlock()
	f.signal()
}

func timeOf(ns int64) time.Time { return time.Unix(0, ns).UTC() }

// nanos is t in Unix nanoseconds, 0 for no time.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}
