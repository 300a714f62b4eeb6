package frontier

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"watershed/page"
	"watershed/store"
)

// deadly answers http alone, as a host does at whose port 443 nothing listens.
func deadly(status int) func(*Lease) Outcome {
	return func(l *Lease) Outcome {
		if store.LaneOf(l.URL) == store.HTTPS {
			return Outcome{Status: status, ResponseTime: time.Millisecond}
		}
		return Outcome{Status: 200, ResponseTime: time.Millisecond}
	}
}

// A stranger that never answers is given up after the attempts of a URL, but not while anything else is
// left: not while a page waits on a host that answers, and not while one is being fetched.
func TestStranger(t *testing.T) {
	stranger := func(u page.URL) bool { return u.Host() == "dead.example" || u.Host() == "silent.example" }
	for name, c := range map[string]struct {
		wanted   []string
		stranger func(page.URL) bool
		attempts int
	}{
		"alone":                        {nil, stranger, 3},
		"beside another one":           {[]string{"http://silent.example/"}, stranger, 3},
		"beside a host that was named": {[]string{"http://down.example/"}, stranger, 3},
		"beside a page that waits":     {[]string{"http://a.example/"}, stranger, 6},
		"where there are none":         {nil, nil, 6},
	} {
		t.Run(name, func(t *testing.T) {
			s := stepped(t, Options{
				Tries: 3, HostTries: 6, Stranger: c.stranger, RetryBase: time.Second, RetryMax: time.Second,
				Politeness: Politeness{Min: time.Hour},
			})
			// eight pages of the stranger, so that none fails by the attempts of its own
			for i := range 8 {
				add(t, s.Frontier, wanted(fmt.Sprintf("http://dead.example/%d", i))...)
			}
			add(t, s.Frontier, wanted(c.wanted...)...)
			attempts := 0
			s.fetchAll(func(l *Lease) Outcome {
				switch l.Host {
				case "a.example": // always one more
					if i := len(l.URL); i < 24 {
						add(t, s.Frontier, wanted(string(l.URL)+"x")...)
					}
					return Outcome{Status: 200}
				case "dead.example":
					attempts++
				}
				return Outcome{Status: page.StatusConnect}
			})
			if attempts != c.attempts {
				t.Errorf("%d attempts, want %d", attempts, c.attempts)
			}
		})
	}
}

// A stranger is not waited for when the last page beside it was had between two of its attempts.
func TestStrangerLast(t *testing.T) {
	s := stepped(t, Options{
		Tries: 3, HostTries: 9, RetryBase: 2 * time.Hour, RetryMax: 2 * time.Hour,
		Stranger:   func(u page.URL) bool { return u.Host() == "dead.example" },
		Politeness: Politeness{Min: time.Hour},
	})
	for i := range 8 {
		add(t, s.Frontier, wanted(fmt.Sprintf("http://dead.example/%d", i),
			fmt.Sprintf("http://a.example/%d", i))...)
	}
	attempts := 0
	s.fetchAll(func(l *Lease) Outcome {
		if l.Host == "a.example" {
			return Outcome{Status: 200}
		}
		attempts++
		return Outcome{Status: page.StatusConnect, Evidence: "connection refused"}
	})
	if took := since(s, epoch); attempts != 4 || took != 7*time.Hour {
		t.Errorf("%d attempts in %v, want 4 in 7h", attempts, took)
	}
	n := s.Stats()
	if n.States[store.Done] != 8 || n.States[store.Failed] != 8 || n.GivenUp != 1 {
		t.Errorf("%+v", n)
	}
	if u := stateOf(t, s.Frontier, "http://dead.example/7"); !strings.Contains(u.Rule, "connection refused") {
		t.Errorf("%+v", u)
	}
}

// An origin that is dead costs as many requests as a host that is, and the pages of the other come
// at their own pace meanwhile.
func TestDeadOrigin(t *testing.T) {
	const pages = 300
	for _, status := range []int{
		page.StatusConnect, page.StatusLost, page.StatusTimeout,
		page.StatusUnreachable,
	} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			s := stepped(t, Options{HostTries: 8, Tries: 4})
			for i := range pages {
				add(t, s.Frontier, Candidate{
					URL:    page.URL(fmt.Sprintf("https://a.example/%d", i)),
					Wanted: true, Priority: 1000,
				})
				add(t, s.Frontier, wanted(fmt.Sprintf("http://a.example/%d", i))...)
			}
			plain, secure, last, answer := 0, 0, time.Duration(0), deadly(status)
			s.fetchAll(func(l *Lease) Outcome {
				o := answer(l)
				if o.Status == 200 {
					plain++
					last = since(s, epoch)
				} else {
					secure++
				}
				return o
			})
			if plain != pages || secure != 8 {
				t.Errorf("%d pages by http, %d attempts by https; want %d and 8", plain, secure, pages)
			}
			// politeness alone: 2 s after each request
			if least := (pages + 8) * 2 * time.Second; last > least {
				t.Errorf("the last page by http came after %v, want %v at most", last, least)
			}
			n := s.Stats()
			if n.States[store.Done] != pages || n.States[store.Failed] != pages || n.GivenUp != 1 {
				t.Errorf("%+v", n)
			}
			if rule := stateOf(t, s.Frontier, "https://a.example/299").Rule; !strings.Contains(rule,
				"8 attempts") {
				t.Errorf("rule %q", rule)
			}
			add(t, s.Frontier, wanted("https://a.example/late", "http://a.example/late")...)
			if l := s.mustLease(); l.URL != "http://a.example/late" {
				t.Errorf("leased %s", l.URL)
			}
		})
	}
}

