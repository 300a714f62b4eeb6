package frontier

import (
	"watershed/page"
	"watershed/store"
)

// strangers are the hosts that nobody named (Options.Stranger) and of which nothing was ever had. A run
// does not stay open for one that does not answer.
type strangers struct{ *books }

// judge is the fate of a lease with an outcome, where rec is its host: as manners have it, but for a
// stranger for whom alone the run would stay open.
func (s strangers) judge(o *Outcome, in *leased, rec *store.Host) Fate {
	fate := s.fate(o, in, &rec.Origins[store.LaneOf(in.url)])
	if fate.State == store.Pending && s.moot(o, in, rec) && s.alone() {
		return Fate{State: store.Failed, Reason: retried[o.Status], GivenUp: true}
	}
	return fate
}

// unmet reports a URL of a stranger with this record.
func (s strangers) unmet(u page.URL, rec *store.Host) bool {
	return rec.Done == 0 && rec.Files == 0 && s.opt.Stranger != nil && s.opt.Stranger(u)
}

// moot reports an outcome after which a stranger's origin is asked again only for as long as there is
// something else to do.
func (s strangers) moot(o *Outcome, in *leased, rec *store.Host) bool {
	return o.Status < 0 && int(rec.Origins[store.LaneOf(in.url)].Failures)+1 >= s.opt.Tries &&
		s.unmet(in.url, rec)
}

// alone reports that nothing is fetched and nothing waits but what origins have that do not answer.
func (s strangers) alone() bool {
	for _, l := range s.leases {
		if l.host.known().Origins[store.LaneOf(l.url)].Failures == 0 {
			return false
		}
	}
	for _, h := range s.hosts {
		for i, l := range h.lanes {
			if l != nil && l.waiting() > 0 && h.known().Origins[i].Failures == 0 {
				return false
			}
		}
	}
	return true
}

// waiting are the origins of strangers that are moot, where nothing else is left. Workers ask whenever
// all hosts rest, so all hosts are gone through only where some outcome was moot.
func (s strangers) waiting() (list []*lane) {
	if !s.books.moot {
		return nil
	}
	s.books.moot = false
	for _, h := range s.hosts {
		for i, l := range h.lanes {
			if !h.known().moot[i] || h.known().Origins[i].GivenUp {
				continue
			}
			if s.books.moot = true; l != nil && l.waiting() > 0 {
				list = append(list, l)
			}
		}
	}
	if len(list) > 0 && s.alone() {
		return list
	}
	return nil
}

// part gives up origins of strangers.
func (c *changes) part(list []*lane) error {
	for _, l := range list {
		c.host(l.host).Origins[l.which].GivenUp = true
		c.steps = append(c.steps, func(now int64) { c.givenUp(l.host, l.which, now) })
	}
	return nil
}

// givenUp tells of an origin that was given up, and has its URLs recorded.
func (c *changes) givenUp(h *host, lane store.Lane, now int64) {
	c.f.opt.Log.Warn("host given up", "host", h.name, "scheme", lane,
		"attempts", h.known().Origins[lane].Failures)
	c.f.drainGivenUp(h, now)
}

// Silent reports a URL of a stranger that does not answer: two attempts at it have failed. Nobody who
// can do without it need wait for the next one.
func (f *Frontier) Silent(u page.URL) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	h := f.hosts[u.Host()]
	return h != nil && h.known().Origins[store.LaneOf(u)].Failures > 1 &&
		strangers{&f.books}.unmet(u, &h.known().Host)
}
