package frontier

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"watershed/lab/kit/rusage"
	"watershed/page"
	"watershed/store"
)

// TestDelayByHand changes the delay while a host rests: never below what the options and robots.txt
// want.
func TestDelayByHand(t *testing.T) {
	type change struct {
		at  time.Duration // after the request
		set time.Duration
	}
	sec := time.Second
	for _, tt := range []struct {
		name       string
		crawlDelay time.Duration
		outcome    Outcome
		changes    []change
		want       time.Duration
	}{
		{name: "longer", changes: []change{{0, 60 * sec}}, want: 60 * sec},
		{name: "longer, when half is over", changes: []change{{sec, 60 * sec}}, want: 60 * sec},
		{name: "shorter than the least", changes: []change{{0, sec}}, want: 2 * sec},
		{
			name: "shorter than robots.txt wants", crawlDelay: 10 * sec, changes: []change{{0, 3 * sec}},
			want: 10 * sec,
		},
		{name: "taken back", changes: []change{{0, time.Hour}, {sec, 0}}, want: 2 * sec},
		{name: "taken back late", changes: []change{{0, time.Hour}, {30 * sec, 0}}, want: 30 * sec},
		{
			name: "taken back, robots.txt stays", crawlDelay: 10 * sec,
			changes: []change{{0, time.Hour}, {sec, 0}}, want: 10 * sec,
		},
		{
			name: "taken back, a slow answer counts", outcome: Outcome{Status: 200, ResponseTime: 4 * sec},
			changes: []change{{0, time.Hour}, {sec, 0}}, want: 20 * sec,
		},
		{
			name: "taken back, Retry-After stays", outcome: Outcome{Status: 503, RetryAfter: "100"},
			changes: []change{{0, time.Hour}, {sec, sec}}, want: 100 * sec,
		},
	} {
		for _, all := range []bool{false, true} {
			t.Run(tt.name, func(t *testing.T) {
				s := stepped(t, Options{Slack: -1})
				add(t, s.Frontier, wanted("http://a.example/1", "http://a.example/2")...)
				update(t, s.Frontier, func(tx *store.Tx) error {
					return s.SetCrawlDelay(tx, "a.example", tt.crawlDelay)
				})
				o := tt.outcome
				if o.Status == 0 {
					o.Status = 200
				}
				finish(t, s.Frontier, s.mustLease(), o)
				end := s.clk.t
				for _, c := range tt.changes {
					s.clk.t = end.Add(c.at)
					if all {
						s.SetDelay(c.set)
					} else {
						update(t, s.Frontier, func(tx *store.Tx) error {
							return s.SetHostDelay(tx, "a.example", c.set)
						})
					}
				}
				s.mustLease()
				if got := s.clk.t.Sub(end); got != tt.want {
					t.Errorf("leased after %v, want %v (all hosts: %v)", got, tt.want, all)
				}
			})
		}
	}
}

// TestDelayWhileLeased: a delay that is set while a URL of the host is leased counts from the last
// request on, also where that URL then is not asked for.
func TestDelayWhileLeased(t *testing.T) {
	for name, end := range map[string]func(*step, *Lease){
		"released": func(s *step, l *Lease) { s.Release(l, false) },
		"forbidden by robots.txt": func(s *step, l *Lease) {
			finish(t, s.Frontier, l, Outcome{Status: page.StatusRobots, Unsent: true})
		},
		"all addresses busy": func(s *step, l *Lease) {
			add(t, s.Frontier, wanted("http://b.example/")...)
			other, addr := s.mustLease(), []netip.Addr{netip.MustParseAddr("10.0.0.9")}
			_, first, err := s.Resolved(other, addr, time.Hour)
			_, second, err2 := s.Resolved(l, addr, time.Hour)
			if !first || second || err != nil || err2 != nil {
				t.Error(first, second, err, err2)
			}
			finish(t, s.Frontier, other, Outcome{Status: 200})
		},
	} {
		for _, all := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				s := stepped(t, Options{Slack: -1, AddressDelay: -1})
				add(t, s.Frontier,
					wanted("http://a.example/1", "http://a.example/2", "http://a.example/3")...)
				finish(t, s.Frontier, s.mustLease(), Outcome{Status: 200})
				asked := s.clk.t
				s.clk.t = asked.Add(2 * time.Second)
				l := s.mustLease()
				if all {
					s.SetDelay(time.Minute)
				} else {
					update(t, s.Frontier, func(tx *store.Tx) error {
						return s.SetHostDelay(tx, "a.example", time.Minute)
					})
				}
				end(s, l)
				s.mustLease()
				if got := s.clk.t.Sub(asked); got != time.Minute {
					t.Errorf("asked again after %v, want 1m0s", got)
				}
			})
		}
	}
}

