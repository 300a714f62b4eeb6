package frontier

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"watershed/page"
	"watershed/store"
)

// since is the time that has passed in the test.
func since(s *step, t time.Time) time.Duration { return s.clk.t.Sub(t) }

// gaps fetches the URLs of one host with these outcomes and gives the pauses after each.
func gaps(t *testing.T, s *step, outcomes []Outcome) (gaps []time.Duration) {
	t.Helper()
	for i := range len(outcomes) + 1 {
		add(t, s.Frontier, wanted(fmt.Sprintf("http://www.slow.example/%d", i))...)
	}
	l := s.mustLease()
	for _, o := range outcomes {
		end := s.clk.t
		finish(t, s.Frontier, l, o)
		told, _ := s.Host("www.slow.example")
		l = s.mustLease()
		if gaps = append(gaps, since(s, end)); told.Rests != since(s, end) {
			t.Errorf("it rests for %v, and %v were told", since(s, end), told.Rests)
		}
	}
	return gaps
}

func TestDelay(t *testing.T) {
	quick, slow := Outcome{Status: 200, ResponseTime: 100 * time.Millisecond}, Outcome{
		Status:       200,
		ResponseTime: 4 * time.Second,
	}
	dead := Outcome{Status: 404, ResponseTime: time.Minute}
	busy := func(after string) Outcome {
		return Outcome{Status: http.StatusServiceUnavailable, RetryAfter: after}
	}
	many := Outcome{Status: http.StatusTooManyRequests}
	gone := Outcome{Status: page.StatusConnect}
	robots := Outcome{Status: page.StatusRobots, Unsent: true}
	sec := time.Second
	for _, tt := range []struct {
		name       string
		o          Options
		crawlDelay time.Duration
		outcomes   []Outcome
		want       []time.Duration
	}{
		{
			name: "factor, least and greatest", outcomes: []Outcome{quick, slow, dead},
			want: []time.Duration{2 * sec, 20 * sec, 30 * sec},
		},
		{
			name: "none", o: Options{Politeness: Politeness{Factor: -1, Min: -1}},
			outcomes: []Outcome{quick, slow}, want: []time.Duration{0, 0},
		},
		{
			name: "nothing sent", outcomes: []Outcome{robots, robots, quick},
			want: []time.Duration{0, 0, 2 * sec},
		},
		{
			name:     "nothing sent, but told to rest",
			outcomes: []Outcome{{Status: 301, Unsent: true, Rest: 5 * sec}}, want: []time.Duration{5 * sec},
		},
		{
			name: "slack on top", o: Options{Slack: sec}, crawlDelay: 3 * sec,
			outcomes: []Outcome{quick, slow},
			want:     []time.Duration{4 * sec, 21 * sec},
		},
		{
			name: "Crawl-delay", crawlDelay: 10 * sec, outcomes: []Outcome{quick, slow},
			want: []time.Duration{10 * sec, 20 * sec},
		},
		{
			name: "Crawl-delay beyond the cap", crawlDelay: 1000 * sec, outcomes: []Outcome{quick},
			want: []time.Duration{300 * sec},
		},
		{
			name: "host of its own kind",
			o: Options{Hosts: []HostPoliteness{{
				Match:      "*.slow.example",
				Politeness: Politeness{Min: 20 * sec},
			}}},
			outcomes: []Outcome{quick, dead}, want: []time.Duration{20 * sec, 30 * sec},
		},
		{
			name: "host of another kind",
			o: Options{Hosts: []HostPoliteness{{
				Match:      "slow.example",
				Politeness: Politeness{Min: 20 * sec},
			}}},
			outcomes: []Outcome{quick}, want: []time.Duration{2 * sec},
		},
		{
			name: "no connection, then one", outcomes: []Outcome{gone, gone, gone, quick, quick},
			want: []time.Duration{30 * sec, 60 * sec, 120 * sec, 2 * sec, 2 * sec},
		},
		{
			name: "429 and recovery", outcomes: []Outcome{many, many, quick, quick, quick},
			want: []time.Duration{30 * sec, 60 * sec, 4 * sec, 2 * sec, 2 * sec},
		},
		{
			name:     "Retry-After",
			outcomes: []Outcome{busy("100"), busy("1"), busy("Sat, 21 Nov 2026 13:00:00 GMT")},
			want:     []time.Duration{100 * sec, 60 * sec, 3600*sec - 160*sec},
		},
		{
			name: "Retry-After of other answers",
			outcomes: []Outcome{
				{Status: 301, RetryAfter: "100"},
				{Status: 200, RetryAfter: "50"},
				{Status: 404, RetryAfter: "soon"},
				{Status: 302, RetryAfter: "1"},
				{Status: 307, RetryAfter: "99999999999999999999"},
			},
			want: []time.Duration{100 * sec, 50 * sec, 2 * sec, 2 * sec, 24 * time.Hour},
		},
		{
			name: "Retry-After beyond the cap", o: Options{RetryAfterMax: 10 * time.Minute},
			outcomes: []Outcome{busy("86400")}, want: []time.Duration{10 * time.Minute},
		},
		{
			name: "back-off up to its bound", o: Options{RetryMax: 100 * sec, HostTries: -1, Tries: 99},
			outcomes: []Outcome{gone, gone, gone, gone},
			want:     []time.Duration{30 * sec, 60 * sec, 100 * sec, 100 * sec},
		},
		{
			name: "back-off of days, doubled often", o: Options{
				RetryBase: 24 * time.Hour,
				RetryMax:  100 * 24 * time.Hour, HostTries: -1, Tries: 99,
			},
			outcomes: slices.Repeat([]Outcome{gone}, 24),
			want: append([]time.Duration{day, 2 * day, 4 * day, 8 * day, 16 * day, 32 * day, 64 * day},
				slices.Repeat([]time.Duration{100 * day}, 17)...),
		},
		{
			name: "pages again, after none for a while", outcomes: append([]Outcome{
				{Status: page.StatusDenied}, {Status: page.StatusDenied}, {Status: 200, Spared: true},
			}, slices.Repeat([]Outcome{quick}, fairTrust+1)...),
			want: append([]time.Duration{30 * sec, 60 * sec},
				append(slices.Repeat([]time.Duration{4 * sec}, fairTrust+1), 2*sec)...),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := stepped(t, tt.o)
			update(t, s.Frontier, func(tx *store.Tx) error {
				return s.SetCrawlDelay(tx, "www.slow.example", tt.crawlDelay)
			})
			got := gaps(t, s, tt.outcomes)
			if fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("pauses %v, want %v", got, tt.want)
			}
		})
	}
}

