package frontier

import (
	"fmt"
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
