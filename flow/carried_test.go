package flow_test

import (
	"testing"

	"pgregory.net/rapid"

	"watershed/flow"
	"watershed/graph"
)

// TestEachFlowIsConserved adds up the flow of the arcs at every vertex: what comes in stays as
// excess or is absorbed.
func TestEachFlowIsConserved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWeb(t, 25, 0, 1, 30)
		n := w.network()
		n.Solve()
		left := make([]int64, n.Len())
		for u := range left {
			left[u] = n.Source(graph.ID(u))
		}
		n.EachFlow(func(id flow.ArcID, f int64) {
			from, a := n.Arc(id)
			if f > a.Capacity || -f > a.Reverse || f == 0 {
				t.Fatalf("arc %d→%d of %d and %d carries %d", from, a.To, a.Capacity, a.Reverse, f)
			}
			left[from] -= f
			left[a.To] += f
		})
		for u, x := range left {
			if want := n.Excess(graph.ID(u)) + n.Absorbed(graph.ID(u)); x != want {
				t.Fatalf("vertex %d keeps %d, want %d", u, x, want)
			}
		}
	})
}
