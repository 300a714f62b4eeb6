package mcl

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"watershed/graph"
	"watershed/lab/kit/planted"
)

// anyEdges draws a multigraph, with loops, repetitions and weights of many sizes, and isolated
// vertices.
func anyEdges(t *rapid.T) (int, []graph.Edge) {
	n := rapid.IntRange(1, 60).Draw(t, "n")
	vertex := rapid.Custom(func(t *rapid.T) graph.ID {
		return graph.ID(rapid.IntRange(0, n-1).Draw(t, "vertex"))
	})
	edge := rapid.Custom(func(t *rapid.T) graph.Edge {
		return graph.Edge{
			From: vertex.Draw(t, "from"), To: vertex.Draw(t, "to"),
			Weight: rapid.SampledFrom([]float64{0, 1e-6, 0.3, 1, 1, 2, 1e6}).Draw(t, "weight"),
		}
	})
	return n, rapid.SliceOfN(edge, 0, 200).Draw(t, "edges")
}

func anyOptions(t *rapid.T) Options {
	return Options{
		Inflation: rapid.SampledFrom([]float64{0, 1.2, 1.4, 2, 3.3, 8}).Draw(t, "inflation"),
		Join:      Join(rapid.IntRange(0, 2).Draw(t, "join")),
		Loops:     Loops(rapid.IntRange(0, 1).Draw(t, "loops")),
		Overlap:   Overlap(rapid.IntRange(0, 2).Draw(t, "overlap")),
		Pruning: rapid.SampledFrom([]Pruning{{}, {Cutoff: -1, Select: -1, Recover: -1}, {
			Cutoff: 0.01,
			Select: 5, Recover: 8,
		}, {Cutoff: 0.05, Select: 3, Recover: -1}}).Draw(t, "pruning"),
		Floor:    rapid.SampledFrom([]float64{0, -1, 1e-4}).Draw(t, "floor"),
		Schedule: rapid.SampledFrom([][]Step{nil, {{Inflation: 1.5, Power: 3}, {}}}).Draw(t, "schedule"),
	}
}

// Certificates on any graph: columns sum to 1 within their rounding, every vertex is in a cluster,
// no cluster joins two components of the graph, and clusters are in order.
func TestAnyGraphCertifies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, edges := anyEdges(t)
		opts := anyOptions(t)
		r, err := Cluster(context.Background(), n, edges, opts)
		if err != nil {
			t.Fatal(err)
		}
		rounding := math.Exp2(-float64(32 - exponentBits - layoutFor(n).rowBits))
		for i, turn := range r.Stats.Iterations {
			if turn.SumError > rounding+1e-5 {
				t.Fatalf("iteration %d: a column sums to 1 ± %g", i, turn.SumError)
			}
		}
		certify(t, n, edges, r, opts.Overlap)
	})
}

func certify(t *rapid.T, n int, edges []graph.Edge, r Result, overlap Overlap) {
	if overlap != OverlapKeep {
		if err := partition(r, n); err != nil {
			t.Fatal(err)
		}
	}
	for v := range n {
		if !slices.Contains(r.Clusters[r.Labels[v]], graph.ID(v)) {
			t.Fatalf("vertex %d is not in the cluster of its label", v)
		}
	}
	component := componentsOf(n, edges)
	for i, c := range r.Clusters {
		if i > 0 && len(c) > len(r.Clusters[i-1]) {
			t.Fatalf("cluster %d is larger than the one before", i)
		}
		if !slices.IsSorted(c) {
			t.Fatalf("cluster %d does not ascend", i)
		}
		for _, v := range c {
			if component[v] != component[c[0]] {
				t.Fatalf("cluster %v joins two components", c)
			}
		}
	}
}

// componentsOf labels the connected components, by union-find: an oracle of its own.
func componentsOf(n int, edges []graph.Edge) []int {
	parent := make([]int, n)
	for v := range parent {
		parent[v] = v
	}
	find := func(v int) int {
		for parent[v] != v {
			v = parent[v]
		}
		return v
	}
	for _, e := range edges {
		parent[find(int(e.From))] = find(int(e.To))
	}
	for v := range parent {
		parent[v] = find(v)
	}
	return parent
}

