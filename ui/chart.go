package ui

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"watershed/harvest"
	"watershed/page"
	"watershed/sitemap"
)

// Kinds of what a map knows of a page, from inside to outside.
const (
	kindInside   = "inside"   // belongs, and is held
	kindPinned   = "pinned"   // belongs by a rule of the archivist
	kindMissing  = "missing"  // belongs, and is not held
	kindPruned   = "pruned"   // left out because a copy of it is held
	kindOutside  = "outside"  // linked from the site, does not belong
	kindExcluded = "excluded" // kept out by a rule of the archivist
	kindContext  = "context"  // outside, and captured with the site; a graph shows it as what is outside
)

// kinds are all of them, in the order in which they are told.
var kinds = []string{kindInside, kindPinned, kindMissing, kindPruned, kindOutside, kindExcluded}

// pruned reports the note of what was left out as a copy.
func pruned(note string) bool { return note == "mirror" || note == "collection" }

// memberKind is the kind of a page that belongs.
func memberKind(p *sitemap.Member) string {
	switch {
	case p.State == "skipped" && pruned(p.Note):
		return kindPruned
	case !had(p.State):
		return kindMissing
	case p.Why == sitemap.WhyRule:
		return kindPinned
	}
	return kindInside
}

// outsiderKind is the kind of a page that does not.
func outsiderKind(p *sitemap.Outsider) string {
	switch {
	case p.Reason == "rule":
		return kindExcluded
	case pruned(p.Note):
		return kindPruned
	}
	return kindOutside
}

// never is the scale of what belongs at none.
const never = -1

// vertex is a page of a chart with what its map says.
type vertex struct {
	group int
	kind  string // where it belongs; where it never does, what it is
	since int    // index of the first scale at which it belongs, never for none
	cut   int64  // capacity of the edges of the cut that it has, in millionths
	seed  bool
	links int // to and from other pages
}

// siteChart is a chart and its map, divided into groups: the blocks of the map, or where it has
// none its hosts and directories. Nothing of it changes but the pictures it keeps; it is safe for
// concurrent use.
type siteChart struct {
	*siteMap
	*sitemap.Chart

	complete bool // the links are those that were seen; otherwise only what the map names
	vertices []vertex
	groups   []string // names
	ties     map[[2]int]*groupTie

	mu   sync.Mutex // guards what follows
	kept []keptGraph
}

// groupTie is what the links between two groups are together, or of one with itself.
type groupTie struct {
	links int
	cut   int64
}

