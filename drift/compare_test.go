package drift

import (
	"bytes"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"watershed/page"
	"watershed/replica/sketch"
	"watershed/sitemap"
)

// visit of a page with some text and links; status 0 is 200.
func visit(t *testing.T, u page.URL, status int, text string, links ...page.URL) *page.Visit {
	t.Helper()
	v := &page.Visit{URL: u, Status: status}
	if status == 0 {
		v.Status = 200
	}
	kind := page.Navigation
	if status >= 300 && status < 400 {
		kind = page.Redirect
	}
	for _, l := range links {
		v.Links = append(v.Links, page.Link{URL: l, Kind: kind, Text: "more"})
	}
	if v.OK() {
		b, err := sketch.NewBuilder(sketch.Options{})
		if err != nil {
			t.Fatal(err)
		}
		b.Text([]byte(text))
		s := b.Sketch()
		v.Sketch = s.AppendEncode(nil)
		v.Digest = page.SumDigest([]byte(fmt.Sprint(text, links)))
	}
	return v
}

func words(seed uint64, n int) string {
	r := rand.New(rand.NewPCG(seed, 2))
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "w%d ", r.IntN(5000))
	}
	return b.String()
}

// sweep of a site to which all good visits belong but those named.
func sweep(n int, at time.Time, visits []*page.Visit, outside ...page.URL) Sweep {
	m := &sitemap.Map{Site: "S", Blocks: []sitemap.Block{{Name: "prefix", Inside: 1}}}
	var members []sitemap.Member
	for _, v := range visits {
		if (v.OK() || v.Status == 304) && !slices.Contains(outside, v.URL) {
			members = append(members, sitemap.Member{URL: v.URL, State: "fetched"})
		}
	}
	m.Members = sitemap.MembersOf(members...)
	return Sweep{Number: n, Time: at, Maps: []*sitemap.Map{m}, Visits: func() iter.Seq2[*page.Visit, error] {
		return func(yield func(*page.Visit, error) bool) {
			for _, v := range visits {
				if !yield(v, nil) {
					return
				}
			}
		}
	}}
}

var day0 = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

