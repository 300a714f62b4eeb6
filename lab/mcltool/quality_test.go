package mcltool

import (
	"fmt"
	"slices"

	"watershed/graph"
	"watershed/mcl"
)

// A Quality says how well a clustering captures the edges of a graph; each number is what clm info
// prints (mcl 22-282). All lie in [0, 1] but Modularity, which may be negative. The first two are
// means over the vertices, each with a loop of the weight of its heaviest edge: so clm info
// computes them, though the manual of clminfo says "the joint weight of all captured edges divided
// by the joint weight of all edges".
type quality struct {
	// eff: balances captured weight against the size of the clusters (van Dongen 2000, chapter 9)
	Efficiency   float64
	MassFraction float64 // mf: share of the weight of a vertex's edges that stays in its cluster
	AreaFraction float64 // af: pairs of vertices within clusters, of all pairs
	Modularity   float64 // mod: Newman and Girvan 2004
}

// measure gives the quality of r, which must be a partition of the vertices of g, else an error
// wraps ErrGraph. O(n + edges).
func measure(g *mcl.Graph, r mcl.Result) (quality, error) {
	if err := partition(r, g.Len()); err != nil {
		return quality{}, err
	}
	q, n := quality{}, float64(g.Len())
	inner, total := 0.0, 0.0
	weight := make([]float64, len(r.Clusters))
	for v := range g.Len() {
		t := tallyVertex(g, r, graph.ID(v))
		q.Efficiency += t.coverage(len(r.Clusters[r.Labels[v]]))
		q.MassFraction += (t.inside + t.loop) / (t.inside + t.outside + t.loop)
		inner += t.inside
		total += t.inside + t.outside
		weight[r.Labels[v]] += t.inside + t.outside
	}
	for c, members := range r.Clusters {
		q.AreaFraction += float64(len(members)) * float64(len(members)-1)
		if total > 0 {
			q.Modularity -= weight[c] / total * weight[c] / total
		}
	}
	if n > 0 {
		q.Efficiency /= n
		q.MassFraction /= n
	}
	if n > 1 {
		q.AreaFraction /= n * (n - 1)
	}
	if total > 0 {
		q.Modularity += inner / total
	}
	return q, nil
}

// A vertexTally sums up the edges of a vertex within its cluster and out of it.
type vertexTally struct {
	inside, outside float64 // weights
	squares         float64
	loop            float64
	out             int // edges that leave the cluster
}

func tallyVertex(g *mcl.Graph, r mcl.Result, v graph.ID) vertexTally {
	t := vertexTally{}
	rows, weights := g.Neighbours(v)
	t.loop = 1
	if len(weights) > 0 {
		t.loop = float64(slices.Max(weights))
	}
	for i, u := range rows {
		w := float64(weights[i])
		t.squares += w * w
		if r.Labels[u] == r.Labels[v] {
			t.inside += w
		} else {
			t.outside += w
			t.out++
		}
	}
	return t
}

// coverage is van Dongen's performance measure of one vertex in a cluster of size members: with sum
// and centre of the weights, centre = Σ w² / (Σ w)², it is 1 − (size − (inside − outside) / (sum ·
// centre)) / |neighbours ∪ cluster|.
func (t vertexTally) coverage(size int) float64 {
	sum := t.inside + t.loop + t.outside
	centre := (t.squares + t.loop*t.loop) / (sum * sum)
	balance := (t.inside + t.loop - t.outside) / sum
	return 1 - (float64(size)-balance/centre)/float64(size+t.out)
}

// partition is nil if r puts each of n vertices into exactly one cluster; else an error wraps
// mcl.ErrGraph. O(n).
func partition(r mcl.Result, n int) error {
	if len(r.Labels) != n {
		return fmt.Errorf("%w: %d vertices and %d labels", mcl.ErrGraph, n, len(r.Labels))
	}
	members := 0
	for i, c := range r.Clusters {
		members += len(c)
		for _, v := range c {
			if int64(v) >= int64(n) || r.Labels[v] != int32(i) {
				return fmt.Errorf("%w: vertex %d of cluster %d is in another one too, or not in the graph",
					mcl.ErrGraph, v, i)
			}
		}
	}
	if members != n {
		return fmt.Errorf("%w: clusters hold %d vertices of %d", mcl.ErrGraph, members, n)
	}
	return nil
}

// edges is the number of undirected edges of a graph.
func edges(g *mcl.Graph) (n int) {
	for v := range g.Len() {
		rows, _ := g.Neighbours(graph.ID(v))
		n += len(rows)
	}
	return n / 2
}
