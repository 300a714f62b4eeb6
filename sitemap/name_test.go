package sitemap

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"watershed/graph"
	"watershed/page"
)

func TestTerms(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"The Gemo Project, 2003", []string{"the", "gemo", "project"}},
		{"Straße STRASSE ﬁle", []string{"straße", "strasse", "file"}},
		{"École d’été — école", []string{"école", "été"}},
		{"e\u0301cole", []string{"école"}},
		{"Журнал «Наука»", []string{"журнал", "наука"}},
		{"網頁典藏", []string{"網頁", "頁典", "典藏"}},
		{"国立国会図書館 NDL", []string{"国立", "立国", "国会", "会図", "図書", "書館", "ndl"}},
		{"हिन्दी विकि", []string{"हिन्दी", "विकि"}},
		{"웹 아카이브", []string{"아카이브"}},
		{"mp3 x 42 c++ 水", []string{"mp3", "水"}},
		{"", nil},
	} {
		if d := cmp.Diff(c.want, terms(c.text)); d != "" {
			t.Errorf("%s: %s", c.text, d)
		}
	}
}

func FuzzTerms(f *testing.F) {
	f.Add("The 網頁 Gemo-Project\xff")
	f.Fuzz(func(t *testing.T, text string) {
		list := terms(text)
		for i, x := range list {
			if x == "" || slices.Contains(list[:i], x) {
				t.Errorf("%q: %q", text, list)
			}
			if again := terms(x); utf8.ValidString(text) && len(again) > 0 && !slices.Contains(again, x) &&
				len(again) > 1 {
				t.Errorf("%q gives %q, and that %q", text, x, again)
			}
		}
	})
}

// named is a web in which every page of three strangers links to a site, as "Home" and by a name of
// its own.
func named(t *testing.T) *Survey {
	var sites []Site
	host := func(i int) page.URL { return page.URL(fmt.Sprintf("http://www.s%d.example/", i)) }
	for i := range 4 {
		sites = append(sites, Site{Name: fmt.Sprint(i), Seeds: []page.URL{host(i)}, Boundary: HostOnly})
	}
	names := []string{"The Bell Tower", "The Owl Post", "The Kite Club", "The Fern House"}
	s, err := NewSurvey(sites, Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := testWeb{}
	for i := range 4 {
		v := &page.Visit{URL: host(i), Status: 200, Title: names[i] + " | Welcome"}
		for j := range 4 {
			if j != i {
				v.Links = append(v.Links,
					page.Link{URL: host(j), Kind: page.Navigation, Text: names[j]},
					page.Link{
						URL: host(j) + "deep/page", Kind: page.Navigation,
						Text: "Home of " + strings.ToLower(names[j]),
					})
			}
		}
		w[host(i)] = v
		w[host(i)+"deep/page"] = &page.Visit{
			URL: host(i) + "deep/page", Status: 200,
			Links: []page.Link{{URL: host(i), Kind: page.Navigation, Text: "Back"}},
		}
	}
	w.crawl(s)
	return s
}

func TestSitesAreCalledWhatOthersCallThem(t *testing.T) {
	s := named(t)
	for site, want := range map[string]struct {
		title, name string
		keywords    []string
	}{
		"0": {"The Bell Tower | Welcome", "The Bell Tower", []string{"bell", "tower"}},
		"3": {"The Fern House | Welcome", "The Fern House", []string{"fern", "house"}},
	} {
		m, _ := s.Map(site)
		if m.Title != want.title {
			t.Errorf("title %q, want %q", m.Title, want.title)
		}
		if len(m.Names) == 0 || m.Names[0] != want.name {
			t.Errorf("site %s is called %q", site, m.Names)
		}
		var got []string
		for _, k := range m.Keywords[:2] {
			got = append(got, k.Term)
		}
		slices.Sort(got)
		if d := cmp.Diff(want.keywords, got); d != "" {
			t.Errorf("site %s: %s", site, d)
		}
		for _, k := range m.Keywords {
			if k.Term == "the" || k.Term == "home" || k.Term == "back" {
				t.Errorf("site %s: %q is what all are called", site, k.Term)
			}
		}
	}
}

// TestRarity: a term counts for less the more other parts of the web are called so, whether the site has
// few parts of its own or many.
func TestRarity(t *testing.T) {
	words := &vocabulary{with: map[string][]dirID{"rare": {2, 9}, "common": {1, 2, 3, 5, 8, 9}}}
	for _, c := range []struct {
		own          []dirID
		rare, common float64 // log₂((2+8)/(1+2·others)), no less than 0
	}{
		{[]dirID{2}, math.Log2(10. / 3), 0},
		{[]dirID{2, 3, 4, 5, 6, 7, 8}, math.Log2(10. / 3), 1},
		{[]dirID{1, 2, 3, 5, 9}, math.Log2(10.), math.Log2(10. / 3)},
	} {
		e := nameEvidence{words: words, own: map[dirID]bool{}, others: 8}
		for _, d := range c.own {
			e.own[d] = true
		}
		if rare, common := e.rarity("rare"), e.rarity("common"); rare != c.rare || common != c.common {
			t.Errorf("%v: %v and %v, want %v and %v", c.own, rare, common, c.rare, c.common)
		}
	}
}

// TestSayingsAreBounded: whatever is said, no more is kept than the constants say, by rank.
func TestSayingsAreBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []saying
		best := map[uint64]bool{}
		for range rapid.IntRange(0, 40).Draw(t, "texts") {
			rank := rapid.Uint64Range(0, 30).Draw(t, "rank")
			best[rank] = true
			list = keep(list, saying{rank: rank}, mostLinkTexts)
		}
		var want []uint64
		for r := range best {
			want = append(want, r)
		}
		slices.Sort(want)
		want = want[:min(len(want), mostLinkTexts)]
		var got []uint64
		for _, x := range list {
			got = append(got, x.rank)
		}
		if !slices.Equal(want, got) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
	if got := clip(strings.Repeat("網", 30)); len(got) > mostTextBytes || !utf8.ValidString(got) {
		t.Errorf("clipped to %q", got)
	}
}

