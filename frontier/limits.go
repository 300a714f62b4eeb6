package frontier

import (
	"fmt"

	"watershed/internal/console"
	"watershed/store"
)

// spent applies the limit of bytes of the harvest.
func (b *books) spent() error {
	if most := b.opt.Limits.Bytes; most > 0 && b.totals.Bytes+b.opt.Past.all.bytes >= most {
		return fmt.Errorf("%w %d bytes (limits.bytes)", ErrLimit, most)
	}
	return nil
}

// forbid finds the reason, if there is one, not to fetch a URL that waits. full: the
// leases in force may use up what its site or the harvest has left.
func (b *books) forbid(h *host, u *store.URL) (r refusal, full bool) {
	if o := &h.known().Origins[store.LaneOf(u.URL)]; o.GivenUp {
		return refusal{reason: store.HostGivenUp, rule: after(o.Cause, int(o.Failures))}, false
	}
	all, past, had := b.opt.Limits, &b.opt.Past, h.known()
	all.Bytes = 0 // see spent
	ofHost := taken{int64(had.Done - had.Files), int64(had.Files), had.Bytes}
	quotas := [3]quota{
		{
			"host ", string(h.name), b.limitsOf(h.name), ofHost.plus(past.hosts[h.name]),
			[2]int64{},
		},
		{"the harvest", "", all, took(&b.totals).plus(past.all), b.leased},
	}
	if int(u.Site) < len(b.opt.Sites) {
		opt, s := &b.opt.Sites[u.Site], b.site(u.Site)
		quotas[2] = quota{
			"site ", opt.Name, opt.Limits, took(&s.totals).plus(past.sites[u.Site]), s.leased,
		}
	}
	for i := range quotas {
		if r := quotas[i].refuse(u); r.reason != store.NoReason {
			return r, false
		}
		full = full || quotas[i].full(u)
	}
	return refusal{}, full
}

// inTurn is forbid for a URL whose turn has come, and tells besides by Options.Novelty the page whose
// place brings nothing new: by then the most is known of the place.
func (b *books) inTurn(h *host, u *store.URL) (r refusal, full bool) {
	r, full = b.forbid(h, u)
	if r.reason != store.NoReason || b.opt.Novelty == nil || u.Forced || u.Part || u.Hops == "" ||
		u.Visit != 0 || b.opt.Hasty.has(u.Priority) {
		return r, full
	}
	if rule := b.opt.Novelty(u.URL); rule != "" {
		r = refusal{reason: store.LowNovelty, rule: rule}
	}
	return r, full
}

// asFile reports a URL that is to be fetched as a file: what others need, or what its name says is one.
func asFile(u *store.URL) bool { return u.Part || u.URL.NamesFile() }

// quota is what something may take, and what it has taken.
type quota struct {
	kind, name string
	Limits
	taken
	leased [2]int64 // pages and files
}

// refuse finds out whether a URL is beyond the quota. A file to which pages only link is no more asked
// for than they are, once there are no more pages.
func (q *quota) refuse(u *store.URL) refusal {
	reason, most, what := store.NoReason, int64(0), ""
	switch {
	case q.Bytes > 0 && q.bytes >= q.Bytes:
		reason, most, what = store.LimitBytes, q.Bytes, "bytes"
	case asFile(u) && q.Files > 0 && q.files >= q.Files:
		reason, most, what = store.LimitFiles, q.Files, "files"
	case !u.Part && q.Pages > 0 && q.pages >= q.Pages:
		reason, most, what = store.LimitPages, q.Pages, "pages"
	default:
		return refusal{}
	}
	rule := q.kind + q.name + ": " + console.Plural(most, what[:len(what)-1], what)
	return refusal{reason: reason, rule: rule}
}

// full reports that what is leased may be all that is left.
func (q *quota) full(u *store.URL) bool {
	if asFile(u) {
		return q.Files > 0 && q.files+q.leased[1] >= q.Files
	}
	return q.Pages > 0 && q.pages+q.leased[0] >= q.Pages
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// startDrain puts a lane on the list of those whose first rows are to be recorded and not fetched.
func (b *books) startDrain(l *lane, now int64) {
	if l.drain || l.waiting() == 0 {
		return
	}
	l.drain = true
	b.drains = append(b.drains, l)
	b.schedule.place(l.host, now)
}

// drainGivenUp starts to drain the lanes of a host whose origins were given up.
func (b *books) drainGivenUp(h *host, now int64) {
	for i, l := range h.lanes {
		if l != nil && h.known().Origins[i].GivenUp {
			b.startDrain(l, now)
		}
	}
}

// nextDrain is the first lane on that list whose host is not leased.
func (b *books) nextDrain() *lane {
	for _, l := range b.drains {
		if !l.host.busy {
			return l
		}
	}
	return nil
}

func (b *books) endDrain(l *lane, now int64) {
	for i, d := range b.drains {
		if d == l {
			b.drains = append(b.drains[:i], b.drains[i+1:]...)
			break
		}
	}
	l.drain = false
	b.schedule.place(l.host, now)
}

// drain records the first rows of a lane that are not to be fetched, up to a window of them, and
// ends when it meets one that is. Rows without a record are deleted.
func (c *changes) drain(l *lane) error {
	f, h := c.f, l.host
	f.mu.Lock()
	err := l.repair(c.tx, f.run, h.number)
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
}

// drainRow records one row, unless its URL may be fetched.
func (c *changes) drainRow(h *host, s slot) (more bool, err error) {
	f := c.f
	old, agrees, err := recordOf(c.tx, f.run, h, s)
	if err != nil {
		return false, err
	}
	if !agrees {
		c.rows = append(c.rows, rowChange{host: h, place: s.Place, leave: true})
		return true, c.tx.DeleteRow(f.run, store.Row{Host: h.number, Place: s.Place, Key: s.key})
	}
	f.mu.Lock()
	r, _ := f.inTurn(h, &old)
	f.mu.Unlock()
	if r.reason == store.NoReason {
		return false, nil
	}
	return true, c.giveUp(&refused{URL: old, host: h, why: r})
}

// refused is a pending URL that is not to be fetched.
type refused struct {
	store.URL
	host *host
	why  refusal
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
	return c.move(key, &u, &x.URL, false)
}
