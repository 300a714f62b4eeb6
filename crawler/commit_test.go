package crawler

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"runtime"
	"testing"
	"time"

	"watershed/frontier"
	"watershed/lab/kit/rusage"
	"watershed/page"
	"watershed/sitemap"
	"watershed/store"
)

var hostileLinks = flag.Int("crawler.links", 1_000_000, "links of the page that BenchmarkCommit commits")

// BenchmarkCommit commits a page that names as many hosts of the seed's domain as it has links, ten
// times what extraction lets through. It tells the processor time of the commit and what the heap
// had more while it went on, at its most as far as samples each 10 ms show.
//
//	go test ./crawler -run '^$' -bench Commit -benchtime 1x
func BenchmarkCommit(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		c, l := leased(b, openStore(b), Options{Agent: "watershed"})
		v := flood(*hostileLinks)
		runtime.GC()
		peak := watchHeap()
		before := rusage.CPU()
		b.StartTimer()
		err := c.commit(b.Context(), v, func(tx *store.Tx) error {
			_, err := c.Frontier.Finish(tx, l, frontier.Outcome{Status: 200, Visit: v.Seq})
			return err
		})
		b.StopTimer()
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric((rusage.CPU() - before).Seconds(), "cpu-s")
		b.ReportMetric(float64(peak())/(1<<20), "MiB-heap")
		b.StartTimer()
	}
}

// flood is a page that names so many hosts.
func flood(n int) *page.Visit {
	v := &page.Visit{URL: "http://www.example.org/", Time: time.Unix(1, 0), Status: 200, Site: "S"}
	v.Links = make([]page.Link, n)
	for i := range v.Links {
		v.Links[i] = page.Link{
			URL:  page.URL(fmt.Sprintf("http://h%d.example.org/q", i)),
			Kind: page.Navigation, Context: "a/@href", Text: "a",
		}
	}
	return v
}

// TestCommitEndsWithContext: a crawl that is stopped while a page's wants go into the frontier ends
// after the transaction under way, and a later one finds all that is missing.
func TestCommitEndsWithContext(t *testing.T) {
	const links = 2*mostWants - 7 // fewer than traps.max_hosts
	st := openStore(t)
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	c, l := leased(t, st,
		Options{Agent: "watershed", Visited: func(*page.Visit) error { cancel(stopped); return nil }})
	v := flood(links)
	err := c.commit(ctx, v, func(tx *store.Tx) error {
		_, err := c.Frontier.Finish(tx, l, frontier.Outcome{Status: 200, Visit: v.Seq})
		return err
	})
	if n := c.Frontier.Stats().States[store.Pending]; !errors.Is(err, stopped) || n == 0 || n > mostWants {
		t.Errorf("%v with %d URLs pending", err, n)
	}
	later := crawlerOf(t, st, Options{Agent: "watershed"})
	done, err := Replay(later.Survey, st, 1, nil)
	if err != nil || done.Visits != 1 {
		t.Fatalf("%d visits, %v", done.Visits, err)
	}
	later.wants = done.Missing
	if err := later.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := later.Frontier.Stats().States[store.Pending]; n < links {
		t.Errorf("%d URLs pending, want %d", n, links)
	}
}

// TestSurveyHearsOfDrops: what the frontier gives up by itself, here at a limit, the survey hears of.
func TestSurveyHearsOfDrops(t *testing.T) {
	c, l := leased(t, openStore(t), Options{Agent: "watershed"})
	if err := c.Frontier.SetLimits(frontier.Limits{Pages: 1}); err != nil {
		t.Fatal(err)
	}
	v := flood(3)
	err := c.commit(t.Context(), v, func(tx *store.Tx) error {
		_, err := c.Frontier.Finish(tx, l, frontier.Outcome{Status: 200, Visit: v.Seq})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Frontier.Lease(t.Context()); err == nil || len(c.dropped.urls) == 0 {
		t.Errorf("%d dropped, %v", len(c.dropped.urls), err)
	}
}

// TestStandsAreFollowedOnce: workers that find nothing to fetch read the pages that are left out for
// others as often as something has come of a fetch since, and not each of them.
func TestStandsAreFollowedOnce(t *testing.T) {
	const pages = 300
	st := openStore(t)
	c, l := leased(t, st, Options{Agent: "watershed"})
	err := st.Update(func(tx *store.Tx) (err error) {
		for i := 0; i < pages && err == nil; i++ {
			u := page.URL(fmt.Sprintf("http://copy.example.org/p%d", i))
			out := store.URL{URL: u, State: store.Skipped, Reason: store.Copy}
			err = errors.Join(tx.PutURL(1, u.Key(), &out, nil), tx.PutEntry(1, store.Entry{
				Key: u.Key(), Reason: store.Copy, Representative: l.URL,
			}))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	v := flood(0)
	err = c.commit(t.Context(), v, func(tx *store.Tx) error {
		_, err := c.Frontier.Finish(tx, l, frontier.Outcome{Status: 200, Visit: v.Seq})
		return err
	})
	if err != nil || c.settled() {
		t.Fatalf("settled after a visit, or %v", err)
	}
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stopped)
	if _, err := c.more(ctx); !errors.Is(err, stopped) || c.settled() {
		t.Errorf("settled by a crawl that is stopped, or %v", err)
	}
	idle := func() {
		if some, err := c.more(t.Context()); some || err != nil {
			t.Fatalf("more: %v, %v", some, err)
		}
	}
	idle()
	if reads := testing.AllocsPerRun(3, idle); reads >= pages || !c.settled() {
		t.Errorf("%v allocations of a worker that finds nothing new", reads)
	}
}

func openStore(tb testing.TB) *store.Store {
	st, err := store.Open(store.Options{Dir: tb.TempDir(), Harvest: "test", MinFreeBytes: 1})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := st.Close(); err != nil {
			tb.Error(err)
		}
	})
	if _, err = st.StartRun(store.RunRecord{Started: time.Unix(0, 0), State: store.RunOpen}); err != nil {
		tb.Fatal(err)
	}
	return st
}

// leased is a crawler that holds a lease of its seed.
func leased(tb testing.TB, st *store.Store, o Options) (*Crawler, *frontier.Lease) {
	c := crawlerOf(tb, st, o)
	if err := c.start(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	l, err := c.Frontier.Lease(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return c, l
}

// crawlerOf is a crawler of the domain of flood's page, with what a commit needs.
func crawlerOf(tb testing.TB, st *store.Store, o Options) *Crawler {
	f, err := frontier.Open(st, 1, frontier.Options{Sites: []frontier.Site{{Name: "S"}}})
	if err != nil {
		tb.Fatal(err)
	}
	site := sitemap.Site{Name: "S", Seeds: []page.URL{"http://www.example.org/"}, Boundary: sitemap.Domain}
	survey, err := sitemap.NewSurvey([]sitemap.Site{site}, sitemap.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	c, err := New(Parts{Store: st, Number: 1, Frontier: f, Survey: survey, Sites: []string{"S"}}, o)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// watchHeap samples the heap until peak is called, which tells by how much it grew at most.
func watchHeap() (peak func() uint64) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, most := m.HeapInuse, m.HeapInuse
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapInuse)
			}
		}
	}()
	return func() uint64 { close(stop); <-done; return most - before }
}
