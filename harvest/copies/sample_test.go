package copies

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"watershed/page"
	"watershed/replica"
	"watershed/store"
)

// TestEnough: more pages of a directory that no run captured must agree the more it has, fewer where the
// run had some before it found the copy, or has pages of other directories, and none may differ, whatever
// other directories say. They say nothing of the plain text beside them.
func TestEnough(t *testing.T) {
	const u, other page.URL = "http://m.example/a/1", "http://m.example/b/1"
	for _, c := range []struct {
		known, alike   int
		early, besides int // that agree: before the copy was found, and in another directory
		others         int // there, that do not
		unlike, want   bool
	}{
		{known: 3, alike: 3, want: true},
		{known: 10, alike: 5},
		{known: 10, alike: 6, want: true},
		{known: 100, alike: 25},
		{known: 100, alike: 26, want: true},
		{known: 100, alike: 50, unlike: true},
		{known: 90, alike: 15, early: 10},
		{known: 90, alike: 16, early: 10, want: true},
		{known: 10, alike: 2, early: 40},
		{known: 10, alike: 3, besides: 30, want: true},
		{known: 100, alike: 13, besides: 30},
		{known: 100, alike: 14, besides: 30, want: true},
		{known: 100, alike: 18, besides: 30, others: 1},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			s := &stratum{unseen: map[string]*unseen{}, agreed: 100, others: c.others}
			*s.in(u) = unseen{known: c.known, alike: c.alike, early: c.early, unlike: c.unlike}
			s.in(other).alike = c.besides
			s.agree = c.alike + c.early + c.besides
			if s.covers(3, u) != c.want {
				t.Errorf("want %v: %d are enough", c.want, s.enough(3, u))
			}
			if s.covers(3, u+".txt") {
				t.Error("pages speak for plain text")
			}
		})
	}
}

