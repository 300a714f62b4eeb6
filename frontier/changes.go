package frontier

import (
	"fmt"
	"maps"

	"watershed/page"
	"watershed/store"
)

// changes are those of one transaction to the frontier. Until it is committed, nobody else sees it.
type changes struct {
	f      *Frontier
	tx     *store.Tx
	totals store.Totals // differences
	sites  map[uint32]*store.Totals
	hosts  map[*host]*store.Host // new records of hosts
	fresh  map[page.Host]*host   // hosts that are new, also in hosts
	kin    map[string]int        // how many of these each registrable domain has
	deep   map[string]int        // how many nested files each registrable domain has
	steps  []func(now int64)     // in the order of the calls, under mu, when committed
	rows   []rowChange           // likewise, before steps
	number uint32
}

// rowChange is a queue row that enters or leaves.
type rowChange struct {
	host  *host
	place store.Place
	key   page.Key
	leave bool
}

// in gives the changes of the transaction at hand.
func (f *Frontier) in(tx *store.Tx) (*changes, error) {
	if f.changes != nil && f.changes.tx == tx {
		return f.changes, nil
	}
	f.mu.Lock()
	broken, hosts := f.broken, len(f.hosts)
	f.mu.Unlock()
	if broken != nil {
		return nil, broken
	}
	c := &changes{
		f: f, tx: tx, sites: map[uint32]*store.Totals{}, hosts: map[*host]*store.Host{},
		number: uint32(hosts),
	}
	f.changes = c
	tx.Before(c.write)
	tx.After(c.end)
	return c, nil
}

// update makes changes in a transaction of its own.
func (f *Frontier) update(do func(*changes) error) error {
	return f.st.Update(func(tx *store.Tx) error {
		c, err := f.in(tx)
		if err != nil {
			return err
		}
		return do(c)
	})
}

// write puts totals, sites and hosts into the transaction that is about to commit.
func (c *changes) write() error {
	f := c.f
	f.mu.Lock()
	totals := f.totals
	sites := map[uint32]store.Totals{}
	for i := range c.sites {
		if s := f.sites[i]; s != nil {
			sites[i] = s.totals
		} else {
			sites[i] = store.Totals{}
		}
	}
	f.mu.Unlock()
	totals.Plus(&c.totals)
	c.tx.PutTotals(f.run, &totals)
	for i, t := range sites {
		t.Plus(c.sites[i])
		c.tx.PutSite(f.run, i, &t)
	}
	for h, rec := range c.hosts {
		if c.fresh[rec.Name] == h && *rec == h.record() {
			continue // as it was put when it was made
		}
		if err := c.tx.PutHost(f.run, rec, false); err != nil {
			return err
		}
	}
	return nil
}

// end applies the changes, or forgets them.
func (c *changes) end(committed bool) {
	f := c.f
	f.changes = nil
	f.mu.Lock()
	defer f.mu.Unlock()
	if !committed {
		if c.tx.Split() {
			f.broken = fmt.Errorf("%w: a transaction failed half way", ErrBroken)
		}
		return
	}
	now := f.now()
	f.totals.Plus(&c.totals)
	for i, t := range c.sites {
		f.site(i).totals.Plus(t)
	}
	maps.Copy(f.hosts, c.fresh)
	for domain, n := range c.kin {
		f.kin[domain] += n
	}
	for domain, n := range c.deep {
		f.nested[domain] += n
	}
	for h, rec := range c.hosts {
		rec.Address = h.known().Address // Resolved may have told another one meanwhile
		h.commit(rec)
	}
	for _, h := range c.fresh {
		h.due = max(now, f.owed(h, now))
		h.own = h.due
		f.schedule.join(h, f.schedule.groupOf(f.groupAddress(h.known().Address)), now)
	}
	for _, r := range c.rows {
		f.moveRow(r, now)
	}
	for _, step := range c.steps {
		step(now)
	}
	f.signal()
}

func (b *books) site(i uint32) *site {
	s := b.sites[i]
	if s == nil {
		s = &site{}
		b.sites[i] = s
	}
	return s
}

