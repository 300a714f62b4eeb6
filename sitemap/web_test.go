package sitemap

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"watershed/page"
)

// testWeb is a web described as data: what a visit to each URL brings. A URL that is not in it is
// not found.
type testWeb map[page.URL]*page.Visit

// parseWeb reads a web, a page a line: URL, an arrow, then links separated by blanks. A link is
// relative to its page; a letter and "=" before it gives its kind: i embed, f frame, h alternate, s
// sitemap, c canonical. "=>" in place of "->" makes a redirect.
func parseWeb(t testing.TB, text string) testWeb {
	t.Helper()
	w := testWeb{}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		u := mustURL(t, fields[0])
		v := &page.Visit{URL: u, Status: 200}
		kinds := map[string]page.LinkKind{
			"i": page.Embed, "f": page.Frame, "h": page.Alternate,
			"s": page.Sitemap, "c": page.Canonical, "r": page.Feed,
		}
		if fields[1] == "=>" {
			v.Status = 301
		}
		for _, f := range fields[2:] {
			l := page.Link{Kind: page.Navigation}
			if k, ref, ok := strings.Cut(f, "="); ok && kinds[k] != 0 {
				l.Kind, f = kinds[k], ref
			}
			if v.Status == 301 {
				l.Kind = page.Redirect
			}
			to, err := u.Resolve(f)
			if err != nil {
				t.Fatal(err)
			}
			l.URL = to
			v.Links = append(v.Links, l)
		}
		w[u] = v
	}
	return w
}