// TestAbsent: a page that an earlier run left out, and that is gone now, differs from its stand, so that more
// of the copy is compared. A page that may never have been there says nothing, nor does one whose stand is
// gone.
func TestAbsent(t *testing.T) {
	const u, stand, home page.URL = "http://m.example/a/1", "http://www.example/a/1", "http://m.example/"
	for _, c := range []struct {
		name         string
		left         bool // by the run before
		status       int  // of the stand
		mime         string
		unlike, more int
	}{
		{"it has moved", true, 200, "text/html", 1, 3},
		{"a picture has moved", true, 200, "image/png", 1, 3},
		{"it may never have been there", false, 200, "text/html", 0, 0},
		{"its stand has gone", true, 404, "text/html", 0, 0},
		{"the stand of a picture has gone", true, 404, "image/png", 0, 0},
	} {
		table := new(replica.Table)
		err := table.Put(replica.Entry{From: "m.example", To: "www.example", State: replica.Pruned})
		if err != nil {
			t.Fatal(err)
		}
		r := roomOf(t, table, "http://www.example/", "http://m.example/")
		r.run = 2
		err = r.st.Update(func(tx *store.Tx) error {
			x := store.URL{URL: u, State: store.Known}
			if c.left {
				x = store.URL{URL: u, State: store.Skipped, Reason: store.Mirror}
			}
			now := store.URL{URL: u, State: store.Done, Via: home.Key()}
			return errors.Join(tx.PutURL(1, u.Key(), &x, nil), tx.PutURL(2, u.Key(), &now, nil))
		})
		if err != nil {
			t.Fatal(err)
		}
		x, _ := r.of(u)
		r.note(&ticket{url: u, rule: x, kind: KindOf(c.mime), unseen: true})
		err = r.st.View(func(tx *store.Tx) error {
			return r.compare(tx, &page.Visit{URL: u, Status: 404}, &page.Visit{
				URL: stand, Status: c.status,
				MIME: c.mime,
			})
		})
		s := r.stratum("m.example", KindOf(c.mime))
		if err != nil || s.unlike != c.unlike || s.more != c.more || s.in(u).unlike != (c.unlike > 0) {
			t.Errorf("%s: %d unlike, %d more, its directory %v; %v", c.name, s.unlike, s.more,
				s.in(u).unlike, err)
		}
		if (s.asked > 0) != (c.unlike > 0) {
			t.Errorf("%s: %d samples of its kind", c.name, s.asked)
		}
		if r.astray[home.Key()] != (c.status == 200) {
			t.Errorf("%s: the page that leads there may lead elsewhere: %v", c.name, r.astray)
		}
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

// TestCountedOnce: a page that agreed before counts once when it does so again, and no more when it
// drifts; a directory's own page that was never captured, and differs, tells of what lies in both.
func TestCountedOnce(t *testing.T) {
	const name, dir = "m.example", page.URL("http://m.example/a/b/")
	for _, c := range []struct {
		what                outcome
		unseen              bool
		alike               int // of 9 that were alike before
		above, below, aside bool
	}{
		{what: agreedAgain, alike: 9},
		{what: drifts, alike: 8},
		{what: unlike, unseen: true, alike: 9, above: true, below: true},
	} {
		r := samples{
			stands: stands{Table: new(replica.Table), opt: Options{}.withDefaults()},
			strata: map[stratumKey]*stratum{}, drawn: map[page.URL]ticket{}, doubted: map[page.URL]bool{},
		}
		s := r.stratum(name, Text)
		s.before = 9
		for range 2 { // as fetched, and as a browser has drawn it
			x := rule{name: name, names: []string{name}}
			r.count(&ticket{url: dir, rule: x, unseen: c.unseen}, c.what, 1)
			s.agreed = min(s.agreed, 1) // compare tells the drawing of a page that agrees only once
		}
		var got []bool
		for _, u := range []page.URL{"http://m.example/a/1", dir + "1", "http://m.example/c/1"} {
			got = append(got, s.in(u).unlike)
		}
		if s.alike() != c.alike || !slices.Equal(got, []bool{c.above, c.below, c.aside}) {
			t.Errorf("%+v: %d alike, differing %v", c, s.alike(), got)
		}
	}
}

// TestKindsReopened: texts that drift end the entry of the table, pictures have those of the copy fetched.
func TestKindsReopened(t *testing.T) {
	const name, other = "m.example", page.URL("http://m.example/b/3")
	for kind, want := range map[Kind]replica.State{Text: replica.Reopened, Image: replica.Pruned} {
		table := new(replica.Table)
		err := table.Put(replica.Entry{From: name, To: "www.example", State: replica.Pruned})
		if err != nil {
			t.Fatal(err)
		}
		r := samples{
			stands: stands{Table: table, opt: Options{}.withDefaults()},
			strata: map[stratumKey]*stratum{}, drawn: map[page.URL]ticket{}, doubted: map[page.URL]bool{},
		}
		x := rule{name: name, names: []string{name}}
		for _, u := range []page.URL{"http://m.example/a/1", "http://m.example/a/2"} {
			r.count(&ticket{url: u, rule: x, kind: kind}, drifts, -1)
		}
		if e, _ := table.Get(name); e.State != want || !r.opened(&x, kind, other) {
			t.Errorf("two of kind %s differ: %s", kind, e.String())
		}
	}
}

// TestStrays: two pages with links of their own have a copy fetched again if they lie in two directories,
// of which neither is the other's own page.
func TestStrays(t *testing.T) {
	const name = "m.example"
	for others, want := range map[string]bool{
		"a/2": false, "a/": false, "b/1": true, "b/": true, "a/ z.html": true,
	} {
		r := samples{
			stands: stands{Table: new(replica.Table), opt: Options{}.withDefaults()},
			strata: map[stratumKey]*stratum{}, drawn: map[page.URL]ticket{},
		}
		for _, at := range strings.Fields("a/1 " + others) {
			u := page.URL("http://m.example/" + at)
			x := rule{name: name, names: []string{name}}
			r.count(&ticket{url: u, rule: x, unseen: true, early: true}, strays, -1) // it agreed before
			if s := r.stratum(name, Text); s.agree != 0 || !s.in(u).unlike {
				t.Errorf("%s counts as one that agrees", u)
			}
		}
		if got := r.stratum(name, Text).reopened(); got != want {
			t.Errorf("beside %s: %v", others, got)
		}
	}
}

// TestOpened: a page that drifts has its like in its directory fetched, and what lies in a directory
// of which it is the own page.
func TestOpened(t *testing.T) {
	const name = "m.example"
	for _, c := range []struct {
		drifted, u page.URL
		kind       Kind
		want       bool
	}{
		{drifted: "http://m.example/a/1", u: "http://m.example/a/2", want: true},
		{drifted: "http://m.example/a/1", u: "http://m.example/b/2"},
		{drifted: "http://m.example/a/1", u: "http://m.example/a/b/2"},
		{drifted: "http://m.example/a/1", u: "http://m.example/a/2", kind: Image},
		{drifted: "http://m.example/a/b/", u: "http://m.example/a/2", want: true},
		{drifted: "http://m.example/a/b/", u: "http://m.example/a/b/2", want: true},
	} {
		r := samples{
			stands: stands{Table: new(replica.Table), opt: Options{}.withDefaults()},
			strata: map[stratumKey]*stratum{}, drawn: map[page.URL]ticket{}, doubted: map[page.URL]bool{},
		}
		x := rule{name: name, names: []string{name}}
		r.count(&ticket{url: c.drifted, rule: x}, drifts, -1)
		if got := r.opened(&x, c.kind, c.u); got != c.want {
			t.Errorf("%+v: %v", c, got)
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

// TestEntry: the entry page of a host, and of a directory that is a copy, is its index.
func TestEntry(t *testing.T) {
	const dir = "http://m.example/doc/"
	for _, c := range []struct {
		u    page.URL
		name string
		want bool
	}{
		{"http://m.example/", "m.example", true},
		{"https://m.example/index.php", "m.example", true},
		{"http://m.example/?id=1", "m.example", false},
		{dir, "m.example", false},
		{dir, dir, true},
		{dir + "index.en.html", dir, true},
		{dir + "indexes.html", dir, false},
		{dir + "a/", dir, false},
		{dir, "", false},
	} {
		x := rule{name: c.name}
		if got := x.entry(c.u); got != c.want {
			t.Errorf("%s of %q: %v", c.u, c.name, got)
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
		harvests int           // in a row of which the samples of the place around it agreed
		want     float64
	}{
		{Grown, 0, 0, 0},
		{Grown, time.Hour, 0, 1},
		{"pages", 0, 0, 1},
		{"pages", 0, 2, .5},
	} {
		table := new(replica.Table)
		err := table.Put(replica.Entry{
			From: place + "a/", To: "http://www.example/a/", State: replica.Reopened, By: "sample",
			Method: c.method, Found: found, Verified: found.Add(c.verified),
			Decided: found.Add(48 * time.Hour),
		})
		if err != nil {
			t.Fatal(err)
		}
		err = table.Put(replica.Entry{
			From: "m.example", To: "www.example", State: replica.Pruned, Found: found,
			Verified: found.Add(96 * time.Hour), Evidence: replica.Evidence{Harvests: c.harvests},
		})
		if err != nil {
			t.Fatal(err)
		}
		r := samples{stands: stands{Table: table}, made: found.Add(120 * time.Hour)}
		d := r.drift()
		if got := d.besides("m.example", Text); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestOtherKindDrifts: where documents of a copy have drifted, more of its texts are compared, but none
// the more of its documents, or of what another copy has besides what others' drift tells.
func TestOtherKindDrifts(t *testing.T) {
	r := samples{stands: stands{Table: new(replica.Table)}, strata: map[stratumKey]*stratum{}}
	for name, drifted := range map[string]bool{"m.example": true, "n.example": false, "o.example": false} {
		r.stratum(name, Text).agreed = 3
		s := r.stratum(name, Document)
		s.agreed, s.drifted = 2, drifted
	}
	d := r.drift()
	for _, c := range []struct {
		name string
		kind Kind
		want float64
	}{
		{"m.example", Text, .5},
		{"m.example", Image, .5},
		{"m.example", Document, 0},
		{"n.example", Text, .5}, // one of two others
	} {
		if got := d.besides(c.name, c.kind); got != c.want {
			t.Errorf("%s of %s: %v", c.kind, c.name, got)
		}
	}
}

// TestSampleFalls: the more harvests in a row a copy has agreed, over as much time, the fewer pages are
// compared, one at least; a sample counts once in a harvest, and a page that drifts ends the row.
func TestSampleFalls(t *testing.T) {
	const name = "m.example"
	day := func(n int) time.Time { return time.Unix(1e9, 0).Add(time.Duration(n) * 24 * time.Hour) }
	for _, c := range []struct {
		known, harvests, verified, made int // the entry was found on day 0
		want                            int
	}{
		{known: 60, verified: 0, made: 1, want: 3},
		{known: 60, harvests: 1, verified: 30, made: 40, want: 2},
		{known: 60, harvests: 2, verified: 60, made: 90, want: 1},
		{known: 60, harvests: 20, verified: 600, made: 630, want: 1},
		{known: 60, harvests: 20, verified: 20, made: 100, want: 3}, // not looked at for long
		{known: 60, harvests: 20, verified: 50, made: 100, want: 2},
		{known: 60, harvests: 20, verified: 75, made: 100, want: 1},
		{known: 2000, harvests: 5, verified: 600, made: 630, want: 20},
		{known: 2000, made: 1, want: 20},
	} {
		table := new(replica.Table)
		err := table.Put(replica.Entry{
			From: name, To: "www.example", State: replica.Pruned, Found: day(0), Verified: day(c.verified),
			Evidence: replica.Evidence{Harvests: c.harvests},
		})
		if err != nil {
			t.Fatal(err)
		}
		r := Room{samples: samples{
			stands: stands{Table: table, opt: Options{}.withDefaults()}, made: day(c.made),
			strata: map[stratumKey]*stratum{},
		}}
		s, pictures := r.stratum(name, Text), r.stratum(name, Image)
		s.known, s.before, s.agreed = c.known, c.known, c.want
		if n := r.size(s, name, 0); n != c.want {
			t.Errorf("%+v: %d pages", c, n)
		}
		for _, next := range []struct{ began, agreed, drifts, pictures, want int }{
			{c.made, c.want, 0, 0, c.harvests + 1},
			{c.made, c.want, 0, 0, c.harvests + 1},
			{c.made, c.want, 0, 1, 0},
			{c.made + 2, 0, 0, 0, 0},
			{c.made + 2, 2, 0, 0, 0},
			{c.made + 1, 30, 0, 0, 0},
			{c.made + 2, 30, 0, 0, 1},
			{c.made + 2, 0, 1, 0, 0},
		} {
			before, _ := table.Get(name)
			s.agreed, s.drifts, pictures.drifts = next.agreed, next.drifts, next.pictures
			if err := r.Verify(day(next.began), day(c.made+1)); err != nil {
				t.Fatal(err)
			}
			e, _ := table.Get(name)
			if e.Evidence.Harvests != next.want || next.agreed == 0 && e.Verified != before.Verified {
				t.Errorf("%+v, %+v: %+v", c, next, e)
			}
		}
	}
}