// An answer that slows the crawl down, and a name without an address, speak for the whole host.
func TestFailuresOfTheHost(t *testing.T) {
	for _, status := range []int{429, 503, page.StatusDNS} {
		s := stepped(t, Options{})
		add(t, s.Frontier, Candidate{URL: "https://a.example/1", Wanted: true, Priority: 9})
		add(t, s.Frontier, wanted("http://a.example/1")...)
		finish(t, s.Frontier, s.mustLease(), Outcome{Status: status})
		if s.mustLease(); since(s, epoch) != 30*time.Second {
			t.Errorf("%d: the other origin was asked after %v", status, since(s, epoch))
		}
	}
	s := stepped(t, Options{})
	add(t, s.Frontier, Candidate{URL: "https://a.example/1", Wanted: true, Priority: 9})
	add(t, s.Frontier, wanted("http://a.example/1", "http://a.example/2")...)
	finish(t, s.Frontier, s.mustLease(), Outcome{Status: page.StatusDNS, Final: true, Unsent: true})
	if _, err := s.lease(); !errors.Is(err, ErrDone) {
		t.Errorf("a name that does not exist: %v", err)
	}
}

// The pauses of a host hold between its origins, and two are never leased at once.
func TestOriginsShareTheHost(t *testing.T) {
	s := stepped(t, Options{})
	add(t, s.Frontier, wanted("https://a.example/1", "http://a.example/1", "https://a.example/2",
		"http://a.example/2")...)
	update(t, s.Frontier, func(tx *store.Tx) error { return s.SetCrawlDelay(tx, "a.example", 7*time.Second) })
	var got []string
	for range 4 {
		l := s.mustLease()
		if other, _, err := s.next(); other != nil || err != nil {
			t.Fatalf("leased %s while %s is: %v", other.URL, l.URL, err)
		}
		got = append(got, fmt.Sprint(l.URL.Scheme(), l.URL.PathQuery(), " ", since(s, epoch)))
		finish(t, s.Frontier, l, Outcome{Status: 200})
	}
	if want := "[https/1 0s http/1 7s https/2 14s http/2 21s]"; fmt.Sprint(got) != want {
		t.Errorf("got  %v\nwant %s", got, want)
	}
}

// The failures of an origin outlive the process, and a host that is resumed by hand has both
// origins tried again.
func TestOriginSurvivesRestart(t *testing.T) {
	dir := t.TempDir()
	clk := &clock{epoch}
	o := Options{Now: clk.now, HostTries: 2, Tries: 9}
	st := openStore(t, dir)
	s := &step{Frontier: openFrontier(t, st, o), t: t, clk: clk}
	reopen := func() {
		t.Helper()
		if err := s.st.Close(); err != nil {
			t.Fatal(err)
		}
		s.Frontier = openFrontier(t, openStore(t, dir), o)
	}
	add(t, s.Frontier, Candidate{URL: "https://a.example/1", Wanted: true, Priority: 9})
	add(t, s.Frontier, wanted("http://a.example/1", "http://a.example/2")...)
	finish(t, s.Frontier, s.mustLease(), Outcome{Status: page.StatusConnect})
	reopen()
	l := s.mustLease()
	if l.URL != "http://a.example/1" || since(s, epoch) != 2*time.Second {
		t.Errorf("leased %s after %v", l.URL, since(s, epoch))
	}
	finish(t, s.Frontier, l, Outcome{Status: 200})
	finish(t, s.Frontier, s.mustLease(), Outcome{Status: 200})
	if l = s.mustLease(); l.URL != "https://a.example/1" || since(s, epoch) != 30*time.Second {
		t.Errorf("leased %s after %v", l.URL, since(s, epoch))
	}
	finish(t, s.Frontier, l, Outcome{Status: page.StatusConnect})
	reopen()
	add(t, s.Frontier, wanted("https://a.example/2")...)
	if l, err := s.lease(); !errors.Is(err, ErrDone) {
		t.Errorf("of an origin that was given up: %+v, %v", l, err)
	}
	update(t, s.Frontier, func(tx *store.Tx) error { return s.ResumeHost(tx, "a.example") })
	if n, err := s.Reopen(func(u *store.URL) bool { return u.State == store.Failed }); n != 2 || err != nil {
		t.Fatalf("reopened %d, %v", n, err)
	}
	if got := s.fetchAll(ok); len(got) != 2 {
		t.Errorf("fetched %v", got)
	}
}