func TestThreadsDoNotMatter(t *testing.T) {
	g, err := NewGraph(600, planted.Links(600, 3000, 3), JoinSum)
	if err != nil {
		t.Fatal(err)
	}
	want := cluster(t, g, Options{Inflation: 1.8, Threads: 1})
	for _, threads := range []int{2, 3, 7} {
		got := cluster(t, g, Options{Inflation: 1.8, Threads: threads})
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d threads: clusters or stats differ from those of one", threads)
		}
	}
}

func TestOrderOfEdgesDoesNotMatter(t *testing.T) {
	edges := planted.Links(400, 3000, 4)
	want, err := Cluster(context.Background(), 400, edges, Options{})
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(edges)
	for i := range edges {
		edges[i].From, edges[i].To = edges[i].To, edges[i].From
	}
	got, err := Cluster(context.Background(), 400, edges, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Error("reversed edges give other clusters")
	}
}

func TestSmallGraphs(t *testing.T) {
	path := func(n int) []graph.Edge {
		var edges []graph.Edge
		for v := 1; v < n; v++ {
			edges = append(edges, graph.Edge{From: graph.ID(v - 1), To: graph.ID(v), Weight: 1})
		}
		return edges
	}
	star := []graph.Edge{
		{From: 0, To: 1, Weight: 1},
		{From: 0, To: 2, Weight: 1},
		{From: 0, To: 3, Weight: 1},
	}
	cases := []struct {
		name, source string
		n            int
		edges        []graph.Edge
		overlap      Overlap
		want         [][]graph.ID
	}{
		{name: "no vertex", source: "definition", n: 0, want: [][]graph.ID{}},
		{name: "no edge", source: "definition", n: 2, want: [][]graph.ID{{0}, {1}}},
		{name: "star", source: "mcl star.abc --abc", n: 4, edges: star, want: [][]graph.ID{{0, 1, 2, 3}}},
		{
			name: "path of 3", source: "mcl path3.abc --abc", n: 3, edges: path(3),
			want: [][]graph.ID{{0, 1, 2}},
		},
		{
			name:   "path of 7 kept",
			source: "manual of mcl, -overlap: a line graph on an odd number of nodes overlaps", n: 7,
			edges: path(7), overlap: OverlapKeep, want: [][]graph.ID{{0, 1, 2, 3}, {3, 4, 5, 6}},
		},
		{
			name: "path of 7 split", source: "same, the overlap alone", n: 7, edges: path(7),
			overlap: OverlapSplit, want: [][]graph.ID{{0, 1, 2}, {4, 5, 6}, {3}},
		},
		{
			name: "path of 7 assigned", source: "same, to one of them", n: 7, edges: path(7),
			overlap: OverlapAssign, want: [][]graph.ID{{0, 1, 2, 3}, {4, 5, 6}},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r, err := Cluster(context.Background(), c.n, c.edges, Options{Overlap: c.overlap})
			if err != nil {
				t.Fatal(err)
			}
			if !r.Stats.Converged || !reflect.DeepEqual(r.Clusters, c.want) {
				t.Errorf("clusters %v, converged %v, want %v (%s)", r.Clusters, r.Stats.Converged,
					c.want, c.source)
			}
		})
	}
}

