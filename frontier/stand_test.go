package frontier

import (
	"fmt"
	"slices"
	"testing"

	"watershed/page"
	"watershed/store"
)

// A URL for which another page stands is left out with a line; that page is asked for where nobody
// has yet, and the URL is fetched where it cannot be. GiveBack queues what was left out, and nothing
// else.
func TestStand(t *testing.T) {
	stands := map[page.URL]Stand{
		"http://m.example/1":    {URL: "http://o.example/1", Ask: true},
		"http://m.example/2":    {URL: "http://o.example/2"},
		"http://m.example/deep": {URL: "http://o.example/a/a/a/a/a/a/a/a/a/a/a/a", Ask: true},
	}
	s := stepped(t, Options{
		Tries: 1, HostTries: -1, Traps: Traps{Segments: 5},
		Stand: func(_ *store.Tx, u page.URL) (Stand, error) {
			x := stands[u]
			x.Reason, x.Rule, x.Evidence = store.Mirror, "m.example", "all pages agree"
			return x, nil
		},
	})
	add(t, s.Frontier, wanted("http://m.example/1", "http://m.example/2", "http://m.example/3",
		"http://m.example/deep")...)
	add(t, s.Frontier, Candidate{URL: "http://m.example/forced", Wanted: true, Forced: true})
	got := map[page.URL]bool{}
	fetch := func() {
		clear(got)
		for _, u := range s.fetchAll(ok) {
			got[u] = true
		}
	}
	fetch()
	if want := "map[http://m.example/3:true http://m.example/deep:true http://m.example/forced:true " +
		"http://o.example/1:true]"; fmt.Sprint(got) != want {
		t.Errorf("fetched %v, want %s", got, want)
	}
	for _, u := range []page.URL{"http://m.example/1", "http://m.example/2"} {
		x, _, err := s.Explain(u)
		if err != nil || x.Reason != store.Mirror || x.Entry.Representative != stands[u].URL ||
			x.Rule != "m.example" || x.Entry.Evidence == "" {
			t.Errorf("%s: %+v, %v", u, x, err)
		}
	}
	if err := s.GiveBack([]page.URL{
		"http://m.example/2", "http://m.example/3",
		"http://x.example/",
	}); err != nil {
		t.Fatal(err)
	}
	fetch()
	if want := "map[http://m.example/2:true]"; fmt.Sprint(got) != want {
		t.Errorf("given back, it fetched %v, want %s", got, want)
	}
	if x, _, err := s.Explain("http://m.example/2"); err != nil || x.Entry.Representative != "" {
		t.Errorf("the line of a URL that was given back stays: %+v, %v", x.Entry, err)
	}
}

// TestLate: a URL for which another page has come to stand since it was queued is left out when its
// turn comes; one that was forced is fetched, and so is one of which nobody says that it is late.
func TestLate(t *testing.T) {
	known := false
	var dropped []page.URL
	s := stepped(t, Options{
		Tries: 1, HostTries: -1,
		Stand: func(_ *store.Tx, u page.URL) (x Stand, err error) {
			if known && u.Host() == "m.example" {
				x = Stand{Reason: store.Mirror, Ask: true}
				x.URL = "http://o.example/" + u[len("http://m.example/"):]
			}
			return x, nil
		},
		Late: func(u page.URL) bool { return known && u != "http://m.example/early" },
	})
	s.OnDrop(func(u page.URL, _ store.Reason) { dropped = append(dropped, u) }, nil)
	add(t, s.Frontier, wanted("http://m.example/1", "http://m.example/early", "http://m.example/2",
		"http://x.example/1")...)
	add(t, s.Frontier, Candidate{URL: "http://m.example/forced", Wanted: true, Forced: true})
	known = true
	got := s.fetchAll(ok)
	slices.Sort(got)
	want := []page.URL{
		"http://m.example/early", "http://m.example/forced", "http://o.example/1", "http://o.example/2",
		"http://x.example/1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("fetched %q, want %q", got, want)
	}
	if fmt.Sprint(dropped) != "[http://m.example/1 http://m.example/2]" {
		t.Errorf("dropped %q", dropped)
	}
	for _, u := range dropped {
		x, _, err := s.Explain(u)
		if err != nil || x.State != store.Skipped || x.Reason != store.Mirror ||
			x.Entry.Representative == "" {
			t.Errorf("%s: %+v, %v", u, x, err)
		}
	}
	if n := s.Stats().States; n[store.Pending] != 0 || n[store.Skipped] != 2 || n[store.Done] != 5 {
		t.Errorf("the totals are %v", n)
	}
}
