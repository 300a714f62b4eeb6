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
	number := make([]uint32, len(b.places))
	var pages []uint32
	for _, p := range b.order {
		number[p] = none
		if s.vertex[p] != none && b.places[p].is(isAnswered) {
			number[p] = uint32(len(pages))
			pages = append(pages, p)
		}
	}
	if len(pages) > b.opts.ClusterPages || b.learned == c.consulted ||
		float64(b.learned) < (1+b.opts.Growth)*float64(c.consulted) {
		return false
	}
	c.consulted = b.learned
	var edges []graph.Edge
	for _, u := range pages {
		for _, v := range s.links(u) {
			if number[v] == none {
				continue
			}
			weight := 1.0
			if a, k := s.blocks.of[u], s.blocks.of[v]; a != k {
				weight = float64(s.shares.capacity(a, k)) / float64(graph.Unit)
			}
			if weight > 0 {
				edges = append(edges, graph.Edge{
					From: graph.ID(number[u]), To: graph.ID(number[v]),
					Weight: weight,
				})
			}
		}
	}
	result := cluster(len(pages), edges, siteInflation)
	own := c.choose(result, pages)
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

// choose picks the cluster that holds the first characteristic page, else the one with most
// URLs that have the keyword, else the one with most pages of the prefix.
func (c *clustering) choose(r mcl.Result, pages []uint32) int32 {
	b := c.b
	for _, is := range []func(*place) bool{
		func(pl *place) bool {
			return len(b.Characteristic) > 0 && pl.is(isSeed) && b.web.lead(b.Characteristic[:1], pl.id)
		},
		func(pl *place) bool { return b.Keyword != "" && b.hasKeyword(pl.id) },
		func(pl *place) bool { return pl.is(inPrefix | isSeed) },
	} {
		label, votes := elect(r, func(i int) bool { return is(&b.places[pages[i]]) })
		if votes > 0 {
			return label
		}
	}
	return 0
}
