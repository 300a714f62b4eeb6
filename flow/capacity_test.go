package flow_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"watershed/flow"
	"watershed/graph"
)

// editTable is the whole table of Wagner and Fischer, as in the textbook.
func editTable(a, b []uint32) int {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
		for j := range table[i] {
			switch {
			case i == 0 || j == 0:
				table[i][j] = i + j
			case a[i-1] == b[j-1]:
				table[i][j] = table[i-1][j-1]
			default:
				table[i][j] = 1 + min(table[i-1][j-1], table[i-1][j], table[i][j-1])
			}
		}
	}
	return table[len(a)][len(b)]
}

func TestDistance(t *testing.T) {
	var e flow.Editor
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Uint32Range(0, 4), 0, 14)
		a, b := list.Draw(t, "a"), list.Draw(t, "b")
		if rapid.Bool().Draw(t, "related") {
			b = append(slices.Clone(a[:len(a)/2]), b...)
		}
		limit := rapid.IntRange(0, 20).Draw(t, "limit")
		want := min(editTable(a, b), limit+1)
		if got := e.Distance(a, b, limit); got != want {
			t.Fatalf("distance %d, want %d", got, want)
		}
		if got := e.Distance(b, a, limit); got != want {
			t.Fatalf("distance back %d, want %d", got, want)
		}
	})
}

func TestURLDistance(t *testing.T) {
	for _, test := range []struct {
		name, a, b, source string
		tokens, characters int
	}{
		{
			name: "two servers of one team", source: "Senellart 2003, section 2.4.1; tokens counted by hand",
			a:      "http://osage.inria.fr/verso/Gemo/PUBLI/index.php",
			b:      "http://www-rocq.inria.fr/verso/Gemo/Projects/index.html",
			tokens: 3, characters: 19,
		},
		{name: "same", source: "by definition", a: "http://a/b?c=d", b: "http://a/b?c=d"},
		{
			name: "separators alone", source: "by definition", a: "http://a/b?c=d&e#f;g:h",
			b: "http/a/b/c/d/e/f/g/h", tokens: 0, characters: 8,
		},
		{
			name: "the dot does not separate", source: "Senellart 2003, figure 6", a: "http://a.b.c/",
			b: "http://a.b.d/", tokens: 1, characters: 1,
		},
		{
			name: "one deeper", source: "by definition", a: "http://a/x/", b: "http://a/x/y", tokens: 1,
			characters: 1,
		},
		{name: "empty", source: "by definition", a: "", b: "http://a", tokens: 2, characters: 8},
	} {
		for g, want := range map[flow.Granularity]int{
			flow.Tokens:     test.tokens,
			flow.Characters: test.characters,
		} {
			a := flow.NewAddresses(g, "")
			a.Set(1, test.a)
			a.Set(4, test.b)
			if got := a.Distance(new(flow.Editor), 1, 4, 100); got != want {
				t.Errorf("%s: distance %d, want %d (%s)", test.name, got, want, test.source)
			}
			if got := a.Distance(new(flow.Editor), 0, 5, 100); got != 0 {
				t.Errorf("vertices without URL: distance %d", got)
			}
		}
	}
}

func TestDistanceAllocates(t *testing.T) {
	var e flow.Editor
	a := flow.NewAddresses(flow.Characters, "")
	a.Set(0, "http://osage.inria.fr/verso/Gemo/PUBLI/index.php")
	a.Set(1, "http://www-rocq.inria.fr/verso/Gemo/Projects/index.html")
	a.Distance(&e, 0, 1, 100)
	if got := testing.AllocsPerRun(100, func() { a.Distance(&e, 0, 1, 100) }); got != 0 {
		t.Errorf("%v allocations a distance, want 0", got)
	}
}

func TestSigma(t *testing.T) {
	a := flow.NewAddresses(flow.Tokens, "")
	for i := range 40 {
		a.Set(graph.ID(i), fmt.Sprintf("http://h/%s", "a/b/c/d/e/f/g/h"[:2*(i%4)+1]))
	}
	// Lists differ in length alone, by 0 to 3: of the pairs of four urls the squared distances are
	// 1, 1, 1, 4, 4, 9.
	few := flow.NewSample(10, 1)
	for i := range 4 {
		few.Offer(graph.ID(i))
	}
	if got, want := few.Sigma(a), math.Sqrt(20.0/6); math.Abs(got-want) > 1e-12 {
		t.Errorf("σ %v, want %v", got, want)
	}
	if got := flow.NewSample(0, 1).Sigma(a); got != 0 {
		t.Errorf("σ of nothing: %v", got)
	}
	// A sample of 12 from 4,000 is even: the mean of its σ² over many seeds is that of all pairs,
	// 2.5.
	sum := 0.0
	for seed := range uint64(300) {
		s := flow.NewSample(12, seed)
		for i := range 4000 {
			s.Offer(graph.ID(i % 40))
		}
		sum += s.Sigma(a) * s.Sigma(a)
	}
	if got := sum / 300; math.Abs(got-2.5) > 0.1 {
		t.Errorf("mean σ² %v, want 2.5", got)
	}
}

func TestCapacities(t *testing.T) {
	a := flow.NewAddresses(flow.Tokens, "")
	for i, url := range []string{"http://a/b", "http://a/c", "http://z/y/x/w"} {
		a.Set(graph.ID(i), url)
	}
	similar, err := flow.Similarity(a, 2, graph.Unit)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		c    flow.Capacity
		want [3]int64 // from vertex 0 to 0, 1, 2
	}{
		{"constant", constant(7), [3]int64{7, 7, 7}},
		{"similarity: e^0, e^(−1/8), e^(−16/8)", similar, [3]int64{1_000_000, 882_497, 135_335}},
	} {
		for v, want := range test.want {
			if got := test.c(0, graph.ID(v)); got != want {
				t.Errorf("%s: to %d capacity %d, want %d", test.name, v, got, want)
			}
		}
	}
	for _, sigma := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := flow.Similarity(a, sigma, graph.Unit); err == nil {
			t.Errorf("σ=%v: no error", sigma)
		}
	}
	far, err := flow.Similarity(a, 0.1, graph.Unit)
	if err != nil {
		t.Fatal(err)
	}
	if got := far.Arcs(nil, 0, []graph.ID{0, 1, 2}); len(got) != 1 ||
		got[0] != (graph.Arc{To: 0, Capacity: graph.Unit}) {
		t.Errorf("arcs of positive capacity: %v", got)
	}
}
