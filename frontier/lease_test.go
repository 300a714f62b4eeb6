package frontier

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"watershed/page"
	"watershed/store"
)

func openStore(t testing.TB, dir string) *store.Store {
	t.Helper()
	st, err := store.Open(store.Options{Dir: dir, MinFreeBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}

func openFrontier(t testing.TB, st *store.Store, o Options) *Frontier {
	t.Helper()
	if o.Slack == 0 {
		o.Slack = -1 // exact times
	}
	f, err := Open(st, 1, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func update(t testing.TB, f *Frontier, fn func(tx *store.Tx) error) {
	t.Helper()
	if err := f.st.Update(fn); err != nil {
		t.Fatal(err)
	}
}

func add(t testing.TB, f *Frontier, xs ...Candidate) {
	t.Helper()
	update(t, f, func(tx *store.Tx) error { _, err := f.Add(tx, xs); return err })
}

func wanted(urls ...string) (xs []Candidate) {
	for _, u := range urls {
		xs = append(xs, Candidate{URL: page.URL(u), Wanted: true})
	}
	return xs
}

func finish(t testing.TB, f *Frontier, l *Lease, o Outcome) (fate Fate) {
	t.Helper()
	update(t, f, func(tx *store.Tx) (err error) { fate, err = f.Finish(tx, l, o); return err })
	return fate
}

func stateOf(t testing.TB, f *Frontier, u page.URL) store.URL {
	t.Helper()
	x, _, err := f.Explain(u)
	if err != nil {
		t.Fatal(err)
	}
	return x.URL
}

// step is a frontier whose clock the test moves.
type step struct {
	*Frontier
	t   testing.TB
	clk *clock
}

func stepped(t testing.TB, o Options) *step {
	clk := &clock{epoch}
	o.Now = clk.now
	return &step{Frontier: openFrontier(t, openStore(t, t.TempDir()), o), t: t, clk: clk}
}

// lease waits, in the test's time, for the next lease.
func (s *step) lease() (*Lease, error) {
	s.t.Helper()
	for {
		l, next, err := s.next()
		if l != nil || err != nil {
			return l, err
		}
		if next == never {
			return nil, errors.New("nothing will ever be due")
		}
		s.clk.t = timeOf(next)
	}
}

func (s *step) mustLease() *Lease {
	s.t.Helper()
	l, err := s.lease()
	if err != nil {
		s.t.Fatal(err)
	}
	return l
}

// fetchAll leases and finishes until nothing is left, and returns the URLs in their order.
func (s *step) fetchAll(outcome func(l *Lease) Outcome) (urls []page.URL) {
	s.t.Helper()
	for {
		l, err := s.lease()
		if errors.Is(err, ErrDone) {
			return urls
		}
		if err != nil {
			s.t.Fatal(err)
		}
		urls = append(urls, l.URL)
		finish(s.t, s.Frontier, l, outcome(l))
	}
}

func ok(*Lease) Outcome { return Outcome{Status: 200} }

// Workers fetch every URL once, never two of a host at a time, with the delay between; time is that
// of a bubble.
func TestWorkers(t *testing.T) {
	const hosts, pages, workers = 5, 8, 12
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		st, err := store.Open(store.Options{Dir: dir, MinFreeBytes: 1})
		if err != nil {
			t.Fatal(err)
		}
		f := openFrontier(t, st,
			Options{Politeness: Politeness{Factor: 5, Min: 2 * time.Second, Max: 10 * time.Second}})
		var seeds []Candidate
		for h := range hosts {
			seeds = append(seeds, wanted(fmt.Sprintf("http://h%d.example/0", h))...)
		}
		add(t, f, seeds...)
		var mu sync.Mutex
		last := map[page.Host]time.Time{}
		busy := map[page.Host]bool{}
		fetched := map[page.URL]int{}
		fetch := func(l *Lease) (Outcome, []Candidate) {
			mu.Lock()
			if busy[l.Host] {
				t.Errorf("%s: two at a time", l.Host)
			}
			if gap := time.Since(last[l.Host]); !last[l.Host].IsZero() && gap < 5*time.Second {
				t.Errorf("%s: after %v", l.URL, gap)
			}
			busy[l.Host] = true
			fetched[l.URL]++
			mu.Unlock()
			<-time.After(time.Second) // how long the answer takes
			mu.Lock()
			defer mu.Unlock()
			busy[l.Host] = false
			last[l.Host] = time.Now()
			var found []Candidate
			for h := range hosts {
				for i := range pages {
					found = append(found, wanted(fmt.Sprintf("http://h%d.example/%d", h, i))...)
				}
			}
			return Outcome{Status: 200, ResponseTime: time.Second}, found
		}
		start := time.Now()
		var wg sync.WaitGroup
		for range workers {
			wg.Go(func() {
				for {
					l, err := f.Lease(t.Context())
					if errors.Is(err, ErrDone) {
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
					o, found := fetch(l)
					err = st.Update(func(tx *store.Tx) error {
						if _, err := f.Add(tx, found); err != nil {
							return err
						}
						_, err := f.Finish(tx, l, o)
						return err
					})
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		if len(fetched) != hosts*pages {
			t.Errorf("fetched %d URLs", len(fetched))
		}
		for u, n := range fetched {
			if n != 1 {
				t.Errorf("fetched %d times: %s", n, u)
			}
		}
		if took, want := time.Since(start), pages*time.Second+(pages-1)*5*time.Second; took != want {
			t.Errorf("took %v, want %v: hosts wait for each other", took, want)
		}
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestLeaseEnds(t *testing.T) {
	f := openFrontier(t, openStore(t, t.TempDir()), Options{})
	if _, err := f.Lease(t.Context()); !errors.Is(err, ErrDone) {
		t.Errorf("empty: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	add(t, f, wanted("http://a.example/")...)
	held, err := f.Lease(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var got atomic.Value
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			_, err := f.Lease(ctx)
			got.Store(err)
		})
	}
	cancel()
	wg.Wait()
	if err := got.Load().(error); !errors.Is(err, context.Canceled) {
		t.Errorf("held and cancelled: %v", err)
	}
	wg.Go(func() {
		_, err := f.Lease(t.Context())
		if !errors.Is(err, ErrDone) {
			t.Errorf("released: %v", err)
		}
	})
	finish(t, f, held, Outcome{Status: 200})
	wg.Wait()
}

// Hosts of one address take turns, and a host moves on to the address that is free.
func TestAddresses(t *testing.T) {
	s := stepped(t, Options{
		AddressDelay: 10 * time.Second,
		Politeness:   Politeness{Min: time.Second, Max: time.Second},
	})
	add(t, s.Frontier, wanted("http://a.example/1", "http://a.example/2", "http://b.example/1",
		"http://b.example/2")...)
	one, two := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	a := s.mustLease()
	if got, ok, err := s.Resolved(a, []netip.Addr{one}, time.Hour); got != one || !ok || err != nil {
		t.Fatal(got, ok, err)
	}
	b := s.mustLease()
	if b.Host == a.Host || b.Address.IsValid() {
		t.Fatalf("%+v", b)
	}
	if _, ok, err := s.Resolved(b, []netip.Addr{one}, time.Hour); ok || err != nil {
		t.Fatal("two on one address: ", ok, err)
	}
	if _, _, err := s.Resolved(b, []netip.Addr{one}, time.Hour); !errors.Is(err, ErrLease) {
		t.Fatalf("the lease is over: %v", err)
	}
	if l, next, _ := s.next(); l != nil || next < epoch.Add(time.Hour).UnixNano() {
		t.Fatalf("%+v, %v", l, timeOf(next))
	}
	finish(t, s.Frontier, a, Outcome{Status: 200})
	if l := s.mustLease(); l.Host != b.Host || l.Address != one || s.clk.t != epoch.Add(10*time.Second) {
		t.Fatalf("%+v at %v", l, s.clk.t)
	} else {
		b = l
	}
	// b's address does not answer: it is resolved anew and takes the other one.
	finish(t, s.Frontier, b, Outcome{Status: page.StatusConnect})
	a = s.mustLease()
	if a.Host != "a.example" || a.Address != one {
		t.Fatalf("%+v", a)
	}
	b = s.mustLease()
	if got, ok, err := s.Resolved(b, []netip.Addr{one, two}, time.Hour); b.Host != "b.example" ||
		got != two || !ok || err != nil {
		t.Fatal(b, got, ok, err)
	}
	finish(t, s.Frontier, a, Outcome{Status: 200})
	finish(t, s.Frontier, b, Outcome{Status: 200})
	b = s.mustLease()
	if b.Address != two || b.Host != "b.example" {
		t.Fatalf("%+v", b)
	}
	finish(t, s.Frontier, b, Outcome{Status: 200})
	if _, err := s.lease(); !errors.Is(err, ErrDone) {
		t.Fatal(err)
	}
}

// The greatest priority goes first, but a host that waits gains on it; a site map that only site maps of
// site maps list goes last.
func TestOrder(t *testing.T) {
	s := stepped(t, Options{Age: time.Minute, Politeness: Politeness{Factor: -1, Min: -1, Max: -1}})
	x := func(u string, p int64) Candidate { return Candidate{URL: page.URL(u), Wanted: true, Priority: p} }
	add(t, s.Frontier, x("http://a.example/low", 1), x("http://a.example/high", 100),
		x("http://b.example/middle", 50), x("http://c.example/none", 0), Candidate{
			URL: "http://a.example/tree.xml", Wanted: true, Part: true, Hops: "EMMMM", Priority: 1 << 20,
		})
	got := s.fetchAll(ok)
	want := []page.URL{
		"http://a.example/high", "http://b.example/middle", "http://a.example/low",
		"http://c.example/none", "http://a.example/tree.xml",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
	add(t, s.Frontier, x("http://c.example/waits", 0))
	s.clk.t = s.clk.t.Add(8 * time.Minute) // 7 ranks are 100
	add(t, s.Frontier, x("http://d.example/high", 100))
	if l := s.mustLease(); l.Host != "c.example" {
		t.Errorf("%s goes first", l.URL)
	}
}

// A host whose robots.txt was asked for gets its page before another host is asked for its own,
// also where the others have a greater priority and wait for long.
func TestBegunFirst(t *testing.T) {
	s := stepped(t,
		Options{Age: time.Second, Politeness: Politeness{Factor: -1, Min: time.Second, Max: time.Second}})
	const hosts = 40
	for i := range hosts {
		add(t, s.Frontier, Candidate{
			URL: page.URL(fmt.Sprintf("http://h%d.example/", i)), Wanted: true,
			Priority: int64(1) << i,
		})
	}
	asked, most, begun := 0, 0, map[page.Host]bool{}
	for pages := 0; pages < hosts; {
		l := s.mustLease()
		if begun[l.Host] {
			finish(t, s.Frontier, l, Outcome{Status: 200})
			pages++
		} else {
			begun[l.Host] = true
			asked++
			update(t, s.Frontier, func(tx *store.Tx) error { return s.Postpone(tx, l, Outcome{Status: 200}) })
			s.clk.t = s.clk.t.Add(time.Minute)
		}
		most = max(most, asked-pages)
	}
	if most > 1 {
		t.Errorf("%d hosts were begun at a time", most)
	}
}

func TestLeaseExpires(t *testing.T) {
	s := stepped(t, Options{LeaseTime: time.Hour, Tries: 2})
	add(t, s.Frontier, wanted("http://a.example/")...)
	lost := s.mustLease()
	again := s.mustLease()
	if again.Tries != 1 || s.clk.t.Before(epoch.Add(time.Hour)) {
		t.Fatalf("%+v at %v", again, s.clk.t)
	}
	err := s.st.Update(func(tx *store.Tx) error {
		_, err := s.Finish(tx, lost, Outcome{Status: 200})
		return err
	})
	if !errors.Is(err, ErrLease) {
		t.Fatalf("the first holder came back: %v", err)
	}
	if _, err := s.lease(); !errors.Is(err, ErrDone) {
		t.Fatal(err)
	}
	if u := stateOf(t, s.Frontier, "http://a.example/"); u.State != store.Failed ||
		u.Reason != store.Timeout || u.Tries != 2 {
		t.Errorf("%+v", u)
	}
}

// A commit that fails leaves the lease in force.
func TestFinishUndone(t *testing.T) {
	s := stepped(t, Options{})
	add(t, s.Frontier, wanted("http://a.example/")...)
	l := s.mustLease()
	errUndo := errors.New("undo")
	err := s.st.Update(func(tx *store.Tx) error {
		if _, err := s.Finish(tx, l, Outcome{Status: 200, Bytes: 9}); err != nil {
			return err
		}
		return errUndo
	})
	if !errors.Is(err, errUndo) {
		t.Fatal(err)
	}
	if st := s.Stats(); st.Leased != 1 || st.States[store.Pending] != 1 || st.Bytes != 0 {
		t.Errorf("%+v", st)
	}
	if fate := finish(t, s.Frontier, l, Outcome{Status: 200, Bytes: 9}); fate.State != store.Done {
		t.Errorf("%+v", fate)
	}
	if st := s.Stats(); st.Leased != 0 || st.States[store.Done] != 1 || st.Bytes != 9 {
		t.Errorf("%+v", st)
	}
}

// TestAddressUnansweredAtFirst: where a host's address does not answer the request for its
// robots.txt, the host's other address is taken.
func TestAddressUnansweredAtFirst(t *testing.T) {
	s := stepped(t, Options{Politeness: Politeness{Min: time.Second, Max: time.Second}})
	one, two := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	add(t, s.Frontier, wanted("http://a.example/1")...)
	l := s.mustLease()
	if got, ok, err := s.Resolved(l, []netip.Addr{one, two}, time.Hour); got != one || !ok || err != nil {
		t.Fatal(got, ok, err)
	}
	if err := s.st.Update(func(tx *store.Tx) error {
		return s.Postpone(tx, l, Outcome{Status: page.StatusConnect})
	}); err != nil {
		t.Fatal(err)
	}
	// its robots.txt is waited for
	if l = s.mustLease(); l.Address.IsValid() {
		t.Fatalf("it keeps %v", l.Address)
	}
	if got, ok, err := s.Resolved(l, []netip.Addr{one, two}, time.Hour); got != two || !ok || err != nil {
		t.Fatal(got, ok, err)
	}
}

// TestKeep: a lease whose holder is about to end it does not expire, and one that has expired cannot be
// kept.
func TestKeep(t *testing.T) {
	s := stepped(t, Options{})
	add(t, s.Frontier, wanted("http://a.example/", "http://b.example/", "http://b.example/2")...)
	kept, late := s.mustLease(), s.mustLease()
	if !Keep(s.Frontier, kept) {
		t.Fatal("the lease is in force")
	}
	s.clk.t = s.clk.t.Add(3 * time.Hour)
	if l := s.mustLease(); l.Host != late.Host {
		t.Errorf("%s is leased, too", l.URL)
	}
	if Keep(s.Frontier, late) {
		t.Error("an expired lease is kept")
	}
	if fate := finish(t, s.Frontier, kept, Outcome{Status: 200}); fate.State != store.Done {
		t.Errorf("%+v", fate)
	}
}
