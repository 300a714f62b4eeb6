package mcl

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"watershed/graph"
)

// Cluster finds the clusters of the undirected graph that edges make over the vertices 0 … n−1,
// joined as Options.Join says. It may be called by several goroutines. It returns the errors of
// NewGraph and of Validate, or that of ctx, which is looked at several times in each iteration;
// non-convergence is no error but Stats.Converged = false.
//
// A column of at most k entries is expanded in O(min(k², 1/Floor)), so an iteration takes O(n ·
// min(k², 1/Floor)).
func Cluster(ctx context.Context, n int, edges []graph.Edge, opts Options) (Result, error) {
	if err := opts.Validate(); err != nil {
		return Result{}, err
	}
	g, err := NewGraph(n, edges, opts.Join)
	if err != nil {
		return Result{}, err
	}
	return g.Cluster(ctx, opts)
}

// Cluster finds the clusters of g, as the function Cluster does; Options.Join has no effect.
func (g *Graph) Cluster(ctx context.Context, opts Options) (Result, error) {
	if err := opts.Validate(); err != nil {
		return Result{}, err
	}
	opts = opts.withDefaults(g.Len())
	limit, stats, err := run(ctx, newMatrix(g, opts.Loops), opts)
	if err != nil {
		return Result{}, err
	}
	return interpret(limit, opts.Overlap, stats), nil
}

// run expands and inflates m until it converges or the iterations are used up. Besides chaos, a
// turn that changes nothing ends it: entries that differ by less than their rounding stay where
// they are, for ever.
func run(ctx context.Context, m *matrix, opts Options) (*matrix, Stats, error) {
	var stats Stats
	memory := &pool{size: min(1<<18, max(1<<10, 64*len(m.columns)))} // 1 MiB for large graphs
	raise, inflation := (*power)(nil), 0.0
	for i := range opts.MaxIterations {
		step := opts.step(i)
		if step.Inflation != inflation {
			raise, inflation = newPower(step.Inflation), step.Inflation
		}
		next, turn, err := iterate(ctx, m, opts, step, raise, memory)
		if err != nil {
			return nil, stats, err
		}
		memory.release(m)
		m = next
		stats.Iterations = append(stats.Iterations, turn)
		if turn.Chaos < opts.Chaos || turn.Changed == 0 {
			stats.Converged = true
			break
		}
	}
	return m, stats, nil
}

// blockColumns is how many neighbouring columns a worker takes at a time: enough to make the taking
// cheap, few enough to share hubs among workers, and neighbours because pages numbered together are
// linked together and share cache lines.
const blockColumns = 32

// iterate makes the next matrix. Every column depends on m alone, so threads change the speed and
// nothing else.
func iterate(ctx context.Context, m *matrix, opts Options, step Step, raise *power, memory *pool) (*matrix,
	Iteration, error,
) {
	n := len(m.columns)
	next := &matrix{layout: m.layout, columns: make([][]entry, n)}
	workers := make([]*worker, max(1, min(opts.Threads, (n+blockColumns-1)/blockColumns)))
	taken := atomic.Int64{}
	group, ctx := errgroup.WithContext(ctx)
	for i := range workers {
		group.Go(func() error {
			w := newWorker(m, opts, step, raise, memory)
			workers[i] = w
			for {
				if err := ctx.Err(); err != nil {
					return err
				}
				from := int(taken.Add(1)-1) * blockColumns
				if from >= n {
					w.flush()
					return nil
				}
				for j := from; j < min(from+blockColumns, n); j++ {
					next.columns[j] = w.column(j)
				}
			}
		})
	}
	if err := group.Wait(); err != nil {
		return nil, Iteration{}, err
	}
	total := Iteration{}
	for _, w := range workers {
		next.chunks = append(next.chunks, w.chunks...)
		total.add(w.tally)
	}
	return next, total, nil
}