func TestFloor(t *testing.T) {
	s := stepped(t,
		Options{Hosts: []HostPoliteness{{
			Match:      "fast.example",
			Politeness: Politeness{Min: time.Millisecond},
		}}})
	for name, crawlDelay := range map[page.Host]time.Duration{
		"a.example": 0, "slow.example": 9 * time.Second,
		"fast.example": 0,
	} {
		update(t, s.Frontier, func(tx *store.Tx) error { return s.SetCrawlDelay(tx, name, crawlDelay) })
	}
	for name, want := range map[page.Host]time.Duration{
		"a.example": 2 * time.Second, "slow.example": 9 * time.Second, "fast.example": time.Millisecond,
		"unknown.example": 2 * time.Second,
	} {
		if got, _ := s.Host(name); got.Floor != want {
			t.Errorf("%s: %v, want %v", name, got.Floor, want)
		}
	}
}

// TestLimitsByHand: a limit that is lowered ends at once what it ends, and what it left out comes
// back when it is raised.
func TestLimitsByHand(t *testing.T) {
	s := stepped(t, Options{HostLimits: Limits{Pages: 1}})
	add(t, s.Frontier, wanted("http://a.example/1", "http://a.example/2", "http://a.example/3",
		"http://b.example/1", "http://b.example/2")...)
	if got := s.fetchAll(ok); len(got) != 2 {
		t.Fatalf("fetched %v", got)
	}
	if n, err := s.SetHostLimits("a.example", Limits{Pages: 2}); err != nil || n != 2 {
		t.Errorf("%d reopened: %v", n, err)
	}
	if got := s.fetchAll(ok); len(got) != 1 || got[0].Host() != "a.example" {
		t.Errorf("fetched %v", got)
	}
	if n, err := s.SetHostLimits("", Limits{Pages: 1, Bytes: 1 << 30}); err != nil || n != 0 {
		t.Errorf("%d reopened by a limit that is not raised: %v", n, err)
	}
	if n, err := s.SetHostLimits("", Limits{}); err != nil || n != 2 {
		t.Errorf("%d reopened: %v", n, err)
	}
	if got := s.fetchAll(ok); len(got) != 1 || got[0].Host() != "b.example" {
		t.Errorf("fetched %v; a.example has a limit of its own", got)
	}
	add(t, s.Frontier, wanted("http://c.example/1", "http://c.example/2")...)
	if err := s.SetLimits(Limits{Pages: 5}); err != nil {
		t.Fatal(err)
	}
	finish(t, s.Frontier, s.mustLease(), Outcome{Status: 200})
	if got := s.fetchAll(ok); len(got) != 0 || s.Stats().Reasons[store.LimitPages] == 0 {
		t.Errorf("fetched %v beyond five pages of five", got)
	}
	if err := s.SetLimits(Limits{Pages: 6}); err != nil {
		t.Fatal(err)
	}
	finish(t, s.Frontier, s.mustLease(), Outcome{Status: 200})
	all, host := s.Limits("a.example")
	if all.Pages != 6 || host.Pages != 2 {
		t.Errorf("limits %+v, %+v", all, host)
	}
	if s.SetLimits(Limits{Bytes: -1}) == nil {
		t.Error("a negative limit was taken")
	}
	if _, err := s.SetHostLimits("a.example", Limits{Bytes: -1}); err == nil {
		t.Error("a negative limit was taken")
	}
}

