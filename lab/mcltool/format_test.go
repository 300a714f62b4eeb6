package mcltool

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"watershed/graph"
	"watershed/mcl"
)

// The graph that the reference program loads from the same text.
func TestReadABCAgreesWithReference(t *testing.T) {
	got, labels := readGraph(t, "hat.abc")
	want, domain := readMatrix(t, readFile(t, "hat.matrix.golden"))
	if diff := cmp.Diff([]string{"cat", "hat", "bat", "bit", "fit", "hit"}, labels); diff != "" {
		t.Error(diff)
	}
	if len(domain) != 6 || !sameGraph(got, want) {
		t.Errorf("graphs differ: %v, domain %v; want %v", got, domain, want)
	}
}

func TestReadABC(t *testing.T) {
	cases := []struct {
		name, text string
		labels     []string
		edges      int
		wrong      string // the error, if there is one
	}{
		{name: "empty"},
		{name: "comment and blanks", text: "# x y\n\n   \n a\tb\n", labels: []string{"a", "b"}, edges: 1},
		{name: "no end of line", text: "a b 2", labels: []string{"a", "b"}, edges: 1},
		{name: "carriage returns", text: "a b\r\nb c 2\r\n", labels: []string{"a", "b", "c"}, edges: 2},
		{
			name: "labels with blanks", text: "the cat\tthe hat\t1e-3\n",
			labels: []string{"the cat", "the hat"},
			edges:  1,
		},
		{name: "loop", text: "a a 3\n", labels: []string{"a"}},
		{name: "one label", text: "a b\nc\n", wrong: "line 2: an edge needs two labels"},
		{name: "empty label", text: "\tb\n", wrong: "line 1: an edge needs two labels"},
		{name: "no number", text: "a b\n# \na b x\n", wrong: `line 3: weight "x" is not a number`},
		{
			name: "too large", text: "a b 1e99\n",
			wrong: "line 1: weight 1e99 is not between 0 and 3.4028234663852886e+38",
		},
		{
			name: "not a number", text: "a b nan\n",
			wrong: "line 1: weight nan is not between 0 and 3.4028234663852886e+38",
		},
		{
			name: "negative", text: "a b -1\n",
			wrong: "line 1: weight -1 is not between 0 and 3.4028234663852886e+38",
		},
		{name: "four fields", text: "a b 1 c\n", wrong: `line 1: unexpected "c" after the weight`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			g, labels, err := ReadABC(strings.NewReader(c.text))
			if c.wrong != "" {
				var syntax *syntaxError
				if !errors.As(err, &syntax) || err.Error() != c.wrong {
					t.Errorf("error %v, want %s", err, c.wrong)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.labels, labels); diff != "" || edges(g) != c.edges ||
				g.Len() != len(labels) {
				t.Errorf("%d edges, labels %q", edges(g), labels)
			}
		})
	}
}

// Clusters that are written are read again as they were.
func TestRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "n")
		edges := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) graph.Edge {
			return graph.Edge{
				From:   graph.ID(rapid.IntRange(0, n-1).Draw(t, "from")),
				To:     graph.ID(rapid.IntRange(0, n-1).Draw(t, "to")),
				Weight: rapid.SampledFrom([]float64{0, 1e-6, 0.3, 1, 2, 1e6}).Draw(t, "weight"),
			}
		}), 0, 200).Draw(t, "edges")
		g, err := mcl.NewGraph(n, edges, mcl.JoinMax)
		if err != nil {
			t.Fatal(err)
		}
		labels := make([]string, n)
		for v := range labels {
			labels[v] = fmt.Sprintf("https://example.org/%d a", v)
		}
		r := cluster2(t, g)
		text := new(bytes.Buffer)
		if err := WriteClusters(text, r, labels); err != nil {
			t.Fatal(err)
		}
		back, err := ReadClusters(text, labels)
		if diff := cmp.Diff(r.Clusters, back.Clusters); err != nil || diff != "" {
			t.Fatalf("clusters came back differently (%v): %s", err, diff)
		}
	})
}

func sameGraph(a, b *mcl.Graph) bool {
	for v := range max(a.Len(), b.Len()) {
		if a.Len() != b.Len() {
			return false
		}
		rows, weights := a.Neighbours(graph.ID(v))
		others, values := b.Neighbours(graph.ID(v))
		if !slices.Equal(rows, others) || !slices.Equal(weights, values) {
			return false
		}
	}
	return true
}

func cluster(t testing.TB, g *mcl.Graph, o mcl.Options) mcl.Result {
	t.Helper()
	r, err := g.Cluster(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func cluster2(t *rapid.T, g *mcl.Graph) mcl.Result {
	r, err := g.Cluster(t.Context(), mcl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestReadClustersErrors(t *testing.T) {
	labels := []string{"a", "b"}
	if _, err := ReadClusters(strings.NewReader("a\nc\n"), labels); err == nil ||
		err.Error() != `line 2: unknown label "c"` {
		t.Errorf("error %v", err)
	}
	if _, err := ReadClusters(strings.NewReader("a\n"), labels); !errors.Is(err, mcl.ErrGraph) {
		t.Errorf("error %v", err)
	}
}

// broken is a writer that fails.
type broken struct{}

var errBroken = errors.New("disk full")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestWriteErrors(t *testing.T) {
	g, labels := readGraph(t, "web.abc")
	r := cluster(t, g, mcl.Options{})
	if err := WriteClusters(broken{}, r, labels); !errors.Is(err, errBroken) {
		t.Error(err)
	}
}

func FuzzReadABC(f *testing.F) {
	for _, text := range []string{
		"", "a b", "a\tb\t0.5\n# c\nb\tc\n", "a b 1 2", "\t\t\t", "a a 1e400",
		"x\x00 y\r",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		g, labels, err := ReadABC(bytes.NewReader(text))
		var syntax *syntaxError
		if err != nil {
			if !errors.As(err, &syntax) {
				t.Fatalf("error without a line: %v", err)
			}
			return
		}
		checkGraph(t, g, len(labels))
	})
}

// checkGraph checks the invariants of a graph.
func checkGraph(t *testing.T, g *mcl.Graph, n int) {
	if g.Len() != n {
		t.Fatalf("%d vertices, want %d", g.Len(), n)
	}
	for v := range n {
		rows, weights := g.Neighbours(graph.ID(v))
		for i, u := range rows {
			if i > 0 && u <= rows[i-1] || int(u) == v || !(weights[i] >= 0) {
				t.Fatalf("column %d: rows %v, weights %v", v, rows, weights)
			}
			back, same := g.Neighbours(u)
			k, found := slices.BinarySearch(back, graph.ID(v))
			if !found || same[k] != weights[i] {
				t.Fatalf("the graph is not symmetric at %d and %d", u, v)
			}
		}
	}
}
