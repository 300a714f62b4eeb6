package flow_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"watershed/flow"
	"watershed/graph"
)

func TestKnownNetworks(t *testing.T) {
	for _, test := range []struct {
		name, source string
		n            int
		arcs         [][3]int64 // from, to, capacity
		from, to     map[graph.ID]int64
		want         int64
		side         []graph.ID
	}{
		{
			name: "Lucky Puck trucking", source: "Cormen et al., 3rd ed., fig. 26.6",
			n: 4, arcs: [][3]int64{{0, 2, 12}, {1, 0, 4}, {2, 1, 9}, {1, 3, 14}, {3, 2, 7}},
			from: map[graph.ID]int64{0: 16, 1: 13}, to: map[graph.ID]int64{2: 20, 3: 4},
			want: 23, side: []graph.ID{0, 1, 3},
		},
		{
			name: "two ways through a bridge", source: "counted by hand",
			n: 4, arcs: [][3]int64{{0, 1, 1000}, {0, 2, 1000}, {1, 2, 1}, {1, 3, 1000}, {2, 3, 1000}},
			from: map[graph.ID]int64{0: flow.Infinite}, to: map[graph.ID]int64{3: 3000},
			want: 2000, side: []graph.ID{0},
		},
		{
			name: "tie between two cuts: the smaller side", source: "counted by hand",
			n: 3, arcs: [][3]int64{{0, 1, 5}, {1, 2, 5}},
			from: map[graph.ID]int64{0: flow.Infinite}, to: map[graph.ID]int64{2: 5},
			want: 5, side: []graph.ID{0},
		},
		{
			name: "no sink at all", source: "by definition",
			n: 3, arcs: [][3]int64{{0, 1, 5}},
			from: map[graph.ID]int64{0: 7}, want: 0, side: []graph.ID{0, 1},
		},
		{name: "nothing", source: "by definition", n: 0, want: 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := flow.New()
			n.AddVertices(test.n)
			for _, a := range test.arcs {
				n.AddArc(graph.ID(a[0]), graph.Arc{To: graph.ID(a[1]), Capacity: a[2]})
			}
			for u, c := range test.from {
				n.SetSource(u, c)
			}
			for u, c := range test.to {
				n.SetSink(u, c)
			}
			n.Solve()
			if n.Value() != test.want {
				t.Errorf("value %d, want %d (%s)", n.Value(), test.want, test.source)
			}
			if d := cmp.Diff(test.side, n.Side(), cmpopts.EquateEmpty()); d != "" {
				t.Errorf("source side (-want +got):\n%s", d)
			}
			certify(t, n)
		})
	}
}

func certify(t interface {
	Helper()
	Fatalf(string, ...any)
}, n *flow.Network,
) {
	t.Helper()
	if err := n.Certify(); err != nil {
		t.Fatalf("certificate: %v", err)
	}
}

// TestEditing drives one network through random edits. After every Solve it is certified, agrees
// with the oracle on value and minimal side, and with a network built at once from the same
// capacities: warm start = cold start.
func TestEditing(t *testing.T) { rapid.Check(t, editing) }

// FuzzEditing is the same for as long as one likes.
func FuzzEditing(f *testing.F) { f.Fuzz(rapid.MakeFuzz(editing)) }

func editing(t *rapid.T) {
	n := flow.New()
	var source, sink []int64
	vertex := func() graph.ID { return graph.ID(rapid.IntRange(0, n.Len()-1).Draw(t, "vertex")) }
	capacity := func() int64 { return drawCapacity().Draw(t, "capacity") }
	maybeInfinite := func() int64 {
		if rapid.IntRange(0, 7).Draw(t, "pin") == 0 {
			return flow.Infinite
		}
		return capacity()
	}
	grow := func() {
		k := rapid.IntRange(1, 4).Draw(t, "new vertices")
		n.AddVertices(k)
		source, sink = append(source, make([]int64, k)...), append(sink, make([]int64, k)...)
	}
	grow()
	t.Repeat(map[string]func(*rapid.T){
		"grow": func(*rapid.T) {
			if n.Len() <= 15 { // to skip would fail where chance draws nothing else
				grow()
			}
		},
		"arcs": func(t *rapid.T) {
			for range rapid.IntRange(1, 8).Draw(t, "new arcs") {
				n.AddArc(vertex(), graph.Arc{To: vertex(), Capacity: capacity(), Reverse: capacity()})
			}
		},
		"set arc": func(t *rapid.T) {
			if n.Arcs() == 0 {
				return
			}
			n.SetArc(flow.ArcID(rapid.IntRange(0, n.Arcs()-1).Draw(t, "arc")), capacity(), capacity())
		},
		"set source": func(*rapid.T) {
			u, c := vertex(), maybeInfinite()
			n.SetSource(u, c)
			source[u] = c
		},
		"set sink": func(*rapid.T) {
			u, c := vertex(), maybeInfinite()
			n.SetSink(u, c)
			sink[u] = c
		},
		"": func(t *rapid.T) {
			if rapid.Bool().Draw(t, "edit on") {
				return
			}
			n.Solve()
			certify(t, n)
			compareWithOracle(t, n, source, sink)
			compareWithCold(t, n, source, sink)
			checkBonds(t, n)
		},
	})
}

