package sitemap

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"watershed/graph"
	"watershed/page"
)

// orphans are lines for n pages below a directory that no page links to, with the links that each
// has.
func orphans(dir string, n int, links string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%so%d -> %s\n", dir, i, links)
	}
	return b.String()
}

// listOf is a line for a sitemap at u of n pages below each directory.
func listOf(u string, n int, dirs ...string) string {
	line := u + " ->"
	for _, dir := range dirs {
		for i := range n {
			line += fmt.Sprintf(" s=%so%d", dir, i)
		}
	}
	return line + "\n"
}

const docsRobots = "http://docs.site.example/robots.txt -> s=/sitemap.xml\n"

// A page that a sitemap lists on a second host comes in where it links home; of pages that do not,
// no more than a sample is fetched.
func TestListedPagesOfTheSecondHost(t *testing.T) {
	for _, tt := range []struct {
		name    string
		web     string
		options Options
		inside  int // of 50 orphans
		most    int // fetches of them
	}{
		{"no sitemap", orphans("http://docs.site.example/", 50, "/"), Options{}, 0, 0},
		{"sitemap", docsRobots + listOf("http://docs.site.example/sitemap.xml", 50, "/") +
			orphans("http://docs.site.example/", 50, "/"), Options{}, 50, 50},
		{"lists off", docsRobots + listOf("http://docs.site.example/sitemap.xml", 50, "/") +
			orphans("http://docs.site.example/", 50, "/"), Options{ListSample: -1}, 0, 0},
		{"pages of others", docsRobots + listOf("http://docs.site.example/sitemap.xml", 50, "/") +
			orphans("http://docs.site.example/", 50, "o0 o1"), Options{}, 0, 8},
		{"gone", docsRobots + listOf("http://docs.site.example/sitemap.xml", 50, "/"), Options{}, 0, 8},
		{"index of sitemaps", docsRobots + "http://docs.site.example/sitemap.xml -> s=/sitemap-1.xml\n" +
			listOf("http://docs.site.example/sitemap-1.xml", 50, "/") + orphans("http://docs.site.example/",
			50, "/"), Options{}, 50, 50},
		{"sitemap of a stranger", "http://stranger.example/robots.txt -> s=/sitemap.xml\n" +
			listOf("http://stranger.example/sitemap.xml", 50, "http://docs.site.example/") +
			orphans("http://docs.site.example/", 50, "/"), Options{}, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := parseWeb(t, twoHosts+tt.web)
			s, err := NewSurvey([]Site{{Name: "site", Seeds: []page.URL{"http://www.site.example/"}}},
				tt.options)
			if err != nil {
				t.Fatal(err)
			}
			fetched := 0
			for _, u := range w.crawl(s) {
				fetched += b2i(strings.HasPrefix(string(u), "http://docs.site.example/o"))
			}
			m, _ := s.Map("site")
			if n := countBelow(m, "http://docs.site.example/o"); n != tt.inside || fetched > tt.most {
				t.Errorf("%d orphans are inside, %d were fetched; want %d and at most %d", n, fetched,
					tt.inside, tt.most)
			}
			if !m.Converged {
				t.Error("the survey has not come to an end")
			}
		})
	}
}

// The sitemap of a shared host lists its tenants; those beside the site are not asked for.
func TestListedTenantsStayOutside(t *testing.T) {
	web := strings.ReplaceAll(twoHosts, "docs.site.example/", "host.example/~site/") +
		"http://host.example/robots.txt -> s=/sitemap.xml\n" + listOf("http://host.example/sitemap.xml", 20,
		"/~site/", "/~other/") +
		orphans("http://host.example/~site/", 20, "/~site/") + orphans("http://host.example/~other/",
		20, "/~site/ o1")
	web = strings.NewReplacer("-> 1 2 3 4 http", "-> 1 2 3 4 http", " / 2 http", " ./ 2 http", " / 3 http",
		" ./ 3 http", " / 4 http", " ./ 4 http", " / 1 http", " ./ 1 http").Replace(web)
	w := parseWeb(t, web)
	s, m := w.surveyed(t, Site{Seeds: []page.URL{"http://www.site.example/"}}, Options{})
	if n := countBelow(m, "http://host.example/~site/"); n != 25 {
		t.Errorf("%d pages of the second host are inside, want 25", n)
	}
	if n := countBelow(m, "http://host.example/~other/"); n != 0 {
		t.Errorf("%d pages of the other tenant are inside", n)
	}
	if id := s.web.find("http://host.example/~other/o3"); s.web.visited(id) {
		t.Error("a page of the other tenant was fetched")
	}
}

