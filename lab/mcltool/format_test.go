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
	want, domain, err := readMatrix(bytes.NewReader(readFile(t, "hat.matrix.golden")))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"cat", "hat", "bat", "bit", "fit", "hit"}, labels); diff != "" {
		t.Error(diff)
	}
	if !slices.Equal(domain, upTo(6)) || !sameGraph(got, want) {
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

func TestReadMatrix(t *testing.T) {
	const head = "(mclheader\nmcltype matrix\ndimensions 2x2\n)\n"
	cases := []struct {
		name, text string
		wrong      string
	}{
		{"no header", "(mclmatrix\n", "line 1: the matrix comes before its header"},
		{"no header at all", "hello", "mcl: graphs do not fit: the matrix ends early"},
		{"no section", head + "hello", `line 5: expected a section, found "hello"`},
		{
			"dimensions", "(mclheader dimensions 2by2 )",
			`line 1: expected dimensions such as 3x3, found "2by2"`,
		},
		{"huge", "(mclheader dimensions 9999999x1 )", "line 1: dimensions 9999999x1 are above 4194304"},
		{"row outside", head + "(mclmatrix\nbegin\n0 2 $\n)\n", "line 7: row 2 is not in the domain"},
		{"column outside", head + "(mclmatrix\nbegin\n7 1 $\n)\n", "line 7: column 7 is not in the domain"},
		{"value", head + "(mclmatrix\nbegin\n0 1:x $\n)\n", `line 7: row 1: weight "x" is not a number`},
		{"domain too long", head + "(mcldoms 1 2 3 $ )", "line 5: domain is longer than its dimension"},
		{"domain descends", head + "(mcldoms 2 1 $ )", "line 5: domain does not ascend at 1"},
		{"after the end", head + "(mclmatrix begin )\nx", `line 6: unexpected "x" after the matrix`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if _, _, err := readMatrix(strings.NewReader(c.text)); err == nil || err.Error() != c.wrong {
				t.Errorf("error %v, want %s", err, c.wrong)
			}
		})
	}
	if _, _, err := readMatrix(strings.NewReader(head)); !errors.Is(err, mcl.ErrGraph) {
		t.Errorf("a matrix that ends early: error %v", err)
	}
}

// The example of mcxio(5), "Specifying matrices": 12 vertices with numbers of their own, in 3
// clusters.
func TestReadClusterMatrixOfManual(t *testing.T) {
	text := `(mclheader
mcltype matrix
dimensions 12x3
)
(mclrows
 11 22 33 44 55 66 77 88 99 123 456 2147483647 $
)
(mclcols
  0  1  2 $
)
(mclmatrix
begin
0    44 88 99 456 2147483647 $
1    11 66 77 123 $
2    22 33 55 $
)
`
	got, domain, err := ReadClusterMatrix(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if domain[11] != 2147483647 || fmt.Sprint(got.Clusters) != "[[3 7 8 10 11] [0 5 6 9] [1 2 4]]" {
		t.Errorf("clusters %v of domain %v", got.Clusters, domain)
	}
}

// A graph that is written is read again as it was.
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
		text := new(bytes.Buffer)
		if err := WriteMatrix(text, g); err != nil {
			t.Fatal(err)
		}
		again, _, err := readMatrix(text)
		if err != nil || !sameGraph(g, again) {
			t.Fatalf("matrix %v came back as %v (%v)", g, again, err)
		}

		labels := make([]string, n)
		for v := range labels {
			labels[v] = fmt.Sprintf("https://example.org/%d a", v)
		}
		r := cluster2(t, g)
		text.Reset()
		if err := WriteClusters(text, r, labels); err != nil {
			t.Fatal(err)
		}
		back, err := ReadClusters(text, labels)
		if diff := cmp.Diff(r.Clusters, back.Clusters); err != nil || diff != "" {
			t.Fatalf("clusters came back differently (%v): %s", err, diff)
		}
		text.Reset()
		if err := writeClusterMatrix(text, r); err != nil {
			t.Fatal(err)
		}
		back, _, err = ReadClusterMatrix(text)
		if diff := cmp.Diff(r.Clusters, back.Clusters); err != nil || diff != "" {
			t.Fatalf("cluster matrix came back differently (%v): %s", err, diff)
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
	for name, err := range map[string]error{
		"WriteClusters":      WriteClusters(broken{}, r, labels),
		"WriteClusterMatrix": writeClusterMatrix(broken{}, r),
		"WriteMatrix":        WriteMatrix(broken{}, g),
	} {
		if !errors.Is(err, errBroken) {
			t.Errorf("%s: error %v", name, err)
		}
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

func FuzzReadMatrix(f *testing.F) {
	f.Add([]byte("(mclheader\nmcltype matrix\ndimensions 2x2\n)\n(mcldoms\n5 9 $\n)\n(mclmatrix\nbegin\n5 " +
		"9:2.5 $\n9 $ # x\n)\n"))
	f.Add([]byte("(mclheader dimensions 1x1 ) (mclmatrix begin 0 0 $ )"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if g, domain, err := readMatrix(bytes.NewReader(text)); err == nil {
			checkGraph(t, g, len(domain))
		}
		if r, domain, err := ReadClusterMatrix(bytes.NewReader(text)); err == nil &&
			len(r.Labels) != len(domain) {
			t.Fatalf("%d labels for %d vertices", len(r.Labels), len(domain))
		}
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