func TestDeepSayingsGiveWay(t *testing.T) {
	var w web
	for i := range mostSayings + 1 {
		u := page.URL(fmt.Sprintf("http://h%d.example/a/b/p", i%1000))
		if i >= 1000 {
			u = page.URL(fmt.Sprintf("http://h%d.example/a/b/c%d/p", i%1000, i))
		}
		w.learn(&page.Visit{URL: u, Status: 200, Title: "Title"})
	}
	if n := len(w.sayings.dirs); n != 1000 {
		t.Errorf("%d directories are left, want the 1000 that are not deep", n)
	}
	w.learn(&page.Visit{URL: "http://h1.example/a/b/new/p", Status: 200, Title: "Title"})
	w.learn(&page.Visit{URL: "http://h1.example/p", Status: 200, Title: "Title"})
	if n := len(w.sayings.dirs); n != 1001 {
		t.Errorf("%d directories, want one more, which is not deep", n)
	}
}

// TestDrawnTitle lets a server's shell be drawn after it was read: the site is called what is seen.
func TestDrawnTitle(t *testing.T) {
	const home = page.URL("http://www.app.example/")
	s, err := NewSurvey([]Site{{Name: "app", Seeds: []page.URL{home}}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	v := page.Visit{URL: home, Status: 200, MIME: "text/html", Title: "Loading"}
	s.Learn(&v)
	v.Drawing, v.Title = page.Drawn, "Chronicles"
	s.Learn(&v)
	if m, err := s.Map("app"); err != nil || m.Title != "Chronicles" {
		t.Errorf("the site is called %q, %v", m.Title, err)
	}
}

// TestSayingsOfManyHosts teaches pages that name more hosts than sayings are kept of, link by link:
// the sample never holds more than it may, is seldom gone through, and half of what it gives up
// makes room for as much again.
func TestSayingsOfManyHosts(t *testing.T) {
	for _, hosts := range []int{2 * mostSayings, 4 * mostSayings} {
		var w web
		w.learn(&page.Visit{
			URL: "http://own.example/", Status: 200, Title: "Own",
			Links: []page.Link{{URL: "http://named.example/", Kind: page.Navigation, Text: "Named"}},
		})
		w.learn(&page.Visit{URL: "http://named.example/", Status: 200, Title: "Named"})
		shrunk, before := 0, 0
		for i := range hosts {
			u := page.URL(fmt.Sprintf("http://h%d.example/", i))
			w.sayings.at(&w, w.dir[w.intern(u, graph.None, page.Navigation)], false)
			n := len(w.sayings.dirs)
			if n < before {
				shrunk++
			}
			if before = n; n > mostSayings {
				t.Fatalf("%d directories are kept, at most %d", n, mostSayings)
			}
		}
		if most := hosts / (mostSayings / 2); shrunk == 0 || shrunk > most {
			t.Errorf("%d hosts: the sample was gone through %d times, want 1 to %d", hosts, shrunk, most)
		}
		for _, u := range []page.URL{"http://own.example/", "http://named.example/"} {
			if k := w.sayings.dirs[w.dir[w.find(u)]]; k == nil || len(k.titles) == 0 {
				t.Errorf("%s has lost its title to hosts that are only named", u)
			}
		}
	}
}

// TestSayingsOfTitledHosts goes past the bound with hosts that all have titles.
func TestSayingsOfTitledHosts(t *testing.T) {
	var w web
	for i := range 3 * mostSayings {
		w.learn(&page.Visit{
			URL: page.URL(fmt.Sprintf("http://h%d.example/", i)), Status: 200,
			Title: "Title",
		})
		if n := len(w.sayings.dirs); n > mostSayings {
			t.Fatalf("%d directories are kept, at most %d", n, mostSayings)
		}
	}
	if n := len(w.sayings.dirs); n < mostSayings/8 {
		t.Errorf("%d directories are left of %d", n, mostSayings)
	}
}
