package delimit

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"watershed/graph"
	"watershed/internal/disjoint"
	"watershed/page"
	"watershed/sitemap"
)

// Delimit divides the pages of the web into sites and calls yield with each, the largest first,
// from one goroutine. Seeds are pages that the archive's crawl began with, where they are known: of
// the pages of a directory they are its entries. It ends with the error of yield or of the context.
func (w *Web) Delimit(ctx context.Context, seeds []page.URL, o Options, yield func(*Site) error) (*Result,
	error,
) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	p := &partition{w: w, opt: o, f: w.findRoots(o), seeds: make(map[graph.ID]bool)}
	for _, u := range seeds {
		if id := w.find(u); id != graph.None {
			p.seeds[id] = true
		}
	}
	p.index()
	if err := p.survey(ctx); err != nil {
		return nil, err
	}
	p.merge()
	return p.result(ctx, yield)
}

// partition is the work of one Delimit.
type partition struct {
	w     *Web
	opt   Options
	f     *finder
	seeds map[graph.ID]bool

	root   []int32 // of a page, by rank
	site   []sitemap.Site
	taken  []map[int32]int      // by root: pages of other roots that its boundary takes in
	held   []*settled           // by root: its boundary, where there was room to keep it
	room   int                  // lines of maps that may still be held
	parts  disjoint.Sets[int32] // of roots: those that are one site
	groups [][]int32            // the roots of each site, the largest first; sites by size
}

// index notes the root of every page, and makes a site of every root.
func (p *partition) index() {
	p.root = make([]int32, len(p.f.order))
	for r := range p.f.roots {
		for _, id := range p.f.roots[r].pages {
			p.root[p.f.rank[id]] = int32(r)
		}
	}
	outside, inside := p.countLinks()
	in := func(id graph.ID) (int, int) {
		r := p.f.rank[id]
		return int(outside[r]), int(inside[r])
	}
	p.site = make([]sitemap.Site, len(p.f.roots))
	for r := range p.f.roots {
		x := &p.f.roots[r]
		p.site[r] = sitemap.Site{Name: x.dirs[0], Seeds: p.f.entries(x, p.seeds, in), Apart: apart(x)}
	}
}

// countLinks counts, by rank, the pages of other roots and of the same that lead to a page.
func (p *partition) countLinks() (outside, inside []uint32) {
	outside, inside = make([]uint32, len(p.root)), make([]uint32, len(p.root))
	for i, id := range p.f.order {
		p.w.joins(id, func(to graph.ID) {
			switch r := p.f.rank[to]; {
			case r == none:
			case p.root[r] == p.root[i]:
				inside[r]++
			default:
				outside[r]++
			}
		})
	}
	return outside, inside
}

// apart gives the directories of other roots below a root as URLs.
func apart(x *root) []page.URL {
	var list []page.URL
	for _, dir := range x.apart {
		if u, err := page.ParseURL("http://" + dir); err == nil {
			list = append(list, u)
		}
	}
	return list
}

// survey draws the boundary of every root and counts the pages of other roots that it takes in.
func (p *partition) survey(ctx context.Context) error {
	p.room = heldLines
	return inOrder(ctx, p.opt.Workers, len(p.f.roots), func(r int) (*settled, error) {
		s, err := p.w.settle(p.site[r], p.urls([]int32{int32(r)}), p.opt.Survey)
		if err != nil {
			return nil, fmt.Errorf("draw the boundary of %s: %w", p.site[r].Name, err)
		}
		return s, nil
	}, func(s *settled) error {
		r := int32(len(p.taken))
		p.taken = append(p.taken, p.strangers(s.m, func(other int32) bool { return other != r }, nil))
		n := s.m.Members.Len() + len(s.m.Requisites) + len(s.m.Outside) + len(s.m.Blocks) + len(s.m.Cut) +
			len(s.missing)
		if len(p.f.roots[r].pages) < p.opt.MinPages || n > p.room { // of a rest it would not be asked for
			s = nil
			n = 0
		}
		p.held = append(p.held, s)
		p.room -= n
		return nil
	})
}

// heldLines bounds the maps that are held in memory until it is known which roots are one site, in
// lines of their lists: some 200 MB. The boundaries of others are drawn twice.
const heldLines = 1 << 20

// urls are the pages of some roots.
func (p *partition) urls(roots []int32) (list []page.URL) {
	for _, r := range roots {
		for _, id := range p.f.roots[r].pages {
			list = append(list, p.w.text[id])
		}
	}
	return list
}

// strangers counts the pages of other roots that a map takes in, and tells of each.
func (p *partition) strangers(m *sitemap.Map, other func(root int32) bool,
	tell func(rank uint32),
) map[int32]int {
	var count map[int32]int
	for _, x := range m.Members.All() {
		id := p.w.find(x.URL)
		if id == graph.None || p.f.rank[id] == none {
			continue
		}
		rank := p.f.rank[id]
		if r := p.root[rank]; other(r) {
			if count == nil {
				count = make(map[int32]int)
			}
			count[r]++
			if tell != nil {
				tell(rank)
			}
		}
	}
	return count
}

