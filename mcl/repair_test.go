package mcl

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"watershed/graph"
)

// Inflation 1.2 leaves one huge cluster, which 1.6 and then 2.0 must take apart (Senellart 2003,
// §4.2).
func TestRefine(t *testing.T) {
	g, err := NewGraph(700, web(700, 4000, 5), JoinEither)
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
	if err := fine.partition(g.Len()); err != nil {
		t.Error(err)
	}
	if d, err := Compare(fine, coarse); err != nil || d.Forward != 0 {
		t.Errorf("the result does not refine: %+v, %v", d, err)
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

// On-line MCL against a full run: a graph loses pages anywhere, is clustered, and gets them back in
// ten steps.
func TestUpdateError(t *testing.T) {
	const pages, late = 1500, 50
	edges := web(pages, 10000, 6)
	shuffle := rand.New(rand.NewPCG(6, 1)).Perm(pages) // the late pages are anywhere
	for i := range edges {
		edges[i].From, edges[i].To = graph.ID(shuffle[edges[i].From]), graph.ID(shuffle[edges[i].To])
	}
	full, err := NewGraph(pages, edges, JoinSum)
	if err != nil {
		t.Fatal(err)
	}
	for _, inflation := range []float64{1.4, 2} {
		opts := Options{Inflation: inflation, Floor: 1e-6} // quick
		want := cluster(t, full, opts)
		got, region := grow(t, full, late, opts)
		d, err := Compare(got, want)
		if err != nil {
			t.Fatal(err)
		}
		away := float64(d.Sum()) / (2 * pages)
		q, _ := Measure(full, got)
		p, _ := Measure(full, want)
		t.Logf("inflation %v: %d pages in 10 steps: d/2n = %.4f, region %.2f of the graph a step, mass "+
			"fraction %.4f (full run %.4f)",
			inflation, late, away, region, q.MassFraction, p.MassFraction)
		if away > 0.03 || q.MassFraction < 0.99*p.MassFraction {
			t.Errorf("inflation %v: d/2n = %.4f, mass fraction %.4f against %.4f", inflation, away,
				q.MassFraction, p.MassFraction)
		}
	}
}

// grow clusters full without its last late vertices and then updates in ten steps; region is the
// mean share computed.
func grow(t *testing.T, full *Graph, late int, opts Options) (r Result, region float64) {
	n := full.Len()
	all := make([]graph.ID, n)
	for v := range all {
		all[v] = graph.ID(v)
	}
	r = cluster(t, full.Subgraph(all[:n-late]), opts)
	for step := range 10 {
		size := n - late + late*(step+1)/10
		g := full.Subgraph(all[:size])
		var err error
		if r, err = Update(context.Background(), g, r, nil, opts); err != nil {
			t.Fatal(err)
		}
		if err := r.partition(size); err != nil {
			t.Fatal(err)
		}
		region += float64(r.Stats.Region) / float64(size) / 10
	}
	return r, region
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
		if err := after.partition(n); err != nil && opts.Overlap != OverlapKeep {
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
	g, err := NewGraph(n, edges, JoinSum)
	if err != nil {
		t.Fatal(err)
	}
	pieces := orderedResult(n, [][]graph.ID{{0, 1, 2, 3, 4}, {5, 6, 7, 8, 9}, {10}, {11}, {12, 13, 14}, {15}})
	cases := []struct {
		name string
		opts MergeOptions
		want string
	}{
		{"defaults", MergeOptions{}, "[[5 6 7 8 9 10 11 12 13 14 15] [0 1 2 3 4]]"},
		{"strict", MergeOptions{MinShare: 1}, "[[0 1 2 3 4] [5 6 7 8 9] [12 13 14] [10] [11] [15]]"},
		{
			"anchor",
			MergeOptions{MinShare: 1, Anchor: []graph.ID{10, 15, 0, 12, 13}},
			"[[0 1 2 3 4] [5 6 7 8 9] [10 12 13 14 15] [11]]",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r, err := Merge(g, pieces, c.opts)
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
	g, err := NewGraph(n, edges, JoinSum)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Merge(g, cluster(t, g, Options{}), MergeOptions{})
	if err != nil || len(r.Clusters) != 4 {
		t.Errorf("%d clusters (%v), want 4", len(r.Clusters), err)
	}
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
				if into(g, v, kept) < 0.5*g.Weight(v) {
					t.Fatalf("vertex %d was kept", v)
				}
			}
			for _, v := range removed {
				if into(g, v, kept) >= 0.5*g.Weight(v) {
					t.Fatalf("vertex %d was removed", v)
				}
			}
		}
	})
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
		RefineOptions{MaxInflation: 1}.Validate(), MergeOptions{MinShare: 2}.Validate(),
		MergeOptions{MinTie: -1}.Validate(),
		TrimOptions{MinShare: 2}.Validate(),
	}
	for i, err := range bad {
		if !errors.Is(err, ErrOption) {
			t.Errorf("options %d: error %v", i, err)
		}
	}
}
