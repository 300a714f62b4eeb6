package frontier

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"watershed/page"
	"watershed/store"
)

// A URL that a prune leaves out comes back when nothing stands for it after all.
func TestOrphans(t *testing.T) {
	s := stepped(t, Options{Tries: 1, HostTries: -1})
	for _, p := range []store.Prune{
		{From: "m.example", To: "o.example", Reason: store.Mirror, Method: "level 1"},
		{
			From: "http://o.example/sub/", To: "http://p.example/", Reason: store.Collection,
			Method: "collection",
		},
		{From: "x.example", To: "y.example", Reason: store.Mirror, Method: "by hand"},
		{From: "y.example", To: "x.example", Reason: store.Mirror, Method: "by mistake"},
	} {
		if err := s.Prune(p); err != nil {
			t.Fatal(err)
		}
	}
	update(t, s.Frontier, func(tx *store.Tx) error {
		tx.PutCapture(&store.Capture{URL: "http://o.example/held", Time: epoch, Status: 200})
		return nil
	})
	add(t, s.Frontier, wanted("http://m.example/held", "http://m.example/good", "http://m.example/gone",
		"http://m.example/lost", "http://m.example/sub/1", "http://x.example/1")...)
	outcome := func(l *Lease) Outcome {
		switch l.URL {
		case "http://o.example/gone":
			return Outcome{Status: 404}
		case "http://o.example/lost":
			return Outcome{Status: page.StatusConnect}
		}
		return Outcome{Status: 200}
	}
	check := func(want ...page.URL) {
		t.Helper()
		got := map[page.URL]bool{}
		for _, u := range s.fetchAll(outcome) {
			got[u] = true
		}
		for _, u := range want {
			if !got[u] {
				t.Errorf("%s was not fetched", u)
			}
		}
		if len(got) != len(want) {
			t.Errorf("fetched %v, want %v", got, want)
		}
	}
	check("http://o.example/good", "http://o.example/gone", "http://o.example/lost", "http://p.example/1",
		"http://x.example/1")
	if n, err := s.Orphans(); n != 2 || err != nil {
		t.Errorf("%d orphans, %v", n, err)
	}
	check("http://m.example/gone", "http://m.example/lost")
	if n, err := s.Orphans(); n != 0 || err != nil {
		t.Errorf("%d orphans after all were fetched, %v", n, err)
	}
}

// Where a page stands for a URL by a prune rule, and is itself left out for another page, that page
// stands for both; and a page that is left out by itself is left out whatever the prune rules say.
func TestCopyOfStand(t *testing.T) {
	s := stepped(t, Options{Tries: 1, HostTries: -1, Copy: func(u page.URL) (page.URL, string) {
		switch u {
		case "http://o.example/de", "http://m.example/own":
			return "http://o.example/en", "same text"
		}
		return "", ""
	}})
	if err := s.Prune(store.Prune{
		From: "m.example", To: "o.example", Reason: store.Mirror,
		Method: "level 1",
	}); err != nil {
		t.Fatal(err)
	}
	add(t, s.Frontier, wanted("http://m.example/de", "http://m.example/own", "http://m.example/en")...)
	if got := s.fetchAll(func(*Lease) Outcome { return Outcome{Status: 200} }); len(got) != 1 ||
		got[0] != "http://o.example/en" {
		t.Errorf("fetched %v", got)
	}
	for u, want := range map[page.URL]store.Reason{
		"http://m.example/de":  store.Mirror,
		"http://m.example/own": store.Copy, "http://m.example/en": store.Mirror,
	} {
		x, found, err := s.Explain(u)
		if err != nil || !found {
			t.Fatal(found, err)
		}
		if x.Reason != want || x.Entry.Representative != "http://o.example/en" {
			t.Errorf("%s: %s for %s", u, x.Reason, x.Entry.Representative)
		}
	}
	if n, err := s.Orphans(); n != 0 || err != nil {
		t.Errorf("%d orphans, %v", n, err)
	}
}

// No URL is left out by a prune without a line in the ledger that names what stands for it, and
// that is captured: whatever the prunes, the order in which URLs are found, and what comes of the
// fetches.
func TestNothingWithoutRepresentative(t *testing.T) {
	st, run := openStore(t, t.TempDir()), store.Run(0)
	rapid.Check(t, func(rt *rapid.T) {
		clk := &clock{epoch}
		run++
		f, err := Open(st, run, Options{
			Now: clk.now, Slack: -1, Tries: 2, HostTries: -1,
			RetryBase: time.Second,
		})
		if err != nil {
			rt.Fatal(err)
		}
		defer forgetPrunes(t, f)
		s := &step{Frontier: f, t: t, clk: clk}
		name := rapid.Custom(func(t *rapid.T) string {
			host := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "host") + ".example"
			if rapid.Bool().Draw(t, "whole") {
				return host
			}
			return "http://" + host + "/" + rapid.SampledFrom([]string{"", "d/", "d/e/"}).Draw(t, "dir")
		})
		prune := func() {
			p := store.Prune{
				From: name.Draw(rt, "from"), To: name.Draw(rt, "to"), Reason: store.Mirror,
				Method: "drawn",
			}
			_ = s.Prune(p) // what makes no sense is refused
		}
		address := rapid.Custom(func(t *rapid.T) string {
			return fmt.Sprintf("http://%s.example/%s%d", rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t,
				"host"), rapid.SampledFrom([]string{"", "d/", "d/e/"}).Draw(t, "dir"),
				rapid.IntRange(0, 3).Draw(t, "n"))
		})
		statuses := map[page.URL]int{}
		outcome := func(l *Lease) Outcome {
			if _, drawn := statuses[l.URL]; !drawn {
				statuses[l.URL] = rapid.SampledFrom([]int{200, 200, 404, 302, page.StatusConnect}).Draw(rt,
					"status")
			}
			return Outcome{Status: statuses[l.URL]}
		}
		for range rapid.IntRange(1, 4).Draw(rt, "rounds") {
			for range rapid.IntRange(0, 2).Draw(rt, "prunes") {
				prune()
			}
			add(t, s.Frontier, wanted(rapid.SliceOfN(address, 1, 8).Draw(rt, "urls")...)...)
			if rapid.Bool().Draw(rt, "crawl") {
				s.fetchAll(outcome)
			}
		}
		for n := 1; n > 0; {
			s.fetchAll(outcome)
			if n, err = s.Orphans(); err != nil {
				rt.Fatal(err)
			}
		}
		for x, err := range s.Left() {
			if err != nil {
				rt.Fatal(err)
			}
			if x.State != store.Skipped || x.Reason != store.Mirror {
				continue
			}
			stand, found, err := s.Explain(x.Entry.Representative)
			if err != nil || !found || stand.State != store.Done || stand.Status >= 400 {
				rt.Fatalf("%s is left out in favour of %q, which is %v (%v), status %d", x.URL.URL,
					x.Entry.Representative, stand.State, err, stand.Status)
			}
		}
	})
}

// forgetPrunes takes all prunes away, which are those of the harvest and not of the run.
func forgetPrunes(t *testing.T, f *Frontier) {
	update(t, f, func(tx *store.Tx) error {
		var froms []string
		for p, err := range tx.Prunes() {
			if err != nil {
				return err
			}
			froms = append(froms, p.From)
		}
		for _, from := range froms {
			tx.DeletePrune(from)
		}
		return nil
	})
}
