package mcl

import (
	"cmp"
	"maps"
	"slices"

	"watershed/graph"
)

// A Result is a clustering of the vertices 0 … n−1. The caller owns it.
type Result struct {
	// Clusters are the vertices of each cluster, ascending; the largest cluster first, equal sizes
	// by their least vertex. Every vertex is in at least one, and with OverlapSplit and
	// OverlapAssign in exactly one.
	Clusters [][]graph.ID

	// Labels are the numbers of the clusters by vertex: v is in Clusters[Labels[v]], which with
	// OverlapKeep is the first of those that hold v.
	Labels []int32

	Stats Stats
}

// newResult orders the clusters that systems makes: the systems of each vertex.
func newResult(systems [][]int32, stats Stats) Result {
	members := make(map[int32][]graph.ID)
	for v, to := range systems {
		for _, s := range to {
			members[s] = append(members[s], graph.ID(v))
		}
	}
	clusters := slices.AppendSeq(make([][]graph.ID, 0, len(members)), maps.Values(members))
	r := NewResult(len(systems), clusters)
	r.Stats = stats
	return r
}

// NewResult is the clustering of n vertices by the given clusters, in any order, of which none is
// empty; each vertex is in at least one. The result owns and changes the slices. O(n log n).
func NewResult(n int, clusters [][]graph.ID) Result {
	for i, c := range clusters {
		slices.Sort(c)
		clusters[i] = slices.Compact(c)
	}
	slices.SortFunc(clusters, func(a, b []graph.ID) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return slices.CompareFunc(a, b, cmp.Compare)
	})
	r := Result{Clusters: clusters, Labels: make([]int32, n)}
	for c := len(clusters) - 1; c >= 0; c-- {
		for _, v := range clusters[c] {
			r.Labels[v] = int32(c)
		}
	}
	return r
}

// Stats tell how the process went.
type Stats struct {
	// chaos fell below Options.Chaos, or no entry changed any more, within Options.MaxIterations
	Converged  bool
	Iterations []Iteration
}

// An Iteration is one turn of expansion, pruning and inflation, over all columns.
type Iteration struct {
	Chaos   float64 // the largest of a column
	Changed int     // columns that differ from those of the turn before
	// certificate: the largest |Σ − 1| of a column; within 2^-m, m the bits of mantissa (see entry)
	SumError float64
}

func (t *Iteration) add(u Iteration) {
	t.Chaos = max(t.Chaos, u.Chaos)
	t.SumError = max(t.SumError, u.SumError)
	t.Changed += u.Changed
}
