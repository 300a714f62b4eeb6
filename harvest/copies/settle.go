package copies

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"watershed/frontier"
	"watershed/page"
	"watershed/store"
)

// round is what one look at the ledger finds to be done.
type round struct {
	back    []page.URL // that nothing stands for
	later   []page.URL // of which the stand is given back before, or waits for samples
	tickets []ticket   // that may be sampled
	wants   []frontier.Candidate
	leftOut bool          // of what was asked for some is left out in its turn
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
	x, err := r.final()
	if err == nil {
		err = r.frontier.GiveBack(x.back)
	}
	if err = cmp.Or(err, r.putLines(x.lines)); err != nil {
		return fmt.Errorf("give back what was left out for pages that the run does not have: %w", err)
	}
	return nil
}

// final judges what was left out by what the run has.
func (r *Room) final() (x round, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.st.View(r.stray); err != nil {
		return x, err
	}
	err = r.lines(func(tx *store.Tx, line *store.Entry, u *store.URL) error {
		if u.State != store.Skipped || !u.Reason.Stood() {
			return nil
		}
		v, err := r.judge(tx, u.URL, true)
		if err != nil {
			return err
		}
		if v.URL == "" || v.short {
			x.back = append(x.back, u.URL)
		} else {
			x.renew(line, &v)
		}
		return nil
	})
	return x, err
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
	giveBack := func(list []page.URL) error {
		r.mu.Lock()
		for _, u := range list {
			r.asked[u] = true
		}
		r.mu.Unlock()
		return r.frontier.GiveBack(list)
	}
	before := r.frontier.Stats().States[store.Pending]
	if err := giveBack(x.back); err != nil {
		return 0, false, err
	}
	if leftOut, err = r.goOn(x.wants); err != nil {
		return 0, false, err
	}
	if err := cmp.Or(r.putLines(x.lines), r.askRescues(x.rescues)); err != nil {
		return 0, false, err
	}
	if end && r.frontier.Stats().States[store.Pending] == before { // no stand comes any more
		if err := giveBack(x.later); err != nil {
			return 0, false, err
		}
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
		leftOut = leftOut || x.leftOut
		wants = x.wants
	}
	return leftOut, nil
}