func TestCompare(t *testing.T) {
	const at = "http://s.example/"
	text := func(i uint64) string { return words(i, 300) }
	v := func(name string, status int, text string, links ...page.URL) *page.Visit {
		return visit(t, at+page.URL(name), status, text, links...)
	}
	older := []*page.Visit{
		v("same", 0, text(1)), v("markup", 0, text(2)), v("link", 0, text(3), at+"a"), v("edit", 0, text(4)),
		v("write", 0, text(5)),
		v("to301", 0, text(6)), v("silent", 0, text(7)), v("silent2", 0, text(8)), v("gone", 0, text(9)),
		v("down", 0, text(10)),
		v("unlinked", 0, text(11)), v("copy", 0, text(12)), v("beyond", 0, text(13)), v("never", 404, ""),
		v("waits", 0, text(14)), v("deep", 0, text(15)), v("barred", 0, text(16)),
		visit(t, "http://copy.example/7", 0, text(7)), visit(t, "http://copy.example/8", 0, text(8)),
		visit(t, "http://z.example/old", 0, text(17)),
	}
	edited := strings.Replace(text(4), "w", "new words w", 3)
	newer := []*page.Visit{
		v("same", 304, ""), v("markup", 0, text(2)), v("link", 0, text(3)+" more", at+"a", at+"b"),
		v("edit", 0, edited), v("write", 0, text(55)),
		v("to301", 301, "", at+"sub/new301"), v("sub/new301", 0, text(6)), v("moved7", 0, text(7)),
		v("moved8", 0, text(8)+" moved and edited"),
		v("gone", 410, ""), v("down", page.StatusConnect, ""), v("beyond", 0, text(13)+" x"),
		v("silent2", 404, ""), v("born", 0, text(99)), v("stand", 0, text(12)),
		v("barred", page.StatusRobots, ""),
		visit(t, "http://copy.example/7", 404, ""), visit(t, "http://copy.example/8", 404, ""),
		visit(t, "http://z.example/old", 404, ""), visit(t, "http://a.example/new", 0, text(17)),
		visit(t, "http://z.example/new", 0, text(17)), // the same payload, and its own host's
	}
	newer[1].Digest = page.SumDigest([]byte("other markup"))
	a, b := sweep(1, day0, older), sweep(2, day0.AddDate(0, 0, 7), newer, at+"beyond")
	b.LeftOut = func(u page.URL) (page.URL, bool) { return "http://w.example/copy", u == at+"copy" }
	b.Maps[0].Members = sitemap.MembersOf(append(slices.Collect(members(b.Maps[0])),
		sitemap.Member{URL: at + "waits", State: "known"}, sitemap.Member{URL: at + "deep", State: "skipped"},
		sitemap.Member{URL: at + "barred", State: "skipped"})...)
	r, err := Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range r.Changes {
		line := fmt.Sprintf("%s %s", strings.TrimPrefix(string(c.URL), at), c.Kind)
		if c.To != "" {
			line += " " + strings.TrimPrefix(string(c.To), at) + " " + c.How
		}
		got = append(got, strings.TrimSpace(line))
	}
	want := []string{
		"http://a.example/new born", "http://copy.example/7 gone", "http://copy.example/8 gone",
		"barred left out", "beyond outside", "born born", "copy left out http://w.example/copy",
		"deep left out", "down failed", "edit edited", "gone gone", "link links",
		"silent moved moved7 payload", "silent2 moved moved8 resemblance", "stand born",
		"to301 moved sub/new301 redirect", "unlinked unlinked", "waits unreached", "write rewritten",
		"http://z.example/old moved http://z.example/new payload",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	s := r.Sites[0]
	if s.Counts[Unchanged] != 2 || s.Before != 19 || s.After != 12 {
		t.Errorf("%+v", s)
	}
	if len(r.Rates) != 1 || r.Rates[0].Visits != 12 || r.Rates[0].Changed != 10 || r.Rates[0].Days != 7 {
		t.Errorf("rates %+v", r.Rates)
	}
	var out bytes.Buffer
	if err := r.WriteText(&out); err != nil || !strings.Contains(out.String(), "moved     4") {
		t.Errorf("%v\n%s", err, out.String())
	}
	out.Reset()
	if err := r.WriteCSV(&out); err != nil || strings.Count(out.String(), "\n") != len(want)+1 {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// Blocks that came and went are told, and sites that only one harvest has.
func TestBoundaryDrift(t *testing.T) {
	one, two := sweep(1, day0, nil), sweep(2, day0, nil)
	one.Maps[0].Blocks = []sitemap.Block{
		{Name: "prefix", Inside: 3},
		{Name: "old.example/", Inside: 2},
		{Name: "out.example/"},
	}
	two.Maps[0].Blocks = []sitemap.Block{
		{Name: "prefix", Inside: 3},
		{Name: "new.example/", Inside: 2},
		{Name: "old.example/"},
	}
	two.Maps = append(two.Maps, &sitemap.Map{Site: "T", Blocks: []sitemap.Block{{Name: "prefix", Inside: 1}}})
	r, err := Compare(one, two)
	if err != nil {
		t.Fatal(err)
	}
	want := []SiteDrift{
		{Name: "S", Counts: map[Kind]int{}, Joined: []string{"new.example/"}, Left: []string{"old.example/"}},
		{Name: "T", Counts: map[Kind]int{}, Joined: []string{"prefix"}},
	}
	if d := cmp.Diff(want, r.Sites); d != "" {
		t.Error(d)
	}
	two.Maps[0].Boundary, two.Maps[0].Blocks = "prefix", nil
	if r, err = Compare(one, two); err != nil || len(r.Sites[0].Joined)+len(r.Sites[0].Left) > 0 {
		t.Errorf("a boundary by the address has no blocks that may leave: %+v, %v", r.Sites[0], err)
	}
}

// The estimator finds the rate of a Poisson process from visits that only see whether a page has
// changed, also where most have; the share of changed pages does not.
func TestRate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, truth := range []float64{.01, .1, .3} {
		x := Rate{Days: 7, Visits: 4000}
		for range x.Visits {
			if r.Float64() < 1-math.Exp(-truth*7) {
				x.Changed++
			}
		}
		rate, low, high := x.PerDay()
		if math.Abs(rate-truth) > .1*truth || low > truth || high < truth {
			t.Errorf("truth %g, estimate %g (%g to %g)", truth, rate, low, high)
		}
		if after, ok := x.Interval(.1); !ok || math.Abs(after.Hours()/24*truth+math.Log(.9)) > .02 &&
			after != minInterval {
			t.Errorf("truth %g: interval %v", truth, after)
		}
	}
	none := Rate{Days: 30, Visits: 10}
	if rate, low, high := none.PerDay(); !(rate == 0 && low == 0 && high > 0) {
		t.Errorf("nothing changed: %g (%g to %g)", rate, low, high)
	}
	if after, ok := none.Interval(.1); !ok || after != maxInterval {
		t.Errorf("nothing changed: %v", after)
	}
	all := Rate{Days: 30, Visits: 10, Changed: 10}
	if rate, _, high := all.PerDay(); !(rate > 0 && math.IsInf(high, 1)) {
		t.Errorf("all changed: %g (to %g)", rate, high)
	}
	if _, ok := (&Rate{}).Interval(.1); ok {
		t.Error("a proposal out of nothing")
	}
	sum := Rate{Visits: 10, Changed: 1, Days: 10}
	sum.Add(Rate{Visits: 30, Changed: 4, Days: 20})
	if sum.Visits != 40 || sum.Changed != 5 || sum.Days != 17.5 {
		t.Errorf("%+v", sum)
	}
}

// TestCompareDrawn: pages of one shell are compared by what their scripts show.
func TestCompareDrawn(t *testing.T) {
	const at = "http://s.example/"
	drawn := func(name, text string, status int) *page.Visit {
		v := visit(t, at+page.URL(name), 0, text)
		v.Status, v.Drawing, v.Digest = status, page.Drawn, page.SumDigest([]byte("shell"))
		return v
	}
	gone := visit(t, at+"gone", 404, "")
	older := []*page.Visit{
		drawn("same", words(1, 300), 200), drawn("other", words(2, 300), 200),
		drawn("304", words(3, 300), 200), drawn("gone", words(4, 300), 200),
	}
	newer := []*page.Visit{
		drawn("same", words(1, 300), 200), drawn("other", words(12, 300), 200),
		drawn("304", words(13, 300), 304), gone, drawn("born", words(14, 300), 200),
	}
	r, err := Compare(sweep(1, day0, older), sweep(2, day0.AddDate(0, 0, 7), newer))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range r.Changes {
		got = append(got, strings.TrimPrefix(string(c.URL), at)+" "+fmt.Sprint(c.Kind))
	}
	want := []string{"304 rewritten", "born born", "gone gone", "other rewritten"}
	if d := cmp.Diff(want, got); d != "" || r.Sites[0].Counts[Unchanged] != 1 {
		t.Errorf("%s\n%+v", d, r.Sites[0])
	}
}

// A site that was renamed is the same site; the pages of one that is not harvested any more are not said to
// be unlinked, nor those that a rule keeps out; and what was only not had before is not born.
func TestSitesOfAnotherName(t *testing.T) {
	const at = "http://s.example/"
	text := func(i uint64) string { return words(i, 300) }
	door := visit(t, at+"door", 0, text(7))
	door.Links = []page.Link{{URL: at + "far"}}
	a := sweep(1, day0, []*page.Visit{
		visit(t, at, 0, text(1)), visit(t, at+"ruled", 0, text(2)), visit(t, at+"alone", 0, text(3)),
		visit(t, at+"kept", 0, text(6)), door,
	}, at+"door")
	a.Maps[0].Seeds = []page.URL{at}
	a.Maps[0].Members = sitemap.MembersOf(append(slices.Collect(members(a.Maps[0])),
		sitemap.Member{URL: at + "waits", State: "skipped"})...)
	a.Maps[0].Outside = []sitemap.Outsider{{URL: at + "beyond", Reason: "outOfBoundary"}}
	gone := sweep(1, day0, []*page.Visit{visit(t, "http://gone.example/", 0, text(4))})
	gone.Maps[0].Site, gone.Maps[0].Seeds = "Gone", []page.URL{"http://gone.example/"}
	both := func(yield func(*page.Visit, error) bool) {
		a.Visits()(yield)
		gone.Visits()(yield)
	}
	b := sweep(2, day0.AddDate(0, 0, 7), []*page.Visit{
		visit(t, at, 0, text(1)), visit(t, at+"waits", 0, text(20)), visit(t, at+"beyond", 0, text(21)),
		visit(t, at+"new", 0, text(22)), visit(t, at+"kept", 0, text(6)), visit(t, at+"door", 0, text(7)),
		visit(t, at+"far", 0, text(23)),
	}, at+"kept")
	b.Maps[0].Site, b.Maps[0].Seeds = "Another name", []page.URL{at}
	b.Maps[0].Outside = []sitemap.Outsider{{URL: at + "ruled", Reason: "rule"}}
	r, err := Compare(Sweep{
		Number: 1, Time: day0, Maps: append(a.Maps, gone.Maps...),
		Visits: func() iter.Seq2[*page.Visit, error] { return both },
	}, b)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rates) != 1 || r.Rates[0].Site != "Another name" || r.Rates[0].Visits != 1 {
		t.Errorf("rates %+v", r.Rates)
	}
	r.Rates = nil
	var out bytes.Buffer
	if err := r.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	const want = `from run 1 (2026-11-01) to run 2 (2026-11-08)
site Another name, S before: 6 pages, 4 before
  unchanged 1
  unlinked  1
  outside   2
  born      1
  reached   4
site Gone: not in run 2, 1 page before
  outside   1
  left      prefix
kind,url,to,site,resemblance,how,status
outside,http://gone.example/,,Gone,,,
unlinked,http://s.example/alone,,Another name,,,
reached,http://s.example/beyond,,Another name,,,
reached,http://s.example/door,,Another name,,,
reached,http://s.example/far,,Another name,,,
outside,http://s.example/kept,,Another name,1.0000,,
born,http://s.example/new,,Another name,,,
outside,http://s.example/ruled,,Another name,,,
reached,http://s.example/waits,,Another name,,,
`
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Error(d)
	}
}