func TestNonConvergenceIsReported(t *testing.T) {
	g, err := NewGraph(300, planted.Links(300, 1500, 1), JoinSum)
	if err != nil {
		t.Fatal(err)
	}
	r := cluster(t, g, Options{MaxIterations: 2})
	if r.Stats.Converged || len(r.Stats.Iterations) != 2 {
		t.Errorf("converged %v after %d iterations", r.Stats.Converged, len(r.Stats.Iterations))
	}
	if err := partition(r, 300); err != nil {
		t.Error(err)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Cluster(ctx, 3, []graph.Edge{{From: 0, To: 1, Weight: 1}}, Options{}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestBadInput(t *testing.T) {
	edge := graph.Edge{From: 0, To: 1, Weight: 1}
	cases := []struct {
		name string
		n    int
		edge graph.Edge
		opts Options
		want error
	}{
		{"end outside", 1, edge, Options{}, errEdge},
		{"no vertex as an end", 2, graph.Edge{From: 0, To: graph.None, Weight: 1}, Options{}, errEdge},
		{"negative weight", 2, graph.Edge{From: 0, To: 1, Weight: -1}, Options{}, errEdge},
		{"weight is no number", 2, graph.Edge{From: 0, To: 1, Weight: math.NaN()}, Options{}, errEdge},
		{"infinite weight", 2, graph.Edge{From: 0, To: 1, Weight: math.Inf(1)}, Options{}, errEdge},
		{"too many vertices", MaxVertices + 1, edge, Options{}, errTooLarge},
		{"negative number of vertices", -1, edge, Options{}, errTooLarge},
		{"inflation 1", 2, edge, Options{Inflation: 1}, ErrOption},
		{"inflation is no number", 2, edge, Options{Inflation: math.NaN()}, ErrOption},
		{"power 1", 2, edge, Options{Schedule: []Step{{Power: 1}}}, ErrOption},
		{"cutoff is no number", 2, edge, Options{Pruning: Pruning{Cutoff: math.NaN()}}, ErrOption},
		{"percentage", 2, edge, Options{Pruning: Pruning{Percent: 101}}, ErrOption},
		{"join", 2, edge, Options{Join: 3}, ErrOption},
		{"overlap", 2, edge, Options{Overlap: -1}, ErrOption},
		{"threads", 2, edge, Options{Threads: -1}, ErrOption},
		{"iterations", 2, edge, Options{MaxIterations: -1}, ErrOption},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Cluster(context.Background(), c.n, []graph.Edge{c.edge},
				c.opts); !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
		})
	}
}

// The process in dense float64 without pruning, straight from the definition (Senellart 2003, fig.
// 7), is the oracle for the columns after two iterations.
func TestDenseOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, edges := anyEdges(t)
		r := rapid.SampledFrom([]float64{1.3, 2, 3}).Draw(t, "inflation")
		g, err := NewGraph(n, edges, JoinMax)
		if err != nil {
			t.Fatal(err)
		}
		first := newMatrix(g, LoopMax)
		want := densePower(dense(first), r)
		opts := Options{
			Inflation: r, MaxIterations: 1, Floor: -1,
			Pruning: Pruning{Cutoff: -1, Select: -1, Recover: -1},
		}.withDefaults(n)
		got, _, err := run(context.Background(), first, opts)
		if err != nil {
			t.Fatal(err)
		}
		for j, column := range dense(got) {
			for i, v := range column {
				if math.Abs(v-want[j][i]) > 1e-4 {
					t.Fatalf("entry (%d, %d) is %g, want %g", i, j, v, want[j][i])
				}
			}
		}
	})
}

func dense(m *matrix) [][]float64 {
	out := make([][]float64, len(m.columns))
	for j, column := range m.columns {
		out[j] = make([]float64, len(m.columns))
		for _, e := range column {
			out[j][m.row(e)] += float64(m.value(e))
		}
	}
	return out
}

// densePower squares a matrix of columns and inflates it.
func densePower(m [][]float64, r float64) [][]float64 {
	out := make([][]float64, len(m))
	for j := range m {
		out[j] = make([]float64, len(m))
		for k, x := range m[j] {
			for i, y := range m[k] {
				out[j][i] += x * y
			}
		}
		sum := 0.0
		for i, v := range out[j] {
			out[j][i] = math.Pow(v, r)
			sum += out[j][i]
		}
		for i := range out[j] {
			out[j][i] /= sum
		}
	}
	return out
}

func cluster(t testing.TB, g *Graph, opts Options) Result {
	t.Helper()
	r, err := g.Cluster(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
