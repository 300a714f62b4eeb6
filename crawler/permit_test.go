package crawler

import (
	"sync"
	"testing"
	"time"

	"watershed/crawler/robots"
	"watershed/frontier"
	"watershed/page"
	"watershed/sitemap"
	"watershed/store"
)

const origin = "http://www.example.org"

// permitted is a crawler with a robots.txt of an earlier run in its store, and the same file as this
// run has fetched it.
func permitted(t *testing.T, now func() time.Time) (*Crawler, *robots.File) {
	t.Helper()
	st := openStore(t)
	f, err := frontier.Open(st, 1, frontier.Options{Sites: []frontier.Site{{Name: "S"}}, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	site := sitemap.Site{Name: "S", Seeds: []page.URL{origin + "/"}, Boundary: sitemap.Domain}
	survey, err := sitemap.NewSurvey([]sitemap.Site{site}, sitemap.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cache, err := robots.New(robots.Options{Product: "watershed"})
	if err != nil {
		t.Fatal(err)
	}
	started := time.Now()
	c, err := New(Parts{
		Store: st, Number: 1, Frontier: f, Survey: survey, Sites: []string{"S"}, Robots: cache,
		Started: started,
	}, Options{Agent: "watershed"})
	if err != nil {
		t.Fatal(err)
	}
	return c, &robots.File{
		Origin: origin, URL: origin + "/robots.txt", Status: 404, Cause: "none", Rules: new(robots.Rules),
		Fetched: started, Until: started.Add(time.Hour),
	}
}

// TestRobotsBeforeLease: a robots.txt is known before its host is free for another lease, which
// would ask for it again.
func TestRobotsBeforeLease(t *testing.T) {
	var c *Crawler
	known := false // when the frontier looked at the clock last
	c, file := permitted(t, func() time.Time {
		known = c != nil && c.Robots.Get(origin) != nil
		return time.Now()
	})
	if err := c.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	l, err := c.Frontier.Lease(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	err = c.update(t.Context(), func(tx *store.Tx) error {
		if err := c.permits.keepRobots(tx, l.Host, file); err != nil {
			return err
		}
		return c.Frontier.Postpone(tx, l, frontier.Outcome{Status: 404})
	})
	if err != nil || !known {
		t.Errorf("the host is free, its robots.txt is known: %v, %v", known, err)
	}
}

// TestStoredRobotsComeFirst: a worker that reads an earlier run's robots.txt from the store while
// another commits that of this run does not put the earlier one in its place.
func TestStoredRobotsComeFirst(t *testing.T) {
	c, file := permitted(t, time.Now)
	earlier := *file
	earlier.Fetched = time.Unix(1, 0)
	old, err := earlier.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if c.Robots, err = robots.New(robots.Options{Product: "watershed"}); err != nil {
			t.Fatal(err)
		}
		if err := c.Store.Update(func(tx *store.Tx) error { return tx.PutRobots(origin, old) }); err != nil {
			t.Fatal(err)
		}
		var both sync.WaitGroup
		both.Go(func() {
			if _, err := c.permits.ask(origin+"/page", time.Now()); err != nil {
				t.Error(err)
			}
		})
		both.Go(func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			err := c.update(t.Context(), func(tx *store.Tx) error {
				return c.permits.keepRobots(tx, "www.example.org", file)
			})
			if err != nil {
				t.Error(err)
			}
		})
		both.Wait()
		if got := c.Robots.Get(origin); got == nil || !got.Fetched.Equal(file.Fetched) {
			t.Fatalf("the cache has %+v", got)
		}
	}
}

// TestRobotsOfAnEarlierRun: each run asks for robots.txt itself, and with it for the sitemaps, also where
// the clock was set back since an earlier run had it.
func TestRobotsOfAnEarlierRun(t *testing.T) {
	c, file := permitted(t, time.Now)
	for fetched, want := range map[time.Duration]robots.State{
		-time.Hour: robots.Unknown, 0: robots.Known, 24 * time.Hour: robots.Unknown,
	} {
		of := *file
		of.Origin = "http://" + fetched.String() + ".example"
		of.Fetched, of.Until = file.Fetched.Add(fetched), file.Fetched.Add(48*time.Hour)
		kept, err := of.MarshalBinary()
		if err == nil {
			err = c.Store.Update(func(tx *store.Tx) error { return tx.PutRobots(of.Origin, kept) })
		}
		a, e := c.permits.ask(page.URL(of.Origin+"/page"), time.Now())
		if err != nil || e != nil || a.State != want {
			t.Errorf("fetched %v after the run began: %v, not %v (%v, %v)", fetched, a.State, want, err, e)
		}
	}
}

// TestDelayOfTheOtherOrigin: the Crawl-delay of a host's other robots.txt is kept where this process
// has not read that yet.
func TestDelayOfTheOtherOrigin(t *testing.T) {
	c, file := permitted(t, time.Now)
	other := *file
	other.Origin, other.Cause, other.Status = "https://www.example.org", "", 200
	other.Rules = robots.Parse([]byte("User-agent: *\nCrawl-delay: 30\n"), "watershed")
	kept, err := other.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var rec store.Host
	err = c.update(t.Context(), func(tx *store.Tx) error { return tx.PutRobots(other.Origin, kept) })
	if err == nil {
		err = c.update(t.Context(), func(tx *store.Tx) error {
			return c.permits.keepRobots(tx, "www.example.org", file)
		})
	}
	if err == nil {
		err = c.Store.View(func(tx *store.Tx) (err error) {
			rec, _, err = tx.Host(c.Number, "www.example.org")
			return err
		})
	}
	if err != nil || rec.CrawlDelay != 30*time.Second {
		t.Errorf("the host has a Crawl-delay of %v: %v", rec.CrawlDelay, err)
	}
}

// TestExpiredLease: the end of a page whose lease has expired is the end of that page alone. Nothing is
// learnt of it, and the next lease of its URL tells its fate.
func TestExpiredLease(t *testing.T) {
	clock := time.Now()
	c, file := permitted(t, func() time.Time { clock = clock.Add(3 * time.Hour); return clock })
	c.opt.Proxied = true
	file.Rules = robots.Parse([]byte("User-agent: *\nDisallow: /\n"), "watershed")
	c.Robots.Put(file)
	if err := c.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, visits := range []int64{0, 1} {
		l, err := c.Frontier.Lease(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if visits == 0 {
			if later, err := c.Frontier.Lease(t.Context()); err != nil || later.URL != l.URL {
				t.Fatalf("%v is leased after %s, %v", later, l.URL, err)
			} else {
				defer c.Frontier.Release(later, false)
			}
		}
		if err := c.page(t.Context(), nil, l); err != nil || c.visits != visits {
			t.Errorf("%d visits, want %d: %v", c.visits, visits, err)
		}
	}
}
