package ui

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"watershed/sitemap"
)

// draft is a graph before it is laid out.
type draft struct {
	m     *GraphModel
	nodes []GraphNode
	// by node: of those that begin to belong at one stop the greatest lies nearest to the middle
	rank []float64
	ties map[[2]int]*groupTie // between nodes
}

// draft collects the nodes that are asked for: all groups, or the pages of the one with a number.
func (m *GraphModel) draft(open string) (*draft, error) {
	d := &draft{m: m, ties: map[[2]int]*groupTie{}}
	if open == "" {
		d.addGroups()
		return d, nil
	}
	k, err := strconv.Atoi(open)
	if err != nil || k < 0 || k >= len(m.context.groups) {
		return nil, notFound("The map has no such block.")
	}
	m.Open = m.context.group(k)
	d.addPages(k)
	return d, nil
}

// groupLabel is the name of a block for people.
func groupLabel(name string) string {
	switch name {
	case "":
		return "no block"
	case "prefix":
		return "the seed's own directory"
	}
	return plain(name, shortText)
}

func (g *siteChart) group(k int) *graphGroup {
	x := &graphGroup{Number: k, Name: plain(g.groups[k], longText)}
	if t := g.ties[[2]int{k, k}]; t != nil {
		x.Links, x.Cut = t.links, float64(t.cut)/1e6
	}
	for i := range g.vertices {
		if g.vertices[i].group == k {
			x.Pages++
		}
	}
	if k < len(g.Map.Blocks) {
		x.Why, x.Share = g.Map.Blocks[k].Why, g.Map.Blocks[k].Share
	}
	return x
}

// addGroups makes every group a node that has pages in the chart, the most telling ones where there
// are too many.
func (d *draft) addGroups() {
	g := d.m.context
	all := d.groupNodes(func(int) bool { return true })
	order := make([]int, 0, len(all))
	for k := range all {
		if all[k].Pages > 0 {
			order = append(order, k)
		}
	}
	d.m.Known = len(order)
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(b2i(all[b].comes()), b2i(all[a].comes())),
			cmp.Compare(g.worth(b), g.worth(a)), cmp.Compare(all[b].Pages, all[a].Pages))
	})
	d.keep(order[:min(len(order), graphNodes)], all)
	for _, k := range order[:len(d.nodes)] {
		d.rank = append(d.rank, g.worth(k))
	}
}

// keep takes over groups as nodes, and the ties between them.
func (d *draft) keep(order []int, all []GraphNode) {
	index := make(map[int]int, len(order))
	for _, k := range order {
		index[k] = len(d.nodes)
		d.nodes = append(d.nodes, all[k])
	}
	for pair, t := range d.m.context.ties {
		from, ok := index[pair[0]]
		to, too := index[pair[1]]
		if ok && too && from != to {
			d.ties[[2]int{from, to}] = t
		}
	}
}

// worth of a group is what it shares with the site.
func (g *siteChart) worth(k int) float64 {
	if k < len(g.Map.Blocks) {
		return g.Map.Blocks[k].Share + float64(b2i(k == 0))
	}
	return 0
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// comes reports a node that has pages which belong at some scale.
func (n *GraphNode) comes() bool { return len(n.Parts) > 0 && n.Parts[len(n.Parts)-1].At >= 0 }

// groupNodes makes a node of each group that is wanted.
func (d *draft) groupNodes(wanted func(int) bool) []GraphNode {
	g := d.m.context
	nodes := make([]GraphNode, len(g.groups))
	parts := make([]map[graphPart]int, len(nodes))
	for i := range g.vertices {
		v := &g.vertices[i]
		if !wanted(v.group) {
			continue
		}
		n := &nodes[v.group]
		n.Pages++
		n.Links += v.links
		n.Seed = n.Seed || v.seed
		n.count(g.Pages[i].Cluster)
		if parts[v.group] == nil {
			parts[v.group] = map[graphPart]int{}
		}
		parts[v.group][graphPart{At: d.m.stop(v.since), Kind: v.kind}]++
	}
	for k := range nodes {
		n := &nodes[k]
		n.Label, n.Group = groupLabel(g.groups[k]), &k
		if k < len(g.Map.Blocks) {
			n.Why = g.Map.Blocks[k].Why
		}
		for p, count := range parts[k] {
			p.Pages = count
			n.Parts = append(n.Parts, p)
		}
		slices.SortFunc(n.Parts, func(a, b graphPart) int {
			return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Kind, b.Kind))
		})
	}
	for pair, t := range g.ties {
		for i, k := range pair {
			if i == 0 || pair[0] != pair[1] {
				nodes[k].Cut += float64(t.cut) / 1e6
			}
		}
	}
	return nodes
}

func (n *GraphNode) count(c sitemap.Cluster) {
	switch c {
	case sitemap.ClusterIn:
		n.MCL.In++
	case sitemap.ClusterOut:
		n.MCL.Out++
	}
}

// addPages makes the pages of a group nodes, those of the cut and with most links where there are
// too many, and the groups that they are linked with most.
func (d *draft) addPages(k int) {
	g := d.m.context
	var pages []int
	for i := range g.vertices {
		if g.vertices[i].group == k && strings.HasPrefix(string(g.Pages[i].URL), d.m.Prefix) {
			pages = append(pages, i)
		}
	}
	d.m.Known = len(pages)
	slices.SortStableFunc(pages, func(a, b int) int {
		v, w := &g.vertices[a], &g.vertices[b]
		return cmp.Or(cmp.Compare(b2i(w.seed), b2i(v.seed)), cmp.Compare(w.cut, v.cut),
			cmp.Compare(w.links, v.links))
	})
	pages = pages[:min(len(pages), graphNodes-graphNeighbours)]
	index := make(map[int]int, len(pages))
	for _, i := range pages {
		v := &g.vertices[i]
		index[i] = len(d.nodes)
		n := GraphNode{
			Label: plain(string(g.Pages[i].URL), shortText), Pages: 1, Links: v.links,
			Cut: float64(v.cut) / 1e6, Seed: v.seed,
			Parts: []graphPart{{At: d.m.stop(v.since), Kind: v.kind, Pages: 1}},
		}
		if u := g.Pages[i].URL; len(u) <= maxAsked {
			n.URL = u
		}
		n.count(g.Pages[i].Cluster)
		d.nodes = append(d.nodes, n)
		d.rank = append(d.rank, float64(v.links))
	}
	d.addNeighbours(k, index)
}

