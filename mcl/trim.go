package mcl

import (
	"fmt"
	"slices"

	"watershed/graph"
)

// TrimOptions say which pages of a cluster are irrelevant. The zero value is the documented
// default.
type TrimOptions struct {
	// MinShare of the weight of a vertex's edges must lead into the cluster, else the vertex is
	// irrelevant. Default 0.5: a community in the strong sense (Radicchi et al., Defining and
	// identifying communities in networks, 2004).
	MinShare float64

	// Keep are vertices that stay in any case, such as the seeds. Default: none.
	Keep []graph.ID
}

// Validate reports the first field that is out of range, as an error that wraps ErrOption.
func (o TrimOptions) Validate() error {
	if !(o.MinShare >= 0 && o.MinShare <= 1) {
		return fmt.Errorf("%w: share %v is not between 0 and 1", ErrOption, o.MinShare)
	}
	return nil
}

// Trim takes the irrelevant vertices out of cluster, distinct vertices of g: another open problem
// of Senellart 2003, §6. A vertex that goes may make its neighbours irrelevant; what is kept is the
// largest part of cluster in which every vertex has its share, and it is the same in whatever order
// vertices go. Vertices without edges stay. Both slices are ascending. O(g.Len() + edges of the
// cluster). The survey does not trim.
func Trim(g *Graph, cluster []graph.ID, o TrimOptions) (kept, removed []graph.ID, err error) {
	if err := o.Validate(); err != nil {
		return nil, nil, err
	}
	for _, v := range slices.Concat(cluster, o.Keep) {
		if int64(v) >= int64(g.Len()) {
			return nil, nil, fmt.Errorf("%w: vertex %d of %d", ErrGraph, v, g.Len())
		}
	}
	fill(&o.MinShare, 0.5)
	t := newTrimmer(g, cluster, o)
	for len(t.leaving) > 0 {
		last := len(t.leaving) - 1
		v := t.leaving[last]
		t.leaving = t.leaving[:last]
		t.remove(v)
	}
	for _, v := range slices.Sorted(slices.Values(cluster)) {
		if t.inside[v] {
			kept = append(kept, v)
		} else {
			removed = append(removed, v)
		}
	}
	return kept, removed, nil
}

type trimmer struct {
	g       *Graph
	inside  []bool
	fixed   []bool
	share   []float64 // weight into what is left of the cluster, less the weight needed; irrelevant below 0
	leaving []graph.ID
}

func newTrimmer(g *Graph, cluster []graph.ID, o TrimOptions) *trimmer {
	t := &trimmer{
		g: g, inside: make([]bool, g.Len()), fixed: make([]bool, g.Len()),
		share: make([]float64, g.Len()),
	}
	for _, v := range cluster {
		t.inside[v] = true
	}
	for _, v := range o.Keep {
		t.fixed[v] = true
	}
	for _, v := range cluster {
		rows, weights := g.Neighbours(v)
		all := 0.0
		for i, u := range rows {
			w := float64(weights[i])
			if all += w; t.inside[u] {
				t.share[v] += w
			}
		}
		t.share[v] -= o.MinShare * all
	}
	for _, v := range cluster {
		t.check(v, 0)
	}
	return t
}

// check lets v leave if the loss of weight makes it irrelevant.
func (t *trimmer) check(v graph.ID, loss float64) {
	before := t.share[v]
	t.share[v] -= loss
	if !t.fixed[v] && t.share[v] < 0 && (before >= 0 || loss == 0) {
		t.leaving = append(t.leaving, v)
	}
}

func (t *trimmer) remove(v graph.ID) {
	t.inside[v] = false
	rows, weights := t.g.Neighbours(v)
	for i, u := range rows {
		if t.inside[u] {
			t.check(u, float64(weights[i]))
		}
	}
}
