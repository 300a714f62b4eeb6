package crawler

import (
	"context"
	"fmt"
	"slices"
	"time"

	"watershed/page"
	"watershed/sitemap"
	"watershed/store"
)

// An archivist may step in while a crawl goes on. A decision on pages takes effect at once: the
// survey draws its boundaries anew, and the pages that it wants then go into the frontier in one
// transaction.

// Pause keeps workers from new leases until Resume; fetches under way come to their end. It may be
// called before Run, and again.
func (c *Crawler) Pause() { c.hold.set(c.Frontier, forHand, time.Now()) }

// Resume ends Pause. Hosts rest as if there had been no pause.
func (c *Crawler) Resume() { c.hold.release(c.Frontier, forHand, time.Now()) }

// SetTime puts another limit of time in the place of Options.Time; 0 is no limit.
func (c *Crawler) SetTime(d time.Duration) { c.hold.setTime(max(d, 0)) }

// Time is the limit of time in force.
func (c *Crawler) Time() time.Duration { return c.hold.time() }

// Between runs fn between two commits, so that survey and store agree for as long as it takes. It
// must not call the crawler.
func (c *commits) Between(fn func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fn()
}

// Decide has the archivist's decision change the survey, and puts the pages that the survey then
// wants into the frontier.
func (c *commits) Decide(decision func(*sitemap.Survey) error) error {
	return c.Between(func() error {
		if err := decision(c.Survey); err != nil {
			return err
		}
		return c.commitWants(context.Background()) // an order has no end of its own; the wait for room has
	})
}

// Exclude keeps what a rule matches out of some sites from now on: see sitemap.Survey.Exclude. A
// URL that waits for these sites and for no other leaves the frontier, recorded as skipped by the
// rule, with a note. all says that sites names all sites: then URLs that are wanted beside the
// sites leave, too, but not robots.txt files that other hosts depend on. It returns how many URLs
// were skipped.
func (c *Crawler) Exclude(r page.Rule, sites []string, all bool, note string) (skipped int, err error) {
	needed := map[page.URL]bool{} // by other sites
	err = c.Decide(func(s *sitemap.Survey) error {
		for _, site := range sites {
			if err := s.Exclude(site, r); err != nil {
				return err
			}
		}
		switch {
		case all && !slices.ContainsFunc(c.barred, r.Equal):
			c.barred = append(c.barred, r)
		case !all:
			for _, w := range s.Open() {
				needed[w.URL] = true
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("exclude %s: %w", r, err)
	}
	of := c.indexes(sites)
	return c.Frontier.Exclude(note, func(u *store.URL) (string, bool) {
		out := r.Match(u.URL) && (all || slices.Contains(of, u.Site) && !needed[u.URL])
		return short(r.String()), out && !neededByHosts(u)
	})
}

// neededByHosts reports a robots.txt on which other hosts depend.
func neededByHosts(u *store.URL) bool { return u.Forced && u.URL.PathQuery() == "/robots.txt" }

// excludeAnew has what waits excluded, where a run goes on, by the rules of now: some may have been added to
// the sites since, or taken away; what these kept out waits again.
func (c *Crawler) excludeAnew() error {
	excludes := func(u *store.URL) (page.Rule, bool) { return c.Survey.Excludes(c.Sites[u.Site], u.URL) }
	totals := c.Frontier.Stats().Totals
	if totals.Reasons[store.Excluded] > 0 {
		_, err := c.Frontier.Reopen(func(u *store.URL) bool {
			if u.State != store.Skipped || u.Reason != store.Excluded || int(u.Site) >= len(c.Sites) {
				return false
			}
			_, out := excludes(u)
			return !out && !c.bars(u.URL)
		})
		if err != nil {
			return err
		}
	}
	if totals.States[store.Pending] == 0 || !c.Survey.HasExclusions() {
		return nil
	}
	needed := map[page.URL]bool{} // by any site
	for _, w := range c.Survey.Open() {
		needed[w.URL] = true
	}
	_, err := c.Frontier.Exclude("", func(u *store.URL) (rule string, out bool) {
		if int(u.Site) >= len(c.Sites) || neededByHosts(u) || needed[u.URL] {
			return "", false
		}
		r, out := excludes(u)
		return short(r.String()), out
	})
	return err
}

// Readmit takes Exclude back. The URLs that the rule had skipped are wanted again, unless another
// rule keeps them out. It returns how many URLs are wanted again.
func (c *Crawler) Readmit(r page.Rule, sites []string) (reopened int, err error) {
	var barred []page.Rule
	err = c.Between(func() error {
		c.barred = slices.DeleteFunc(c.barred, r.Equal)
		barred = slices.Clone(c.barred)
		return nil
	})
	if err != nil {
		return 0, err
	}
	of := c.indexes(sites)
	reopened, err = c.Frontier.Readmit(short(r.String()), func(u *store.URL) bool {
		return slices.Contains(of, u.Site) &&
			!slices.ContainsFunc(barred, func(x page.Rule) bool { return x.Match(u.URL) })
	})
	if err != nil {
		return reopened, fmt.Errorf("readmit %s: %w", r, err)
	}
	return reopened, c.Decide(func(s *sitemap.Survey) error {
		for _, site := range sites {
			if err := s.Readmit(site, r); err != nil {
				return err
			}
		}
		return nil
	})
}

// indexes are the frontier's indexes of sites.
func (c *commits) indexes(sites []string) []uint32 {
	var list []uint32
	for _, name := range sites {
		if i, ok := c.sites[name]; ok {
			list = append(list, i)
		}
	}
	return list
}

// bars reports that u is excluded from every site. The caller holds the commit lock.
func (c *commits) bars(u page.URL) bool {
	return slices.ContainsFunc(c.barred, func(r page.Rule) bool { return r.Match(u) })
}

// Held reports that Pause is in force.
func (c *Crawler) Held() bool { return c.hold.byHand() }

// Visits is how many visits the run has so far.
func (c *commits) Visits() (n uint64) {
	_ = c.Between(func() error { n = uint64(c.Replayed.Visits + c.visits); return nil }) // it has no error
	return n
}