// A feed that a page of the second host names is read, wherever on that host it lies; what it cites
// of others is not asked for.
func TestFeedOfTheSecondHost(t *testing.T) {
	web := strings.Replace(twoHosts, "http://docs.site.example/        -> 1",
		"http://docs.site.example/        -> r=/feed.xml 1", 1) +
		orphans("http://docs.site.example/", 20, "/") + orphans("http://planet.example/", 20, "/")
	feed := "http://docs.site.example/feed.xml ->"
	for i := range 20 {
		feed += fmt.Sprintf(" o%d http://planet.example/o%d", i, i)
	}
	w := parseWeb(t, web+feed+"\n")
	s, m := w.surveyed(t, Site{Seeds: []page.URL{"http://www.site.example/"}}, Options{})
	if n := countBelow(m, "http://docs.site.example/o"); n != 20 {
		t.Errorf("%d pages that the feed lists are inside, want 20", n)
	}
	if id := s.web.find("http://planet.example/o3"); id == graph.None || s.web.visited(id) ||
		countBelow(m, "http://planet.example/") > 0 {
		t.Error("a page of others that the feed cites was fetched")
	}
	for _, x := range m.Members.All() {
		if strings.HasSuffix(string(x.URL), "feed.xml") {
			t.Error("the feed is a page of the site")
		}
	}
}

// The index of a directory that pages of the site lie in is looked for.
func TestIndexOfADirectory(t *testing.T) {
	web := strings.NewReplacer("http://docs.site.example/ ", "http://nowhere.example/ ", "-> / 2", "-> 2",
		"-> / 3", "-> 3", "-> / 4", "-> 4", "-> / 1 http://www.site.example/ http://str",
		"-> 1 http://www.site.example/ http://str").Replace(twoHosts)
	w := parseWeb(t, web+"http://docs.site.example/ -> 1 2 3 4 5 6\n"+"http://docs.site.example/5 -> 6 1\n"+
		"http://docs.site.example/6 -> 5 2\n")
	_, m := w.surveyed(t, Site{Seeds: []page.URL{"http://www.site.example/"}}, Options{})
	got := members(m)
	for _, want := range []string{"docs.site.example/", "docs.site.example/5", "docs.site.example/6"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not inside: %v", want, got)
		}
	}
}

// TestUsualSitemap: where no robots.txt names a sitemap of a seed's host, the one in the usual place is
// asked for, once.
func TestUsualSitemap(t *testing.T) {
	const host = "http://a.example/"
	for _, c := range []struct {
		name, text string
		seed       page.URL
		asked      bool
	}{
		{"no robots.txt", "", host, true},
		{"one that names none", host + "robots.txt ->\n", host, true},
		{"one that names another", host + "robots.txt -> s=" + host + "other.xml\n", host, false},
		{"a directory of a host", "", host + "b/", false},
	} {
		w := parseWeb(t, c.text+string(c.seed)+" -> "+string(c.seed)+"1\n"+string(c.seed)+"1 ->\n"+
			host+"sitemap.xml -> s="+host+"orphan\n"+host+"orphan ->\n")
		if w[host+"robots.txt"] == nil {
			w[host+"robots.txt"] = &page.Visit{URL: host + "robots.txt", Status: 404}
		}
		s, err := NewSurvey([]Site{{Name: "a", Seeds: []page.URL{c.seed}}}, Options{GuessSitemaps: true})
		if err != nil {
			t.Fatal(err)
		}
		visited := w.crawl(s)
		n := 0
		for _, u := range visited {
			n += b2i(u == host+"sitemap.xml")
		}
		if n != b2i(c.asked) || slices.Contains(visited, host+"orphan") != c.asked {
			t.Errorf("%s: asked for %d times: %v", c.name, n, visited)
		}
	}
}

// TestPrefixOfAQuery: a boundary that is no more than a prefix has all pages of a seed's directory,
// whatever is in their queries.
func TestPrefixOfAQuery(t *testing.T) {
	const seed = "http://club.example/index.php?option=text&id=1"
	w := parseWeb(t, seed+" -> /index.php?option=text&id=2 /index.php?option=text&id=3 /files/4\n"+
		"http://club.example/index.php?option=text&id=2 ->\n"+
		"http://club.example/index.php?option=text&id=3 ->\n"+
		"http://club.example/files/4 ->\n")
	_, m := w.surveyed(t, Site{Seeds: []page.URL{seed}, Boundary: Prefix}, Options{})
	if m.Members.Len() != 4 {
		t.Errorf("%d pages, want 4; %v", m.Members.Len(), m.Prefix)
	}
}
