package mcltool

import (
	"errors"
	"fmt"
	"testing"

	"watershed/graph"
	"watershed/mcl"
)

// cliques makes k cliques of size pages each, in a row, joined by one edge to the next.
func cliques(k, size int) (int, []graph.Edge) {
	var edges []graph.Edge
	for c := range k {
		for i := range size {
			for j := range i {
				edges = append(edges, graph.Edge{
					From: graph.ID(c*size + i),
					To:   graph.ID(c*size + j), Weight: 1,
				})
			}
		}
		if c > 0 {
			edges = append(edges, graph.Edge{From: graph.ID(c * size), To: graph.ID(c*size - 1), Weight: 1})
		}
	}
	return k * size, edges
}

func TestMerge(t *testing.T) {
	// An index page with ten reports that do not link to each other, cut into pieces, and a clique
	// beside it.
	n, edges := cliques(1, 5)
	index := graph.ID(n)
	for i := range 10 {
		edges = append(edges, graph.Edge{From: index, To: index + 1 + graph.ID(i), Weight: 1})
	}
	n += 11
	edges = append(edges, graph.Edge{From: 0, To: index, Weight: 1})
	g, err := mcl.NewGraph(n, edges, mcl.JoinSum)
	if err != nil {
		t.Fatal(err)
	}
	pieces := mcl.NewResult(n, [][]graph.ID{{0, 1, 2, 3, 4}, {5, 6, 7, 8, 9}, {10}, {11}, {12, 13, 14}, {15}})
	cases := []struct {
		name string
		opts mergeOptions
		want string
	}{
		{"defaults", mergeOptions{}, "[[5 6 7 8 9 10 11 12 13 14 15] [0 1 2 3 4]]"},
		{"strict", mergeOptions{MinShare: 1}, "[[0 1 2 3 4] [5 6 7 8 9] [12 13 14] [10] [11] [15]]"},
		{
			"anchor",
			mergeOptions{MinShare: 1, Anchor: []graph.ID{10, 15, 0, 12, 13}},
			"[[0 1 2 3 4] [5 6 7 8 9] [10 12 13 14 15] [11]]",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r, err := merge(g, pieces, c.opts)
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(r.Clusters); got != c.want {
				t.Errorf("clusters %s, want %s", got, c.want)
			}
		})
	}
}

func TestMergeLeavesCliquesAlone(t *testing.T) {
	n, edges := cliques(4, 6)
	g, err := mcl.NewGraph(n, edges, mcl.JoinSum)
	if err != nil {
		t.Fatal(err)
	}
	r, err := merge(g, cluster(t, g, mcl.Options{}), mergeOptions{})
	if err != nil || len(r.Clusters) != 4 {
		t.Errorf("%d clusters (%v), want 4", len(r.Clusters), err)
	}
}

func TestOptionsOfMerge(t *testing.T) {
	for _, o := range []mergeOptions{{MinShare: 2}, {MinTie: -1}} {
		if err := o.Validate(); !errors.Is(err, mcl.ErrOption) {
			t.Errorf("%+v: error %v", o, err)
		}
	}
}