// An address in brackets is a name, and no class of letters.
func TestPolitenessOfAddress(t *testing.T) {
	o := Options{Hosts: []HostPoliteness{{
		Match:      "[2001:db8::1]",
		Politeness: Politeness{Min: 20 * time.Second},
	}}}
	s := stepped(t, o)
	for host, want := range map[page.Host]time.Duration{
		"[2001:db8::1]":      20 * time.Second,
		"[2001:db8::1]:8080": 20 * time.Second, "2": 2 * time.Second,
	} {
		if got := s.ruleFor(host).Min; got != want {
			t.Errorf("%s: %v, want %v", host, got, want)
		}
	}
}

// TestPolitenessOfSeveralEntries: each field is that of the first entry that sets it, and of all hosts
// where none does; an entry that sets one field leaves the others to the entries behind it.
func TestPolitenessOfSeveralEntries(t *testing.T) {
	s := stepped(t, Options{
		Politeness: Politeness{Factor: 3},
		Hosts: []HostPoliteness{
			{Match: "www.a.example"},
			{Match: "b.a.example", Politeness: Politeness{Max: 5 * time.Second}},
			{Match: "*.a.example", Politeness: Politeness{Factor: -1, Min: 20 * time.Second}},
			{Match: "*.example", Politeness: Politeness{Factor: 9, Min: time.Second, Max: time.Minute}},
		},
	})
	for host, want := range map[page.Host]Politeness{
		"www.a.example": {0, 20 * time.Second, time.Minute, 300 * time.Second},
		"b.a.example":   {0, 20 * time.Second, 20 * time.Second, 300 * time.Second},
		"c.example":     {9, time.Second, time.Minute, 300 * time.Second},
		"a.test":        {3, 2 * time.Second, 30 * time.Second, 300 * time.Second},
	} {
		if got := *s.ruleFor(host); got != want {
			t.Errorf("%s: %v, want %v", host, got, want)
		}
	}
}

