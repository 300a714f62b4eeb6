package sitemap

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"

	"watershed/page"
)

// boundaryCase is a web with a site whose pages are known, and the survey before and after what the
// case is about.
type boundaryCase struct {
	name          string
	why           string // what the two differ in
	web           func(b builder) (seed page.URL, own func(page.URL) bool)
	site          func(*Site)
	before, after Options
	beforeSite    func(*Site) // where it is the site and not the options that differs
	// F1 after is at least, before at most; most 0: there is nothing before, the case is to stay as
	// it is
	least, most float64
}

// below is what lies below one of some directories.
func belowAny(dirs ...string) func(page.URL) bool {
	return func(u page.URL) bool {
		for _, dir := range dirs {
			if strings.HasPrefix(string(u), dir) {
				return true
			}
		}
		return false
	}
}

// woven adds n pages whose URLs name gives, linked as a tree of four children with the root on
// every page, and some across.
func (b builder) woven(n int, seed uint64, name func(i int) string) {
	r := rand.New(rand.NewPCG(seed, 3))
	for i := range n {
		links := []string{name(0), name((i - 1) / 4)}
		for c := 4*i + 1; c <= 4*i+4 && c < n; c++ {
			links = append(links, name(c))
		}
		for range 3 {
			links = append(links, name(r.IntN(n)))
		}
		b.page(page.URL(name(i)), links...)
	}
}

// tenants adds eight sites to a host, each of whose pages cites two others; entry pages cite the
// host's list of all. Names give no hint whose a page is. It gives the entry page of the first, and
// which pages are its.
func (b builder) tenants(spell func(tenant, i int) string) (page.URL, func(page.URL) bool) {
	own := make(map[page.URL]bool)
	for k := range 8 {
		name := func(i int) string { return "http://host.example/" + spell(k, i) }
		b.woven(60, uint64(k), name)
		b.page(page.URL(name(0)), "http://host.example/list")
		b.page("http://host.example/list", name(0))
		for i := range 60 {
			if i%20 == 7 {
				b.page(page.URL(name(i)), "http://host.example/"+spell((k+1+i/20)%8, 0))
			}
			if k == 0 {
				own[page.URL(name(i))] = true
			}
		}
	}
	return page.URL("http://host.example/" + spell(0, 0)), func(u page.URL) bool { return own[u] }
}

// twoHomes adds a site of two hosts with n pages each, that cite each other on every k-th page.
func (b builder) twoHomes(n, k int) func(page.URL) bool {
	www, docs := func(i int) string { return fmt.Sprintf("http://www.work.example/a%d", i) },
		func(i int) string { return fmt.Sprintf("http://manual.example/b%d", i) }
	b.woven(n, 1, www)
	b.woven(n, 2, docs)
	for i := 0; i < n; i += k {
		b.page(page.URL(www(i)), docs(i))
		b.page(page.URL(docs(i)), www(i))
	}
	return belowAny("http://www.work.example/", "http://manual.example/")
}