// addNeighbours adds the groups that the pages are linked with most, and all links with pages.
func (d *draft) addNeighbours(k int, index map[int]int) {
	g := d.m.context
	beside := map[int]int{} // links, by group
	for i := range g.Pages {
		_, from := index[i]
		for _, j := range g.Pages[i].To {
			if _, to := index[int(j)]; from != to {
				beside[g.vertices[i].group]++
				beside[g.vertices[j].group]++
			}
		}
	}
	delete(beside, k)
	order := slices.SortedFunc(maps.Keys(beside), func(a, b int) int {
		return cmp.Or(cmp.Compare(beside[b], beside[a]), cmp.Compare(a, b))
	})
	order = order[:min(len(order), graphNeighbours)]
	nodes := d.groupNodes(func(a int) bool { return slices.Contains(order, a) })
	group := map[int]int{}
	for _, a := range order {
		group[a] = len(d.nodes)
		d.nodes, d.rank = append(d.nodes, nodes[a]), append(d.rank, 0)
	}
	node := func(i int) (n int, page, ok bool) {
		if n, ok = index[i]; ok {
			return n, true, true
		}
		n, ok = group[g.vertices[i].group]
		return n, false, ok
	}
	for i := range g.Pages {
		from, isPage, ok := node(i)
		if !ok {
			continue
		}
		for _, j := range g.Pages[i].To {
			if to, toPage, ok := node(int(j)); ok && (isPage || toPage) {
				d.tie(from, to).links++
			}
		}
	}
	for _, c := range g.Cut {
		i, j := g.Find(c.From), g.Find(c.To)
		if i < 0 || j < 0 {
			continue // it joins a page and its block, and is told at the page
		}
		from, isPage, ok := node(i)
		to, toPage, too := node(j)
		if ok && too && (isPage || toPage) {
			d.tie(from, to).cut += c.Capacity
		}
	}
}

func (d *draft) tie(from, to int) *groupTie {
	t := d.ties[[2]int{from, to}]
	if t == nil {
		t = &groupTie{}
		d.ties[[2]int{from, to}] = t
	}
	return t
}

// Radii of nodes in the picture.
const (
	pageRadius  = 5.0
	groupRadius = 6.0  // of the smallest
	groupMore   = 24.0 // for the largest
	besideMore  = 6.0  // for the largest beside the pages of another
)

// picture lays the draft out, and fills in nodes, edges and rings of the model.
func (d *draft) picture(m *GraphModel) {
	order := make([]int, len(d.nodes))
	begin := make([]int, len(d.nodes))
	most := 1
	for i := range d.nodes {
		order[i], begin[i] = i, math.MaxInt
		for _, p := range d.nodes[i].Parts {
			if p.At != never {
				begin[i] = p.At
				break
			}
		}
		most = max(most, d.nodes[i].Pages)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(begin[a], begin[b]), cmp.Compare(d.rank[b], d.rank[a]))
	})
	index := make([]int, len(order))
	radii := make([]float64, len(order))
	more := groupMore
	if m.Open != nil {
		more = besideMore
	}
	for i, k := range order {
		index[k], radii[i] = i, pageRadius
		if d.nodes[k].Group != nil {
			radii[i] = groupRadius + more*math.Sqrt(float64(d.nodes[k].Pages)/float64(most))
		}
	}
	ties := d.edges(m, index)
	spots, rings := arrange(radii, ties)
	for i, k := range order {
		n := d.nodes[k]
		n.X, n.Y, n.Radius, n.Ring = tenth(spots[i].x), tenth(spots[i].y), tenth(radii[i]), spots[i].ring
		m.Nodes = append(m.Nodes, n)
	}
	for _, r := range rings {
		m.Rings = append(m.Rings, graphRing{tenth(r.inner), tenth(r.outer)})
	}
}

// tenth rounds: the eye sees no more, and the answer is half as long.
func tenth(x float64) float64 { return math.Round(10*x)/10 + 0 } // no −0

// edges fills in the edges, the dearest of the cut first, then those of most links. All of them are
// the ties to be laid out by.
func (d *draft) edges(m *GraphModel, index []int) []tie {
	ties := []tie{}
	for pair, t := range d.ties {
		from, to := index[pair[0]], index[pair[1]]
		if from == to {
			continue
		}
		m.Edges = append(m.Edges, graphEdge{From: from, To: to, Links: t.links, Cut: float64(t.cut) / 1e6})
	}
	slices.SortFunc(m.Edges, func(a, b graphEdge) int {
		return cmp.Or(cmp.Compare(b.Cut, a.Cut), cmp.Compare(b.Links, a.Links), cmp.Compare(a.From, b.From),
			cmp.Compare(a.To, b.To))
	})
	m.Tied = len(m.Edges)
	m.Edges = m.Edges[:min(len(m.Edges), graphEdges)]
	for _, e := range m.Edges {
		ties = append(ties, tie{e.From, e.To, math.Log1p(float64(e.Links))})
	}
	return ties
}