// chartOf reads the chart below a site's map. A harvest that was delivered before there were charts
// has the links that its map names.
func (s *Server) chartOf(dir string) (*siteChart, error) {
	var group errgroup.Group
	var x *siteMap
	var c *sitemap.Chart
	group.Go(func() (err error) {
		x, err = s.maps.get(filepath.Join(dir, "map.json"), readSiteMap)
		return err
	})
	group.Go(func() (err error) {
		if c, err = s.links.get(filepath.Join(dir, harvest.ChartFile), readChart); errors.Is(err,
			fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	g, err := s.charts.get(filepath.Join(dir, "map.json"), func(string) (*siteChart, error) {
		return newSiteChart(x, c), nil
	})
	// one of the files has changed, and not the other
	if err == nil && (g.siteMap != x || g.complete != (c != nil) || g.complete && g.Chart != c) {
		g = newSiteChart(x, c)
	}
	return g, err
}

func readChart(path string) (_ *sitemap.Chart, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	c, err := sitemap.ReadChart(f)
	if err != nil {
		return nil, fmt.Errorf("links of the site: %w", err)
	}
	return c, nil
}

// newSiteChart joins a map and its chart, nil for none. It costs O(pages + links).
func newSiteChart(x *siteMap, c *sitemap.Chart) *siteChart {
	g := &siteChart{siteMap: x, Chart: c, complete: c != nil, ties: map[[2]int]*groupTie{}}
	if c == nil {
		g.Chart = namedLinks(x.Map)
	}
	g.vertices = make([]vertex, len(g.Pages))
	for i := range g.vertices {
		g.vertices[i] = vertex{kind: kindOutside, since: never}
	}
	grouping := g.grouping()
	at := g.inOrder()
	for i := range x.Outside {
		if v := at(x.Outside[i].URL); v != nil {
			v.kind, v.group = outsiderKind(&x.Outside[i]), grouping(x.Outside[i].URL, x.Outside[i].Block)
		}
	}
	for _, list := range []sitemap.Members{x.Wider, x.Members} {
		at := g.inOrder()
		for _, p := range list.All() {
			if v := at(p.URL); v != nil {
				v.kind, v.since, v.group = memberKind(&p), p.Scale, grouping(p.URL, p.Block)
			}
		}
	}
	for _, u := range x.Seeds {
		if v := g.at(u); v != nil {
			v.seed = true
		}
	}
	g.tie()
	return g
}

// at is the vertex of a page, nil for one that the chart does not have.
func (g *siteChart) at(u page.URL) *vertex {
	if i := g.Find(u); i >= 0 {
		return &g.vertices[i]
	}
	return nil
}

// inOrder gives what finds the vertices of pages that are asked for in the order of their URLs, as
// the lists of a map are.
func (g *siteChart) inOrder() func(page.URL) *vertex {
	i := 0
	return func(u page.URL) *vertex {
		for i < len(g.Pages) && g.Pages[i].URL < u {
			i++
		}
		if i < len(g.Pages) && g.Pages[i].URL == u {
			return &g.vertices[i]
		}
		return nil
	}
}

// grouping names the groups, and gives what tells the group of a page.
func (g *siteChart) grouping() func(page.URL, int) int {
	blocks := len(g.Map.Blocks)
	if blocks > 0 {
		for i := range g.Map.Blocks {
			g.groups = append(g.groups, g.Map.Blocks[i].Name)
		}
		return func(_ page.URL, block int) int {
			if block >= 0 && block < blocks {
				return block
			}
			if len(g.groups) == blocks {
				g.groups = append(g.groups, "")
			}
			return blocks
		}
	}
	number := map[string]int{}
	for i, p := range g.placesAt(g.Scale) {
		number[p.Prefix] = i
		g.groups = append(g.groups, p.Prefix)
	}
	return func(u page.URL, _ int) int {
		_, prefix := placeOf([]byte(u))
		k, ok := number[string(prefix)]
		if !ok {
			k = len(g.groups)
			number[string(prefix)] = k
			g.groups = append(g.groups, string(prefix))
		}
		return k
	}
}

// tie counts links between groups, and takes over the cut.
func (g *siteChart) tie() {
	between := func(a, b int) *groupTie {
		t := g.ties[[2]int{a, b}]
		if t == nil {
			t = &groupTie{}
			g.ties[[2]int{a, b}] = t
		}
		return t
	}
	for i := range g.Pages {
		from := &g.vertices[i]
		var last *groupTie
		group := never
		for _, j := range g.Pages[i].To {
			to := &g.vertices[j]
			from.links++
			to.links++
			if to.group != group {
				group, last = to.group, between(from.group, to.group)
			}
			last.links++
		}
	}
	for i := range g.Cut {
		c := &g.Cut[i]
		from, to := g.at(c.From), g.at(c.To)
		a, b := c.Block, c.Block
		if from != nil {
			from.cut += c.Capacity
			a = from.group
		}
		if to != nil {
			to.cut += c.Capacity
			b = to.group
		}
		if a >= 0 && b >= 0 {
			between(a, b).cut += c.Capacity
		}
	}
}

// namedLinks is a chart of what a map alone tells: the first link to each page outside, those of
// the cut, and where redirects lead.
func namedLinks(m *sitemap.Map) *sitemap.Chart {
	c := &sitemap.Chart{}
	number := map[page.URL]uint32{}
	for _, list := range []sitemap.Members{m.Members, m.Wider} {
		for _, p := range list.All() {
			number[p.URL] = 0
		}
	}
	for i := range m.Outside {
		number[m.Outside[i].URL] = 0
	}
	for _, u := range slices.Sorted(maps.Keys(number)) {
		number[u] = uint32(len(c.Pages))
		c.Pages = append(c.Pages, sitemap.Charted{URL: u})
	}
	join := func(from, to page.URL) {
		a, known := number[from]
		b, too := number[to]
		if known && too && a != b {
			c.Pages[a].To = append(c.Pages[a].To, b)
		}
	}
	for i := range m.Outside {
		join(m.Outside[i].From, m.Outside[i].URL)
	}
	for i := range m.Cut {
		join(m.Cut[i].From, m.Cut[i].To)
	}
	for _, p := range m.Members.All() {
		if p.State == "redirect" {
			join(p.URL, page.URL(p.Note))
		}
	}
	for i := range c.Pages {
		slices.Sort(c.Pages[i].To)
		c.Pages[i].To = slices.Compact(c.Pages[i].To)
	}
	return c
}