// merge makes one site of roots where the boundary of one takes in the most of another.
func (p *partition) merge() {
	p.parts = disjoint.New[int32](len(p.f.roots))
	for r, taken := range p.taken {
		for other, n := range taken {
			if float64(n) >= merge*float64(len(p.f.roots[other].pages)) {
				p.parts.Union(int32(r), other)
			}
		}
	}
	at := make(map[int32]int)
	for r := range p.f.roots {
		l := p.parts.Find(int32(r))
		if _, ok := at[l]; !ok {
			at[l] = len(p.groups)
			p.groups = append(p.groups, nil)
		}
		p.groups[at[l]] = append(p.groups[at[l]], int32(r))
	}
	for _, g := range p.groups {
		slices.SortStableFunc(g, func(a, b int32) int {
			return cmp.Compare(len(p.f.roots[b].pages), len(p.f.roots[a].pages))
		})
	}
	slices.SortStableFunc(p.groups, func(a, b []int32) int { return cmp.Compare(p.size(b), p.size(a)) })
}

func (p *partition) size(group []int32) (n int) {
	for _, r := range group {
		n += len(p.f.roots[r].pages)
	}
	return n
}

// result draws the boundaries of all sites but the rests, several at a time, and hands them out in
// order.
func (p *partition) result(ctx context.Context, yield func(*Site) error) (*Result, error) {
	res := &Result{Sites: len(p.groups), Pages: len(p.f.order), site: make([]int32, len(p.f.order)), f: p.f}
	number := make([]int32, len(p.f.roots))
	for g, group := range p.groups {
		for _, r := range group {
			number[r] = int32(g + 1)
		}
	}
	for i := range res.site {
		res.site[i] = number[p.root[i]]
	}
	err := inOrder(ctx, p.opt.Workers, len(p.groups), func(k int) (drawn, error) { return p.draw(k, number) },
		func(d drawn) error {
			if d.site.Rest {
				res.Rests++
			}
			res.Claims = append(res.Claims, d.claims...)
			return yield(d.site)
		})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(res.Claims, func(a, b Claim) int {
		return cmp.Or(cmp.Compare(a.URL, b.URL), cmp.Compare(a.And, b.And))
	})
	return res, nil
}

type drawn struct {
	site   *Site
	claims []Claim
}

// draw draws the boundary of a site.
func (p *partition) draw(k int, number []int32) (drawn, error) {
	group := p.groups[k]
	first := &p.site[group[0]]
	s := &Site{
		Number: k + 1, Name: first.Name, Pages: p.size(group), Roots: len(group),
		Rest: p.size(group) < p.opt.MinPages,
	}
	site := sitemap.Site{Name: first.Name}
	for _, r := range group {
		site.Seeds = append(site.Seeds, p.site[r].Seeds...)
		for _, u := range p.site[r].Apart {
			if !p.within(u, group) {
				site.Apart = append(site.Apart, u)
			}
		}
	}
	s.Seeds = site.Seeds
	if len(site.Seeds) > 0 {
		s.Title = p.w.title[p.w.find(site.Seeds[0])]
	}
	pages := p.urls(group)
	for _, u := range pages {
		s.Hosts = append(s.Hosts, u.Host())
	}
	slices.Sort(s.Hosts)
	s.Hosts = slices.Compact(s.Hosts)
	if s.Rest {
		return drawn{site: s}, nil
	}
	x, err := p.settled(group, site, pages)
	if err != nil {
		return drawn{}, fmt.Errorf("draw site %d, %s: %w", s.Number, s.Name, err)
	}
	s.Map, s.Missing = x.m, x.missing
	d := drawn{site: s}
	p.strangers(x.m, func(r int32) bool { return number[r] != int32(k+1) }, func(rank uint32) {
		s.Claims++
		d.claims = append(d.claims, Claim{
			URL: p.w.text[p.f.order[rank]], Site: int(number[p.root[rank]]),
			And: k + 1,
		})
	})
	return d, nil
}

// settled gives the boundary of a site, from the first survey where that is still held and is of
// the same root.
func (p *partition) settled(group []int32, site sitemap.Site, pages []page.URL) (*settled, error) {
	if x := p.held[group[0]]; x != nil && len(group) == 1 {
		p.held[group[0]] = nil
		return x, nil
	}
	return p.w.settle(site, pages, p.opt.Survey)
}

// within reports whether a directory that is apart from a root is one of the group's other roots.
func (p *partition) within(u page.URL, group []int32) bool {
	return slices.ContainsFunc(group, func(r int32) bool {
		return slices.Contains(p.f.roots[r].dirs, string(u[len("http://"):]))
	})
}