// TestFailedIsNotMoved: a page that its server did not give has not moved to a like page of another
// site, but may have moved to one of its own.
func TestFailedIsNotMoved(t *testing.T) {
	const first, second, third = page.URL("http://a.example/x/"), page.URL("http://b.example/x/"),
		page.URL("http://a.example/y/")
	for _, tt := range []struct {
		to     page.URL // where a page with the same text is new
		status int      // of the page now
		want   string
	}{
		{second, 503, "failed"},
		{second, -3, "failed"},
		{second, 404, "moved"},
		{third, 503, "moved"},
	} {
		older := sweep(1, day0, []*page.Visit{visit(t, first, 0, words(1, 300), "http://l.example/")})
		newer := sweep(2, day0.AddDate(0, 0, 7), []*page.Visit{
			visit(t, first, tt.status, ""), visit(t, tt.to, 0, words(1, 300)),
		})
		older.Maps[0].Seeds, newer.Maps[0].Seeds = []page.URL{first}, []page.URL{first}
		if tt.to == second { // of a site that the YAML has only now
			site := *newer.Maps[0]
			site.Site, site.Seeds = "Other", []page.URL{second}
			newer.Maps[0].Members = sitemap.MembersOf()
			newer.Maps = append(newer.Maps, &site)
		}
		r, err := Compare(older, newer)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(r.Changes, func(ch Change) bool { return ch.URL == first })
		if i < 0 || r.Changes[i].Kind.String() != tt.want {
			t.Errorf("%d, and the text is at %s: %+v; want %s", tt.status, tt.to, r.Changes, tt.want)
		}
	}
}

// members goes through the members of a map.
func members(m *sitemap.Map) iter.Seq[sitemap.Member] {
	return func(yield func(sitemap.Member) bool) {
		for _, x := range m.Members.All() {
			if !yield(x) {
				return
			}
		}
	}
}

// TestCompareSoftErrors: a page is born where the server had none, whatever it said of that.
func TestCompareSoftErrors(t *testing.T) {
	const at = "http://s.example/"
	soft := visit(t, at+"new", 0, "sorry")
	soft.SoftError = true
	home := visit(t, at, 0, words(1, 300))
	a, b := sweep(1, day0, []*page.Visit{home, soft}),
		sweep(2, day0.AddDate(0, 0, 7), []*page.Visit{home, visit(t, at+"new", 0, words(4, 300))})
	was, is := sitemap.Member{URL: at, State: "fetched"}, sitemap.Member{URL: at + "new", State: "fetched"}
	a.Maps[0].Members, b.Maps[0].Members = sitemap.MembersOf(was), sitemap.MembersOf(was, is)
	r, err := Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Changes) != 1 || r.Changes[0].Kind != Born || r.Changes[0].URL != is.URL {
		t.Errorf("%+v", r.Changes)
	}
}
