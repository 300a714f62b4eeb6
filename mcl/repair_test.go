package mcl

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"watershed/graph"
	"watershed/lab/kit/planted"
)

// Inflation 1.2 leaves one huge cluster, which 1.6 and then 2.0 must take apart (Senellart 2003,
// §4.2).
func TestRefine(t *testing.T) {
	g, err := NewGraph(700, planted.Links(700, 4000, 5), JoinEither)
	if err != nil {
		t.Fatal(err)
	}
	opts := Options{Inflation: 1.2, Floor: 1e-6} // coarse on purpose, and quick
	coarse := cluster(t, g, opts)
	limits := RefineOptions{MaxPages: 120}
	fine, err := Refine(context.Background(), g, coarse, opts, limits)
	if err != nil {
		t.Fatal(err)
	}
	if err := fine.Partition(g.Len()); err != nil {
		t.Error(err)
	}
	for _, c := range fine.Clusters {
		for _, v := range c {
			if coarse.Labels[v] != coarse.Labels[c[0]] {
				t.Fatalf("a cluster of the result has vertices of two: %v", c)
			}
		}
	}
	t.Logf("largest cluster %d, then %d; %d clusters, then %d", len(coarse.Clusters[0]),
		len(fine.Clusters[0]), len(coarse.Clusters), len(fine.Clusters))
	if len(coarse.Clusters[0]) <= 120 || len(fine.Clusters[0]) >= len(coarse.Clusters[0])/2 {
		t.Errorf("largest cluster was %d and is %d", len(coarse.Clusters[0]), len(fine.Clusters[0]))
	}
	same, err := Refine(context.Background(), g, coarse, Options{}, limits)
	if err != nil || len(same.Clusters) != len(coarse.Clusters) {
		t.Errorf("from inflation 2 nothing is left to do, but %d clusters became %d (%v)",
			len(coarse.Clusters), len(same.Clusters), err)
	}
}

func TestUpdateOfAnyGraphIsAPartition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, edges := anyEdges(t)
		opts := anyOptions(t)
		known := rapid.IntRange(0, n).Draw(t, "known")
		g, err := NewGraph(n, edges, opts.Join)
		if err != nil {
			t.Fatal(err)
		}
		all := make([]graph.ID, n)
		for v := range all {
			all[v] = graph.ID(v)
		}
		before := cluster2(t, g.Subgraph(all[:known]))
		after, err := Update(t.Context(), g, before, nil, opts)
		if err != nil {
			t.Fatal(err)
		}
		if err := after.Partition(n); err != nil && opts.Overlap != OverlapKeep {
			t.Fatal(err)
		}
	})
}

func TestUpdateErrors(t *testing.T) {
	g, err := NewGraph(3, nil, JoinSum)
	if err != nil {
		t.Fatal(err)
	}
	r := cluster(t, g, Options{})
	if _, err := Update(context.Background(), g, r, []graph.ID{3}, Options{}); !errors.Is(err, ErrGraph) {
		t.Errorf("changed vertex outside: error %v", err)
	}
	small, _ := NewGraph(2, nil, JoinSum)
	if _, err := Update(context.Background(), small, r, nil, Options{}); !errors.Is(err, ErrGraph) {
		t.Errorf("graph that shrank: error %v", err)
	}
}

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

func TestTrim(t *testing.T) {
	// Vertices 0–4 are a clique; 5 hangs on it by one edge of three; 6 hangs on 5.
	n, edges := cliques(1, 5)
	for _, e := range [][2]graph.ID{{0, 5}, {5, 7}, {5, 8}, {5, 6}, {6, 7}} {
		edges = append(edges, graph.Edge{From: e[0], To: e[1], Weight: 1})
	}
	n += 4
	g, err := NewGraph(n, edges, JoinSum)
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name          string
		opts          TrimOptions
		kept, removed []graph.ID
	}{
		{"majority", TrimOptions{}, []graph.ID{0, 1, 2, 3, 4, 5, 6}, nil},
		{
			"two thirds, and who follows",
			TrimOptions{MinShare: 2. / 3},
			[]graph.ID{0, 1, 2, 3, 4},
			[]graph.ID{5, 6},
		},
		{
			"kept",
			TrimOptions{MinShare: 2. / 3, Keep: []graph.ID{6}},
			[]graph.ID{0, 1, 2, 3, 4, 6},
			[]graph.ID{5},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			kept, removed, err := Trim(g, []graph.ID{6, 5, 4, 3, 2, 1, 0}, c.opts)
			if err != nil || !slices.Equal(kept, c.kept) || !slices.Equal(removed, c.removed) {
				t.Errorf("kept %v, removed %v (%v), want %v and %v", kept, removed, err, c.kept, c.removed)
			}
		})
	}
}

// Each vertex that is left of a cluster has its share of links within it; no removed vertex, taken
// back alone, would have it.
func TestTrimOfAnyGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, edges := anyEdges(t)
		for i := range edges {
			edges[i].Weight = 1 // sums are then exact
		}
		g, err := NewGraph(n, edges, JoinSum)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cluster2(t, g).Clusters {
			kept, removed, err := Trim(g, c, TrimOptions{})
			if err != nil || len(kept)+len(removed) != len(c) {
				t.Fatalf("%d kept, %d removed of %d (%v)", len(kept), len(removed), len(c), err)
			}
			for _, v := range kept {
				if into(g, v, kept) < 0.5*into(g, v, everything(g)) {
					t.Fatalf("vertex %d was kept", v)
				}
			}
			for _, v := range removed {
				if into(g, v, kept) >= 0.5*into(g, v, everything(g)) {
					t.Fatalf("vertex %d was removed", v)
				}
			}
		}
	})
}

// everything are all vertices of a graph.
func everything(g *Graph) []graph.ID {
	all := make([]graph.ID, g.Len())
	for v := range all {
		all[v] = graph.ID(v)
	}
	return all
}

func into(g *Graph, v graph.ID, cluster []graph.ID) float64 {
	sum := 0.0
	rows, weights := g.Neighbours(v)
	for i, u := range rows {
		if slices.Contains(cluster, u) {
			sum += float64(weights[i])
		}
	}
	return sum
}

func TestOptionsOfRepairs(t *testing.T) {
	bad := []error{
		RefineOptions{MaxPages: -1}.Validate(), RefineOptions{MaxShare: 2}.Validate(),
		RefineOptions{Step: -1}.Validate(),
		RefineOptions{MaxInflation: 1}.Validate(), TrimOptions{MinShare: 2}.Validate(),
	}
	for i, err := range bad {
		if !errors.Is(err, ErrOption) {
			t.Errorf("options %d: error %v", i, err)
		}
	}
}
