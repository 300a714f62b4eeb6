package frontier

import (
	"fmt"

	"watershed/store"
)

// spent applies the limits of the harvest. wait: the leases in force may reach the limits, so that
// no more may be given now.
func (f *Frontier) spent() (wait bool, err error) {
	lim := f.opt.Limits
	done := f.totals.States[store.Done]
	switch {
	case lim.Pages > 0 && done >= lim.Pages:
		return false, &LimitError{Reason: store.LimitPages, Limit: lim.Pages}
	case lim.Bytes > 0 && f.totals.Bytes >= lim.Bytes:
		return false, &LimitError{Reason: store.LimitBytes, Limit: lim.Bytes}
	}
	return lim.Pages > 0 && done+int64(len(f.leases)) >= lim.Pages, nil
}

// forbid finds the reason, if there is one, not to fetch a URL whose turn has come. full: the
// leases in force may use up what its site has left.
func (f *Frontier) forbid(h *host, u *store.URL) (r refusal, full bool) {
	if o := &h.rec.Origins[store.LaneOf(u.URL)]; o.GivenUp {
		return refusal{reason: store.HostGivenUp, rule: after(o.Cause, int(o.Failures))}, false
	}
	if r := f.pruned(u.URL); r.reason != store.NoReason && !u.Forced {
		return r, false
	}
	if r := f.limitsOf(h.rec.Name).reached("host "+string(h.rec.Name), int64(h.rec.Done),
		h.rec.Bytes); r.reason != store.NoReason {
		return r, false
	}
	if int(u.Site) >= len(f.opt.Sites) {
		return refusal{}, false
	}
	opt, s := &f.opt.Sites[u.Site], f.site(u.Site)
	done := s.totals.States[store.Done]
	if r := opt.Limits.reached("site "+opt.Name, done, s.totals.Bytes); r.reason != store.NoReason {
		return r, false
	}
	return refusal{}, opt.Limits.Pages > 0 && done+s.leased >= opt.Limits.Pages
}

func (l Limits) reached(what string, pages, bytes int64) refusal {
	switch {
	case l.Pages > 0 && pages >= l.Pages:
		return refusal{reason: store.LimitPages, rule: fmt.Sprintf("%s: %d pages", what, l.Pages)}
	case l.Bytes > 0 && bytes >= l.Bytes:
		return refusal{reason: store.LimitBytes, rule: fmt.Sprintf("%s: %d bytes", what, l.Bytes)}
	}
	return refusal{}
}

// startDrain puts a lane on the list of those whose first rows are to be recorded and not fetched.
func (f *Frontier) startDrain(l *lane, now int64) {
	if l.drain || l.waiting() == 0 {
		return
	}
	l.drain = true
	f.drains = append(f.drains, l)
	f.schedule.place(l.host, now)
}

// drainGivenUp starts to drain the lanes of a host whose origins were given up.
func (f *Frontier) drainGivenUp(h *host, now int64) {
	for i := range h.lanes {
		if h.rec.Origins[i].GivenUp {
			f.startDrain(&h.lanes[i], now)
		}
	}
}

// nextDrain is the first lane on that list whose host is not leased.
func (f *Frontier) nextDrain() *lane {
	for _, l := range f.drains {
		if !l.host.busy {
			return l
		}
	}
	return nil
}

func (f *Frontier) endDrain(l *lane, now int64) {
	for i, d := range f.drains {
		if d == l {
			f.drains = append(f.drains[:i], f.drains[i+1:]...)
			break
		}
	}
	l.drain = false
	f.schedule.place(l.host, now)
}

// strayed reports a URL that waits in the lane of the other origin, as https ones do that an
// earlier version of the program queued.
func strayed(u *store.URL) bool { return laneOf(u.Place) != store.LaneOf(u.URL) }

// drain records the first rows of a lane that are not to be fetched, up to a window of them, and
// ends when it meets one that is. Rows without a record are deleted, and rows that lie in the wrong
// lane are queued in their own.
func (f *Frontier) drain(l *lane) error {
	h := l.host
	return f.st.Update(func(tx *store.Tx) error {
		c, err := f.in(tx)
		if err != nil {
			return err
		}
		f.mu.Lock()
		err = l.repair(tx, f.run, h.rec.Number)
		rows := append([]slot(nil), l.window...)
		f.mu.Unlock()
		if err != nil {
			return err
		}
		drained := 0
		for _, s := range rows {
			more, err := c.drainRow(h, s)
			if err != nil {
				return err
			}
			if !more {
				break
			}
			drained++
		}
		c.steps = append(c.steps, func(now int64) {
			if drained < len(rows) || l.waiting() == 0 {
				f.endDrain(l, now)
			}
		})
		return nil
	})
}

// drainRow records one row, unless its URL may be fetched.
func (c *changes) drainRow(h *host, s slot) (more bool, err error) {
	f := c.f
	old, agrees, err := f.record(c.tx, h, s)
	if err != nil {
		return false, err
	}
	if !agrees {
		c.rows = append(c.rows, rowChange{host: h, place: s.Place, leave: true})
		return true, c.tx.DeleteRow(f.run, store.Row{Host: h.rec.Number, Place: s.Place, Key: s.key})
	}
	f.mu.Lock()
	r, _ := f.forbid(h, &old)
	f.mu.Unlock()
	u := old
	switch {
	case r.reason != store.NoReason:
	case strayed(&old):
		if err := c.enqueue(&u); err != nil {
			return false, err
		}
		return true, c.move(s.key, &u, &old, false)
	default:
		return false, nil
	}
	if stands, err := c.represent(&u, r); err != nil {
		return false, err
	} else if !stands {
		u.Forced = true // or its turn would come to the same end
		return false, c.move(s.key, &u, &old, false)
	}
	if err := c.skip(s.key, &u, r); err != nil {
		return false, err
	}
	rec := c.host(h)
	if r.reason == store.HostGivenUp {
		u.State = store.Failed
		rec.Failed++
	} else {
		rec.Skipped++
	}
	if f.opt.Dropped != nil {
		c.steps = append(c.steps, func(int64) { f.opt.Dropped(u.URL, u.Reason) })
	}
	c.remember(s.key, checkOf(u.URL), &u)
	return true, c.move(s.key, &u, &old, false)
}
