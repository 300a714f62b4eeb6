package sitemap

import (
	"fmt"
	"math/rand/v2"

	"watershed/page"
)

// generated is a web of many sites for benchmarks: sizes, degrees and links between sites are drawn
// as on real webs, where few sites are large and most small, a page has its site's navigation, its
// parent and some neighbours, a fifth of the pages cite others, and templates cite from every page.
type generated struct {
	urls  []page.URL
	start []uint32 // links of page p are to[start[p]:start[p+1]]
	to    []uint32
	sites []generatedSite
	index map[page.URL]uint32
}

// generatedSite has the pages first..first+size-1, the entry page first.
type generatedSite struct{ first, size int }

// generate makes a web with sites of the given sizes. The kinds of site take turns: on a host of
// its own, on four hosts of two domains, a directory of a shared host, a host of a shared domain.
// It takes about 110 bytes a page.
func generate(sizes []int, seed uint64) *generated {
	g := &generated{start: []uint32{0}}
	rng := rand.New(rand.NewPCG(seed, 1))
	for i, size := range sizes {
		g.sites = append(g.sites, generatedSite{len(g.urls), size})
		g.addPages(i, size, rng)
	}
	for i := range g.sites {
		g.addLinks(i, rng)
	}
	return g
}

// paretoSizes draws sizes with P(size > s) ∝ s^-0.85 from 8 up to most, until they sum to pages.
func paretoSizes(pages, most int, seed uint64) (sizes []int) {
	rng := rand.New(rand.NewPCG(seed, 2))
	for pages > 0 {
		size := 8
		for size < most && rng.Float64() < 0.555 { // doubled with probability 2^-0.85
			size *= 2
		}
		size = min(pages, most, size+rng.IntN(size))
		sizes = append(sizes, size)
		pages -= size
	}
	return sizes
}

func (g *generated) addPages(site, size int, rng *rand.Rand) {
	bases := []string{fmt.Sprintf("http://www.site%d.example/", site)}
	switch site % 4 {
	case 0:
		bases = append(bases, fmt.Sprintf("http://docs.site%d.example/", site),
			fmt.Sprintf("http://data.site%d.example/", site),
			fmt.Sprintf("http://lab%d.university.example/~site%d/", site%7, site))
	case 1:
		bases[0] = fmt.Sprintf("http://pages.shared%d.example/~site%d/", site%3, site)
	case 2:
		bases[0] = fmt.Sprintf("http://site%d.hosting.example/", site)
	}
	sections := 1 + min(40, size/100)
	for p := range size {
		base := bases[0]
		if len(bases) > 1 && p >= len(bases) && rng.IntN(5) < 2 {
			base = bases[1+rng.IntN(len(bases)-1)]
		} else if p > 0 && p < len(bases) {
			base = bases[p]
		}
		u := base
		if p >= len(bases) {
			u = fmt.Sprintf("%ssection%d/%s%d.html", base, p%sections,
				[...]string{"report", "news", "item", "people"}[p%4], p)
		}
		g.urls = append(g.urls, page.URL(u))
	}
}

// addLinks gives the pages of a site their links; every page that is not an entry page is linked to
// by another one.
func (g *generated) addLinks(site int, rng *rand.Rand) {
	s := g.sites[site]
	navigation := min(s.size, 6)
	template := s
	if rng.IntN(3) == 0 {
		template = g.sites[rng.IntN(len(g.sites))]
	}
	for p := range s.size {
		add := func(q int) { g.to = append(g.to, uint32(q)) }
		for q := range navigation {
			add(s.first + q)
		}
		add(s.first + p/2) // a tree of two children a page, so that the site is found from its entry
		add(s.first + min(s.size-1, 2*p+1))
		add(s.first + min(s.size-1, 2*p+2))
		for range rng.IntN(4) {
			add(s.first + rng.IntN(s.size))
		}
		add(template.first)
		if rng.IntN(5) == 0 {
			for range 1 + rng.IntN(3) {
				other := g.sites[rng.IntN(len(g.sites))]
				add(other.first + min(rng.IntN(other.size), rng.IntN(other.size)))
			}
		}
		g.start = append(g.start, uint32(len(g.to)))
	}
}

// visit overwrites v with what a visit to page p brings. Every 29th page is gone, every 31st
// redirects to the page before it.
func (g *generated) visit(p int, v *page.Visit) {
	v.URL, v.Status, v.Links = g.urls[p], 200, v.Links[:0]
	switch {
	case p%29 == 28:
		v.Status = 404
		return
	case p%31 == 30:
		v.Status = 301
		v.Links = append(v.Links, page.Link{URL: g.urls[p-1], Kind: page.Redirect})
		return
	}
	for _, q := range g.to[g.start[p]:g.start[p+1]] {
		v.Links = append(v.Links, page.Link{URL: g.urls[q], Kind: page.Navigation})
	}
}

// find gives the page of a URL.
func (g *generated) find(u page.URL) int {
	if g.index == nil {
		g.index = make(map[page.URL]uint32, len(g.urls))
		for p, u := range g.urls {
			g.index[u] = uint32(p)
		}
	}
	return int(g.index[u])
}

// survey begins a survey of some of the sites.
func (g *generated) survey(o Options, sites ...int) (*Survey, error) {
	var list []Site
	for _, i := range sites {
		list = append(list, Site{Name: fmt.Sprint(i), Seeds: []page.URL{g.urls[g.sites[i].first]}})
	}
	return NewSurvey(list, o)
}
