package flow

import (
	"math/rand/v2"
	"testing"

	"watershed/graph"
)

// TestHeightsAreExact compares the heights that a global relabel finds with those by definition: 1
// with room in the own sink, else one more than the lowest residual neighbour's, by as many rounds
// as there are vertices (R. Bellman, On a routing problem, 1958). The networks are cut and
// saturated here and there, so that the search goes upwards and downwards.
func TestHeightsAreExact(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		size := 2 + r.IntN(60)
		n := New()
		n.AddVertices(size)
		for range size * (1 + r.IntN(3)) {
			u, v := graph.ID(r.IntN(size)), graph.ID(r.IntN(size))
			if u != v {
				n.AddArc(u, graph.Arc{To: v, Capacity: r.Int64N(3), Reverse: r.Int64N(2)})
			}
		}
		n.SetSource(0, 1+r.Int64N(20))
		for range 1 + r.IntN(3) {
			n.SetSink(graph.ID(1+r.IntN(size-1)), 1+r.Int64N(5))
		}
		n.prepare()
		for range 2 { // before there is a flow, and with one
			n.findHeights()
			want := heightsByDefinition(n)
			for u, h := range n.height {
				if h != want[u] {
					t.Fatalf("seed %d: vertex %d of %d has height %d, want %d", seed, u, size, h, want[u])
				}
			}
			n.Solve()
		}
	}
}

func heightsByDefinition(n *Network) []uint32 {
	heights := make([]uint32, n.Len())
	for u := range heights {
		heights[u] = cutOff
		if n.room[u] > 0 {
			heights[u] = 1
		}
	}
	for range heights {
		for u := range heights {
			for _, h := range n.halvesOf(uint32(u)) {
				if h.residual > 0 && heights[h.to] != cutOff {
					heights[u] = min(heights[u], heights[h.to]+1)
				}
			}
		}
	}
	return heights
}
