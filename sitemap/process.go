package sitemap

import (
	"context"
	"fmt"
	"slices"

	"watershed/flow"
	"watershed/graph"
	"watershed/mcl"
	"watershed/page"
)

// process draws the boundary of one site as figure 9 of Senellart, Website Identification (2003),
// on line:
//
//	until nothing is open: ask for every page of the superset that becomes known          steps 1, 2
//	clusters ← Markov clusters of the superset's pages, links taken both ways;            step 3
//	           too large ones clustered again
//	K ← the cluster of the characteristic page, or with most URLs that have the           step 4
//	    keyword, or of the seeds
//	on-line preflow-push with K as its seeds; a page that holds overflow is asked for     step 5, search
//
// It asks through the boundary that it works for, and is called by it when a visit was learned.
// Pages that the flow wants are asked for ahead of their turn; the result is the same as if they
// were fetched one by one, whatever order answers come in. A page that changes after it was
// answered begins the process anew; nothing is fetched twice.
//
// It also serves the recommended method where a site has no seed: K then gives it its seeds
// (adopt).
type process struct {
	b      *boundary
	opts   ProcessOptions
	preset Preset

	members  int  // pages of the superset asked for
	gathered bool // a superset of all pages surveyed was asked for
	changes  int  // changes of answered pages that were taken in
	report   ProcessReport
	search   *search
}

// ProcessReport tells how the process of figure 9 went for a site.
type ProcessReport struct {
	Preset   string `json:"preset"`
	Superset int    `json:"superset"` // pages clustered
	Clusters int    `json:"clusters"`
	Largest  int    `json:"largest"` // pages of the largest cluster
	Cluster  int    `json:"cluster"` // pages of the site's cluster, K
	Picked   string `json:"picked"`  // what picked it: characteristic, keyword or seeds

	Sigma   float64 `json:"sigma,omitempty"`
	Epsilon float64 `json:"epsilon,omitempty"` // the toll of a page
	Steps   int64   `json:"steps,omitempty"`   // pushes and raises
	Crawled int64   `json:"crawled,omitempty"` // pages that the flow looked at
	Stopped string  `json:"stopped,omitempty"` // why the flow ended: converged, threshold, steps or limit

	// How many pages each other meaning of the source's side has more or less than the one chosen
	// (flow.PaperSide).
	Disagree map[string]int `json:"disagree,omitempty"`
}

func newProcess(b *boundary) *process {
	c := &process{b: b, opts: b.opts.Process.withDefaults(), preset: b.opts.Preset}
	b.superset = [supersets]Mode{SeedHosts: HostOnly, SeedDomains: Domain, Surveyed: List}[c.opts.Superset]
	if c.preset == PaperFlow {
		b.superset = List // of no page
	}
	c.report.Preset = c.preset.String()
	return c
}

// extend puts the host or the domain of a URL into the superset.
func (c *process) extend(u page.URL) {
	n := len(c.b.hosts) + len(c.b.domain)
	if c.b.scope.widen(u); len(c.b.hosts)+len(c.b.domain) == n {
		return
	}
	for p := 0; p < len(c.b.places); p++ {
		c.b.judge(uint32(p))
	}
}

// gather asks for a page of the superset.
func (c *process) gather(p uint32) {
	if c.members < c.opts.SupersetPages && c.b.ask(p, WhySuperset, 0) {
		c.members++
	}
}

// due reports whether a step would do something: the superset is fetched, or the page that the flow
// waits for is.
func (c *process) due() bool {
	return c.b.open == 0 || c.search != nil && c.search.answered()
}

// step goes on as far as what is answered allows.
func (c *process) step() {
	b := c.b
	b.dirty = false
	b.around.stale = true
	b.answered = 0
	if n := b.learned - b.joined; n != c.changes {
		c.changes, c.search = n, nil
	}
	if c.search == nil {
		if c.gatherSurveyed() {
			return
		}
		b.epochs++
		b.arrange()
		seeds := b.seeds
		if c.preset != PaperFlow {
			seeds = c.cluster()
		}
		switch c.preset {
		case Shares:
			c.adopt(seeds)
			return
		case PaperClusters:
			c.search = &search{done: true, awaited: graph.None}
			c.mark(seeds)
			return
		}
		c.search = c.newSearch(seeds)
	}
	c.search.run()
}

// gatherSurveyed asks for all pages that the survey has visited, once, and reports whether there
// were any.
func (c *process) gatherSurveyed() bool {
	b := c.b
	if c.opts.Superset != Surveyed || c.gathered || c.preset == PaperFlow {
		return false
	}
	c.gathered = true
	for id := range b.web.len() {
		if b.web.state[id] == alive {
			c.gather(b.know(graph.ID(id)))
		}
	}
	return len(b.ready) > 0
}

