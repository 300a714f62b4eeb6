package copies

import (
	"fmt"
	"testing"
	"time"

	"watershed/page"
	"watershed/replica"
)

// TestEnough: more pages of a directory that no run captured must agree the more it has, and none may
// differ, whatever other directories say.
func TestEnough(t *testing.T) {
	const u, other page.URL = "http://m.example/a/1", "http://m.example/b/1"
	for _, c := range []struct {
		known, alike int
		unlike, want bool
	}{
		{3, 3, false, true},
		{10, 5, false, false},
		{10, 6, false, true},
		{100, 25, false, false},
		{100, 26, false, true},
		{100, 50, true, false},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			s := &stratum{unseen: map[string]*unseen{}, agreed: 100}
			*s.in(u) = unseen{known: c.known, alike: c.alike, unlike: c.unlike}
			s.in(other).alike = 90
			if s.covers(3, u) != c.want {
				t.Errorf("want %v", c.want)
			}
		})
	}
}

// TestReopened: two pages that speak against a copy have it fetched again, in whatever way they do so.
func TestReopened(t *testing.T) {
	for _, c := range []struct {
		s    stratum
		want bool
	}{
		{stratum{agreed: 9, alone: 1}, false},
		{stratum{agreed: 9, alone: 1, strays: 1}, true},
		{stratum{agreed: 9, strays: 1, drifts: 1}, true},
		{stratum{agreed: 9, unlike: 4, drifts: 1}, false},
	} {
		if got := c.s.reopened(); got != c.want {
			t.Errorf("%+v: %v", c.s, got)
		}
	}
}

// TestDirectory: directories' own pages are sampled together, those of a directory for each page.
func TestDirectory(t *testing.T) {
	for u, want := range map[page.URL]string{
		"http://m.example/":                "http://m.example/",
		"http://m.example/index.html":      "http://m.example/",
		"http://m.example/?p=1":            "http://m.example/",
		"http://m.example/a":               "http://m.example/",
		"http://m.example/a/":              "http://m.example/",
		"http://m.example/a/?p=1":          "http://m.example/a/",
		"http://m.example/a/b.html":        "http://m.example/a/",
		"http://m.example/a/index.php?p=1": "http://m.example/a/",
		"http://m.example/a/b/":            "http://m.example/a/",
		"http://m.example/a/b/index.html":  "http://m.example/a/",
		"http://m.example/a/b/indices":     "http://m.example/a/b/",
	} {
		if got := directory(u); got != want {
			t.Errorf("%s: %s, not %s", u, got, want)
		}
	}
}

// TestDriftedBefore: beside an entry that a sample has ended all pages of a place are expected to have
// drifted, but not beside one that was taken for a copy too early.
func TestDriftedBefore(t *testing.T) {
	const place = "http://m.example/"
	found := time.Unix(1e9, 0)
	for _, c := range []struct {
		method   string
		verified time.Duration // after it was found
		want     float64
	}{
		{Grown, 0, 0},
		{Grown, time.Hour, 1},
		{"pages", 0, 1},
	} {
		table := new(replica.Table)
		err := table.Put(replica.Entry{
			From: place + "a/", To: "http://www.example/a/", State: replica.Reopened, By: "sample",
			Method: c.method, Found: found, Verified: found.Add(c.verified), Decided: found.Add(48 * time.Hour),
		})
		if err != nil {
			t.Fatal(err)
		}
		r := samples{stands: stands{Table: table}}
		d := r.drift()
		if got := d.besides(place); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