var boundaryCases = []boundaryCase{
	{
		name: "flat names on a shared host",
		why:  "clusters that lean on the seed's take the part of directories",
		web: func(b builder) (page.URL, func(page.URL) bool) {
			return b.tenants(func(k, i int) string {
				return fmt.Sprintf("%x.html", xxh3.HashString(fmt.Sprint(k, " ", i))%1_000_000_000)
			})
		},
		before: Options{Lean: -1}, least: .9, most: .3,
	},
	{
		name: "hashed names on a shared host", why: "the same",
		web: func(b builder) (page.URL, func(page.URL) bool) {
			return b.tenants(func(k, i int) string {
				return fmt.Sprintf("%016x", xxh3.HashString(fmt.Sprint(k, "-", i)))
			})
		},
		before: Options{Lean: -1}, least: .9, most: .3,
	},
	{
		name: "flat names that tell the tenant, who cites others",
		why:  "edit distance as the weight of links",
		web: func(b builder) (page.URL, func(page.URL) bool) {
			r := rand.New(rand.NewPCG(9, 9))
			for k := range 8 {
				name := func(i int) string {
					return fmt.Sprintf("http://host.example/user%d-topic%d-%d.html", k, i%5, i)
				}
				b.woven(60, uint64(k), name)
				for i := 0; i < 60; i += 4 {
					l, j := r.IntN(8), r.IntN(60)
					b.page(page.URL(name(i)), fmt.Sprintf("http://host.example/user%d-topic%d-%d.html", l,
						j%5, j))
				}
			}
			return "http://host.example/user0-topic0-0.html", belowAny("http://host.example/user0-")
		},
		before: Options{NoEditDistance: true}, least: .6, most: .3,
	},
	{
		name: "listings that never link back, names flat on both hosts",
		why:  "edit distance of names across hosts",
		web: func(b builder) (page.URL, func(page.URL) bool) {
			part := func(i int) string {
				return fmt.Sprintf("%s-%s", []string{"net", "text", "data"}[i%3], strings.Repeat("x", 1+i))
			}
			b.woven(60, 1, func(i int) string {
				return "http://www.work.example/manual-" + part(i) + ".html"
			})
			for i := range 40 {
				listing := "http://listings.example/work-2.4-src-" + strings.ReplaceAll(part(i), "-", ".") +
					".html"
				b.page(page.URL("http://www.work.example/manual-"+part(i)+".html"), listing,
					fmt.Sprintf("http://cited.example/paper-%d.html", i))
				b.page(page.URL(listing))
				b.page(page.URL(fmt.Sprintf("http://cited.example/paper-%d.html", i)),
					"http://cited.example/")
			}
			return page.URL("http://www.work.example/manual-" + part(0) + ".html"),
				belowAny("http://www.work.example/", "http://listings.example/")
		},
		before: Options{NoEditDistance: true}, least: .99, most: .8,
	},
	{
		name: "more pages than the entry page's links can pay for",
		why:  "the paper's flow from one seed, ε a hundredth of the mean similarity",
		web: func(b builder) (page.URL, func(page.URL) bool) {
			return "http://www.work.example/a0", b.twoHomes(900, 6)
		},
		before: Options{Preset: PaperFlow, Process: ProcessOptions{Toll: EpsilonShare}}, least: .99, most: .6,
	},
	{
		name: "a keyword alone", why: "the paper's cluster and flow",
		web: func(b builder) (page.URL, func(page.URL) bool) {
			for k := range 5 {
				b.woven(80, uint64(k), func(i int) string {
					return fmt.Sprintf("http://host.example/~u%d/topic%d-%d", k, k, i)
				})
				b.page(page.URL("http://host.example/"), fmt.Sprintf("/~u%d/topic%d-0", k, k))
				b.page(page.URL(fmt.Sprintf("http://host.example/~u%d/topic%d-9", k, k)),
					fmt.Sprintf("/~u%d/topic%d-0", (k+1)%5, (k+1)%5))
			}
			return "http://host.example/", belowAny("http://host.example/~u3/")
		},
		site:   func(s *Site) { s.Seeds, s.Keyword, s.Superset = nil, "topic3", s.Seeds },
		before: Options{Preset: Senellart2003}, least: .99, most: .9,
	},
	{
		name: "tiny strangers", why: "traffic that each block is taken to have besides what is known",
		web: func(b builder) (page.URL, func(page.URL) bool) {
			b.woven(30, 1, func(i int) string { return fmt.Sprintf("http://www.work.example/a%d", i) })
			for k := range 10 {
				friend := fmt.Sprintf("http://friend%d.example/", k)
				b.page(page.URL(fmt.Sprintf("http://www.work.example/a%d", k)), friend)
				b.page(page.URL(friend), "http://www.work.example/a0", "p")
				b.page(page.URL(friend+"p"), friend)
			}
			return "http://www.work.example/a0", belowAny("http://www.work.example/")
		},
		before: Options{Prior: -1, StrangerPrior: -1}, least: .99, most: .8,
	},
	{
		name: "an entry page that nothing leads back to", why: "nothing",
		web: func(b builder) (page.URL, func(page.URL) bool) {
			b.woven(60, 1, func(i int) string { return fmt.Sprintf("http://www.work.example/doc/a%d", i) })
			b.page("http://www.work.example/", "/doc/a0")
			return "http://www.work.example/", belowAny("http://www.work.example/")
		},
		least: .99,
	},
	{
		name: "tenants as subdomains", why: "the registrable domain",
		web: func(b builder) (page.URL, func(page.URL) bool) {
			for k := range 8 {
				b.woven(40, uint64(k), func(i int) string {
					return fmt.Sprintf("http://t%d.platform.example/a%d", k, i)
				})
				for i := range 40 {
					b.page(page.URL(fmt.Sprintf("http://t%d.platform.example/a%d", k, i)),
						"http://www.platform.example/")
				}
				b.page("http://www.platform.example/", fmt.Sprintf("http://t%d.platform.example/a0", k))
				b.page(page.URL(fmt.Sprintf("http://t%d.platform.example/a3", k)),
					fmt.Sprintf("http://t%d.platform.example/a0", (k+1)%8))
			}
			return "http://t2.platform.example/a0", belowAny("http://t2.platform.example/")
		},
		// the platform's home page, to which each page links, comes in with the tenant that it lists
		beforeSite: func(s *Site) { s.Boundary = Domain }, least: .98, most: .3,
	},
	{
		name: "languages below one path", why: "nothing",
		web: func(b builder) (page.URL, func(page.URL) bool) {
			for _, lang := range []string{"en", "de", "ja"} {
				b.woven(40, 7, func(i int) string {
					return fmt.Sprintf("http://www.work.example/manual/a%d.html.%s", i, lang)
				})
				for i := range 40 {
					u := fmt.Sprintf("http://www.work.example/manual/a%d.html.", i)
					b.page(page.URL(u+lang), u+"en", u+"de", u+"ja")
				}
			}
			return "http://www.work.example/manual/a0.html.en", belowAny("http://www.work.example/manual/")
		},
		least: .99,
	},
	{
		name: "languages on hosts of their own, joined by hreflang alone", why: "nothing",
		web: func(b builder) (page.URL, func(page.URL) bool) {
			for _, lang := range []string{"en", "de"} {
				b.woven(40, 7, func(i int) string {
					return fmt.Sprintf("http://%s.work.example/a%d", lang, i)
				})
				for i := range 40 {
					v := b.page(page.URL(fmt.Sprintf("http://%s.work.example/a%d", lang, i)))
					for _, other := range []string{"en", "de"} {
						v.Links = append(v.Links,
							page.Link{
								URL:  page.URL(fmt.Sprintf("http://%s.work.example/a%d", other, i)),
								Kind: page.Alternate,
							})
					}
				}
			}
			return "http://en.work.example/a0", belowAny("http://en.work.example/", "http://de.work.example/")
		},
		least: .99,
	},
	{
		name: "tenants by a query", why: "nothing",
		web: func(b builder) (page.URL, func(page.URL) bool) {
			return b.tenants(func(k, i int) string {
				return fmt.Sprintf("index.php?id=%d&site=club%d", i, k)
			})
		},
		least: .99,
	},
	{
		name: "a part of a forum", why: "nothing",
		web: func(b builder) (page.URL, func(page.URL) bool) {
			for f := range 4 {
				forum := fmt.Sprintf("http://forum.example/list?f=%d", f)
				b.page("http://forum.example/", forum)
				b.page(page.URL(forum), "/")
				for i := range 20 {
					topic := fmt.Sprintf("http://forum.example/topic?f=%d&t=%d", f, i)
					b.page(page.URL(forum), topic)
					b.page(page.URL(topic), forum, "/")
				}
			}
			return "http://forum.example/list?f=2", belowAny("http://forum.example/")
		},
		least: .99,
	},
	{
		name: "an organisation's home page", why: "wards",
		web: func(b builder) (page.URL, func(page.URL) bool) {
			b.woven(40, 1, func(i int) string { return fmt.Sprintf("http://www.institute.example/a%d", i) })
			for k := range 6 {
				b.woven(50, uint64(k), func(i int) string {
					return fmt.Sprintf("http://www.institute.example/team%d/a%d", k, i)
				})
				for i := range 25 {
					b.page(page.URL(fmt.Sprintf("http://www.institute.example/team%d/a%d", k, 2*i)),
						fmt.Sprintf("http://other%d.example/", i))
				}
				b.page("http://www.institute.example/a1", fmt.Sprintf("/team%d/a0", k))
				b.page(page.URL(fmt.Sprintf("http://www.institute.example/team%d/a0", k)), "/a0")
			}
			return "http://www.institute.example/a0", belowAny("http://www.institute.example/a")
		},
		before: Options{WardSample: -1}, least: .99, most: .4,
	},
	{
		name: "pages of the second host that only its sitemap lists", why: "lists",
		web: func(b builder) (page.URL, func(page.URL) bool) {
			own := b.twoHomes(60, 3)
			var list page.Visit
			for i := range 60 {
				u := page.URL(fmt.Sprintf("http://manual.example/old%d", i))
				b.page(u, "/b0")
				list.Links = append(list.Links, page.Link{URL: u, Kind: page.Sitemap})
			}
			list.URL, list.Status = "http://manual.example/sitemap.xml", 200
			b.w[list.URL] = &list
			b.w["http://manual.example/robots.txt"] = &page.Visit{
				URL:    "http://manual.example/robots.txt",
				Status: 200, Links: []page.Link{{URL: list.URL, Kind: page.Sitemap}},
			}
			return "http://www.work.example/a0", own
		},
		before: Options{ListSample: -1}, least: .99, most: .85,
	},
	{
		name: "documents on rented storage", why: "documents that the site alone leads to",
		web: func(b builder) (page.URL, func(page.URL) bool) {
			w, own := rented(b.t)
			for u, v := range w {
				b.w[u] = v
			}
			return "http://www.museum.example/", belowAny(append(own, "http://www.museum.example/")...)
		},
		before: Options{Documents: -1}, least: .99, most: .7,
	},
}

