package sitemap

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"watershed/graph"
	"watershed/page"
)

// TestSettlementsCertify lets the flow's own checks look at the network of a survey at random
// moments.
func TestSettlementsCertify(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWeb(t)
		s, err := NewSurvey([]Site{{Name: "one", Seeds: []page.URL{drawSeed(t)}}}, drawOptions(t))
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(0, 40).Draw(t, "visits") {
			open := s.Open()
			if len(open) == 0 {
				break
			}
			s.Learn(w.visit(open[0].URL))
		}
		b := s.sites[0]
		x := settle(b.book, false)
		if err := x.net.Certify(); err != nil {
			t.Fatal(err)
		}
		if cut := x.net.Cut(); cut.Value() != x.net.Value() {
			t.Fatalf("flow %d, cut %d", x.net.Value(), cut.Value())
		}
		for k := range x.blocks.list {
			a := blockID(k)
			if x.shares.extrapolation(a) < 1 || x.shares.allTraffic(a) < 0 {
				t.Fatalf("block %d: φ %v, T %v", k, x.shares.extrapolation(a), x.shares.allTraffic(a))
			}
			for l := range x.blocks.list {
				c := blockID(l)
				if there, back := x.shares.capacity(a, c), x.shares.capacity(c, a); there != back ||
					there < 0 || there > graph.Unit {
					t.Fatalf("capacities of %d and %d: %d, %d", k, l, there, back)
				}
				if σ := x.shares.share(a, c); a != c && (σ != x.shares.share(c, a) || σ > 1) {
					t.Fatalf("σ of %d and %d: %v, %v", k, l, σ, x.shares.share(c, a))
				}
			}
		}
	})
}

func TestShareOfTwoBlocks(t *testing.T) {
	w := parseWeb(t, `
http://a.work.example/  -> p q http://b.work.example/ http://c.work.example/
http://a.work.example/p -> / http://b.work.example/
http://a.work.example/q -> / http://b.work.example/x
http://b.work.example/  -> x http://a.work.example/
http://b.work.example/x -> / http://a.work.example/
http://c.work.example/  ->
`)
	s, _ := w.surveyed(t, Site{Seeds: []page.URL{"http://a.work.example/"}}, Options{})
	b := s.sites[0]
	x := settle(b.book, false)
	at := func(u page.URL) blockID { return x.blocks.of[b.find(s.web.find(u))] }
	here, there := at("http://a.work.example/"), at("http://b.work.example/")
	stranger := at("http://c.work.example/")
	// Two pages link to b's home page and one to its x, two to a's home page, one to c, which does not
	// link back: everything was fetched, so φ is 1.
	ab, ba, ac := 3.0, 2.0, 1.0
	// Each block has the traffic of Options.Prior, 2 by default, besides.
	want := 2 * math.Sqrt(ab*ba) / math.Sqrt((ab+ba+oneSided*ac+2)*(ab+ba+2))
	if got := x.shares.share(here, there); math.Abs(got-want) > 1e-5 {
		t.Errorf("σ = %v, want %v", got, want)
	}
	if got := x.shares.share(here, stranger); got != 0 {
		t.Errorf("σ with a block that never links back is %v", got)
	}
	σ := math.Pow(want, 6)
	if got, want := x.shares.capacity(here, there),
		σ/(σ+math.Pow(.3, 6)); math.Abs(float64(got)/1e6-want) > want/128 {
		t.Errorf("X = %v, want %v", got, want)
	}
}

