package sitemap

import (
	"context"
	"fmt"

	"watershed/graph"
	"watershed/mcl"
)

// pruning is harder than that of the reference program: a tenth of its entries a column gave the
// same sites on all webs measured, and bounds an iteration to about 20,000 products a page.
var pruning = mcl.Pruning{Cutoff: 1e-3, Select: 100, Recover: 140, Percent: 90}

// floor of the expansion: a product below a thousandth of a column's largest entry is below the
// cutoff, too. Without it, a page that shares its menu with all others of a host would meet each of
// them once for each entry of the menu. It changed no mean F1 on any of the webs measured.
const floor = 1e-3

// siteInflation of the clusters of a site's pages.
const siteInflation = 2

// cluster finds the Markov clusters of n pages. It costs 10 to 40 microseconds a page.
func cluster(n int, edges []graph.Edge, inflation float64) mcl.Result {
	r, err := mcl.Cluster(context.Background(), n, edges, mcl.Options{
		Inflation: inflation, Join: mcl.JoinMax,
		Threads: 1, Pruning: pruning, Floor: floor,
	})
	if err != nil {
		panic(fmt.Sprintf("sitemap: cluster %d pages: %v", n, err)) // the graph and the options are our own
	}
	return r
}

// among gives the links of some pages to each other that have a weight, as edges between their
// indices.
func among(pages []uint32, links func(uint32) []uint32, weight func(u, v uint32) float64) []graph.Edge {
	var edges []graph.Edge
	number := make(map[uint32]graph.ID, len(pages))
	for i, p := range pages {
		number[p] = graph.ID(i)
	}
	for i, u := range pages {
		for _, v := range links(u) {
			k, is := number[v]
			if !is {
				continue
			}
			if w := weight(u, v); w > 0 {
				edges = append(edges, graph.Edge{From: graph.ID(i), To: k, Weight: w})
			}
		}
	}
	return edges
}

// alike gives all links one weight.
func alike(uint32, uint32) float64 { return 1 }

// clustering is the second opinion on a site: that of the Markov clusters of its fetched pages.
type clustering struct {
	scout
	b         *boundary
	consulted int // boundary.learned at the last opinion
}

// ask hears the second opinion while nothing is open.
func (c *clustering) ask(b *boundary, at turn) {
	if at != resting || !c.consult(b.last) {
		return
	}
	s := b.resettle(false)
	b.mark(s)
	b.askInside(s)
	if b.idle() {
		b.askProbes(s)
	}
}

// consult finds the Markov cluster of the site among its fetched pages, with the weights of the
// cut's links: 1 inside a block, the capacity between blocks. Without more than Growth of news
// since the last opinion, or with more than ClusterPages, that one stays. It reports whether the
// cluster, as marked on the places, changed.
func (c *clustering) consult(s *settlement) (changed bool) {
	b := c.b
	b.arrange()
	var pages []uint32
	for _, p := range b.order {
		if s.vertex[p] != none && b.places[p].is(isAnswered) {
			pages = append(pages, p)
		}
	}
	if len(pages) > b.opts.ClusterPages || b.learned == c.consulted ||
		float64(b.learned) < (1+b.opts.Growth)*float64(c.consulted) {
		return false
	}
	c.consulted = b.learned
	edges := among(pages, s.links, func(u, v uint32) float64 {
		if a, k := s.blocks.of[u], s.blocks.of[v]; a != k {
			return float64(s.shares.capacity(a, k)) / float64(graph.Unit)
		}
		return 1
	})
	result := cluster(len(pages), edges, siteInflation)
	own, _ := b.choose(result, pages, inPrefix|isSeed)
	for i, p := range pages {
		was := b.places[p].is(inCluster)
		b.places[p].flags &^= inCluster
		if result.Labels[i] == own {
			b.places[p].flags |= inCluster
		}
		changed = changed || was != b.places[p].is(inCluster)
	}
	return changed
}

// choose picks the site's cluster of some pages (Senellart 2003, figure 9, step 4): that of the
// first characteristic page among them, else the one with most URLs that have the keyword, else the
// one with most pages of some kind, the largest where none has any. It also tells what picked it.
func (b *book) choose(r mcl.Result, pages []uint32, own flags) (label int32, picked string) {
	for i := range b.Characteristic {
		for k, p := range pages {
			if b.places[p].is(isSeed) && b.web.lead(b.Characteristic[i:i+1], b.places[p].id) {
				return r.Labels[k], "characteristic"
			}
		}
	}
	if b.Keyword != "" {
		has := func(i int) bool { return b.hasKeyword(b.places[pages[i]].id) }
		if label, votes := elect(r, has); votes > 0 {
			return label, "keyword"
		}
	}
	label, _ = elect(r, func(i int) bool { return b.places[pages[i]].is(own) })
	return label, "seeds"
}

// elect gives the cluster with most vertices that are for it, the first of equals.
func elect(r mcl.Result, in func(i int) bool) (label int32, votes int) {
	count := make([]int, len(r.Clusters))
	for i, l := range r.Labels {
		if count[l] += b2i(in(i)); count[l] > votes || count[l] == votes && votes > 0 && l < label {
			label, votes = l, count[l]
		}
	}
	return label, votes
}