// cluster gives the places of K, in b.order.
func (c *process) cluster() []uint32 {
	b := c.b
	var pages []uint32
	for _, p := range b.order {
		if pl := &b.places[p]; b.counts(p) && pl.is(isAnswered) && b.web.state[pl.id] == alive &&
			(c.opts.Superset == Surveyed || b.within(pl.id)) {
			pages = append(pages, p)
		}
	}
	c.report.Superset = len(pages)
	if len(pages) == 0 {
		return b.seeds
	}
	result, err := c.opts.Cluster(context.Background(), len(pages), among(pages, c.links, alike))
	if err != nil {
		// the graph is our own, and the options are valid
		panic(fmt.Sprintf("sitemap: cluster %d pages: %v", len(pages), err))
	}
	c.report.Clusters, c.report.Largest = len(result.Clusters), len(result.Clusters[0])
	label, picked := b.choose(result, pages, isSeed)
	c.report.Picked = picked
	var own []uint32
	for i, p := range pages {
		if result.Labels[i] == label {
			own = append(own, p)
		}
	}
	c.report.Cluster = len(own)
	return own
}

// Cluster is step 3 of figure 9: the clusters of the underlying undirected graph of n vertices, the
// too large ones clustered again.
func (o ProcessOptions) Cluster(ctx context.Context, n int, edges []graph.Edge) (mcl.Result, error) {
	opts := o.clusters()
	g, err := mcl.NewGraph(n, edges, opts.Join)
	if err != nil {
		return mcl.Result{}, err
	}
	result, err := g.Cluster(ctx, opts)
	if err != nil {
		return mcl.Result{}, err
	}
	return mcl.Refine(ctx, g, result, opts, o.Recluster)
}

// links are the places that an answered page leads to, redirects followed as far as they were
// answered.
func (c *process) links(p uint32) (list []uint32) {
	b := c.b
	pl := &b.places[p]
	if st := b.web.state[pl.id]; !pl.is(isAnswered) || st != alive && st != moved {
		return nil
	}
	l := linkage{book: b.book}
	l.eachLink(p, func(q uint32, _ []uint8) { list = append(list, q) })
	return distinct(list)
}

// mark makes some places the site, and asks for their requisites.
func (c *process) mark(inside []uint32) {
	b := c.b
	for p := range b.places {
		b.places[p].flags &^= isInside
	}
	for _, p := range inside {
		b.places[p].flags |= isInside
		b.files.askOf(p)
	}
	for p := range b.places {
		b.recount(uint32(p))
	}
}

// adopt hands a site without seeds over to the recommended method: the page of K that most of K
// links to is its seed, the directories that have the keyword in their names are its prefix, and K
// itself is the site's Markov cluster. Where no address has the keyword, nothing says which cluster is
// the site's, and it has no page.
func (c *process) adopt(cluster []uint32) {
	b := c.b
	b.process, b.superset = nil, Logical
	b.dirty = true
	in := make(map[uint32]int)
	for _, p := range cluster {
		in[p] = 0
	}
	for _, p := range cluster {
		for _, q := range c.links(p) {
			if n, ok := in[q]; ok {
				in[q] = n + 1
			}
		}
	}
	// in b.order: the first of equals does not depend on who answered first
	named := slices.DeleteFunc(slices.Clone(cluster), func(p uint32) bool {
		return !b.hasKeyword(b.places[p].id)
	})
	center := uint32(none)
	for _, p := range named {
		if center == none || in[p] > in[center] {
			center = p
		}
	}
	if center == none {
		return
	}
	for _, p := range cluster {
		b.places[p].flags |= inCluster
	}
	b.extend(c.homes(cluster, len(named))...)
	b.addSeed(b.places[center].id)
	for p := 0; p < len(b.places); p++ {
		b.judge(uint32(p))
	}
}

// homes are the topmost directories that have the keyword in their names, where they hold a
// fifth of the pages of K that have it. Other pages there do not count: K may be less than half
// of its own host.
func (c *process) homes(cluster []uint32, named int) (homes []dirID) {
	t := &c.b.web.dirs
	home := func(p uint32) dirID {
		top := noDir
		for d := c.b.web.dir[c.b.places[p].id]; d != noDir; d = t.nodes[d].parent {
			if c.b.isNamed(t.path(d)) {
				top = d
			}
		}
		return top
	}
	own := make(map[dirID]int)
	for _, p := range cluster {
		own[home(p)]++
	}
	for _, p := range cluster {
		if d := home(p); d != noDir && !slices.Contains(homes, d) && own[d]*5 >= named {
			homes = append(homes, d)
		}
	}
	return homes
}

// sideNames are those of flow.PaperSide.
var sideNames = map[flow.PaperSide]string{
	flow.NoPathToSink: "no_path_to_sink",
	flow.FromSource:   "from_source", flow.SourceHigh: "source_high",
}