// TestLimitsOfWhatIsFetchedAgain: a page whose capture was lost is fetched again, and counts once, also
// where its host's limit is reached.
func TestLimitsOfWhatIsFetchedAgain(t *testing.T) {
	s := stepped(t, Options{HostLimits: Limits{Pages: 2}})
	add(t, s.Frontier, wanted("http://a.example/1", "http://a.example/2")...)
	if got := s.fetchAll(ok); len(got) != 2 {
		t.Fatalf("fetched %v", got)
	}
	again := []page.URL{"http://a.example/1"}
	if err := s.st.Update(func(tx *store.Tx) error { return s.Again(tx, again) }); err != nil {
		t.Fatal(err)
	}
	if got := s.fetchAll(ok); !slices.Equal(got, again) {
		t.Errorf("fetched again: %v", got)
	}
	add(t, s.Frontier, wanted("http://a.example/3")...)
	if got := s.fetchAll(ok); len(got) != 0 {
		t.Errorf("beyond the limit: %v", got)
	}
}

// TestExcludeKeepsARecord: a URL that was excluded is told of with the rule, and one that another
// site wants comes back.
func TestExcludeKeepsARecord(t *testing.T) {
	s := stepped(t, Options{Sites: []Site{{Name: "one"}, {Name: "two"}}})
	add(t, s.Frontier, wanted("http://a.example/1", "http://a.example/2")...)
	n, err := s.Exclude("decided by anna", func(u *store.URL) (string, bool) {
		return "prefix:http://a.example/", u.Site == 0
	})
	if err != nil || n != 2 {
		t.Fatalf("%d excluded: %v", n, err)
	}
	x, found, err := s.Explain("http://a.example/1")
	if err != nil || !found || x.State != store.Skipped || x.Reason != store.Excluded ||
		x.Rule != "prefix:http://a.example/" || x.Entry.Evidence != "decided by anna" {
		t.Errorf("%+v, %v", x, err)
	}
	add(t, s.Frontier, wanted("http://a.example/1")...)
	if got := s.Stats(); got.States[store.Pending] != 0 {
		t.Errorf("the same site had it back: %+v", got)
	}
	add(t, s.Frontier, Candidate{URL: "http://a.example/1", Wanted: true, Site: 1})
	if got := s.Stats(); got.States[store.Pending] != 1 {
		t.Errorf("the other site had it not: %+v", got)
	}
}

// BenchmarkExclude looks through a hundred thousand waiting URLs on twenty thousand hosts, of which
// one in 97 is excluded, and takes them back.
func BenchmarkExclude(b *testing.B) {
	const waiting = 100_000
	s := stepped(b, Options{})
	for from := 0; from < waiting; from += 1000 {
		xs := make([]Candidate, 1000)
		for i := range xs {
			xs[i] = Candidate{URL: benchURL(from + i), Wanted: true}
		}
		add(b, s.Frontier, xs...)
	}
	var out, back time.Duration // of processor time
	for b.Loop() {
		start := rusage.CPU()
		n, err := s.Exclude("", func(u *store.URL) (string, bool) {
			return "regex:/section/5/", strings.Contains(string(u.URL), "/section/5/")
		})
		if err != nil || n == 0 {
			b.Fatal(n, err)
		}
		mid := rusage.CPU()
		if m, err := s.Readmit("regex:/section/5/", func(*store.URL) bool { return true }); err != nil ||
			m != n {
			b.Fatal(m, err)
		}
		out, back = out+mid-start, back+rusage.CPU()-mid
	}
	b.ReportMetric(out.Seconds()*1000/float64(b.N), "cpu-ms/exclude")
	b.ReportMetric(back.Seconds()*1000/float64(b.N), "cpu-ms/readmit")
}
