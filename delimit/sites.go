package delimit

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"watershed/graph"
	"watershed/page"
	"watershed/sitemap"
)

// DelimitSites draws the boundaries of sites whose seeds are known, and calls yield with each in
// the order given, from one goroutine. A page that several take in is that of the first whose
// prefix or rules have it, else of the first. All pages of none are one last site, a rest without a
// map. It ends with the error of yield or of the context.
func (w *Web) DelimitSites(ctx context.Context, sites []sitemap.Site, o Options,
	yield func(*Site) error,
) (*Result, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	g := given{w: w, f: w.newFinder(o)}
	g.res = &Result{Pages: len(g.f.order), site: make([]int32, len(g.f.order)), f: g.f}
	g.firm = make([]bool, len(g.f.order))
	var list []*Site
	err := inOrder(ctx, o.Workers, len(sites), func(k int) (*Site, error) {
		x, err := w.settle(sites[k], nil, o.Survey)
		if err != nil {
			return nil, fmt.Errorf("draw site %s: %w", sites[k].Name, err)
		}
		return &Site{
			Number: k + 1, Name: sites[k].Name, Seeds: x.m.Seeds, Roots: 1, Map: x.m,
			Missing: x.missing,
		}, nil
	}, func(s *Site) error {
		g.take(s)
		list = append(list, s)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, s := range append(list, g.rest(len(sites)+1)...) {
		g.count(s)
		if err := yield(s); err != nil {
			return nil, err
		}
	}
	return g.res, nil
}

// given divides the pages among sites whose boundaries overlap as they like.
type given struct {
	w    *Web
	f    *finder
	res  *Result
	firm []bool // by rank: the page is a site's by prefix or rule, or its seed
}

// take gives a site the pages that its map takes in and that no other has, or has less firmly.
func (g *given) take(s *Site) {
	for _, x := range s.Map.Members.All() {
		id := g.w.find(x.URL)
		if id == graph.None || g.f.rank[id] == none {
			continue
		}
		rank, firm := g.f.rank[id], x.Why != sitemap.WhyFlow && x.Why != sitemap.WhyRedirect
		has := g.res.site[rank]
		switch {
		case has == 0, firm && !g.firm[rank]:
			g.res.site[rank], g.firm[rank] = int32(s.Number), firm
			if has != 0 {
				g.claim(x.URL, int(has))
			}
		default:
			g.claim(x.URL, s.Number)
		}
	}
}

// claim notes that a site takes a page in too; whose the page is in the end is filled in later.
func (g *given) claim(u page.URL, and int) {
	g.res.Claims = append(g.res.Claims, Claim{URL: u, And: and})
}

// rest is a site of all pages that no other has.
func (g *given) rest(number int) []*Site {
	if !slices.Contains(g.res.site, 0) {
		return nil
	}
	for i := range g.res.site {
		if g.res.site[i] == 0 {
			g.res.site[i] = int32(number)
		}
	}
	g.res.Rests = 1
	return []*Site{{Number: number, Name: "rest", Rest: true}}
}

// count fills in the figures that are known once all pages are divided.
func (g *given) count(s *Site) {
	g.res.Sites++
	for i, k := range g.res.site {
		if int(k) == s.Number {
			s.Pages++
			s.Hosts = append(s.Hosts, g.w.text[g.f.order[i]].Host())
		}
	}
	slices.Sort(s.Hosts)
	s.Hosts = slices.Compact(s.Hosts)
	if s.Number == 1 {
		for i := range g.res.Claims {
			c := &g.res.Claims[i]
			c.Site = int(g.res.site[g.f.rank[g.w.find(c.URL)]])
		}
		slices.SortFunc(g.res.Claims, func(a, b Claim) int {
			return cmp.Or(cmp.Compare(a.URL, b.URL), cmp.Compare(a.And, b.And))
		})
	}
	for _, c := range g.res.Claims {
		if c.And == s.Number {
			s.Claims++
		}
	}
	if len(s.Seeds) > 0 {
		s.Title = g.w.title[g.w.find(s.Seeds[0])]
	}
}