func mustURL(t testing.TB, text string) page.URL {
	t.Helper()
	u, err := page.ParseURL(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func mustRule(t interface {
	Helper()
	Fatal(...any)
}, text string,
) page.Rule {
	t.Helper()
	r, err := page.ParseRule(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// visit is what a fetch brings.
func (w testWeb) visit(u page.URL) *page.Visit {
	if v, ok := w[u]; ok {
		return v
	}
	return &page.Visit{URL: u, Status: 404}
}

// crawl visits all that is wanted until nothing is, and tells what it visited. The robots.txt of a
// host comes first, where the web has one.
func (w testWeb) crawl(s *Survey) (visited []page.URL) {
	asked := make(map[page.Host]bool)
	for {
		wants := s.Wants()
		if len(wants) == 0 {
			return visited
		}
		for _, x := range wants {
			if robots := x.URL.Root() + "robots.txt"; w[robots] != nil && !asked[x.URL.Host()] {
				asked[x.URL.Host()] = true
				s.Learn(w[robots])
			}
			visited = append(visited, x.URL)
			s.Learn(w.visit(x.URL))
		}
	}
}

// surveyed crawls one site and gives its map.
func (w testWeb) surveyed(t testing.TB, site Site, o Options) (*Survey, *Map) {
	t.Helper()
	if site.Name == "" {
		site.Name = "site"
	}
	s, err := NewSurvey([]Site{site}, o)
	if err != nil {
		t.Fatal(err)
	}
	w.crawl(s)
	m, err := s.Map(site.Name)
	if err != nil {
		t.Fatal(err)
	}
	return s, m
}

// members lists the URLs inside, without their scheme.
func members(m *Map) (list []string) {
	for _, x := range m.Members.All() {
		list = append(list, schemeless(x.URL))
	}
	return list
}

// drawWeb makes a random web of some hosts and directories, with links that mostly stay in their
// directory, and redirects, requisites and dead links among them; the first host has a feed, and a
// sitemap that robots.txt names. It has pages http://h0.example/d0/p0 and http://h0.example/, which
// leads to others.
func drawWeb(t *rapid.T) testWeb {
	hosts := rapid.IntRange(1, 4).Draw(t, "hosts")
	dirs := rapid.IntRange(1, 3).Draw(t, "dirs")
	pages := rapid.IntRange(1, 12).Draw(t, "pages")
	stay := rapid.IntRange(0, 9).Draw(t, "stay")
	name := func(h, d, p int) page.URL { // two and two pages are spellings of one address
		return page.URL(fmt.Sprintf("http://h%d.example/d%d/%s%d", h, d, []string{"p", "P"}[p%2], p/2))
	}
	number := func(n int) int { return rapid.IntRange(0, n).Draw(t, "n") }
	w := testWeb{}
	var links []page.Link // to documents of a host without pages
	for h := range hosts {
		for d := range dirs {
			for p := range pages {
				u := name(h, d, p)
				v := &page.Visit{URL: u, Status: 200, MIME: "text/html", Size: 500}
				v.Digest = page.SumDigest([]byte{byte(number(2))})
				for range number(5) {
					l := page.Link{
						Kind: page.Navigation,
						URL:  name(number(hosts-1), number(dirs-1), number(pages)),
					}
					if number(9) < stay {
						l.URL = name(h, d, number(pages-1))
					}
					if number(9) == 0 {
						l.Kind = page.Embed
					}
					v.Links = append(v.Links, l)
				}
				if number(19) == 0 && len(v.Links) > 0 {
					v.Status, v.Links = 302, v.Links[:1]
					v.Links[0].Kind = page.Redirect
				}
				w[u] = v
			}
		}
	}
	for f := range number(8) {
		u := page.URL(fmt.Sprintf("http://files.example/f%d.pdf", f))
		w[u] = &page.Visit{URL: u, Status: 200, MIME: "application/pdf"}
		links = append(links, page.Link{Kind: page.Navigation, URL: u})
	}
	for _, u := range slices.Sorted(maps.Keys(w)) {
		if v := w[u]; v.Status == 200 && v.MIME == "text/html" && len(links) > 0 && number(1) == 0 {
			v.Links = append(v.Links, links[number(len(links)-1)])
		}
	}
	list := &page.Visit{URL: drawnRoot + "sitemap.xml", Status: 200}
	feed := &page.Visit{URL: drawnRoot + "feed", Status: 200}
	for range number(6) {
		list.Links = append(list.Links, page.Link{
			Kind: page.Sitemap,
			URL:  name(number(hosts-1), number(dirs-1), number(pages-1)),
		})
		feed.Links = append(feed.Links, page.Link{
			Kind: page.Navigation,
			URL:  name(number(hosts-1), number(dirs-1), number(pages-1)),
		})
	}
	w[list.URL], w[feed.URL] = list, feed
	w[drawnRoot+"robots.txt"] = &page.Visit{
		URL: drawnRoot + "robots.txt", Status: 200,
		Links: []page.Link{{Kind: page.Sitemap, URL: list.URL}},
	}
	root := &page.Visit{URL: drawnRoot, Status: 200, Links: []page.Link{{Kind: page.Feed, URL: feed.URL}}}
	for range 2 * dirs {
		root.Links = append(root.Links, page.Link{
			Kind: page.Navigation,
			URL:  name(0, number(dirs-1), number(pages-1)),
		})
	}
	w[drawnRoot] = root
	return w
}

const (
	drawnSeed page.URL = "http://h0.example/d0/p0"
	drawnRoot page.URL = "http://h0.example/"
)

// drawSeed gives a seed whose prefix is a directory, or one whose prefix has wards.
func drawSeed(t *rapid.T) page.URL {
	return rapid.SampledFrom([]page.URL{drawnSeed, drawnRoot}).Draw(t, "seed")
}

// drawOptions varies what changes the course of a survey.
func drawOptions(t *rapid.T) Options {
	return Options{
		Alpha:          rapid.SampledFrom([]float64{0, 0.001, 0.1}).Draw(t, "alpha"),
		Soft:           rapid.SampledFrom([]float64{0, -1, 1}).Draw(t, "soft"),
		Midpoint:       rapid.SampledFrom([]float64{0, 0.05}).Draw(t, "midpoint"),
		WardSample:     rapid.SampledFrom([]int{0, -1, 1, 3}).Draw(t, "ward"),
		MinBatch:       rapid.SampledFrom([]int{0, 1}).Draw(t, "batch"),
		NoEditDistance: rapid.Bool().Draw(t, "plain"),
		NoClusters:     rapid.Bool().Draw(t, "unclustered"),
	}
}

// Settled reports that a site has nothing open and its boundary is final, or that no site has, for "".
func (s *Survey) Settled(site string) bool {
	return !slices.ContainsFunc(s.sites, func(b *boundary) bool {
		return (site == "" || b.Name == site) && !b.settled()
	})
}
