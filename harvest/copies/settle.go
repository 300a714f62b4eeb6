package copies

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"watershed/frontier"
	"watershed/page"
	"watershed/replica"
	"watershed/store"
)

// round is what one look at the ledger finds to be done.
type round struct {
	back    []page.URL // that nothing stands for
	tickets []ticket   // that may be sampled
	wants   []frontier.Candidate
	walked  int           // pages of which the links were followed
	lines   []store.Entry // that have more to say by now
	rescues []rescue
}

// Settle is asked when nothing waits to be fetched. It follows the links of what was left out,
// gives back what nothing stands for after all, samples what was not sampled enough, and asks
// copies for what could not be had from its own host. It returns how many URLs wait by that; none
// says that the run has kept its promises, and each line of the ledger is final. It reads the whole
// ledger of the run, and again where more came to be left out.
func (r *Room) Settle() (int, error) {
	for {
		waiting, leftOut, err := r.settle(true)
		if err != nil {
			return waiting, fmt.Errorf("settle what was left out as copies: %w", err)
		}
		if waiting > 0 || !leftOut {
			return waiting, nil
		}
	}
}

// GiveBack has the pages of copies that have drifted since it was called last fetched, while the
// crawl goes on.
func (r *Room) GiveBack() error {
	r.mu.Lock()
	drifted := r.drifted
	r.drifted = false
	r.mu.Unlock()
	if !drifted {
		return nil
	}
	if _, _, err := r.settle(false); err != nil {
		return fmt.Errorf("give back copies that have drifted: %w", err)
	}
	return nil
}

// Stop gives back what the run left out for stands that it does not have, or before the evidence
// came, because it was stopped; the lines of the rest are final. Where the run goes on after all,
// what was given back is fetched.
func (r *Room) Stop() error {
	var x round
	err := r.st.View(func(tx *store.Tx) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		for line, err := range tx.Entries(r.run) {
			if err != nil {
				return err
			}
			u, found, err := tx.URL(r.run, line.Key)
			if err != nil {
				return err
			}
			if !found || u.State != store.Skipped || !u.Reason.Stood() {
				continue
			}
			v, err := r.judge(tx, u.URL, true)
			if err != nil {
				return err
			}
			if v.URL == "" || v.short {
				x.back = append(x.back, u.URL)
			} else {
				x.renew(&line, &v)
			}
		}
		return nil
	})
	if err == nil {
		err = r.frontier.GiveBack(x.back)
	}
	if err = cmp.Or(err, r.putLines(x.lines)); err != nil {
		return fmt.Errorf("give back what was left out for pages that the run does not have: %w", err)
	}
	return nil
}

// renew has a line of the ledger say what is known by now.
func (x *round) renew(line *store.Entry, v *verdict) {
	if line.Evidence != v.Evidence || line.Representative != v.URL || line.Reason != v.Reason {
		x.lines = append(x.lines, store.Entry{
			Key: line.Key, Reason: v.Reason, Representative: v.URL, Evidence: v.Evidence, Time: line.Time,
		})
	}
}

// settle looks at the ledger once. It tells how many URLs wait by that, and whether the ledger has
// come to have more lines.
func (r *Room) settle(end bool) (waiting int, leftOut bool, err error) {
	x, err := r.look(end)
	if err != nil {
		return 0, false, err
	}
	before := r.frontier.Stats().States[store.Pending]
	if err := r.frontier.GiveBack(x.back); err != nil {
		return 0, false, err
	}
	if leftOut, err = r.goOn(x.wants); err != nil {
		return 0, false, err
	}
	if err := cmp.Or(r.putLines(x.lines), r.askRescues(x.rescues)); err != nil {
		return 0, false, err
	}
	return int(r.frontier.Stats().States[store.Pending] - before), leftOut, nil
}

// goOn asks for what pages lead to that were left out. Some of that may be left out in its turn, and
// lead on: leftOut reports it.
func (r *Room) goOn(wants []frontier.Candidate) (leftOut bool, err error) {
	for len(wants) > 0 {
		for batch := range slices.Chunk(wants, settleBatch) {
			err := r.st.Update(func(tx *store.Tx) error {
				_, err := r.frontier.Add(tx, batch)
				return err
			})
			if err != nil {
				return false, err
			}
		}
		x, err := r.beyond(wants)
		if err != nil {
			return false, err
		}
		leftOut = leftOut || x.walked > 0
		wants = x.wants
	}
	return leftOut, nil
}