// beyond walks on from those URLs among the asked ones that were left out, which the ledger has come to
// have lines of.
func (r *Room) beyond(asked []frontier.Candidate) (x round, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	err = r.st.View(func(tx *store.Tx) error {
		for i := range asked {
			u, found, err := tx.URL(r.run, asked[i].URL.Key())
			if err == nil && found && u.State == store.Skipped && u.Reason.Stood() {
				var v verdict
				if v, err = r.judge(tx, u.URL, true); err == nil {
					x.leftOut = true
					err = r.walk(tx, &x, &u, &v)
				}
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return x, err
}

// look goes through the ledger.
func (r *Room) look(end bool) (x round, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if end {
		err := cmp.Or(r.enter(r.finds.again(&r.samples, true), time.Now()), r.st.View(r.stray))
		if err != nil {
			return x, err
		}
	}
	err = r.lines(func(tx *store.Tx, line *store.Entry, u *store.URL) error {
		switch {
		case u.State == store.Skipped && u.Reason.Stood():
			return r.lookAt(tx, &x, u, line, end)
		case end && u.Vain() && line.Representative != "":
			return r.follow(tx, &x, u, line.Representative)
		}
		return nil
	})
	if err != nil || !end {
		return x, err
	}
	if err := r.st.View(func(tx *store.Tx) error { return x.lendFetched(r, tx) }); err != nil {
		return x, err
	}
	for _, t := range r.draw(x.tickets) {
		x.back = append(x.back, t.url)
	}
	if len(x.back)+len(x.wants) == 0 { // what was short of samples, and has no more to be sampled
		for _, t := range x.tickets {
			_, drawn := r.drawn[t.url]
			if s := r.stratum(t.rule.names[0], t.kind); !drawn && t.short && !s.covers(r.least(), t.url) {
				x.back = append(x.back, t.url)
			}
		}
	}
	x.rescues, err = r.rescues()
	return x, err
}

// lookAt judges a URL that was left out.
func (r *Room) lookAt(tx *store.Tx, x *round, u *store.URL, line *store.Entry, end bool) error {
	v, err := r.judge(tx, u.URL, end)
	if err != nil {
		return err
	}
	if end {
		if err := r.walk(tx, x, u, &v); err != nil {
			return err
		}
	}
	if v.URL == "" {
		return x.putBack(r, tx, u.URL)
	}
	if !end {
		return nil
	}
	lot, err := r.lot(tx, u.URL, &v.rule)
	if err != nil {
		return err
	}
	x.tickets = append(x.tickets, ticket{
		url: u.URL, lot: lot, rule: v.rule, kind: v.kind, unseen: v.held == nil, short: v.short,
	})
	x.renew(line, &v)
	return nil
}

// putBack has a URL given back: at once, or, where its stand was left out itself and will be fetched or
// sampled before the run ends, because its own stand was not had, after that.
func (x *round) putBack(r *Room, tx *store.Tx, u page.URL) error {
	v, err := r.judge(tx, u, false)
	if err != nil {
		return err
	}
	if v.URL != "" {
		_, state, err := r.now(tx, v.URL)
		if err != nil {
			return err
		}
		if state == deferred {
			stand, err := r.judge(tx, v.URL, true)
			if err != nil {
				return err
			}
			if stand.URL == "" || stand.short {
				x.later = append(x.later, u)
				return nil
			}
		}
	}
	x.back = append(x.back, u)
	return nil
}

// walk asks once for what a page that was left out leads to if it is like its stand. The survey itself
// follows what the page led to when it was captured.
func (r *Room) walk(tx *store.Tx, x *round, u *store.URL, v *verdict) error {
	if int(u.Site) >= len(r.owners.sites) || v.URL == "" || v.short || r.lent[u.URL] {
		return nil
	}
	held, err := r.held(tx, u.URL)
	if err != nil {
		return err
	}
	return r.lend(tx, x, u, held, &v.rule)
}

// want asks for what a page that was left out leads to, unless the run knows it already, or one has it
// which the run extends.
func (x *round) want(r *Room, tx *store.Tx, from *store.URL, l *page.Link, u page.URL, site uint32) error {
	if taken, err := r.taken(tx, u); taken || err != nil {
		return err
	}
	old, found, err := tx.URL(r.run, u.Key())
	if err != nil {
		return err
	}
	if found && old.State != store.Known {
		r.asked[u] = r.asked[u] || old.State == store.Done && old.Via == from.Key()
		return nil
	}
	r.asked[u] = true
	x.wants = append(x.wants, linked(from.URL, from.Hops, l, u, site))
	return nil
}

// linked is what a page's link leads to, or u in place of that, wanted for a site.
func linked(from page.URL, hops string, l *page.Link, u page.URL, site uint32) frontier.Candidate {
	c := frontier.Candidate{
		URL: u, Via: from, Hops: hops + string(l.Kind.Hop()), Kind: l.Kind, Inside: len(hops), Wanted: true,
		Site: site, Part: l.Kind.Requisite(),
	}
	if u == l.URL {
		c.Spelled = l.Spelled
	}
	return c
}

// formerSite is the site for which an earlier run captured a page, or left it out; known is false
// where none did, or the site, or the page, is no longer of the harvest.
func (c *captures) formerSite(tx *store.Tx, o *owners, u page.URL, from *page.Visit) (site uint32, known bool,
	err error,
) {
	name := from.Site
	held, err := c.held(tx, u)
	if err != nil {
		return 0, false, err
	}
	if held != nil {
		name = cmp.Or(held.Site, name)
	} else if out, err := c.leftOut(tx, u); err != nil || !out {
		return 0, false, err
	}
	site, known = o.siteOf(name)
	return site, known && !excludes(&o.sites[site], u) && !o.bars(u), nil
}
