package frontier

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"watershed/page"
	"watershed/store"
)

// Lease is the right and the duty to fetch one URL. Whoever has it calls exactly one of Finish,
// Postpone and Release, or has it taken back by Resolved.
type Lease struct {
	ID       uint64
	URL      page.URL
	Spelled  page.Spelling // what to ask for
	Host     page.Host
	Via      page.URL // the page on which it was found; "" for a seed
	Hops     string
	Kind     page.LinkKind
	Part     bool // wanted for what others need or list, not as a page
	Site     uint32
	Priority int64
	Tries    int  // fetches before this one that brought nothing
	Failing  bool // half as many attempts in a row had no usable answer of its origin as give that up
	Slowed   bool // its host asked to be left alone

	// Address is where to fetch it from. It is invalid when the host has to be resolved first: then
	// call Resolved.
	Address netip.Addr

	right context.Context // nil where it does not end
}

// While gives a context in which the lease's host may be asked: it ends with the harvest's part in its
// cluster, too.
func (l *Lease) While(ctx context.Context) (context.Context, context.CancelFunc) {
	if l.right == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(l.right, func() { cancel(context.Cause(l.right)) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// Lost reports that the host may not be asked any more: the lease is to be released.
func (l *Lease) Lost() bool { return l.right != nil && l.right.Err() != nil }

// leased is a lease in force.
type leased struct {
	id    uint64
	host  *host
	slot  slot
	key   page.Key
	url   page.URL
	site  uint32
	file  bool // see asFile
	hasty bool
	tries uint8
	start int64

	expired bool // it is taken from its holder
	kept    bool // it does not expire: see Keep

	spelled page.Spelling // what is asked for
	asked   string        // as in its record
	addr    netip.Addr
	entered netip.Addr // among the harvests of the machine
}

// mostUntold is how many URLs are dropped until Lease says so: some ten MB.
const mostUntold = 1 << 16

// Lease waits until a URL is due and leases it. It returns ErrDone when nothing is pending,
// waiting or leased, ErrDropped now and then while many URLs are dropped, an ErrLimit when the
// harvest has all it may fetch, and the context's error when that ends. Any number of goroutines
// may wait; one of them looks.
func (f *Frontier) Lease(ctx context.Context) (*Lease, error) {
	select {
	case f.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-f.turn }()
	for {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		l, next, err := f.next()
		if l != nil || err != nil {
			return l, err
		}
		if err := f.wait(ctx, f.until(next)); err != nil {
			return nil, err
		}
	}
}

// until is how long it is to a time; negative for never.
func (m *manners) until(at int64) time.Duration {
	if at == never {
		return -1
	}
	return max(time.Duration(at-m.now()), 0)
}

// bell wakes the one Lease that waits.
type bell chan struct{}

// signal makes the Lease that waits look again.
func (b bell) signal() {
	select {
	case b <- struct{}{}:
	default: // it is told already
	}
}

// wait returns after so long, if that is not negative, or at a signal.
func (b bell) wait(ctx context.Context, most time.Duration) error {
	var alarm <-chan time.Time
	if most >= 0 {
		t := time.NewTimer(most)
		defer t.Stop()
		alarm = t.C
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-b:
	case <-alarm:
	}
	return nil
}

// next leases a URL if one is due; else it says when to ask again at the latest.
func (f *Frontier) next() (l *Lease, next int64, err error) {
	for {
		job, l, next, err := f.look(f.now())
		if l != nil {
			if left, err := leaveOut(f, l); err != nil {
				return nil, 0, err
			} else if left {
				continue
			}
		}
		if err != nil || job == nil {
			return l, next, err
		}
		if err := job(); err != nil {
			return nil, 0, err
		}
	}
}

// look is next under the lock. A job is something to be done first, without it.
func (f *Frontier) look(now int64) (job func() error, l *Lease, next int64, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broken != nil {
		return nil, nil, 0, f.broken
	}
	expiry := int64(never)
	for _, l := range f.leases {
		switch at := l.start + int64(f.opt.LeaseTime); {
		case f.opt.LeaseTime <= 0 || l.kept:
		case at <= now:
			l.expired = true
			return func() error { return l.expire(f) }, nil, 0, nil
		default:
			expiry = min(expiry, at)
		}
	}
	if f.untold >= mostUntold {
		f.untold = 0
		return nil, nil, 0, ErrDropped
	}
	if l := f.nextDrain(); l != nil {
		return func() error { return f.update(func(c *changes) error { return c.drain(l) }) }, nil, 0, nil
	}
	if f.paused {
		return nil, nil, expiry, nil
	}
	if err := f.spent(); err != nil {
		return nil, nil, expiry, err
	}
	f.schedule.advance(now)
	for f.schedule.ready.Len() > 0 {
		if f.others.busy() {
			return nil, nil, now + int64(answerTime), nil
		}
		job, l, err := f.try(f.schedule.ready.Top().best(), now)
		if job != nil || l != nil || err != nil {
			return job, l, 0, err
		}
	}
	if len(f.leases) == 0 {
		if list := (strangers{&f.books}).waiting(); list != nil {
			part := func(c *changes) error { return c.part(list) }
			return func() error { return f.update(part) }, nil, 0, nil
		}
	}
	next = min(f.schedule.nextWake(), expiry)
	if next != never || len(f.leases) > 0 {
		return nil, nil, next, nil
	}
	if n := f.totals.States[store.Pending]; n > 0 {
		return func() error { return f.stray(n) }, nil, 0, nil
	}
	return nil, nil, 0, ErrDone
}

// stray is the end of a frontier whose queues have lost URLs; the next one to be opened counts anew
// and finds them.
func (f *Frontier) stray(n int64) error {
	if err := f.st.Update(func(tx *store.Tx) error { tx.Distrust(); return nil }); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.broken = fmt.Errorf("%w: %d URLs wait in no queue", ErrBroken, n)
	return f.broken
}

// try leases the first URL of a host that is due, unless a rule or a limit stands against it.
func (f *Frontier) try(h *host, now int64) (job func() error, l *Lease, err error) {
	var u store.URL
	var via page.URL
	agrees := false
	lane := h.turn
	err = f.st.View(func(tx *store.Tx) error {
		ok, err := lane.fill(tx, f.run, h.number)
		if err != nil || !ok {
			return err
		}
		if u, agrees, err = recordOf(tx, f.run, h, lane.window[0]); err != nil || !agrees || u.Via == 0 {
			return err
		}
		parent, _, err := tx.URL(f.run, u.Via)
		via = parent.URL
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	var r refusal
	full := false
	if agrees {
		r, full = f.inTurn(h, &u)
	}
	if !agrees || r.reason != store.NoReason {
		f.startDrain(lane, now)
		return func() error { return f.update(func(c *changes) error { return c.drain(lane) }) }, nil, nil
	}
	if full {
		// its site's last pages are being fetched: look again when they are
		h.due, h.lead = max(h.due, now+int64(time.Second)), 0
		f.schedule.place(h, now)
		return nil, nil, nil
	}
	right := f.others.right()
	if !f.enter(h, now) {
		return nil, nil, nil
	}
	l = f.grant(h, &u, via, now)
	l.right = right
	return nil, l, nil
}

// answerTime is when to look again for the answer of a cluster.
const answerTime = 20 * time.Millisecond

// enter takes a host, and its address if that is known, among the harvests of the machine. If one of
// them has to be left alone, it rests for as long, and nothing is taken.
func (b *books) enter(h *host, now int64) bool {
	if wait := b.others.enterHost(h.name, b.gap(h, 0)); wait > 0 {
		h.due, h.lead = max(h.due, now+int64(wait)), 0
		b.schedule.place(h, now)
		return false
	}
	if wait := b.others.enterAddress(h.group.addr, b.opt.AddressDelay); wait > 0 {
		b.others.leaveHost(h.name, 0, false)
		h.group.due = max(h.group.due, now+int64(wait))
		b.schedule.refresh(h.group, now)
		return false
	}
	return true
}

// recordOf reads the record of a row and reports whether it agrees.
func recordOf(tx *store.Tx, run store.Run, h *host, s slot) (u store.URL, agrees bool, err error) {
	u, found, err := tx.URL(run, s.key)
	return u, found && u.State == store.Pending && u.Host == h.number && u.Place == s.Place, err
}

// grant makes the lease.
func (b *books) grant(h *host, u *store.URL, via page.URL, now int64) *Lease {
	b.lastID++
	s := h.turn.take()
	l := &leased{
		id: b.lastID, host: h, slot: s, key: s.key, url: u.URL, site: u.Site, file: asFile(u),
		tries: u.Tries, spelled: u.Spelled, asked: u.Asked, start: now, entered: h.group.addr,
		hasty: b.opt.Hasty.has(u.Priority),
	}
	if h.known().resolved > now {
		l.addr = h.told.Address
	}
	b.leases[l.id] = l
	b.countLease(l, 1)
	h.busy, h.group.busy = true, true
	b.schedule.place(h, now)
	return &Lease{
		ID: l.id, URL: u.URL, Spelled: u.Spelled, Host: h.name, Via: via, Hops: u.Hops,
		Kind: u.Kind, Part: u.Part, Site: u.Site, Priority: u.Priority, Tries: int(u.Tries), Address: l.addr,
		Failing: b.hopeless(h.name, 2*h.known().Origins[store.LaneOf(u.URL)].Failures),
		Slowed:  h.known().Slow > 0,
	}
}

// countLease counts a lease for the limits.
func (b *books) countLease(l *leased, n int64) {
	b.leased[b2i(l.file)] += n
	b.site(l.site).leased[b2i(l.file)] += n
}

// release ends a lease: the host may be leased again from due on.
func (b *books) release(l *leased, due, now int64, touched bool) {
	h := l.host
	delete(b.leases, l.id)
	b.countLease(l, -1)
	h.lane(l.slot.Place).giveBack(l.slot)
	h.busy, h.group.busy = false, false
	h.due = max(h.due, due)
	if touched {
		h.lead = 0
	}
	if !touched && !h.known().Last.IsZero() { // a delay set meanwhile counts from the last request, too
		h.due = max(h.due, nanos(h.told.Last)+int64(b.gap(h, 0)))
	}
	if touched && h.group.addr.IsValid() {
		h.group.due = now + int64(b.opt.AddressDelay)
	}
	b.others.leaveHost(h.name, time.Duration(h.due-now), touched)
	b.others.leaveAddress(l.entered, b.opt.AddressDelay, touched)
	b.schedule.place(h, now)
}

// Resolved tells the addresses of a lease's host, which hold for ttl; at least one. It chooses one
// that nobody else is fetching from, and from which the lease's URL is to be fetched then. If all
// are busy or resting, ok is false: the lease is taken back, and its URL's turn comes when an
// address is free. An error that wraps ErrLease means that the lease is not in force.
func (f *Frontier) Resolved(l *Lease, addrs []netip.Addr, ttl time.Duration) (addr netip.Addr,
	ok bool, err error,
) {
	f.mu.Lock()
	defer f.mu.Unlock()
	in := f.leases[l.ID]
	if in == nil || len(addrs) == 0 {
		return netip.Addr{}, false, ErrLease
	}
	h, now := in.host, f.now()
	addr = f.choose(h, addrs, now)
	h.tell().resolved = now + int64(max(ttl, shortestTTL))
	h.told.Address = addr
	in.addr = addr
	if f.opt.SharedAddresses {
		return addr, true, nil
	}
	g := f.schedule.groupOf(addr)
	if g == h.group {
		return addr, true, nil
	}
	if !g.busy && g.due <= now {
		if wait := f.others.enterAddress(addr, f.opt.AddressDelay); wait > 0 {
			g.due = now + int64(wait)
		}
	}
	if g.busy || g.due > now {
		f.release(in, 0, now, false)
		f.schedule.join(h, g, now)
		f.signal()
		return addr, false, nil
	}
	f.others.leaveAddress(in.entered, 0, false)
	in.entered = addr
	h.group.busy = false
	g.busy = true
	f.schedule.join(h, g, now)
	f.signal() // another host of the group that was left may go
	return addr, true, nil
}

// shortestTTL keeps a name server that sets none from being asked for each page.
const shortestTTL = time.Minute

// choose takes the address that is free, or will be first; the one that failed last time only if
// there is no other.
func (b *books) choose(h *host, addrs []netip.Addr, now int64) netip.Addr {
	best, bestCost := addrs[0], int64(never)
	for _, a := range addrs {
		cost := int64(0)
		if g := b.schedule.groups[a]; g != nil && g != h.group {
			cost = max(g.due-now, 0)
			if g.busy {
				cost = never / 4
			}
		}
		if a == h.known().shunned {
			cost += never / 2
		}
		if cost < bestCost {
			best, bestCost = a, cost
		}
	}
	return best
}