// beyond walks on from those URLs among the asked ones that were left out.
func (r *Room) beyond(asked []frontier.Candidate) (x round, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	err = r.st.View(func(tx *store.Tx) error {
		for i := range asked {
			u, found, err := tx.URL(r.run, asked[i].URL.Key())
			if err == nil && found && u.State == store.Skipped && u.Reason.Stood() {
				err = r.walk(tx, &x, &u)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return x, err
}

// settleBatch bounds what one transaction writes.
const settleBatch = 1000

// putLines writes lines of the ledger for URLs that are still left out.
func (r *Room) putLines(all []store.Entry) error {
	put := func(tx *store.Tx, x *store.Entry) error {
		u, found, err := tx.URL(r.run, x.Key)
		if err != nil || !found || u.State != store.Skipped || !u.Reason.Stood() {
			return err
		}
		return tx.PutEntry(r.run, *x)
	}
	for lines := range slices.Chunk(all, settleBatch) {
		err := r.st.Update(func(tx *store.Tx) (err error) {
			for i := 0; i < len(lines) && err == nil; i++ {
				err = put(tx, &lines[i])
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// look goes through the ledger.
func (r *Room) look(end bool) (x round, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	err = r.st.View(func(tx *store.Tx) error {
		count := map[stratumKey]int{}
		for line, err := range tx.Entries(r.run) {
			if err != nil {
				return err
			}
			u, found, err := tx.URL(r.run, line.Key)
			if err != nil {
				return err
			}
			switch {
			case !found:
			case u.State == store.Skipped && u.Reason.Stood():
				err = r.lookAt(tx, &x, &u, &line, end, count)
			case end && u.Vain() && line.Representative != "":
				err = r.follow(tx, &x, &u, line.Representative)
			}
			if err != nil {
				return err
			}
		}
		for k, n := range count {
			s := r.stratum(k.name, k.kind)
			s.known = max(s.known, n+s.asked)
		}
		return nil
	})
	if !end {
		for _, u := range x.back {
			r.asked[u] = true
		}
	}
	if err != nil || !end {
		return x, err
	}
	for _, t := range r.draw(x.tickets) {
		x.back = append(x.back, t.url)
	}
	if len(x.back)+len(x.wants) == 0 { // what was short of samples, and has no more to be sampled
		for _, t := range x.tickets {
			if s := r.stratum(t.rule.names[0], t.kind); !r.drawn[t.url] && t.short &&
				!s.covers(r.least(), t.fresh) {
				x.back = append(x.back, t.url)
			}
		}
	}
	for _, u := range x.back {
		r.asked[u] = true
	}
	x.rescues, err = r.rescues()
	return x, err
}

// lookAt judges a URL that was left out.
func (r *Room) lookAt(tx *store.Tx, x *round, u *store.URL, line *store.Entry, end bool,
	count map[stratumKey]int,
) error {
	v, err := r.judge(tx, u.URL, end)
	if err != nil {
		return err
	}
	if end {
		if err := r.walk(tx, x, u); err != nil {
			return err
		}
	}
	if v.URL == "" {
		x.back = append(x.back, u.URL)
		return nil
	}
	if !end {
		return nil
	}
	lot, err := r.lot(tx, u.URL, v.URL)
	if err != nil {
		return err
	}
	x.tickets = append(x.tickets, ticket{
		url: u.URL, lot: lot, rule: v.rule, kind: v.kind, fresh: v.fresh, short: v.short,
	})
	for _, name := range v.rule.names {
		count[stratumKey{name, v.kind}]++
	}
	x.renew(line, &v)
	return nil
}

// walk asks for what a page that was left out led to when it was captured: pages and files that an
// earlier run captured, or left out. The run may have no other way to them. It does so once.
func (r *Room) walk(tx *store.Tx, x *round, u *store.URL) error {
	if r.walked[u.URL] {
		return nil
	}
	r.walked[u.URL] = true
	x.walked++
	held, err := r.held(tx, u.URL)
	if err != nil || held == nil {
		return err
	}
	for i := range held.Links {
		l := &held.Links[i]
		old, found, err := tx.URL(r.run, l.URL.Key())
		if err != nil {
			return err
		}
		if found && old.State != store.Known {
			r.asked[l.URL] = r.asked[l.URL] || old.State == store.Done && old.Via == u.Key()
			continue
		}
		site, known, err := r.formerSite(tx, l.URL, held)
		if err != nil {
			return err
		}
		if !known {
			continue
		}
		r.asked[l.URL] = true
		x.wants = append(x.wants, frontier.Candidate{
			URL: l.URL, Spelled: l.Spelled, Via: u.URL, Hops: u.Hops + string(l.Kind.Hop()), Kind: l.Kind,
			Wanted: true, Site: site, Part: l.Kind == page.Embed,
		})
	}
	return nil
}

// formerSite is the site for which an earlier run captured a page, or left it out; known is false
// where none did, or the site, or the page, is no longer of the harvest.
func (r *Room) formerSite(tx *store.Tx, u page.URL, from *page.Visit) (site uint32, known bool, err error) {
	name := from.Site
	held, err := r.held(tx, u)
	if err != nil {
		return 0, false, err
	}
	if held != nil {
		name = cmp.Or(held.Site, name)
	} else if r.run > 1 {
		old, found, err := tx.Entry(r.run-1, u.Key())
		if err != nil || !found || !old.Reason.Stood() {
			return 0, false, err
		}
	}
	site, known = r.siteOf(name)
	return site, known && (held != nil || r.run > 1) && !excludes(&r.sites[site], u), nil
}

// rescue is a page that failed, and where a copy of it is to be had.
type rescue struct {
	failed   store.URL
	from     page.URL
	evidence string
}

// rescues finds, for each page that could not be had for a fault of its server, the first copy that
// was not asked in vain.
func (r *Room) rescues() (list []rescue, err error) {
	mirrors := r.Table.InForce([]int{1, 2, 3})
	if !r.opt.Failover || len(mirrors) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(mirrors, func(a, b replica.Entry) int { return cmp.Compare(a.Level, b.Level) })
	for u, err := range r.st.URLs(r.run) {
		if err != nil {
			return nil, err
		}
		if !u.Vain() {
			continue
		}
		x, err := r.rescue(u, mirrors)
		if err != nil {
			return nil, err
		}
		if x.from != "" {
			list = append(list, x)
		}
	}
	return list, nil
}

func (r *Room) rescue(failed store.URL, mirrors []replica.Entry) (x rescue, err error) {
	err = r.st.View(func(tx *store.Tx) error {
		for i := range mirrors {
			u, ok := mirrors[i].Twin(failed.URL)
			if !ok || r.opt.Login(u) != r.opt.Login(failed.URL) {
				continue
			}
			known, found, err := tx.URL(r.run, u.Key())
			if err != nil {
				return err
			}
			if found && known.URL == u {
				if known.State == store.Done && known.Status < 400 || known.State == store.Pending {
					return nil // it was had, or will be
				}
				if known.State != store.Known && !known.Reason.Stood() {
					continue // asked in vain, or not to be asked
				}
			}
			x = rescue{failed, u, "copy of the page that failed; " + mirrors[i].String()}
			return nil
		}
		return nil
	})
	return x, err
}

// askRescues asks copies for pages that failed. The capture is that of the copy, under its address;
// the ledger's line of the page that failed names it.
func (r *Room) askRescues(list []rescue) error {
	if len(list) == 0 {
		return nil
	}
	r.opt.Log.Info("pages that could not be had from their hosts are asked of copies", "urls", len(list))
	for batch := range slices.Chunk(list, settleBatch) {
		err := r.st.Update(func(tx *store.Tx) error {
			candidates := make([]frontier.Candidate, len(batch))
			for i := range batch {
				x := &batch[i]
				candidates[i] = frontier.Candidate{
					URL: x.from, Via: x.failed.URL, Hops: x.failed.Hops + string(page.Alternate.Hop()),
					Kind: page.Alternate, Wanted: true, Forced: true, Site: x.failed.Site,
				}
				err := tx.PutEntry(r.run, store.Entry{
					Key: x.failed.URL.Key(), Reason: x.failed.Reason, Representative: x.from,
					Evidence: x.evidence, Time: time.Now(),
				})
				if err != nil {
					return err
				}
			}
			_, err := r.frontier.Add(tx, candidates)
			return err
		})
		if err != nil {
			return fmt.Errorf("ask copies for what could not be had: %w", err)
		}
	}
	return nil
}

// follow goes on with the crawl of a host that is down through a copy of it: the pages to which a
// copy of a page that failed leads are asked for under their own addresses, and where these fail,
// too, of the copy.
func (r *Room) follow(tx *store.Tx, x *round, failed *store.URL, twin page.URL) error {
	if r.walked[failed.URL] {
		return nil
	}
	v, state, err := r.now(tx, twin)
	if err != nil || state != had {
		return err
	}
	r.walked[failed.URL] = true
	for i := range v.Links {
		l := &v.Links[i]
		own, ok := r.of(l.URL)
		if !ok || own.stand.Host() != failed.URL.Host() || excludes(&r.sites[failed.Site], own.stand) {
			continue
		}
		if old, found, err := tx.URL(r.run, own.stand.Key()); err != nil {
			return err
		} else if found && old.State != store.Known {
			continue
		}
		x.wants = append(x.wants, frontier.Candidate{
			URL: own.stand, Via: failed.URL, Hops: failed.Hops + string(l.Kind.Hop()), Kind: l.Kind,
			Wanted: true, Site: failed.Site,
		})
	}
	return nil
}
