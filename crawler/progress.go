package crawler

import (
	"time"

	"watershed/crawler/login"
	"watershed/graph"
	"watershed/store"
)

// Progress is how a crawl stands.
type Progress struct {
	Since    time.Time // start of the run in this process
	Time     time.Time
	Visits   int64 // exchanges and what was tried in vain, in the run
	Before   int64 // of these, by earlier processes
	Captured int64 // URLs of the run that were answered
	Failed   int64 // URLs of the run that were given up without a usable answer
	Bytes    int64 // received in the run

	Pending int64 // wanted URLs that wait
	Leased  int64
	Known   int64 // URLs that the survey has heard of
	Due     int   // hosts that could be asked now
	Resting int   // hosts that wait for their delay
	Backoff int   // of these, hosts that failed or asked for it

	Excess float64       // that waits on wanted pages outside the seeds' prefixes, in units of link capacity
	Left   time.Duration // the crawl cannot end sooner, by what waits and how long hosts rest; 0 for unknown

	Sites []SiteProgress
	Lost  []login.Loss // logins that are lost

	Paused bool // the disk is full
	Held   bool // paused by hand
}

// SiteProgress is how a site of the harvest stands.
type SiteProgress struct {
	Name    string `json:"name"`
	Inside  int    `json:"inside"` // pages that belong, at the last epoch
	Open    int    `json:"open"`   // asked for, not yet answered, requisites too
	Epochs  int    `json:"epochs"`
	Settled bool   `json:"settled"` // nothing is open, and no limit kept a page from being asked for
}

// Rate is how many visits a second this process has made.
func (p *Progress) Rate() float64 {
	return float64(p.Visits-p.Before) / max(p.Time.Sub(p.Since).Seconds(), 1)
}

// report gives the Progress to Options.Progress; the figures of the sites are at most age old.
func (c *Crawler) report(age time.Duration) {
	if c.opt.Progress != nil {
		c.opt.Progress(c.progress(age))
	}
}

// progress gathers a Progress.
func (c *Crawler) progress(age time.Duration) Progress {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.Frontier.Stats()
	p := Progress{
		Since: c.started, Time: time.Now(),
		Visits: c.Replayed.Visits + c.visits, Before: c.Replayed.Visits, Bytes: f.Bytes,
		Captured: f.States[store.Done], Failed: f.States[store.Failed],
		Pending: f.States[store.Pending], Leased: int64(f.Leased), Known: int64(c.Survey.Known()),
		Due: f.Due, Resting: f.Resting, Backoff: f.BackedOff, Left: f.Longest,
		Paused: c.space.Paused(), Held: c.hold.byHand(), Lost: c.Logins.Lost(),
	}
	for _, x := range c.excess {
		p.Excess += float64(x) / float64(graph.Unit)
	}
	if p.Time.Sub(c.sitesAt) >= age {
		c.sitesAt = p.Time
		c.standing = c.standing[:0:0]
		for _, name := range c.Sites {
			if s, ok := c.Survey.Progress(name); ok {
				c.standing = append(c.standing, SiteProgress{
					Name: name, Inside: s.Inside,
					Open: s.Open + s.Requisites + s.Context, Epochs: s.Epochs,
					Settled: s.Settled && !s.Limited,
				})
			}
		}
	}
	p.Sites = c.standing
	return p
}

// sitesEvery is how old the progress of the sites may be while the crawl is under way: it costs a
// walk over all known pages.
const sitesEvery = 10 * time.Second
