package sitemap

import (
	"fmt"

	"watershed/flow"
	"watershed/mcl"
)

// Preset is how the boundary of a logical site is computed.
type Preset uint8

const (
	Shares Preset = iota // by mutual shares: what package sitemap recommends
	// the process of figure 9: superset, Markov clusters, on-line flow from the site's cluster
	Senellart2003
	PaperFlow     // of that process the flow alone, from the seeds
	PaperClusters // of that process superset and clusters alone: the site's cluster is the site
	presets
)

var presetNames = [presets]string{"shares", "senellart2003", "senellart2003_flow", "senellart2003_mcl"}

func (p Preset) String() string {
	if p >= presets {
		return fmt.Sprintf("Preset(%d)", uint8(p))
	}
	return presetNames[p]
}

// Superset chooses the pages that are crawled and clustered first (Senellart 2003, figure 9, step
// 1).
type Superset uint8

const (
	SeedHosts   Superset = iota // the hosts of the seeds
	SeedDomains                 // their registrable domains
	// every page that the survey has visited when the last seed is answered; nothing is fetched for
	// it
	Surveyed
	supersets
)

var supersetNames = [supersets]string{"host", "domain", "survey"}

func (s Superset) String() string {
	if s >= supersets {
		return fmt.Sprintf("Superset(%d)", uint8(s))
	}
	return supersetNames[s]
}

// EpsilonShare is the ε of the second row of the paper's process, in mean similarities: the largest
// that the checklist of its parameters gives for the printed one, which makes everything reachable
// the cheapest side.
const EpsilonShare = 0.01

// ProcessOptions are the parameters of the process of figure 9 (Senellart, Website Identification,
// 2003). The zero value is the paper as printed, where it gives a value.
type ProcessOptions struct {
	// Superset chooses the pages that are crawled and clustered. Default SeedHosts, the main server
	// of the site (figure 9, step 1).
	Superset Superset
	// SupersetPages is the most pages fetched for the superset. Default 100,000: the paper
	// clustered 87,140 in a day and calls 100,000 what a personal computer can do (section 3.2).
	SupersetPages int
	// Inflation of the clusters. Default 1.2, with which the paper's result is best (section 4.1).
	Inflation float64
	// Recluster says which clusters are too large, and how their inflation grows (figure 9, step 3;
	// section 4.2.1). Default: more than 5,000 pages or a quarter of the graph, steps of 0.4 up to
	// 2.0.
	Recluster mcl.RefineOptions
	// Pruning of the clusters' columns. Default: scheme 6 of the reference program, the one the
	// paper used.
	Pruning mcl.Pruning

	// Distance is the unit in which the edit distance of two URLs counts. Default flow.Tokens
	// (figure 6).
	Distance flow.Granularity
	// Toll, when positive, gives ε as a part of the mean similarity of the links in the graph;
	// 0.001 to 0.01 keeps sites apart. Default: the printed formula; docs/delimitation.md tells its
	// effect.
	Toll float64
	// Flow has the rest: σ (0 is measured on the pages fetched when the flow begins), the distance
	// of ε, the height of the source, the threshold, the limit of steps that stands for the paper's
	// timeout, the order.
	Flow flow.PaperOptions
	// Side chooses the pages that count as the source's side when the search has stopped. Default
	// flow.NoPathToSink.
	Side flow.PaperSide
}

// Validate reports a value outside its range.
func (o ProcessOptions) Validate() error {
	if o.Superset >= supersets {
		return fmt.Errorf("superset %v is none", o.Superset)
	}
	if o.SupersetPages < 0 {
		return fmt.Errorf("superset of %d pages at most", o.SupersetPages)
	}
	if !(o.Toll >= 0 && o.Toll <= 1) {
		return fmt.Errorf("toll of %v mean similarities: not between 0 and 1", o.Toll)
	}
	if o.Distance < flow.Tokens || o.Distance > flow.Characters {
		return fmt.Errorf("distance %d is unknown", o.Distance)
	}
	if o.Side < flow.NoPathToSink || o.Side > flow.SourceHigh {
		return fmt.Errorf("side %d is unknown", o.Side)
	}
	if err := o.clusters().Validate(); err != nil {
		return err
	}
	if err := o.Recluster.Validate(); err != nil {
		return err
	}
	search := o.Flow
	if search.Sigma == 0 {
		search.Sigma = 1 // measured
	}
	return search.Validate()
}

func (o ProcessOptions) withDefaults() ProcessOptions {
	o.SupersetPages = orDefault(o.SupersetPages, 100_000)
	o.Inflation = orDefault(o.Inflation, 1.2)
	return o
}

// clusters are the options of the clustering: the underlying undirected graph, an edge where there
// is a link either way.
func (o ProcessOptions) clusters() mcl.Options {
	return mcl.Options{Inflation: o.withDefaults().Inflation, Join: mcl.JoinEither, Pruning: o.Pruning}
}
