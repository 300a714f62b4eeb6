package frontier

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"testing"
	"time"

	"pgregory.net/rapid"

	"watershed/page"
	"watershed/store"
)

// clock is a clock that only the test moves.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

var epoch = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// model is what the frontier promises, kept in the simplest way.
type model struct {
	dir string
	st  *store.Store
	f   *Frontier
	opt Options
	clk *clock

	state   map[page.URL]store.State
	leases  map[page.URL]*Lease
	tries   map[page.URL]int
	fetched map[page.URL]int
	rested  map[page.Host]time.Time // end of the last request and the least gap after it
	failed  map[string]time.Time    // until when an origin rests that did not answer
	address map[page.Host]netip.Addr

	excluded map[page.URL]bool
	last     map[page.Host]time.Time // end of the last request
	byHand   map[page.Host]time.Duration
	all      time.Duration // delay of all hosts by hand
}

func newModel(t *rapid.T) *model {
	dir, err := os.MkdirTemp("", "frontier")
	if err != nil {
		t.Fatal(err)
	}
	m := &model{
		dir: dir, clk: &clock{epoch},
		state: map[page.URL]store.State{}, leases: map[page.URL]*Lease{}, tries: map[page.URL]int{},
		fetched: map[page.URL]int{},
		rested:  map[page.Host]time.Time{}, failed: map[string]time.Time{},
		address:  map[page.Host]netip.Addr{},
		excluded: map[page.URL]bool{}, last: map[page.Host]time.Time{}, byHand: map[page.Host]time.Duration{},
	}
	m.opt = Options{
		Now: m.clk.now, Tries: 3, HostTries: -1, AddressDelay: time.Second,
		Politeness: Politeness{Factor: 5, Min: 2 * time.Second, Max: 30 * time.Second},
	}
	m.open(t)
	t.Cleanup(func() {
		if err := m.st.Close(); err != nil {
			t.Error(err)
		}
		os.RemoveAll(dir)
	})
	return m
}

