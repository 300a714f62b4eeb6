package mcl

import (
	"context"
	"fmt"
	"math"

	"watershed/graph"
)

// RefineOptions say which clusters are too large and what to do with them. The zero value is the
// documented default.
type RefineOptions struct {
	MaxPages     int     // a larger cluster is too large; default 5,000
	MaxShare     float64 // a cluster of a larger share of the graph is too large; default 0.25
	Step         float64 // inflation of a cluster is that of the cluster it was in, plus Step; default 0.4
	MaxInflation float64 // no cluster is clustered again with a higher one; default 2.0
}

func (o RefineOptions) withDefaults() RefineOptions {
	fill(&o.MaxPages, 5000)
	fill(&o.MaxShare, 0.25)
	fill(&o.Step, 0.4)
	fill(&o.MaxInflation, 2)
	return o
}

// Validate reports the first field that is out of range, as an error that wraps ErrOption.
func (o RefineOptions) Validate() error {
	o = o.withDefaults()
	switch {
	case o.MaxPages < 1:
		return fmt.Errorf("%w: largest cluster is %d", ErrOption, o.MaxPages)
	case !(o.MaxShare > 0 && o.MaxShare <= 1):
		return fmt.Errorf("%w: largest share is %v", ErrOption, o.MaxShare)
	case !(o.Step > 0 && !math.IsInf(o.Step, 0)):
		return fmt.Errorf("%w: step of inflation is %v", ErrOption, o.Step)
	case !(o.MaxInflation > 1 && o.MaxInflation <= maxInflation):
		return fmt.Errorf("%w: highest inflation is %v", ErrOption, o.MaxInflation)
	}
	return nil
}

// Refine clusters the too large clusters of r again, each in the graph it induces and with a higher
// inflation, and theirs in turn, until none is too large or the inflation is at its highest
// (Senellart 2003, fig. 9, step 3; §4.2 does so with 1.2, then 2.0). r is the result of clustering
// g with opts. The stats of the result are those of r, and Stats.Iterations goes on with the
// iterations of each re-clustering.
func Refine(ctx context.Context, g *Graph, r Result, opts Options, limits RefineOptions) (Result, error) {
	if err := limits.Validate(); err != nil {
		return Result{}, err
	}
	if err := opts.Validate(); err != nil {
		return Result{}, err
	}
	if len(r.Labels) != g.Len() {
		return Result{}, fmt.Errorf("%w: %d vertices and %d labels", ErrGraph, g.Len(), len(r.Labels))
	}
	fill(&opts.Inflation, Options{}.withDefaults(0).Inflation)
	f := refiner{ctx: ctx, whole: g, opts: opts, limits: limits.withDefaults(), stats: r.Stats}
	f.stats.Iterations = append([]Iteration(nil), r.Stats.Iterations...)
	for _, c := range r.Clusters {
		if err := f.refine(c, f.opts.Inflation); err != nil {
			return Result{}, fmt.Errorf("refine a cluster of %d vertices: %w", len(c), err)
		}
	}
	out := NewResult(g.Len(), f.done)
	out.Stats = f.stats
	return out, nil
}

// A refiner is the state of one call of Refine, which is why it may hold ctx.
type refiner struct {
	ctx    context.Context
	whole  *Graph
	opts   Options
	limits RefineOptions
	done   [][]graph.ID
	stats  Stats
}

func (f *refiner) tooLarge(size int) bool {
	return size > f.limits.MaxPages || float64(size) > f.limits.MaxShare*float64(f.whole.Len())
}

// refine adds cluster, which came out with inflation, to those done, or its parts.
func (f *refiner) refine(cluster []graph.ID, inflation float64) error {
	const rounding = 1e-9 // 1.2 + 0.4 + 0.4 is a little above 2
	next := inflation + f.limits.Step
	if !f.tooLarge(len(cluster)) || next > f.limits.MaxInflation+rounding {
		f.done = append(f.done, cluster)
		return nil
	}
	opts := f.opts
	opts.Inflation, opts.Schedule = next, nil
	parts, err := f.whole.Subgraph(cluster).Cluster(f.ctx, opts)
	if err != nil {
		return err
	}
	f.stats.Iterations = append(f.stats.Iterations, parts.Stats.Iterations...)
	f.stats.Converged = f.stats.Converged && parts.Stats.Converged
	for _, part := range parts.Clusters {
		for i, v := range part {
			part[i] = cluster[v] // ascending, as cluster is
		}
		if err := f.refine(part, next); err != nil {
			return err
		}
	}
	return nil
}