// moveRow lets a row enter or leave its host's queue.
func (b *books) moveRow(r rowChange, now int64) {
	h, q := r.host, r.host.lane(r.place)
	waiting := q.waiting()
	top := uint8(0)
	if waiting > 0 {
		top = q.topRank()
	}
	if r.leave {
		q.leave(r.place)
	} else {
		if h.rows() == 0 {
			h.due = max(h.due, now) // so that its waiting counts from now
		}
		q.enter(r.place, r.key)
	}
	if h.known().Origins[q.which].GivenUp {
		b.startDrain(q, now)
	} else if w := q.waiting(); w == 0 || waiting == 0 || q.topRank() != top {
		b.schedule.place(h, now)
	}
}

// host gives the host's record as this transaction leaves it, to be changed.
func (c *changes) host(h *host) *store.Host {
	rec := c.hosts[h]
	if rec == nil {
		c.f.mu.Lock()
		copied := h.record() // Resolved may change the address meanwhile
		c.f.mu.Unlock()
		rec = &copied
		c.hosts[h] = rec
	}
	return rec
}

// hostOf finds the host of that name or makes it, numbered and with a record.
func (c *changes) hostOf(name page.Host) (*host, error) {
	f := c.f
	f.mu.Lock()
	h := f.hosts[name]
	f.mu.Unlock()
	if h != nil {
		return h, nil
	}
	if h = c.fresh[name]; h != nil {
		return h, nil
	}
	rec, err := c.inherit(name)
	if err != nil {
		return nil, err
	}
	c.number++
	rec.Name, rec.Number = name, c.number
	if err := c.tx.PutHost(f.run, &rec, true); err != nil {
		return nil, err
	}
	h = newHost(rec, f.ruleFor(name))
	if c.fresh == nil {
		c.fresh, c.kin = map[page.Host]*host{}, map[string]int{}
	}
	c.fresh[h.name] = h
	c.kin[h.name.Registrable()]++
	return h, nil
}

// inherit begins the record of a host with the delays and pauses that it had in the run before.
func (c *changes) inherit(name page.Host) (store.Host, error) {
	if c.f.run <= 1 {
		return store.Host{}, nil
	}
	old, found, err := c.tx.Host(c.f.run-1, name)
	if err != nil || !found {
		return store.Host{}, err
	}
	return store.Host{
		Due: old.Due, Last: old.Last, Slow: old.Slow, CrawlDelay: old.CrawlDelay,
		MinDelay: old.MinDelay, Address: old.Address,
	}, nil
}

// move counts and writes a record that takes the place of old (nil for none). settle keeps it with
// the visit.
func (c *changes) move(key page.Key, u, old *store.URL, settle bool) error {
	put := c.tx.PutURL
	if settle {
		put = c.tx.SettleURL
	}
	if err := put(c.f.run, key, u, old); err != nil {
		return err
	}
	if old != nil {
		c.count(old, -1)
	}
	c.count(u, 1)
	if old != nil && old.Place.Order != 0 && (old.Place != u.Place || old.Host != u.Host) {
		h, err := c.hostOf(u.URL.Host())
		if err != nil {
			return err
		}
		c.rows = append(c.rows, rowChange{host: h, place: old.Place, leave: true})
	}
	if u.Place.Order != 0 && (old == nil || old.Place != u.Place || old.Host != u.Host) {
		h, err := c.hostOf(u.URL.Host())
		if err != nil {
			return err
		}
		c.rows = append(c.rows, rowChange{host: h, place: u.Place, key: key})
	}
	return nil
}

func (c *changes) count(u *store.URL, n int64) {
	c.totals.Add(u, n)
	if u.State == store.Known {
		return // of no site yet
	}
	c.site(u.Site).Add(u, n)
}

func (c *changes) site(i uint32) *store.Totals {
	t := c.sites[i]
	if t == nil {
		t = &store.Totals{}
		c.sites[i] = t
	}
	return t
}

// enqueue makes u pending, at the end of its rank.
func (c *changes) enqueue(u *store.URL) error {
	h, err := c.hostOf(u.URL.Host())
	if err != nil {
		return err
	}
	c.f.order++
	u.State, u.Reason, u.Rule = store.Pending, store.NoReason, ""
	u.Host, u.Place = h.number, placeOf(u.URL, u.Priority, c.f.order)
	return nil
}

// sooner has u, which is pending, wait before the others of its rank.
func sooner(u *store.URL) {
	if bare(u.Place.Rank) < secureRank-1 {
		u.Place.Rank++
	}
}