func (m *model) open(t *rapid.T) {
	var err error
	if m.st, err = store.Open(store.Options{Dir: m.dir, MinFreeBytes: 1, MemTableBytes: 8 << 20}); err !=
		nil {
		t.Fatal(err)
	}
	opt := m.opt
	if rapid.Bool().Draw(t, "rows are counted by records") {
		if err := m.st.View(func(tx *store.Tx) error {
			fates, err := tx.Fates(1)
			opt.Waiting = fates.Waiting
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	if m.f, err = Open(m.st, 1, opt); err != nil {
		t.Fatal(err)
	}
}

func (m *model) update(t *rapid.T, fn func(tx *store.Tx) error) {
	if err := m.st.Update(fn); err != nil {
		t.Fatal(err)
	}
}

func drawURL(t *rapid.T) page.URL {
	n := rapid.IntRange(0, 9).Draw(t, "page")
	return page.URL(fmt.Sprintf("%s://h%d.example/%d", []string{"http", "https"}[n%2],
		rapid.IntRange(0, 4).Draw(t, "host"), n))
}

func originOf(u page.URL) string { return u.Scheme() + "://" + string(u.Host()) }

func (m *model) Add(t *rapid.T) {
	var xs []Candidate
	fresh := map[page.URL]bool{}
	for range rapid.IntRange(1, 8).Draw(t, "n") {
		x := Candidate{
			URL: drawURL(t), Wanted: rapid.Bool().Draw(t, "wanted"),
			Priority: rapid.Int64Range(0, 100).Draw(t, "priority"),
		}
		xs = append(xs, x)
		switch m.state[x.URL] {
		case store.Unknown:
			fresh[x.URL] = true
			m.state[x.URL] = store.Known
			fallthrough
		case store.Known:
			if x.Wanted {
				m.state[x.URL] = store.Pending
			}
		}
	}
	m.update(t, func(tx *store.Tx) error {
		got, err := m.f.Add(tx, xs)
		for _, g := range got {
			if u := xs[g.Index].URL; !g.New {
				if x := m.state[u]; x != store.Skipped && x != store.Failed {
					t.Fatalf("%s is told as refused, and is %s", u, x)
				}
			} else if !fresh[u] {
				t.Fatalf("%s is called fresh", u)
			} else {
				delete(fresh, u)
			}
		}
		if len(fresh) > 0 {
			t.Fatalf("not called fresh: %v", fresh)
		}
		return err
	})
}

func (m *model) Want(t *rapid.T) {
	u := drawURL(t)
	p := rapid.Int64Range(0, 1000).Draw(t, "priority")
	m.update(t, func(tx *store.Tx) error {
		_, err := m.f.Add(tx, []Candidate{{URL: u, Wanted: true, Priority: p}})
		return err
	})
	if s := m.state[u]; s == store.Unknown || s == store.Known {
		m.state[u] = store.Pending
	}
}

func (m *model) Undone(t *rapid.T) {
	u := drawURL(t)
	errUndo := errors.New("undo")
	err := m.st.Update(func(tx *store.Tx) error {
		if _, err := m.f.Add(tx, []Candidate{{URL: u, Wanted: true, Priority: 1 << 40}}); err != nil {
			return err
		}
		return errUndo
	})
	if !errors.Is(err, errUndo) {
		t.Fatal(err)
	}
}

func (m *model) Lease(t *rapid.T) {
	l, next, err := m.f.next()
	if errors.Is(err, ErrDone) {
		for u, s := range m.state {
			if s == store.Pending {
				t.Fatalf("done, but %s is pending", u)
			}
		}
		if len(m.leases) > 0 {
			t.Fatalf("done, but leased: %v", m.leases)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if l == nil {
		if next < m.clk.t.UnixNano() {
			t.Fatalf("look again at %v, which is over at %v", timeOf(next), m.clk.t)
		}
		if next != never && len(m.leases) == 0 {
			m.clk.t = timeOf(next)
		}
		return
	}
	m.granted(t, l)
}

func (m *model) granted(t *rapid.T, l *Lease) {
	if m.state[l.URL] != store.Pending {
		t.Fatalf("leased %s, which is %v", l.URL, m.state[l.URL])
	}
	if m.leases[l.URL] != nil {
		t.Fatalf("leased twice: %s", l.URL)
	}
	for u := range m.leases {
		if u.Host() == l.Host {
			t.Fatalf("leased %s while %s is", l.URL, u)
		}
	}
	if until := m.rested[l.Host]; m.clk.t.Before(until) {
		t.Fatalf("leased %s %v too early", l.URL, until.Sub(m.clk.t))
	}
	if until := m.failed[originOf(l.URL)]; m.clk.t.Before(until) {
		t.Fatalf("leased %s %v too early for its origin", l.URL, until.Sub(m.clk.t))
	}
	if at, asked := m.last[l.Host]; asked && m.clk.t.Before(at.Add(max(m.byHand[l.Host], m.all))) {
		t.Fatalf("leased %s %v after the last request, against the archivist's delay of %v or %v", l.URL,
			m.clk.t.Sub(at), m.byHand[l.Host], m.all)
	}
	if l.Tries != m.tries[l.URL] {
		t.Fatalf("%s: %d tries, want %d", l.URL, l.Tries, m.tries[l.URL])
	}
	if !l.Address.IsValid() {
		var addrs []netip.Addr
		for range rapid.IntRange(1, 2).Draw(t, "addresses") {
			addrs = append(addrs,
				netip.AddrFrom4([4]byte{10, 0, 0, byte(rapid.IntRange(1, 3).Draw(t, "address"))}))
		}
		addr, ok, err := m.f.Resolved(l, addrs, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return
		}
		l.Address = addr
	}
	for u := range m.leases {
		if m.address[u.Host()] == l.Address {
			t.Fatalf("leased %s at %v while %s is", l.URL, l.Address, u)
		}
	}
	m.address[l.Host] = l.Address
	m.leases[l.URL] = l
}

func (m *model) drawLease(t *rapid.T) *Lease {
	if len(m.leases) == 0 {
		t.Skip("no lease")
	}
	var first *Lease // the lowest number, so that the choice is the same each time
	for _, l := range m.leases {
		if first == nil || l.ID < first.ID {
			first = l
		}
	}
	return first
}

func (m *model) Finish(t *rapid.T) {
	l := m.drawLease(t)
	o := Outcome{
		Status: rapid.SampledFrom([]int{
			200, 404, 304, 503, 429, page.StatusConnect, page.StatusDNS,
			page.StatusRefused, page.StatusRobots,
		}).Draw(t, "status"),
		ResponseTime: time.Duration(rapid.IntRange(0, 9000).Draw(t, "ms")) * time.Millisecond,
	}
	o.Unsent = o.Status == page.StatusRobots
	o.Broken = o.Status == 200 && rapid.IntRange(0, 2).Draw(t, "broken") == 0
	if rapid.Bool().Draw(t, "retry-after") {
		o.RetryAfter = "77"
	}
	foretold := m.f.Foretell(l, o)
	var fate Fate
	m.update(t, func(tx *store.Tx) (err error) {
		fate, err = m.f.Finish(tx, l, o)
		return err
	})
	if fate.State != foretold.State || fate.Reason != foretold.Reason {
		t.Fatalf("foretold %+v, got %+v", foretold, fate)
	}
	delete(m.leases, l.URL)
	gap := min(max(5*o.ResponseTime, 2*time.Second), 30*time.Second)
	if _, bad := retried[o.Status]; bad {
		rest := 30 * time.Second
		if o.RetryAfter != "" {
			rest = 77 * time.Second
		}
		if o.Status == page.StatusConnect {
			m.failed[originOf(l.URL)] = m.clk.t.Add(rest)
		} else {
			gap = max(gap, rest)
		}
		m.tries[l.URL]++
		want := store.Pending
		if m.tries[l.URL] >= 3 {
			want = store.Failed
		}
		if !m.excluded[l.URL] && fate.State != want {
			t.Fatalf("%s after %d tries: %v", l.URL, m.tries[l.URL], fate.State)
		}
	}
	if o.Broken && fate.State == store.Pending {
		if m.tries[l.URL]++; m.tries[l.URL] > 1 {
			t.Fatalf("%s is asked for %d times for an answer that broke off", l.URL, m.tries[l.URL]+1)
		}
	}
	if !o.Unsent {
		m.rested[l.Host], m.last[l.Host] = m.clk.t.Add(gap), m.clk.t
	}
	if fate.State != store.Pending {
		m.state[l.URL] = fate.State
		delete(m.excluded, l.URL) // what became of it is another reason
	}
	if fate.State == store.Done {
		if m.fetched[l.URL]++; m.fetched[l.URL] > 1 {
			t.Fatalf("fetched twice: %s", l.URL)
		}
	}
	if _, err := m.finishAgain(l); !errors.Is(err, ErrLease) {
		t.Fatalf("a lease could be finished twice: %v", err)
	}
}

func (m *model) finishAgain(l *Lease) (fate Fate, err error) {
	err = m.st.Update(func(tx *store.Tx) error {
		fate, err = m.f.Finish(tx, l, Outcome{Status: 200})
		return err
	})
	return fate, err
}

func (m *model) Postpone(t *rapid.T) {
	l := m.drawLease(t)
	m.update(t, func(tx *store.Tx) error { return m.f.Postpone(tx, l, Outcome{Status: 200}) })
	m.last[l.Host] = m.clk.t
	delete(m.leases, l.URL)
	m.rested[l.Host] = m.clk.t.Add(2 * time.Second)
}

func (m *model) Release(t *rapid.T) {
	l := m.drawLease(t)
	m.f.Release(l, true)
	delete(m.leases, l.URL)
	m.rested[l.Host] = m.clk.t.Add(2 * time.Second)
}

func (m *model) Time(t *rapid.T) {
	m.clk.t = m.clk.t.Add(time.Duration(rapid.IntRange(1, 100_000).Draw(t, "ms")) * time.Millisecond)
}

func (m *model) Crash(t *rapid.T) {
	if err := m.st.Close(); err != nil { // the leases are not finished
		t.Fatal(err)
	}
	for _, l := range m.leases {
		m.rested[l.Host] = m.clk.t.Add(2 * time.Second)
	}
	clear(m.leases)
	m.all = 0
	m.open(t)
}

// Delay changes the pause of a host, or of all, by hand: up, down, or back.
func (m *model) Delay(t *rapid.T) {
	d := time.Duration(rapid.IntRange(0, 90).Draw(t, "seconds")) * time.Second
	if rapid.Bool().Draw(t, "all hosts") {
		m.f.SetDelay(d)
		m.all = d
		return
	}
	name := drawURL(t).Host()
	m.update(t, func(tx *store.Tx) error { return m.f.SetHostDelay(tx, name, d) })
	m.byHand[name] = d
}

// Pause and go on: nothing is leased between, and nothing sooner after it.
func (m *model) Pause(t *rapid.T) {
	m.f.SetPaused(true)
	if l, _, err := m.f.next(); l != nil || err != nil {
		t.Fatalf("paused: leased %+v, %v", l, err)
	}
	m.Time(t)
	m.f.SetPaused(false)
}

// Exclude has the waiting URLs of a host skipped.
func (m *model) Exclude(t *rapid.T) {
	name, want := drawURL(t).Host(), 0
	for u, s := range m.state {
		if s == store.Pending && u.Host() == name {
			m.state[u], m.excluded[u] = store.Skipped, true
			want++
		}
	}
	n, err := m.f.Exclude("", func(u *store.URL) (string, bool) {
		return "host:" + string(name), u.URL.Host() == name
	})
	if err != nil || n != want {
		t.Fatalf("%d URLs excluded, want %d: %v", n, want, err)
	}
}

// Readmit takes it back.
func (m *model) Readmit(t *rapid.T) {
	name, want := drawURL(t).Host(), 0
	for u := range m.excluded {
		if m.state[u] == store.Skipped && u.Host() == name {
			m.state[u], m.tries[u] = store.Pending, 0
			delete(m.excluded, u)
			want++
		}
	}
	if n, err := m.f.Readmit("host:"+string(name), func(*store.URL) bool { return true }); err != nil ||
		n != want {
		t.Fatalf("%d URLs readmitted, want %d: %v", n, want, err)
	}
}

// Check compares the counts, and the queues in memory with what the store has.
func (m *model) Check(t *rapid.T) {
	var want [store.States]int64
	for _, s := range m.state {
		want[s]++
	}
	if got := m.f.Stats(); got.States != want || got.Leased != len(m.leases) {
		t.Fatalf("states %v, %d leased; want %v, %d", got.States, got.Leased, want, len(m.leases))
	}
	stored := map[page.URL]store.State{}
	for u, err := range m.st.URLs(1) {
		if err != nil {
			t.Fatal(err)
		}
		stored[u.URL] = u.State
	}
	for u, s := range m.state {
		if stored[u] != s {
			t.Fatalf("%s is %v in the store, want %v", u, stored[u], s)
		}
	}
	rows := map[uint32]int{}
	err := m.st.View(func(tx *store.Tx) error {
		return tx.EachRow(1, func(h uint32, _ store.Place) { rows[h]++ })
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range m.f.Hosts() {
		if rows[h.Number] != h.Pending {
			t.Fatalf("host %s: %d rows in the store, %d counted", h.Name, rows[h.Number], h.Pending)
		}
	}
}

func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newModel(t)
		t.Repeat(map[string]func(*rapid.T){
			"add": m.Add, "want": m.Want, "undone": m.Undone, "lease": m.Lease,
			"lease again": m.Lease,
			"finish":      m.Finish, "postpone": m.Postpone, "release": m.Release, "time": m.Time,
			"crash": m.Crash,
			"delay": m.Delay, "pause": m.Pause, "exclude": m.Exclude, "readmit": m.Readmit, "": m.Check,
		})
		for len(m.leases) > 0 {
			m.Release(t)
		}
		for i := 0; ; i++ { // every URL that is wanted comes to an end
			if i > 10_000 {
				t.Fatalf("no end: %+v", m.f.Stats())
			}
			l, next, err := m.f.next()
			if errors.Is(err, ErrDone) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if l == nil {
				if next == never {
					t.Fatalf("nothing due ever: %+v", m.f.Stats())
				}
				m.clk.t = timeOf(next)
				continue
			}
			m.granted(t, l)
			if m.leases[l.URL] != nil {
				m.Finish(t)
			}
		}
		m.Check(t)
	})
}
