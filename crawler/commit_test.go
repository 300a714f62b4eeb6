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

// TestStandsAreFollowedOnce: the survey is told anew of a page that is left out for another one once this
// was had, and of no others: workers that find nothing to fetch do not read the ledger.
func TestStandsAreFollowedOnce(t *testing.T) {
	const pages = 300
	st := openStore(t)
	c, l := leased(t, st, Options{Agent: "watershed"})
	leaveOut := func(u, stand page.URL) {
		t.Helper()
		out := store.URL{URL: u, State: store.Skipped, Reason: store.Copy}
		err := st.Update(func(tx *store.Tx) error {
			return errors.Join(tx.PutURL(1, u.Key(), &out, nil), tx.PutEntry(1, store.Entry{
				Key: u.Key(), Reason: store.Copy, Representative: stand,
			}))
		})
		if err != nil {
			t.Fatal(err)
		}
		c.drop(u, store.Copy)
	}
	leaveOut("http://www.example.org/copy", l.URL)
	for i := range pages {
		leaveOut(page.URL(fmt.Sprintf("http://www.example.org/p%d", i)), "http://www.example.org/late")
	}
	idle := func(ctx context.Context) error {
		_, err := c.more(ctx)
		return err
	}
	if err := idle(t.Context()); err != nil || !c.settled() {
		t.Fatalf("not settled although no stand was had, or %v", err)
	}
	v := flood(3)
	err := c.commit(t.Context(), v, func(tx *store.Tx) error {
		_, err := c.Frontier.Finish(tx, l, frontier.Outcome{Status: 200, Visit: v.Seq})
		return err
	})
	if err != nil || len(c.stands.due) != 1 || c.settled() {
		t.Fatalf("%d pages to be told anew, want 1: %v", len(c.stands.due), err)
	}
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stopped)
	if err := c.followStands(ctx); !errors.Is(err, stopped) || c.settled() {
		t.Errorf("settled by a crawl that is stopped, or %v", err)
	}
	if err := c.followStands(t.Context()); err != nil || !c.settled() {
		t.Errorf("not settled, or %v", err)
	}
	for range 2 { // as news of other pages comes
		c.stands.due[page.URL("http://www.example.org/copy").Key()] = struct{}{}
		if err := c.followStands(t.Context()); err != nil || len(c.stands.of[l.URL.Key()]) != 1 {
			t.Errorf("told anew, it depends on its stand %d times, %v", len(c.stands.of[l.URL.Key()]), err)
		}
	}
	reads := testing.AllocsPerRun(3, func() { err = errors.Join(err, idle(t.Context())) })
	if reads >= pages || err != nil {
		t.Errorf("%v allocations of a worker that finds nothing new: %v", reads, err)
	}
}

// TestGoneStaysGone: a page that a run left out, or that was not answered, and that was gone when an earlier
// run asked for it last, is no page of a site.
func TestGoneStaysGone(t *testing.T) {
	const gone, stand page.URL = "http://www.example.org/gone", "http://www.example.org/stand"
	st := openStore(t)
	links := []page.Link{{URL: gone}, {URL: stand}, {URL: "http://www.example.org/new"}}
	put := func(tx *store.Tx, run store.Run, v *page.Visit) error {
		err := tx.PutVisit(run, v)
		is := &store.URL{URL: v.URL, State: store.Done, Status: v.Status, Visit: v.Seq}
		return errors.Join(err, tx.PutURL(run, v.URL.Key(), is, nil))
	}
	err := st.Update(func(tx *store.Tx) error {
		return errors.Join(
			put(tx, 1, &page.Visit{URL: gone, Status: 404}),
			put(tx, 2, &page.Visit{URL: stand, Status: 200, MIME: "text/html", Links: links}),
			tx.PutEntry(2, store.Entry{Key: gone.Key(), Reason: store.Mirror, Representative: stand}),
		)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, reason := range []store.Reason{store.Mirror, store.Timeout} {
		c := crawlerOf(t, st, Options{Agent: "watershed"})
		c.teacher.run, c.since = 2, 2
		home := page.Visit{URL: "http://www.example.org/", Status: 200, MIME: "text/html", Links: links}
		c.Survey.Learn(&home)
		if err := st.View(func(tx *store.Tx) error { return c.teacher.drop(tx, gone, reason) }); err != nil {
			t.Fatal(err)
		}
		m, err := c.Survey.Map("S")
		if err != nil {
			t.Fatal(err)
		}
		if i, is := m.Members.Find(gone); is {
			t.Errorf("%s: the page that is gone is %+v", reason, m.Members.At(i))
		}
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