func TestBlocks(t *testing.T) {
	w := parseWeb(t, `
http://a.example/docs/2.4/en/      -> x/y http://a.example/docs/2.4/fr/z `+
		`http://a.example/docs/2.4/p http://a.example/~u/v/w http://a.example/ `+
		`http://f.example/lib/a/1 http://f.example/lib/a/2 http://f.example/lib/b/3 `+
		`http://f.example/other/4 http://f.example/lib/5
http://a.example/docs/2.4/en/x/y   -> .
`)
	s, _ := w.surveyed(t, Site{Seeds: []page.URL{"http://a.example/docs/2.4/en/"}}, Options{})
	b := s.sites[0]
	x := settle(b.book, false)
	got := map[string]string{}
	for p := range b.places {
		name := "prefix"
		if dir := x.blocks.list[x.blocks.of[p]].dir; dir != noDir {
			name = s.web.dirs.path(dir)
		}
		got[schemeless(s.web.text(b.places[p].id))] = name
	}
	want := map[string]string{
		"a.example/docs/2.4/en/": "prefix", "a.example/docs/2.4/en/x/": "prefix",
		"a.example/docs/2.4/en/x/y": "prefix",
		"a.example/docs/2.4/fr/z":   "a.example/docs/2.4/fr/", "a.example/docs/2.4/p": "a.example/docs/2.4/",
		"a.example/~u/v/w": "a.example/~u/", "a.example/": "a.example/",
		// four of five links to the foreign host lie below /lib/, two of five below each of its
		// directories
		"f.example/lib/a/1": "f.example/lib/", "f.example/lib/a/2": "f.example/lib/",
		"f.example/lib/b/3": "f.example/lib/",
		"f.example/lib/5":   "f.example/lib/", "f.example/other/4": "f.example/other/",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// annexed has pages whose sources lie on another host, beside the sources of somebody else; none of
// them links back.
func annexed() string {
	var b strings.Builder
	for i := range 6 {
		fmt.Fprintf(&b,
			"http://docs.example/ours/Our-Module%d.html -> index.html "+
				"http://code.example/ours/src/Our.Module%d.html "+
				"http://code.example/theirs/src/Their.Module.html\n", i, i)
		fmt.Fprintf(&b, "http://docs.example/ours/index.html -> Our-Module0.html Our-Module1.html "+
			"Our-Module2.html Our-Module3.html Our-Module4.html Our-Module5.html\n")
		fmt.Fprintf(&b, "http://code.example/ours/src/Our.Module%d.html -> Our.Module%d.html "+
			"http://code.example/theirs/src/Their.Module.html\n", i, (i+1)%6)
		fmt.Fprintf(&b, "http://code.example/theirs/src/Their.Module%d.html -> Their.Module%d.html "+
			"Their.Module.html\n", i, (i+1)%6)
	}
	b.WriteString("http://code.example/theirs/src/Their.Module.html -> Their.Module0.html " +
		"Their.Module1.html Their.Module2.html\n")
	return b.String()
}

func TestAnnexIsKnownByItsNames(t *testing.T) {
	w := parseWeb(t, annexed())
	site := Site{Seeds: []page.URL{"http://docs.example/ours/index.html"}}
	for _, c := range []struct {
		o    Options
		want int
	}{{Options{}, 13}, {Options{Kinship: -1}, 7}} {
		_, m := w.surveyed(t, site, c.o)
		if m.Members.Len() != c.want {
			t.Errorf("kinship %v: %d members, want %d: %v", c.o.Kinship, m.Members.Len(), c.want, members(m))
		}
	}
}

func TestSimilarityMeasuresItsSigma(t *testing.T) {
	w := parseWeb(t, twoHosts)
	s, _ := w.surveyed(t, Site{Seeds: []page.URL{"http://www.site.example/"}},
		Options{})
	b := s.sites[0]
	if σ := settle(b.book, false).sample.rms(b.book); σ < 1 || σ > 2 {
		t.Errorf("σ = %v; URLs of two and three tokens on two hosts differ in one or two", σ)
	}
	sigma := settle(b.book, false).deviation()
	one, two := similarity(1, sigma), similarity(2, sigma)
	if similarity(0, sigma) != 1 || one >= 1 || two >= one {
		t.Errorf("similarities %v, %v", one, two)
	}
	var m meter
	from, to := s.web.find("http://www.site.example/a"), s.web.find("http://docs.site.example/1")
	if d := m.measure(&s.web, from, to); d != 2 {
		t.Errorf("distance %d, want 2: host and name", d)
	}
	for _, x := range s.web.links.distances(from) {
		if x > 3 {
			t.Errorf("distances %v", s.web.links.distances(from))
		}
	}
}

func TestClusterOfTheSite(t *testing.T) {
	w := parseWeb(t, twoHosts)
	for _, site := range []Site{
		{Seeds: []page.URL{"http://www.site.example/"}},
		{Seeds: []page.URL{"http://www.site.example/"}, Keyword: "DOCS"},
		{
			Seeds:          []page.URL{"http://www.site.example/"},
			Characteristic: []page.URL{"http://docs.site.example/2"},
		},
	} {
		for _, o := range []Options{{}, {NoClusters: true}} {
			s, m := w.surveyed(t, site, o)
			if !m.Converged || m.Members.Len() < 8 {
				t.Errorf("%v %q %v: %d members", o.NoClusters, site.Keyword, site.Characteristic,
					m.Members.Len())
			}
			clustered := 0
			for _, p := range s.sites[0].places {
				if p.is(inCluster) {
					clustered++
				}
			}
			if got := clustered > 0; got != (!o.NoClusters) {
				t.Errorf("%v: %d pages are in the cluster", o.NoClusters, clustered)
			}
		}
	}
}

func TestPageThatChanges(t *testing.T) {
	w := parseWeb(t, twoHosts)
	s, before := w.surveyed(t, Site{Seeds: []page.URL{"http://www.site.example/"}}, Options{})
	epochs := s.sites[0].epochs
	s.Learn(w.visit("http://www.site.example/a"))
	if s.sites[0].epochs != epochs {
		t.Error("a page that did not change made an epoch")
	}
	s.Learn(&page.Visit{URL: "http://www.site.example/a", Status: 410})
	for u := range w {
		if u.Host() == "docs.site.example" {
			v := *w[u]
			v.Links = nil
			s.Learn(&v)
		}
	}
	w.crawl(s)
	after, _ := s.Map("site")
	if before.Members.Len() != 9 || after.Members.Len() != 3 || !after.Converged {
		t.Errorf("%d members before, after the second host has lost its links %v", before.Members.Len(),
			members(after))
	}
}

// A manual of two hosts cites a library on each page, which never leads back.
func TestLinksThatAreNotReturned(t *testing.T) {
	const pages, cited = 12, 75
	var text strings.Builder
	for i := range pages {
		next := (i + 1) % pages
		fmt.Fprintf(&text, "http://a.work.example/%d -> %d http://b.work.example/%d", i, next, i)
		for k := range cited {
			fmt.Fprintf(&text, " http://library.example/%d", k)
		}
		fmt.Fprintf(&text, "\nhttp://b.work.example/%d -> %d http://a.work.example/0\n", i, next)
	}
	for k := range cited {
		fmt.Fprintf(&text, "http://library.example/%d -> %d\n", k, (k+1)%cited)
	}
	w := parseWeb(t, text.String())
	_, m := w.surveyed(t, Site{Seeds: []page.URL{"http://a.work.example/0"}}, Options{})
	if n := m.Members.Len(); n != 2*pages {
		t.Errorf("%d pages belong, want the %d of both hosts: %+v", n, 2*pages, m.Blocks)
	}
}
