package flow_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"watershed/flow"
	"watershed/graph"
)

// TestFetchRule is the locality theorem: revealing only what is wanted, in random order and
// batches, gives the minimal cut of the whole web; it reveals no more than the bound; and it does
// so by warm starts alone.
func TestFetchRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWeb(t, 40)
		whole := w.network()
		whole.Solve()
		certify(t, whole)
		for _, order := range []string{"one order", "another order"} {
			n, revealed := w.explore(t, order)
			certify(t, n)
			if d := cmp.Diff(whole.Side(), n.Side()); d != "" {
				t.Fatalf("%s: minimal side (-whole +explored):\n%s", order, d)
			}
			if whole.Cut().Value()-whole.Cut().Sources != n.Cut().Value()-n.Cut().Sources {
				t.Fatalf("%s: cut %v, whole %v", order, n.Cut(), whole.Cut())
			}
			if most := w.bound(); int64(revealed) > most {
				t.Fatalf("%s: revealed %d vertices beside the seeds, bound %d", order, revealed, most)
			}
			if n.Stats().ColdStarts != 0 {
				t.Fatalf("%s: %d cold starts", order, n.Stats().ColdStarts)
			}
		}
	})
}

// TestFetchRuleTwoWay: with reverse capacities the same holds in the network of the known links.
// Links from pages that were never revealed cannot be seen by any crawler.
func TestFetchRuleTwoWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWeb(t, 40, 0, 1, 30)
		n, _ := w.explore(t, "order")
		certify(t, n)
		known := w.networkOf(func(u graph.ID) bool { return !n.Hidden(u) })
		known.Solve()
		if d := cmp.Diff(known.Side(), n.Side()); d != "" {
			t.Fatalf("minimal side (-known +explored):\n%s", d)
		}
	})
}

// explore reveals random batches of what is wanted, and says how many vertices beside the seeds
// that took.
func (w web) explore(t *rapid.T, label string) (n *flow.Network, revealed int) {
	n = w.hidden()
	for {
		n.Solve()
		wanted := n.Wanted()
		if len(wanted) == 0 {
			return n, revealed
		}
		wanted = rapid.Permutation(wanted).Draw(t, label)
		for _, u := range wanted[:rapid.IntRange(1, len(wanted)).Draw(t, label)] {
			n.Reveal(u, w.out[u])
			if n.Source(u) == 0 {
				revealed++
			}
		}
	}
}

// bound is c(Seed, rest) over the smallest toll.
func (w web) bound() int64 {
	seed := make([]bool, len(w.out))
	for _, u := range w.seeds {
		seed[u] = true
	}
	out, toll := int64(0), w.toll[0]
	for u, arcs := range w.out {
		toll = min(toll, w.toll[u])
		for _, a := range arcs {
			if seed[u] && !seed[a.To] {
				out += a.Capacity
			}
		}
	}
	return flow.MostFetches(out, toll)
}

func TestSettle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWeb(t, 40)
		whole := w.network()
		whole.Solve()
		n := w.hidden()
		o := flow.SettleOptions{
			Share:   rapid.Float64Range(0, 1).Draw(t, "share"),
			AtLeast: rapid.IntRange(0, 3).Draw(t, "at least"),
		}
		s, err := flow.Settle(context.Background(), n, o, func(wanted []graph.ID) error {
			for _, u := range wanted {
				n.Reveal(u, w.out[u])
			}
			return nil
		})
		if err != nil || !s.Final {
			t.Fatalf("settled %+v, %v", s, err)
		}
		if d := cmp.Diff(whole.Side(), n.Side()); d != "" {
			t.Fatalf("minimal side (-whole +settled):\n%s", d)
		}
		if s.Revealed > len(w.seeds)+int(w.bound()) {
			t.Fatalf("revealed %d, bound %d", s.Revealed, w.bound())
		}
	})
}

// TestNested: a smaller toll never loses a vertex.
func TestNested(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawWeb(t, 30, 0, 1, 30).network()
		var smaller []graph.ID
		for _, toll := range []int64{500, 200, 50, 10, 1} {
			for u := range n.Len() {
				n.SetSink(graph.ID(u), toll)
			}
			n.Solve()
			certify(t, n)
			if n.Stats().ColdStarts != 0 {
				t.Fatalf("%d cold starts: a toll changes on warm start, up or down", n.Stats().ColdStarts)
			}
			for _, u := range smaller {
				if !n.Inside(u) {
					t.Fatalf("vertex %d leaves at toll %d", u, toll)
				}
			}
			smaller = n.Side()
		}
	})
}

func TestSettleStops(t *testing.T) {
	chain := func() *flow.Network {
		n := flow.New(flow.Options{})
		n.AddVertices(5)
		n.SetSource(0, flow.Infinite)
		for u := range graph.ID(5) {
			n.SetSink(u, 1)
		}
		return n
	}
	next := func(n *flow.Network) func([]graph.ID) error {
		return func(wanted []graph.ID) error {
			for _, u := range wanted {
				var out []graph.Arc
				if int(u)+1 < n.Len() {
					out = []graph.Arc{{To: u + 1, Capacity: 100}}
				}
				n.Reveal(u, out)
			}
			return nil
		}
	}
	down := errors.New("the network is down")
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, test := range []struct {
		name   string
		ctx    context.Context
		o      flow.SettleOptions
		reveal func(*flow.Network) func([]graph.ID) error
		want   flow.Settlement
		err    error
	}{
		{name: "end", reveal: next, want: flow.Settlement{Revealed: 5, Epochs: 6, Final: true}},
		{
			name: "budget", reveal: next, o: flow.SettleOptions{Budget: 2},
			want: flow.Settlement{Revealed: 2, Epochs: 3},
		},
		{name: "context", ctx: canceled, reveal: next, err: context.Canceled},
		{
			name: "failure", want: flow.Settlement{Revealed: 1, Epochs: 1}, err: down,
			reveal: func(*flow.Network) func([]graph.ID) error {
				return func([]graph.ID) error { return down }
			},
		},
		{
			name: "not revealed", want: flow.Settlement{Revealed: 1, Epochs: 1}, err: flow.ErrStillHidden,
			reveal: func(*flow.Network) func([]graph.ID) error {
				return func([]graph.ID) error { return nil }
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := chain()
			if test.ctx == nil {
				test.ctx = context.Background()
			}
			got, err := flow.Settle(test.ctx, n, test.o, test.reveal(n))
			if !errors.Is(err, test.err) {
				t.Errorf("error %v, want %v", err, test.err)
			}
			if got != test.want {
				t.Errorf("settled %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestSettleOptions(t *testing.T) {
	for _, o := range []flow.SettleOptions{{Share: -1}, {Share: 1.5}, {AtLeast: -1}, {Budget: -1}} {
		if _, err := flow.Settle(context.Background(), flow.New(flow.Options{}), o, nil); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}
