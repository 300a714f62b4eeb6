package sitemap

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"watershed/page"
)

// twoHosts is a site of two hosts that link to each other, beside a stranger whom both cite and a
// tenant next door.
const twoHosts = `
http://www.site.example/         -> a b c http://docs.site.example/ http://stranger.example/
http://www.site.example/a        -> / b c http://docs.site.example/1 http://stranger.example/
http://www.site.example/b        -> / a c http://docs.site.example/2 http://stranger.example/x
http://www.site.example/c        -> / a b http://docs.site.example/3 gone
http://docs.site.example/        -> 1 2 3 4 http://www.site.example/
http://docs.site.example/1       -> / 2 http://www.site.example/ http://www.site.example/a
http://docs.site.example/2       -> / 3 http://www.site.example/ http://www.site.example/b
http://docs.site.example/3       -> / 4 http://www.site.example/ http://www.site.example/c
http://docs.site.example/4       -> / 1 http://www.site.example/ http://stranger.example/
http://stranger.example/         -> x y z
http://stranger.example/x        -> / y z
http://stranger.example/y        -> / x z
http://stranger.example/z        -> / x y
`

func TestSecondHostIsFoundByItsLinksBack(t *testing.T) {
	w := parseWeb(t, twoHosts)
	s, m := w.surveyed(t, Site{Seeds: []page.URL{"http://www.site.example/"}}, Options{})
	want := []string{
		"docs.site.example/", "docs.site.example/1", "docs.site.example/2", "docs.site.example/3",
		"docs.site.example/4",
		"www.site.example/", "www.site.example/a", "www.site.example/b", "www.site.example/c",
	}
	if diff := cmp.Diff(want, members(m)); diff != "" {
		t.Error(diff)
	}
	if !m.Converged || !s.Settled("site") || !s.Settled("") {
		t.Error("not settled")
	}
	if e := m.Explain("http://stranger.example/"); e.Inside || e.Reason != "outOfBoundary" || e.Links != 3 ||
		e.Block == nil || e.Block.Share != 0 {
		t.Errorf("stranger: %+v", e)
	}
	if e := m.Explain("http://docs.site.example/4"); !e.Inside || e.Why != WhyFlow || e.State != "fetched" {
		t.Errorf("docs: %+v", e)
	}
	if e := m.Explain("http://www.site.example/gone"); e.Reason != "failed" {
		t.Errorf("dead link: %+v", e)
	}
	if e := m.Explain("http://never.example/"); e.Reason != "unknown" || e.Inside {
		t.Errorf("never heard of: %+v", e)
	}
}

// A directory that is apart is a block of its own: a stranger's stays out, one that links back
// comes in.
func TestDirectoriesApart(t *testing.T) {
	w := parseWeb(t, `
http://host.example/         -> a b own/ own/1 own/2 other/
http://host.example/a        -> / b own/3
http://host.example/b        -> / a own/4
http://host.example/own/     -> 1 2 3 4 /
http://host.example/own/1    -> / 2 /a
http://host.example/own/2    -> / 3 /b
http://host.example/own/3    -> / 4 /a
http://host.example/own/4    -> / 1 /
http://host.example/other/   -> x y
http://host.example/other/x  -> / y
http://host.example/other/y  -> / x
`)
	_, m := w.surveyed(t, Site{
		Seeds: []page.URL{"http://host.example/"},
		Apart: []page.URL{"http://host.example/own/", "http://host.example/other/"},
	}, Options{})
	want := []string{
		"host.example/", "host.example/a", "host.example/b", "host.example/own/",
		"host.example/own/1", "host.example/own/2", "host.example/own/3", "host.example/own/4",
	}
	if diff := cmp.Diff(want, members(m)); diff != "" {
		t.Error(diff)
	}
	if e := m.Explain("http://host.example/own/2"); e.Why != WhyFlow || e.Block == nil ||
		e.Block.Name != "host.example/own/" {
		t.Errorf("own: %+v", e)
	}
}