// TestFate checks what becomes of a URL by its status, at the first and at the last try.
func TestFate(t *testing.T) {
	for _, tt := range []struct {
		status      int
		first, last string
	}{
		{200, "done ", "done "},
		{301, "done ", "done "},
		{304, "done ", "done "},
		{404, "done ", "done "},
		{500, "pending ", "done "},
		{425, "pending ", "done "},
		{501, "done ", "done "},
		{502, "pending ", "done "},
		{504, "pending ", "done "},
		{522, "pending ", "done "},
		{429, "pending throttled", "failed throttled"},
		{503, "pending throttled", "failed throttled"},
		{page.StatusDNS, "pending dns", "failed dns"},
		{page.StatusConnect, "pending connect", "failed connect"},
		{page.StatusLost, "pending lost", "failed lost"},
		{page.StatusTimeout, "pending timeout", "failed timeout"},
		{page.StatusUnreachable, "pending unreachable", "failed unreachable"},
		{page.StatusRefused, "failed refused", "failed refused"},
		{page.StatusPrivate, "skipped private", "skipped private"},
		{page.StatusRobots, "skipped robots", "skipped robots"},
		{page.StatusOutOfScope, "skipped outOfBoundary", "skipped outOfBoundary"},
		{-999, "failed refused", "failed refused"},
		{0, "failed refused", "failed refused"},
	} {
		s := stepped(t, Options{Tries: 2, HostTries: -1})
		add(t, s.Frontier, wanted("http://a.example/")...)
		l := s.mustLease()
		o := Outcome{Status: tt.status}
		fate := finish(t, s.Frontier, l, o)
		if got := fmt.Sprint(fate.State, " ", fate.Reason); got != tt.first {
			t.Errorf("%d: %s, want %s", tt.status, got, tt.first)
		}
		if fate.State == store.Pending {
			fate = finish(t, s.Frontier, s.mustLease(), o)
		}
		if got := fmt.Sprint(fate.State, " ", fate.Reason); got != tt.last {
			t.Errorf("%d, last try: %s, want %s", tt.status, got, tt.last)
		}
		if u := stateOf(t, s.Frontier, "http://a.example/"); u.State != fate.State ||
			u.Reason != fate.Reason || u.Status != tt.status {
			t.Errorf("%d: %+v", tt.status, u)
		}
		if _, err := s.lease(); !errors.Is(err, ErrDone) {
			t.Errorf("%d: %v", tt.status, err)
		}
	}
}