func compareWithOracle(t *rapid.T, n *flow.Network, source, sink []int64) {
	o := oracleOf(n, source, sink)
	o.solve()
	passed := int64(0)
	if d := cmp.Diff(o.side(), n.Side(), cmpopts.EquateEmpty()); d != "" {
		t.Fatalf("minimal side (-oracle +network):\n%s", d)
	}
	src, snk := make([]int64, n.Len()), make([]int64, n.Len())
	for u := range n.Len() {
		src[u], snk[u] = n.Source(graph.ID(u)), n.Sink(graph.ID(u))
		passed += src[u] - n.Excess(graph.ID(u))
	}
	if passed != n.Value() {
		t.Fatalf("s supplies %d more than is left as excess, and %d flows into t", passed, n.Value())
	}
	finite := oracleOf(n, src, snk) // with what the pins amount to, the values can be compared too
	if want := finite.solve(); n.Value() != want || n.Cut().Value() != want {
		t.Fatalf("value %d, cut %d, oracle %d", n.Value(), n.Cut().Value(), want)
	}
}

func compareWithCold(t *rapid.T, n *flow.Network, source, sink []int64) {
	cold := flow.New()
	cold.AddVertices(n.Len())
	for i := range n.Arcs() {
		cold.AddArc(n.Arc(flow.ArcID(i)))
	}
	for u := range n.Len() {
		cold.SetSource(graph.ID(u), source[u])
		cold.SetSink(graph.ID(u), sink[u])
	}
	cold.Solve()
	if d := cmp.Diff(cold.Side(), n.Side()); d != "" {
		t.Fatalf("minimal side (-cold +warm):\n%s", d)
	}
}

func checkBonds(t *rapid.T, n *flow.Network) {
	bonds := make([]int64, n.Len())
	for i := range n.Arcs() {
		from, a := n.Arc(flow.ArcID(i))
		if from == a.To {
			continue
		}
		if n.Inside(a.To) {
			bonds[from] += a.Capacity + a.Reverse
		}
		if n.Inside(from) {
			bonds[a.To] += a.Capacity + a.Reverse
		}
	}
	for u, want := range bonds {
		if got := n.Bond(graph.ID(u)); got != want {
			t.Fatalf("bond of %d is %d, want %d", u, got, want)
		}
	}
}

func TestWarmStarts(t *testing.T) {
	n := flow.New()
	first := n.AddVertices(3)
	n.SetSource(first, flow.Infinite)
	for u := range graph.ID(3) {
		n.SetSink(u, 2)
	}
	a := n.AddArc(0, graph.Arc{To: 1, Capacity: 10})
	n.Reveal(1, []graph.Arc{{To: 2, Capacity: 10}})
	for _, step := range []struct {
		name string
		do   func()
		side []graph.ID
		cold int64
	}{
		{"first", func() {}, []graph.ID{0, 1, 2}, 0},
		{"nothing changed", func() {}, []graph.ID{0, 1, 2}, 0},
		{"a toll rises", func() { n.SetSink(2, 9) }, []graph.ID{0}, 0},
		{"a toll falls", func() { n.SetSink(2, 3) }, []graph.ID{0, 1, 2}, 0},
		{"must be outside", func() { n.SetSink(2, flow.Infinite) }, []graph.ID{0}, 0},
		{"no more", func() { n.SetSink(2, 3) }, []graph.ID{0, 1, 2}, 0},
		{"a source falls that has excess left", func() { n.SetSource(0, 14) }, []graph.ID{0, 1, 2}, 0},
		{"an arc shrinks below what was passed on", func() { n.SetArc(a, 4, 0) }, []graph.ID{0}, 0},
		{"an arc widens", func() { n.SetArc(a, 6, 0) }, []graph.ID{0, 1, 2}, 0},
		{"must be inside", func() { n.SetSource(2, flow.Infinite) }, []graph.ID{0, 1, 2}, 0},
		{"no more", func() { n.SetSource(2, 0) }, []graph.ID{0, 1, 2}, 0},
	} {
		step.do()
		n.Solve()
		certify(t, n)
		if d := cmp.Diff(step.side, n.Side()); d != "" {
			t.Errorf("%s: source side (-want +got):\n%s", step.name, d)
		}
		if got := n.Stats().ColdStarts; got != step.cold {
			t.Errorf("%s: %d cold starts, want %d", step.name, got, step.cold)
		}
	}
	if got := n.Stats().Epochs; got != 10 {
		t.Errorf("%d epochs, want 10", got)
	}
}

func TestChecksNeedASolution(t *testing.T) {
	n := flow.New()
	n.AddVertex()
	for _, check := range []func() error{
		n.CheckCapacities, n.CheckConservation, n.CheckValue,
		n.CheckMinimal, n.Certify,
	} {
		if err := check(); !errors.Is(err, flow.ErrNotSolved) {
			t.Errorf("unsolved network: %v, want %v", err, flow.ErrNotSolved)
		}
	}
}

func TestMisuse(t *testing.T) {
	n := flow.New()
	u := n.AddVertex()
	n.Reveal(u, nil)
	for name, misuse := range map[string]func(){
		"flow: vertex 0 is revealed twice":         func() { n.Reveal(u, nil) },
		"flow: arc 0→1 in a network of 1 vertices": func() { n.AddArc(u, graph.Arc{To: 1}) },
		"flow: capacity -1 is negative":            func() { n.SetSink(u, -1) },
		"flow: an arc cannot have infinite capacity": func() {
			n.AddArc(u, graph.Arc{To: u, Reverse: flow.Infinite})
		},
	} {
		func() {
			defer func() {
				if got := recover(); got != name {
					t.Errorf("panic %v, want %q", got, name)
				}
			}()
			misuse()
		}()
	}
}