// TestBoundaryCases judges the boundary where the prefix says nothing or too much: F1 of the pages
// that were fetched and are inside, before and after.
func TestBoundaryCases(t *testing.T) {
	for _, c := range boundaryCases {
		t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
			b := builder{t, testWeb{}}
			seed, own := c.web(b)
			measure := func(o Options, change func(*Site)) float64 {
				site := Site{Name: "site", Seeds: []page.URL{seed}, MaxPages: 4000}
				for _, f := range []func(*Site){c.site, change} {
					if f != nil {
						f(&site)
					}
				}
				_, m := b.w.surveyed(t, site, o)
				return b.w.f1(m, own)
			}
			before, after := 0.0, measure(c.after, nil)
			if c.most > 0 {
				before = measure(c.before, c.beforeSite)
			}
			t.Logf("F1 %.3f without, %.3f with: %s", before, after, c.why)
			if after < c.least || before > c.most {
				t.Errorf("F1 %.3f before, %.3f after; want at most %v and at least %v", before, after,
					c.most, c.least)
			}
		})
	}
}

// f1 compares the pages of a map that were fetched with those that are a site's.
func (w testWeb) f1(m *Map, own func(page.URL) bool) float64 {
	all, found, right := 0, 0, 0
	counts := func(u page.URL) bool {
		v := w[u]
		return v != nil && v.Status == 200 && v.MIME != ""
	}
	for u := range w {
		all += b2i(counts(u) && own(u))
	}
	for _, x := range m.Members.All() {
		if x.State == "fetched" && counts(x.URL) {
			found++
			right += b2i(own(x.URL))
		}
	}
	return 2 * float64(right) / float64(max(1, all+found))
}