// TestGateway: a URL for which a gateway answers is tried again while its origin rests. Errors beyond
// those for which patience lasts are what the URLs have, and the host goes on.
func TestGateway(t *testing.T) {
	o := Options{Tries: 3, HostTries: 6, RetryBase: time.Minute, RetryMax: 10 * time.Minute, Slack: -1}
	resting := stepped(t, o)
	add(t, resting.Frontier, wanted("http://a.example/")...)
	finish(t, resting.Frontier, resting.mustLease(), Outcome{Status: 502})
	if n := resting.Stats().BackedOff; n != 1 {
		t.Errorf("%d hosts are told as to be tried again later", n)
	}
	o.Hasty.Priority = 8
	waited := stepped(t, o)
	add(t, waited.Frontier, Candidate{URL: "http://a.example/", Wanted: true, Priority: 8})
	finish(t, waited.Frontier, waited.mustLease(), Outcome{Status: 502})
	if x := stateOf(t, waited.Frontier, "http://a.example/"); x.State != store.Done {
		t.Errorf("a page that is drawn waits for another answer: %+v", x)
	}
	for _, tt := range []struct {
		name       string
		urls, down int // URLs that are there, and answers of the gateway before the host is back
		lost       int
		rest       time.Duration // that the origin has for the errors: 1, 2, 4, 8 and 10 minutes
	}{
		{"one error", 4, 1, 0, time.Minute},
		{"a restart", 20, 5, 0, 25 * time.Minute},
		{"for ever", 100, 1000, 100, 25 * time.Minute},
	} {
		s := stepped(t, o)
		var all []string
		for i := range tt.urls {
			all = append(all, fmt.Sprintf("http://a.example/%d", i))
		}
		add(t, s.Frontier, wanted(all...)...)
		began, n, last := s.clk.now(), 0, map[page.URL]int{}
		s.fetchAll(func(l *Lease) Outcome {
			n++
			last[l.URL] = 200
			if n <= tt.down {
				last[l.URL] = 502
			}
			return Outcome{Status: last[l.URL]}
		})
		lost := 0
		for u, status := range last {
			if status == 502 {
				lost++
			}
			if x := stateOf(t, s.Frontier, u); x.State != store.Done || x.Status != status {
				t.Errorf("%s: %+v", tt.name, x)
			}
		}
		if took := s.clk.now().Sub(began); lost != tt.lost || len(last) != tt.urls || took < tt.rest ||
			took > tt.rest+5*time.Minute || n > tt.urls+o.HostTries {
			t.Errorf("%s: %d requests for %d URLs, %d lost, after %v", tt.name, n, len(last), lost, took)
		}
	}
}

// TestFaultsForEver: however patient the harvest is with hosts that do not answer, one that fails each page
// is asked for few of them again. After a good further attempt it is asked for others again.
func TestFaultsForEver(t *testing.T) {
	for _, tt := range []struct {
		good, most int // which of the answers are good, 2 for each second, 0 for none; requests for 200 URLs
	}{{0, 210}, {2, 400}} {
		s := stepped(t, Options{Tries: 9, HostTries: 1000})
		var all []string
		for i := range 200 {
			all = append(all, fmt.Sprintf("http://a.example/%d", i))
		}
		add(t, s.Frontier, wanted(all...)...)
		n := 0
		s.fetchAll(func(*Lease) Outcome {
			if n++; tt.good > 0 && n%tt.good == 0 {
				return Outcome{Status: 200}
			}
			return Outcome{Status: 200, Empty: true}
		})
		if n > tt.most {
			t.Errorf("%d requests for 200 URLs, want %d at most", n, tt.most)
		}
		if pending := s.Stats().States[store.Pending]; pending > 0 {
			t.Errorf("%d URLs wait still", pending)
		}
	}
}

