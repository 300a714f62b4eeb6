package flow_test

import (
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