// Pages that are told belong where the prefix has them, though nothing links to them, and nowhere
// else.
func TestTell(t *testing.T) {
	s, err := NewSurvey([]Site{{Name: "site", Seeds: []page.URL{"http://host.example/a/"}}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.Learn(&page.Visit{URL: "http://host.example/a/", Status: 200})
	s.Tell("site", "http://host.example/a/orphan", "http://host.example/b/stranger")
	s.Tell("no such site", "http://host.example/a/2")
	var got []string
	for _, x := range s.Wants() {
		got = append(got, x.Why.String()+" "+string(x.URL))
	}
	if diff := cmp.Diff([]string{"prefix http://host.example/a/orphan"}, got); diff != "" {
		t.Error(diff)
	}
}

// bfs crawls what ok lets in, as an oracle of the simple modes.
func (w testWeb) bfs(seed page.URL, ok func(page.URL) bool) []string {
	seen := map[page.URL]bool{seed: true}
	queue := []page.URL{seed}
	var list []string
	for i := 0; i < len(queue); i++ {
		v, found := w[queue[i]]
		if !found {
			continue
		}
		list = append(list, schemeless(queue[i]))
		for _, l := range v.Links {
			if l.Kind != page.Embed && !seen[l.URL] && ok(l.URL) {
				seen[l.URL] = true
				queue = append(queue, l.URL)
			}
		}
	}
	slices.Sort(list)
	return list
}

func TestSimpleModesAreCrawlsWithinTheirPredicate(t *testing.T) {
	const seed page.URL = "http://www.site.example/d/a"
	host := func(h page.Host) func(page.URL) bool { return func(u page.URL) bool { return u.Host() == h } }
	for mode, ok := range map[Mode]func(page.URL) bool{
		Prefix:   func(u page.URL) bool { return strings.HasPrefix(string(u), "http://www.site.example/d/") },
		HostOnly: host("www.site.example"),
		Domain:   func(u page.URL) bool { return strings.HasSuffix(string(u.Host()), "site.example") },
		List:     func(page.URL) bool { return false },
	} {
		w := parseWeb(t, `
http://www.site.example/d/a   -> b /c http://docs.site.example/ http://www.other.example/
http://www.site.example/d/b   -> a x/y /c
http://www.site.example/d/x/y -> a gone
http://www.site.example/c     -> d/z http://www.other.example/
http://www.site.example/d/z   -> a
http://docs.site.example/     -> more http://www.site.example/e
http://docs.site.example/more -> /
http://www.site.example/e     -> c
http://www.other.example/     -> http://www.site.example/hidden
http://www.site.example/hidden -> c
`)
		_, m := w.surveyed(t, Site{Seeds: []page.URL{seed}, Boundary: mode}, Options{})
		if diff := cmp.Diff(w.bfs(seed, ok), members(m)); diff != "" {
			t.Errorf("%v: %s", mode, diff)
		}
		if !m.Converged || m.Certificate != nil {
			t.Errorf("%v: converged %v, certificate %v", mode, m.Converged, m.Certificate)
		}
	}
}

func TestRulesWin(t *testing.T) {
	w := parseWeb(t, twoHosts)
	s, err := NewSurvey([]Site{{
		Name: "site", Seeds: []page.URL{"http://www.site.example/"},
		Include: []page.Rule{
			mustRule(t, "host:stranger.example"),
			mustRule(t, "url:http://www.site.example/b"),
		},
		Exclude: []page.Rule{
			mustRule(t, "url:http://www.site.example/b"),
			mustRule(t, "prefix:http://stranger.example/x"),
		},
	}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	visited := w.crawl(s)
	m, _ := s.Map("site")
	in := members(m)
	for _, u := range []string{"stranger.example/", "stranger.example/y", "www.site.example/a"} {
		if !slices.Contains(in, u) {
			t.Errorf("%s is not inside: %v", u, in)
		}
	}
	for _, u := range []page.URL{"http://www.site.example/b", "http://stranger.example/x"} {
		if slices.Contains(in, schemeless(u)) || slices.Contains(visited, u) {
			t.Errorf("%s was visited or is inside", u)
		}
	}
	if e := m.Explain("http://stranger.example/x"); e.Reason != "rule" ||
		e.Note != "prefix:http://stranger.example/x" {
		t.Errorf("%+v", e)
	}
	if e := m.Explain("http://stranger.example/y"); e.Why != WhyRule {
		t.Errorf("%+v", e)
	}
}

func TestRequisitesComeFromAnyHostAndLeadNowhere(t *testing.T) {
	w := parseWeb(t, `
http://site.example/           -> a i=http://cdn.example/style.css f=http://frames.example/menu
http://site.example/a          -> / i=http://cdn.example/style.css i=http://cdn.example/away.png
http://cdn.example/style.css   -> i=http://img.example/back.png i=more.css
http://cdn.example/more.css    -> i=style.css i=font.woff
http://cdn.example/font.woff   ->
http://cdn.example/away.png    => http://far.example/away.png
http://far.example/away.png    -> http://far.example/page
http://img.example/back.png    ->
http://frames.example/menu     -> http://frames.example/deep i=http://frames.example/menu.css
http://frames.example/menu.css ->
http://frames.example/deep     -> http://frames.example/deeper
`)
	s, err := NewSurvey([]Site{{Name: "site", Seeds: []page.URL{"http://site.example/"}}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	visited := w.crawl(s)
	slices.Sort(visited)
	want := []page.URL{
		"http://cdn.example/away.png", "http://cdn.example/font.woff", "http://cdn.example/more.css",
		"http://cdn.example/style.css", "http://far.example/away.png", "http://frames.example/menu",
		"http://frames.example/menu.css", "http://img.example/back.png", "http://site.example/",
		"http://site.example/a",
	}
	if diff := cmp.Diff(want, slices.Compact(visited)); diff != "" {
		t.Error(diff)
	}
	m, _ := s.Map("site")
	if got := len(m.Requisites); got != 8 {
		t.Errorf("%d requisites: %v", got, m.Requisites)
	}
	if diff := cmp.Diff([]string{"site.example/", "site.example/a"}, members(m)); diff != "" {
		t.Error(diff)
	}
	if p, _ := s.Progress("site"); p.Requisites != 0 || p.Open != 0 || p.Inside != 2 {
		t.Errorf("progress %+v", p)
	}
}

// A page that first redirected to another spelling of its own URL has its requisites asked for once
// it is there.
func TestRequisitesOfASecondVisit(t *testing.T) {
	const u, picture = "http://a.example/%D0%BF", "http://a.example/%D0%BF.png"
	s, err := NewSurvey([]Site{{Name: "a", Seeds: []page.URL{u}, Boundary: Prefix}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.Wants()
	s.Learn(&page.Visit{URL: u, Status: 301, Links: []page.Link{{URL: u, Kind: page.Redirect}}})
	s.Learn(&page.Visit{URL: u, Status: 200, Links: []page.Link{{URL: picture, Kind: page.Embed}}})
	if wants := s.Wants(); !slices.ContainsFunc(wants, func(w Want) bool { return w.URL == picture }) {
		t.Errorf("wants %+v", wants)
	}
}

func TestSeedRedirects(t *testing.T) {
	for _, c := range []struct {
		name, web string
		seed      page.URL
		want      []string
	}{
		{
			name: "to another host", seed: "http://site.example/",
			web: `
http://site.example/        => http://www.site.example/
http://www.site.example/    -> a
http://www.site.example/a   -> http://site.example/old
http://site.example/old     -> http://www.site.example/`,
			want: []string{"site.example/", "site.example/old", "www.site.example/", "www.site.example/a"},
		},
		{
			name: "only a slash", seed: "http://host.example/~user",
			web: `
http://host.example/~user   => http://host.example/~user/
http://host.example/~user/  -> a /~other/
http://host.example/~user/a -> .
http://host.example/~other/ -> .`,
			want: []string{"host.example/~user", "host.example/~user/", "host.example/~user/a"},
		},
		{
			name: "a slash and https", seed: "http://host.example/~user",
			web: `
http://host.example/~user    => https://host.example/~user/
https://host.example/~user/  -> a /~other/
https://host.example/~user/a -> .
https://host.example/~other/ -> .`,
			want: []string{"host.example/~user", "host.example/~user/", "host.example/~user/a"},
		},
		{
			name: "https, then a slash", seed: "http://host.example/~user",
			web: `
http://host.example/~user    => https://host.example/~user
https://host.example/~user   => https://host.example/~user/
https://host.example/~user/  -> a /~other/
https://host.example/~user/a -> .
https://host.example/~other/ -> .`,
			want: []string{
				"host.example/~user", "host.example/~user", "host.example/~user/", "host.example/~user/a",
			},
		},
		{
			name: "a slash on another host", seed: "http://host.example/~user",
			web: `
http://host.example/~user     => http://www.host.example/~user/
http://www.host.example/~user/  -> a http://host.example/~user/b http://host.example/~other/
http://www.host.example/~user/a -> .
http://host.example/~user/b   -> http://www.host.example/~user/
http://host.example/~other/   -> .`,
			want: []string{
				"host.example/~user", "host.example/~user/b", "www.host.example/~user/",
				"www.host.example/~user/a",
			},
		},
		{
			name: "an index", seed: "http://host.example/docs",
			web: `
http://host.example/docs            => http://host.example/docs/index.html
http://host.example/docs/index.html -> a /blog/
http://host.example/docs/a          -> .
http://host.example/blog/           -> .`,
			want: []string{"host.example/docs", "host.example/docs/a", "host.example/docs/index.html"},
		},
		{
			name: "by a circle of schemes", seed: "http://host.example/docs",
			web: `
http://host.example/docs  => https://host.example/docs
https://host.example/docs => http://host.example/docs`,
			want: []string{"host.example/docs", "host.example/docs"},
		},
		{
			name: "a loop", seed: "http://host.example/a",
			web: `
http://host.example/a => http://host.example/b
http://host.example/b => http://host.example/a`,
			want: []string{"host.example/a", "host.example/b"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, m := parseWeb(t, c.web).surveyed(t, Site{Seeds: []page.URL{c.seed}}, Options{})
			if diff := cmp.Diff(c.want, members(m)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestSeedThatIsADirectory: a seed without a slash whose links lead below itself, as those of a user of a
// host of code do, stands for that directory and for its own further pages; one whose links lead beside
// it does not.
func TestSeedThatIsADirectory(t *testing.T) {
	const host = "http://host.example/"
	for _, c := range []struct {
		name, web string
		seed      page.URL
		want      []string
	}{
		{
			name: "a user", seed: host + "kim",
			web: `
http://host.example/kim        -> / /login kim/a kim/b kim?page=2 http://kim.example/
http://host.example/kim?page=2 -> kim kim/c
http://host.example/kim/a      -> /kim /lou
http://host.example/kim/b      -> /kim
http://host.example/kim/c      -> /kim
http://host.example/lou        -> lou/a
http://host.example/lou/a      -> /lou
http://host.example/login      -> /lou`,
			want: []string{"kim", "kim/a", "kim/b", "kim/c", "kim?page=2"},
		},
		{
			name: "by way of https", seed: host + "kim",
			web: `
http://host.example/kim    => https://host.example/kim
https://host.example/kim   -> kim/a /login
https://host.example/kim/a -> /kim /lou
https://host.example/lou   -> /login
https://host.example/login -> /lou`,
			want: []string{"kim", "kim", "kim/a"},
		},
		{
			name: "a chapter", seed: host + "book/intro",
			web: `
http://host.example/book/intro   -> one two three intro/a
http://host.example/book/intro/a -> ../one
http://host.example/book/one     -> two
http://host.example/book/two     -> three
http://host.example/book/three   -> intro`,
			want: []string{"book/intro", "book/intro/a", "book/one", "book/three", "book/two"},
		},
	} {
		_, m := parseWeb(t, c.web).surveyed(t, Site{Seeds: []page.URL{c.seed}}, Options{})
		for i, u := range c.want {
			c.want[i] = schemeless(host) + u
		}
		if diff := cmp.Diff(c.want, members(m)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if e := m.Explain(host + "kim/unheard-of"); c.name != "a chapter" && e.Below == "" {
			t.Errorf("%s: %v does not lie below the seed", c.name, e)
		}
	}
}

// TestBelowASeed: a page lies below a seed if it lies in the directory that stands for it, whatever its
// scheme, and not if it lies beside the directory that the seed names, or a characteristic page.
func TestBelowASeed(t *testing.T) {
	_, m := parseWeb(t, `
http://host.example/~user    => https://host.example/~user/
https://host.example/~user/  -> a /~other/ https://paper.example/2019/article
https://host.example/~user/a -> . /~other/x
https://host.example/~other/ -> x
https://host.example/~other/x -> .
https://paper.example/2019/article -> https://host.example/~user/`).surveyed(t, Site{
		Seeds:          []page.URL{"http://host.example/~user"},
		Characteristic: []page.URL{"https://paper.example/2019/article"},
	}, Options{})
	for u, want := range map[page.URL]bool{
		"http://host.example/~user/z":      true,
		"https://host.example/~user/b/z":   true,
		"https://host.example/~nobody/z":   false,
		"https://paper.example/2019/other": false,
	} {
		if e := m.Explain(u); e.Below != "" != want {
			t.Errorf("%s lies below %q", u, e.Below)
		}
	}
	if left := m.LeftBelow(); len(left) > 0 {
		t.Errorf("left below the seed: %+v", left)
	}
}

// TestCharacteristicPicksACluster: the cluster of the first characteristic page is the site's where that
// page redirects, too, and that with the keyword where it failed.
func TestCharacteristicPicksACluster(t *testing.T) {
	const home, far = "https://host.example/", "https://far.example/"
	clique := func(dir string, n int) (text string) {
		for i := range n {
			text += fmt.Sprintf("%s%d ->", dir, i)
			for j := range n {
				text += fmt.Sprintf(" %s%d", dir, j)
			}
			text += "\n"
		}
		return text
	}
	for name, c := range map[string]struct {
		typical page.URL
		own     string // directory of the site's cluster
	}{
		"redirects": {"http://host.example/a/0", "a/"},
		"fails":     {"http://host.example/c/0", "b/"},
	} {
		w := parseWeb(t, home+" -> a/0 b/0 "+far+"\nhttp://host.example/a/0 => "+home+"a/0\n"+
			clique(home+"a/", 6)+clique(home+"b/", 9)+clique(far, 12))
		s, _ := w.surveyed(t, Site{
			Seeds: []page.URL{home}, Characteristic: []page.URL{c.typical}, Keyword: "/b",
			Include: []page.Rule{mustRule(t, "prefix:"+far)},
		}, Options{})
		for _, dir := range []string{"a/", "b/"} {
			e, err := s.Explain("site", page.URL(home+dir+"1"), 0)
			if err != nil || (e.Cluster == ClusterIn) != (dir == c.own) {
				t.Errorf("%s: %s is %q, %v", name, dir, e.Cluster, err)
			}
		}
	}
}

// TestCharacteristicRedirects: the directory of a characteristic page is not of the site by that, where
// the page has moved to https or takes its visitors on. A seed that leads to the same page has the
// directory inside, whichever is answered first.
func TestCharacteristicRedirects(t *testing.T) {
	const web = `
http://site.example/home/       -> a https://paper.example/2019/article
http://site.example/home/a      -> .
http://site.example/moved       => https://paper.example/2019/article
http://paper.example/2019/article  => https://paper.example/2019/article
https://paper.example/2019/article -> other http://site.example/home/
https://paper.example/2019/other   -> article`
	home := page.URL("http://site.example/home/")
	for _, c := range []struct {
		name  string
		seeds []page.URL
		want  Why // of another page in the directory
	}{
		{"alone", []page.URL{home}, WhyFlow},
		{"a seed leads there, too", []page.URL{home, "http://site.example/moved"}, WhyPrefix},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, m := parseWeb(t, web).surveyed(t, Site{
				Seeds: c.seeds, Characteristic: []page.URL{"http://paper.example/2019/article"},
			}, Options{})
			if e := m.Explain("https://paper.example/2019/other"); e.Why != c.want {
				t.Errorf("%v: want %v", e.Why, c.want)
			}
		})
	}
}

func TestSitemapsOfTheSitesHosts(t *testing.T) {
	w := parseWeb(t, `
http://site.example/robots.txt  -> s=/sitemap.xml
http://site.example/sitemap.xml -> s=/sitemap-1.xml.gz s=/listed s=http://other.example/listed
http://site.example/sitemap-1.xml.gz -> s=/deep/listed
http://site.example/            -> a http://other.example/
http://site.example/a           -> /
http://site.example/listed      -> /
http://site.example/deep/listed -> /
http://other.example/robots.txt -> s=/sitemap.xml
`)
	for _, robotsFirst := range []bool{true, false} {
		s, err := NewSurvey([]Site{{Name: "site", Seeds: []page.URL{"http://site.example/"}}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if robotsFirst {
			s.Learn(w.visit("http://site.example/robots.txt"))
		}
		w.crawl(s)
		s.Learn(w.visit("http://site.example/robots.txt"))
		s.Learn(w.visit("http://other.example/robots.txt"))
		w.crawl(s)
		m, _ := s.Map("site")
		want := []string{"site.example/", "site.example/a", "site.example/deep/listed", "site.example/listed"}
		if diff := cmp.Diff(want, members(m)); diff != "" {
			t.Errorf("robots first %v: %s", robotsFirst, diff)
		}
	}
}

func TestLimits(t *testing.T) {
	w := parseWeb(t, twoHosts)
	_, m := w.surveyed(t, Site{Seeds: []page.URL{"http://www.site.example/"}, MaxPages: 3}, Options{})
	if m.Converged || !m.Limited || m.Fetched != 3 {
		t.Errorf("limited %v, converged %v, fetched %d", m.Limited, m.Converged, m.Fetched)
	}
}

func TestSitesDoNotChangeEachOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, o := drawWeb(t), drawOptions(t)
		o.Growth = -1 // the answers for one site come in another order when there are two
		one := Site{Name: "one", Seeds: []page.URL{drawSeed(t)}}
		two := Site{Name: "two", Seeds: []page.URL{"http://h0.example/d0/p1", "http://h1.example/d0/p0"}}
		alone := func(site Site) string {
			s, err := NewSurvey([]Site{site}, o)
			if err != nil {
				t.Fatal(err)
			}
			w.crawl(s)
			return summary(s, site.Name)
		}
		s, err := NewSurvey([]Site{two, one}, o)
		if err != nil {
			t.Fatal(err)
		}
		w.crawl(s)
		for _, site := range []string{"one", "two"} {
			if p, _ := s.Progress(site); p.Open != 0 || p.Requisites != 0 {
				t.Fatalf("%s: open when nothing is wanted: %+v", site, p)
			}
		}
		if a, b := alone(one), summary(s, "one"); a != b {
			t.Fatalf("alone\n%s\nbeside another\n%s", a, b)
		}
	})
}

// summary tells the members of a site and how they came in.
func summary(s *Survey, site string) string {
	m, _ := s.Map(site)
	var b strings.Builder
	for _, x := range m.Members.All() {
		b.WriteString(string(x.URL) + " " + x.Why.String() + " " + x.State + "\n")
	}
	return b.String()
}

// TestOrderOfAnswersDoesNotMatter: with epochs only when nothing is open, a site's boundary is a
// function of the web.
func TestOrderOfAnswersDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, o := drawWeb(t), drawOptions(t)
		o.Growth = -1
		var first string
		seed := drawSeed(t)
		for range 3 {
			s, err := NewSurvey([]Site{{Name: "one", Seeds: []page.URL{seed}}}, o)
			if err != nil {
				t.Fatal(err)
			}
			for open := s.Wants(); len(open) > 0; open = append(open, s.Wants()...) {
				i := rapid.IntRange(0, len(open)-1).Draw(t, "next")
				s.Learn(w.visit(open[i].URL))
				open = slices.Delete(open, i, i+1)
			}
			m, _ := s.Map("one")
			for _, list := range [][]Requisite{m.Requisites, m.Needed} {
				for i := range list {
					list[i].For = "" // where it was seen first does depend
				}
			}
			var b strings.Builder
			if err := m.WriteJSON(&b); err != nil {
				t.Fatal(err)
			}
			if first == "" {
				first = b.String()
			}
			if diff := cmp.Diff(first, b.String()); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}

// event is what a survey is told.
type event struct {
	visit    *page.Visit
	drop     page.URL
	postpone page.URL
}

// wander answers open wants in random order: it visits, fails, drops or postpones them. It ends when nothing
// is open.
func (w testWeb) wander(t *rapid.T, s *Survey) (events []event) {
	open := s.Wants()
	for len(open) > 0 {
		i := rapid.IntRange(0, len(open)-1).Draw(t, "next")
		u := open[i].URL
		open = append(open[:i], open[i+1:]...)
		var e event
		switch rapid.IntRange(0, 9).Draw(t, "outcome") {
		case 0:
			e.drop = u
			s.Drop(u, "robots")
		case 1:
			e.visit = &page.Visit{URL: u, Status: page.StatusTimeout}
			s.Learn(e.visit)
		case 2:
			e.postpone = u
			s.Postpone(u)
			open = append(open, Want{URL: u})
		default:
			e.visit = w.visit(u)
			s.Learn(e.visit)
		}
		events = append(events, e)
		open = append(open, s.Wants()...)
		if len(events) > 10_000 {
			t.Fatal("no end")
		}
	}
	return events
}

func TestNoDeadlockAndReplay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, o := drawWeb(t), drawOptions(t)
		sites := []Site{
			{
				Name: "one", Seeds: []page.URL{drawSeed(t)},
				MaxPages: rapid.SampledFrom([]int{0, 5}).Draw(t, "most"),
			},
			{Name: "two", Seeds: []page.URL{"http://h1.example/d0/p1"}, Keyword: "d1"},
			{Name: "three", Characteristic: []page.URL{"http://h0.example/d1/p0"}},
		}
		s, err := NewSurvey(sites, o)
		if err != nil {
			t.Fatal(err)
		}
		events := w.wander(t, s)
		if !s.Settled("") || len(s.Open()) != 0 {
			t.Fatalf("nothing is open and it is not settled: %v", s.Open())
		}
		again, err := NewSurvey(sites, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			switch {
			case e.visit != nil:
				again.Learn(e.visit)
			case e.postpone != "":
				again.Postpone(e.postpone)
			default:
				again.Drop(e.drop, "robots")
			}
		}
		for _, site := range sites {
			var a, b bytes.Buffer
			for s, out := range map[*Survey]*bytes.Buffer{s: &a, again: &b} {
				m, _ := s.Map(site.Name)
				if err := m.WriteJSON(out); err != nil {
					t.Fatal(err)
				}
				if c := m.Certificate; c.Flow != c.Value || c.Value != c.Links+c.Tolls+c.Soft {
					t.Fatalf("certificate %+v", c)
				}
				if wanted := s.wanted(site.Name); m.Converged && len(wanted) > 0 {
					t.Fatalf("site %s converged, and its cut wants %v", site.Name, wanted)
				}
			}
			if a.String() != b.String() {
				t.Fatalf("site %s: replay differs: %s", site.Name, cmp.Diff(a.String(), b.String()))
			}
		}
	})
}

// wanted are the pages inside the cut of a site that were never answered. When it has converged
// there are none, by the fetch rule.
func (s *Survey) wanted(site string) (list []page.URL) {
	x := settle(s.sites[s.names[site]].book, false)
	for _, v := range x.net.Wanted() {
		list = append(list, x.url(x.pages[v]))
	}
	return list
}

// TestPostponed: a site of which no page is answered at the first try is the same, and has no more pages than
// it may. A page that is to be tried again is told as not answered, and others are wanted meanwhile.
func TestPostponed(t *testing.T) {
	w := parseWeb(t, `
http://host.example/user     -> user/1 user/2 user/3 other/
http://host.example/user/1   -> /user
http://host.example/user/2   -> /user
http://host.example/user/3   -> /user
http://host.example/other/   -> 1 2 3
http://host.example/other/1  -> .
http://host.example/other/2  -> .
http://host.example/other/3  -> .
`)
	for most, want := range map[int]int{0: 4, 3: 3} {
		for _, postponed := range []bool{false, true} {
			s, err := NewSurvey([]Site{
				{Name: "one", Seeds: []page.URL{"http://host.example/user"}, MaxPages: most},
			}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			for list := s.Wants(); len(list) > 0; list = s.Wants() {
				for i := 0; i < len(list) && postponed; i++ {
					s.Postpone(list[i].URL)
					list = append(list, s.Wants()...)
				}
				if m, _ := s.Map("one"); postponed && m.Explain(list[0].URL).State != "known" {
					t.Errorf("%s is told as %+v", list[0].URL, m.Explain(list[0].URL))
				}
				for _, x := range list {
					s.Learn(w.visit(x.URL))
				}
			}
			if m, _ := s.Map("one"); m.Pages != want || m.Explain("http://host.example/other/1").Inside {
				t.Errorf("of %d pages at most, postponed %t: %q", most, postponed, members(m))
			}
		}
	}
}

func TestInterruptedSurveyTellsWhatIsOpen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWeb(t)
		sites := []Site{{Name: "one", Seeds: []page.URL{drawSeed(t)}}}
		s, err := NewSurvey(sites, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(0, 20).Draw(t, "steps") {
			for _, x := range s.Wants() { // all but the last are lost
				defer func(page.URL) {}(x.URL)
			}
			open := s.Open()
			if len(open) == 0 {
				break
			}
			s.Learn(w.visit(open[len(open)-1].URL))
		}
		for open := s.Open(); len(open) > 0; open = s.Open() {
			for _, x := range open {
				s.Learn(w.visit(x.URL))
			}
		}
		if !s.Settled("") {
			t.Fatal("nothing is open and it is not settled")
		}
	})
}

func TestSitesThatAreNotValid(t *testing.T) {
	seed := []page.URL{"http://a.example/"}
	for _, c := range []struct {
		name  string
		sites []Site
		o     Options
		want  string
	}{
		{"no name", []Site{{Seeds: seed}}, Options{}, "without a name"},
		{"no seed", []Site{{Name: "a"}}, Options{}, "no seed"},
		{"twice", []Site{{Name: "a", Seeds: seed}, {Name: "a", Seeds: seed}}, Options{}, "two sites"},
		{
			"not canonical",
			[]Site{{Name: "a", Seeds: []page.URL{"http://A.example"}}},
			Options{},
			"not canonical",
		},
		{"no URL", []Site{{Name: "a", Seeds: []page.URL{"mailto:a"}}}, Options{}, "scheme"},
		{"mode", []Site{{Name: "a", Seeds: seed, Boundary: 9}}, Options{}, "boundary"},
		{"pages", []Site{{Name: "a", Seeds: seed, MaxPages: -1}}, Options{}, "at most"},
		{"option", []Site{{Name: "a", Seeds: seed}}, Options{Alpha: 1e9}, "Alpha"},
	} {
		if _, err := NewSurvey(c.sites, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestWantsBut compares what is wanted of what is not known with all that is wanted, and surveys
// that made room with such that did not.
func TestWantsBut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, o := drawWeb(t), drawOptions(t)
		sites := []Site{
			{Name: "one", Seeds: []page.URL{drawSeed(t)}},
			{Name: "two", Seeds: []page.URL{"http://h1.example/d0/p1"}},
		}
		all, err := NewSurvey(sites, o)
		if err != nil {
			t.Fatal(err)
		}
		some, err := NewSurvey(sites, o)
		if err != nil {
			t.Fatal(err)
		}
		known := func(k page.Key) bool { return k%3 == 0 }
		var queue []Want
		ask := func() {
			wants := all.Wants()
			queue = append(queue, wants...)
			wants = slices.DeleteFunc(slices.Clone(wants), func(x Want) bool { return known(x.URL.Key()) })
			got := some.WantsBut(func(keys []page.Key) (is []bool) {
				for _, k := range keys {
					is = append(is, known(k))
				}
				return is
			})
			if !slices.Equal(got, wants) {
				t.Fatalf("wants %v, want %v", got, wants)
			}
		}
		ask()
		for n := 0; n < len(queue) && n < 300; n++ {
			if n%7 == 0 {
				some.Expect(rapid.IntRange(0, 400).Draw(t, "room"))
			}
			if v := w.visit(queue[n].URL); rapid.IntRange(0, 9).Draw(t, "outcome") > 0 {
				all.Learn(v)
				some.Learn(v)
			} else {
				all.Drop(v.URL, "robots")
				some.Drop(v.URL, "robots")
			}
			ask()
		}
	})
}

// TestSurveyKeepsNoVisit learns visits whose texts are parts of 64 KiB each: hardly anything of
// that stays.
func TestSurveyKeepsNoVisit(t *testing.T) {
	const visits, size = 500, 64 << 10
	s, err := NewSurvey([]Site{{Name: "S", Seeds: []page.URL{"http://h0.example/"}, Boundary: Domain}},
		Options{})
	if err != nil {
		t.Fatal(err)
	}
	before := heapInUse()
	for i := range visits {
		v := &page.Visit{Status: 200, Size: 600, Digest: page.Digest{byte(i), byte(i >> 8), 1}}
		if i%10 == 0 {
			v.Status = page.StatusBlocked
		}
		whole := fmt.Sprintf("http://h%d.example/d%d/ http://h%d.example/d/%d a cause %d a title %d a "+
			"text %d text/html ", i, i, i, i, i%200, i, i) +
			strings.Repeat(" ", size)
		part := func(text string) string { return whole[strings.Index(whole, text):][:len(text)] }
		v.URL, v.Cause, v.Title, v.MIME = page.URL(part(fmt.Sprintf("http://h%d.example/d%d/", i, i))),
			part(fmt.Sprint("a cause ", i%200)), part(fmt.Sprint("a title ", i)), part("text/html")
		v.Links = []page.Link{{
			URL:  page.URL(part(fmt.Sprintf("http://h%d.example/d/%d", i, i))),
			Kind: page.Navigation, Text: part(fmt.Sprint("a text ", i)),
		}}
		s.Learn(v)
	}
	if kept := heapInUse() - before; kept > visits*size/10 {
		t.Errorf("%d bytes stay of visits of %d", kept, visits*size)
	}
	runtime.KeepAlive(s)
}

// heapInUse is what of the heap is in use.
func heapInUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestSeedsAreAskedAsSeeds: whatever the boundary, a seed is wanted because it is one, and before
// what only lies within.
func TestSeedsAreAskedAsSeeds(t *testing.T) {
	seeds := []page.URL{"http://a.example/d/one", "http://a.example/d/two", "http://b.a.example/"}
	for _, boundary := range []Mode{Logical, Prefix, HostOnly, Domain} {
		s, err := NewSurvey([]Site{{Name: "S", Seeds: seeds, Boundary: boundary}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		wants := s.Wants()
		for _, seed := range seeds {
			if !slices.ContainsFunc(wants, func(w Want) bool { return w.URL == seed && w.Why == WhySeed }) {
				t.Errorf("%v: %s is not wanted as a seed: %+v", boundary, seed, wants)
			}
		}
	}
}

// TestMiss: a page that could not be had is of the site as it was before, and is told as failed, until
// it is learned again.
func TestMiss(t *testing.T) {
	w := parseWeb(t, "http://a.example/d/ -> . http://b.example/\n"+section("http://b.example/", 9, "/"))
	site := Site{Name: "site", Seeds: []page.URL{"http://a.example/d/"}, Include: []page.Rule{
		{Kind: page.RuleHost, Value: "b.example"},
	}}
	s, before := w.surveyed(t, site, Options{})
	again := func(learn func(*page.Visit), state string) {
		t.Helper()
		learn(w.visit("http://b.example/"))
		m, err := s.Map("site")
		if err != nil {
			t.Fatal(err)
		}
		i, has := m.Members.Find("http://b.example/")
		if !has || m.Members.At(i).State != state || m.Members.Len() != before.Members.Len() {
			t.Errorf("%v, %d pages, want %d with that one %s", has, m.Members.Len(),
				before.Members.Len(), state)
		}
		if lost := m.Vain("http://b.example/") == VainPage; lost == (state == "fetched") {
			t.Errorf("%s, and lost: %v", state, lost)
		}
	}
	again(func(v *page.Visit) { s.Miss(v, "") }, "failed")
	again(func(v *page.Visit) { s.Miss(v, "mirror") }, "skipped")
	again(s.Learn, "fetched")
}

// TestSeedThatIsAnIndex: the index of a directory stands for this, also where its program has most pages
// below its own name.
func TestSeedThatIsAnIndex(t *testing.T) {
	const host = "http://host.example/"
	_, m := parseWeb(t, `
http://host.example/index.php      -> index.php/a index.php/b files/old.html
http://host.example/index.php/a    -> /index.php/b
http://host.example/index.php/b    -> /index.php
http://host.example/files/old.html -> new.html
http://host.example/files/new.html -> old.html`).surveyed(t,
		Site{Seeds: []page.URL{host + "index.php"}, Boundary: Prefix}, Options{})
	if e := m.Explain(host + "files/old.html"); !e.Inside {
		t.Error(e)
	}
}

// TestRedirectsElsewhere: pages of the site that redirect to another place of its host, as counters of clicks
// do, have few pages of that place be asked for.
func TestRedirectsElsewhere(t *testing.T) {
	const n = 60
	seed := page.URL("http://www.campus.example/dir/")
	var b strings.Builder
	fmt.Fprintf(&b, "%s ->", seed)
	for i := range n {
		fmt.Fprintf(&b, " go%d", i)
	}
	b.WriteString("\n")
	for i := range n {
		fmt.Fprintf(&b, "%sgo%d => /other/x%d\n", seed, i, i)
		fmt.Fprintf(&b, "http://www.campus.example/other/x%d -> /other/\n", i)
	}
	w := parseWeb(t, b.String())
	s, err := NewSurvey([]Site{{Name: "site", Seeds: []page.URL{seed}}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for list := s.Wants(); len(list) > 0; list = s.Wants() {
		for _, x := range list {
			asked += b2i(strings.Contains(string(x.URL), "/other/"))
			v := w[x.URL]
			if v == nil {
				v = &page.Visit{URL: x.URL, Status: 404}
			}
			s.Learn(v)
		}
	}
	if asked > n/10 {
		t.Errorf("%d pages of another place were asked for", asked)
	}
}