// A URL that fails goes to the end of its queue, so that it does not hold up the others.
func TestRetryGoesToTheEnd(t *testing.T) {
	s := stepped(t, Options{Tries: 2})
	add(t, s.Frontier, wanted("http://a.example/bad", "http://a.example/1", "http://a.example/2")...)
	got := s.fetchAll(func(l *Lease) Outcome {
		if l.URL == "http://a.example/bad" {
			return Outcome{Status: page.StatusLost}
		}
		return Outcome{Status: 200}
	})
	if want := "[http://a.example/bad http://a.example/1 http://a.example/2 " +
		"http://a.example/bad]"; fmt.Sprint(
		got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// TestHostTriesOf: a host with a smaller patience is given up sooner, others are not.
func TestHostTriesOf(t *testing.T) {
	s := stepped(t, Options{HostTries: 6, Tries: 9, HostTriesOf: func(name page.Host) int {
		if name == "stranger.example" {
			return 2
		}
		return 0
	}})
	add(t, s.Frontier, wanted("http://stranger.example/", "http://own.example/")...)
	tried := map[page.Host]int{}
	s.fetchAll(func(l *Lease) Outcome {
		tried[l.Host]++
		return Outcome{Status: page.StatusConnect}
	})
	if tried["stranger.example"] != 2 || tried["own.example"] != 6 {
		t.Errorf("tried %v", tried)
	}
}

// A host that never answers is given up; each of its URLs, also one found later, is recorded, and
// none is lost on the way.
// A host that asks to be left alone keeps the crawl from ending for that time, and its other URLs for
// their pauses.
func TestLongest(t *testing.T) {
	s := stepped(t, Options{Slack: -1})
	add(t, s.Frontier, wanted("http://a.example/1", "http://a.example/2", "http://a.example/3")...)
	finish(t, s.Frontier, s.mustLease(), Outcome{Status: 503, RetryAfter: "3600"})
	gap := 4 * time.Second // twice the usual one: it is slow now
	if got, want := s.Stats().Longest, time.Hour+2*gap; got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestHostGivenUp(t *testing.T) {
	const urls = 300
	dir := t.TempDir()
	clk := &clock{epoch}
	o := Options{Now: clk.now, HostTries: 3, Tries: 9}
	s := &step{Frontier: openFrontier(t, openStore(t, dir), o), t: t, clk: clk}
	for i := range urls {
		add(t, s.Frontier, Candidate{
			URL: page.URL(fmt.Sprintf("http://dead.example/%d", i)), Wanted: true,
			Priority: int64(i),
		})
	}
	add(t, s.Frontier, wanted("http://alive.example/")...)
	got := s.fetchAll(func(l *Lease) Outcome {
		if l.Host == "dead.example" {
			return Outcome{Status: page.StatusConnect}
		}
		return Outcome{Status: 200}
	})
	if len(got) != 4 {
		t.Errorf("tried %v", got)
	}
	add(t, s.Frontier, wanted("http://dead.example/late")...)
	if _, err := s.lease(); !errors.Is(err, ErrDone) {
		t.Fatal(err)
	}
	st := s.Stats()
	if st.States[store.Failed] != urls+1 || st.Reasons[store.HostGivenUp] != urls ||
		st.Reasons[store.Connect] != 1 || st.GivenUp != 1 {
		t.Errorf("%+v", st)
	}
	if err := s.st.Close(); err != nil {
		t.Fatal(err)
	}
	s.Frontier = openFrontier(t, openStore(t, dir), o)
	update(t, s.Frontier, func(tx *store.Tx) error { return s.ResumeHost(tx, "dead.example") })
	n, err := s.Reopen(func(u *store.URL) bool { return u.Reason == store.HostGivenUp })
	if n != urls || err != nil {
		t.Fatalf("reopened %d, %v", n, err)
	}
	if got := s.fetchAll(ok); len(got) != urls {
		t.Errorf("fetched %d", len(got))
	}
}

// TestRefusedByAHostGivenUp: whatever ends a host, answers that it gave in place of pages fail with it.
func TestRefusedByAHostGivenUp(t *testing.T) {
	for name, end := range map[string]func(*step, *Lease){
		"no connection": func(s *step, l *Lease) {
			finish(t, s.Frontier, l, Outcome{Status: page.StatusConnect})
		},
		"no name": func(s *step, l *Lease) {
			finish(t, s.Frontier, l, Outcome{Status: page.StatusDNS, Final: true, Unsent: true})
		},
		"no robots.txt": func(s *step, l *Lease) {
			finish(t, s.Frontier, l, Outcome{Status: page.StatusUnreachable, Unsent: true})
		},
		"a worker that does not come back": func(s *step, _ *Lease) {
			s.clk.t = s.clk.t.Add(time.Hour)
			if _, err := s.lease(); !errors.Is(err, ErrDone) {
				t.Error(err)
			}
		},
	} {
		s := stepped(t, Options{HostTries: 1, LeaseTime: time.Hour})
		list := []page.URL{"http://a.example/1", "http://a.example/2"}
		s.OnDrop(nil, func(u page.URL) []page.URL {
			if u != "http://a.example/4" {
				t.Errorf("%s: %s ends its host", name, u)
			}
			return append(list, "http://a.example/unknown")
		})
		for i := range 4 {
			add(t, s.Frontier, wanted(fmt.Sprintf("http://a.example/%d", i+1))...)
		}
		for range 3 {
			finish(t, s.Frontier, s.mustLease(), Outcome{Status: 200})
		}
		end(s, s.mustLease())
		if _, err := s.lease(); !errors.Is(err, ErrDone) {
			t.Errorf("%s: %v", name, err)
		}
		for _, u := range list {
			if x, _, err := s.Explain(u); err != nil || x.Reason != store.HostGivenUp {
				t.Errorf("%s: %s is %v for %v, %v", name, u, x.State, x.Reason, err)
			}
		}
		if n := s.Stats().States; n[store.Done] != 1 || n[store.Failed] != 3 {
			t.Errorf("%s: the totals are %v", name, n)
		}
	}
}

// robots.txt is fetched under the lease: the host rests, the URL returns to its place.
func TestPostpone(t *testing.T) {
	s := stepped(t, Options{})
	add(t, s.Frontier, wanted("http://a.example/1", "http://a.example/2")...)
	l := s.mustLease()
	update(t, s.Frontier, func(tx *store.Tx) error {
		if err := s.SetCrawlDelay(tx, l.Host, 7*time.Second); err != nil {
			return err
		}
		return s.Postpone(tx, l, Outcome{Status: 404, Bytes: 5})
	})
	again := s.mustLease()
	if again.URL != l.URL || again.Tries != 0 || since(s, epoch) != 7*time.Second {
		t.Errorf("%+v at %v", again, s.clk.t)
	}
	s.Release(again, false)
	s.Release(again, false)
	if third := s.mustLease(); third.URL != l.URL || since(s, epoch) != 7*time.Second {
		t.Errorf("%+v at %v", third, s.clk.t)
	}
	if b := s.Stats().Bytes; b != 5 {
		t.Errorf("%d bytes", b)
	}
}

// After a restart every host rests as if it had just been fetched from, and longer if it was told
// to.
func TestPolitenessSurvivesRestart(t *testing.T) {
	dir := t.TempDir()
	clk := &clock{epoch}
	o := Options{Now: clk.now}
	st := openStore(t, dir)
	s := &step{Frontier: openFrontier(t, st, o), t: t, clk: clk}
	add(t, s.Frontier, wanted("http://a.example/1", "http://b.example/1", "http://b.example/2",
		"http://c.example/1")...)
	update(t, s.Frontier, func(tx *store.Tx) error {
		return s.SetCrawlDelay(tx, "c.example", 10*time.Second)
	})
	for range 3 {
		if l := s.mustLease(); l.Host == "b.example" {
			finish(t, s.Frontier, l, Outcome{Status: 503, RetryAfter: "1000"})
		}
	}
	if err := st.Close(); err != nil { // with a and c under way
		t.Fatal(err)
	}
	clk.t = clk.t.Add(time.Second)
	s.Frontier = openFrontier(t, openStore(t, dir), o)
	at := map[page.Host]time.Duration{}
	for len(at) < 3 {
		l := s.mustLease()
		if _, seen := at[l.Host]; !seen {
			at[l.Host] = since(s, epoch)
		}
		finish(t, s.Frontier, l, Outcome{Status: 200})
	}
	want := map[page.Host]time.Duration{
		"a.example": 3 * time.Second, "c.example": 11 * time.Second,
		"b.example": 1000 * time.Second,
	}
	if fmt.Sprint(at) != fmt.Sprint(want) {
		t.Errorf("first requests at %v, want %v", at, want)
	}
}

// A time that was noted by a clock years ahead does not keep a host waiting once the clock is
// right.
func TestClockThatWasWrong(t *testing.T) {
	dir := t.TempDir()
	clk := &clock{epoch.AddDate(30, 0, 0)}
	o := Options{Now: clk.now}
	st := openStore(t, dir)
	s := &step{Frontier: openFrontier(t, st, o), t: t, clk: clk}
	add(t, s.Frontier, wanted("http://a.example/1", "http://a.example/2")...)
	finish(t, s.Frontier, s.mustLease(), Outcome{Status: 503, RetryAfter: "1000"})
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	clk.t = epoch
	s.Frontier = openFrontier(t, openStore(t, dir), o)
	s.mustLease()
	if waited := since(s, epoch); waited > time.Hour {
		t.Errorf("the host was left alone for %v", waited)
	}
}

// A clock that is set back by half a day keeps a host waiting as long as it has to rest, and its origin
// as long as the server asked.
func TestClockSetBack(t *testing.T) {
	for name, x := range map[string]struct {
		o           Outcome
		least, most time.Duration
	}{
		"an answer":      {Outcome{Status: 200}, time.Second, time.Minute},
		"a pause":        {Outcome{Status: 503, RetryAfter: "1000"}, 1000 * time.Second, 1100 * time.Second},
		"a broken reply": {Outcome{Status: page.StatusConnect}, time.Second, 10 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			clk := &clock{epoch}
			o := Options{Now: clk.now}
			st := openStore(t, dir)
			s := &step{Frontier: openFrontier(t, st, o), t: t, clk: clk}
			add(t, s.Frontier, wanted("http://a.example/1", "http://a.example/2")...)
			finish(t, s.Frontier, s.mustLease(), x.o)
			if err := st.Close(); err != nil {
				t.Fatal(err)
			}
			clk.t = epoch.Add(-12 * time.Hour)
			before := clk.t
			s.Frontier = openFrontier(t, openStore(t, dir), o)
			s.mustLease()
			if waited := since(s, before); waited < x.least || waited > x.most {
				t.Errorf("the host was left alone for %v", waited)
			}
		})
	}
}

// A recrawl knows no URL, and what it owes the hosts.
func TestRecrawl(t *testing.T) {
	st := openStore(t, t.TempDir())
	clk := &clock{epoch}
	s := &step{Frontier: openFrontier(t, st, Options{Now: clk.now}), t: t, clk: clk}
	add(t, s.Frontier, wanted("http://a.example/")...)
	finish(t, s.Frontier, s.mustLease(), Outcome{Status: 200, ResponseTime: 4 * time.Second})
	second, err := Open(st, 2, Options{Now: clk.now, Slack: -1})
	if err != nil {
		t.Fatal(err)
	}
	s.Frontier = second
	if n := s.Stats(); n.Known() != 0 {
		t.Errorf("%+v", n)
	}
	add(t, s.Frontier, wanted("http://a.example/")...)
	s.mustLease()
	if got := since(s, epoch); got != 20*time.Second {
		t.Errorf("after %v", got)
	}
}

func TestLive(t *testing.T) {
	s := stepped(t, Options{})
	add(t, s.Frontier, wanted("http://a.example/1", "http://a.example/2")...)
	update(t, s.Frontier, func(tx *store.Tx) error { return s.SetHostDelay(tx, "a.example", time.Minute) })
	finish(t, s.Frontier, s.mustLease(), Outcome{Status: 200})
	finish(t, s.Frontier, s.mustLease(), Outcome{Status: 200})
	if since(s, epoch) != time.Minute {
		t.Errorf("at %v", s.clk.t)
	}
	s.SetPaused(true)
	add(t, s.Frontier, wanted("http://b.example/1")...)
	if l, next, err := s.next(); l != nil || next != never || err != nil {
		t.Errorf("paused: %+v, %v", l, err)
	}
	s.SetPaused(false)
	if l := s.mustLease(); l.Host != "b.example" {
		t.Errorf("%+v", l)
	}
	if h, found := s.Host("a.example"); !found || h.Gap != time.Minute || h.Done != 2 || h.Pending != 0 {
		t.Errorf("%+v", h)
	}
}

// TestHasty: what a page asks for while it is drawn comes at a pace of its own; the host is owed the
// rest, and gets it before any other URL. A host that asks for more time gets it at once.
func TestHasty(t *testing.T) {
	const hasty = 1 << 40
	sec, half := time.Second, 500*time.Millisecond
	good := Outcome{Status: 200, ResponseTime: 100 * time.Millisecond}
	for _, tt := range []struct {
		name       string
		crawlDelay time.Duration
		outcomes   []Outcome       // of hasty URLs, one after the other
		want       []time.Duration // pauses after each; the last is that before a page
	}{
		{
			"a pace, then the rest", 0,
			[]Outcome{good, good, good},
			[]time.Duration{half, half, 2 * sec},
		},
		{"Crawl-delay", 3 * sec, []Outcome{good, good}, []time.Duration{3 * sec, 3 * sec}},
		{
			"a slow host is owed more", 0,
			[]Outcome{{Status: 200, ResponseTime: 2 * sec}, {Status: 200, ResponseTime: 2 * sec}},
			[]time.Duration{half, 19500 * time.Millisecond},
		},
		{
			"Retry-After", 0,
			[]Outcome{{Status: 200, RetryAfter: "7", ResponseTime: 1}, good},
			[]time.Duration{7 * sec, 2 * sec},
		},
		{
			"too many, and the URL is asked for again", 0,
			[]Outcome{{Status: http.StatusTooManyRequests}, good, good},
			[]time.Duration{30 * sec, half, half},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := stepped(t, Options{Slack: -1, Hasty: Hasty{Priority: hasty, Pace: half}})
			if tt.crawlDelay > 0 {
				add(t, s.Frontier, wanted("http://www.drawn.example/")...)
				l := s.mustLease()
				if err := s.st.Update(func(tx *store.Tx) error {
					return s.SetCrawlDelay(tx, "www.drawn.example", tt.crawlDelay)
				}); err != nil {
					t.Fatal(err)
				}
				finish(t, s.Frontier, l, Outcome{Status: 200, Unsent: true})
			}
			for i := range tt.outcomes {
				x := wanted(fmt.Sprintf("http://www.drawn.example/part/%d", i))
				x[0].Priority = hasty
				add(t, s.Frontier, x...)
			}
			add(t, s.Frontier, wanted("http://www.drawn.example/page")...)
			l := s.mustLease()
			for i, o := range tt.outcomes {
				if l.URL == "http://www.drawn.example/page" {
					t.Fatalf("the page comes before part %d", i)
				}
				end := s.clk.t
				finish(t, s.Frontier, l, o)
				l = s.mustLease()
				if got := since(s, end); got != tt.want[i] {
					t.Errorf("pause %d is %s, want %s", i, got, tt.want[i])
				}
			}
		})
	}
}

// TestFullWhileHasty: near a limit of files a host whose next hasty URL may go sooner is looked at
// again later, not at once and for ever.
func TestFullWhileHasty(t *testing.T) {
	const hasty = 1 << 40
	s := stepped(t, Options{
		Slack: -1, Hasty: Hasty{Priority: hasty, Pace: 500 * time.Millisecond}, Limits: Limits{Files: 2},
	})
	part := func(u string) Candidate {
		x := wanted(u)[0]
		x.Priority, x.Part = hasty, true
		return x
	}
	add(t, s.Frontier, part("http://a.example/1"))
	finish(t, s.Frontier, s.mustLease(), Outcome{Status: 200, ResponseTime: 100 * time.Millisecond})
	add(t, s.Frontier, part("http://b.example/1"))
	if l := s.mustLease(); l.Host != "b.example" {
		t.Fatal(l.Host)
	}
	add(t, s.Frontier, part("http://a.example/2"))
	s.clk.t = s.clk.t.Add(10 * time.Second)
	looked := make(chan error, 1)
	go func() {
		l, _, err := s.next()
		if l != nil {
			err = errors.Join(err, errors.New("more files than the limit are leased"))
		}
		looked <- err
	}()
	select {
	case err := <-looked:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it looks at the host for ever")
	}
}

// TestDelayByHandWhileHasty: a delay that is set by hand is kept before a hasty URL, too.
func TestDelayByHandWhileHasty(t *testing.T) {
	const hasty = 1 << 40
	s := stepped(t, Options{Slack: -1, Hasty: Hasty{Priority: hasty, Pace: 500 * time.Millisecond}})
	for i := range 2 {
		x := wanted(fmt.Sprintf("http://a.example/%d", i))
		x[0].Priority = hasty
		add(t, s.Frontier, x...)
	}
	finish(t, s.Frontier, s.mustLease(), Outcome{Status: 200, ResponseTime: 6 * time.Second})
	end := s.clk.t
	if err := s.st.Update(func(tx *store.Tx) error {
		return s.SetHostDelay(tx, "a.example", time.Minute)
	}); err != nil {
		t.Fatal(err)
	}
	if s.mustLease(); s.clk.t.Sub(end) < time.Minute {
		t.Errorf("the next one goes after %v", s.clk.t.Sub(end))
	}
}
