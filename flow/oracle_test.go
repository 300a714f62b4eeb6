package flow_test

import (
	"slices"

	"pgregory.net/rapid"

	"watershed/flow"
	"watershed/graph"
)

// oracle is the textbook method on a matrix of residuals: shortest augmenting paths (Edmonds and
// Karp, 1972). It shares nothing with the package but the capacities. Vertex n is s, n+1 is t.
type oracle struct {
	n        int
	residual [][]int64
}

const huge = int64(1) << 50 // stands for Infinite, far above any sum of the test capacities

func newOracle(n int) *oracle {
	o := &oracle{n: n, residual: make([][]int64, n+2)}
	for u := range o.residual {
		o.residual[u] = make([]int64, n+2)
	}
	return o
}

// oracleOf copies the capacities of a network. A vertex pinned on both sides is inside, as Infinite
// promises.
func oracleOf(n *flow.Network, source, sink []int64) *oracle {
	o := newOracle(n.Len())
	for i := range n.Arcs() {
		u, a := n.Arc(flow.ArcID(i))
		if u != a.To {
			o.residual[u][a.To] += a.Capacity
			o.residual[a.To][u] += a.Reverse
		}
	}
	for u := range n.Len() {
		o.residual[o.n][u], o.residual[u][o.n+1] = source[u], sink[u]
		if sink[u] == flow.Infinite {
			o.residual[u][o.n+1] = huge
		}
		if source[u] == flow.Infinite {
			o.residual[o.n][u] = 4 * huge
		}
	}
	return o
}

// solve augments until s and t are apart and returns the value of the flow.
func (o *oracle) solve() (value int64) {
	s, t := o.n, o.n+1
	for {
		parent := o.search(s)
		if parent[t] < 0 {
			return value
		}
		d := int64(1) << 62
		for v := t; v != s; v = parent[v] {
			d = min(d, o.residual[parent[v]][v])
		}
		for v := t; v != s; v = parent[v] {
			o.residual[parent[v]][v] -= d
			o.residual[v][parent[v]] += d
		}
		value += d
	}
}

// search is the breadth-first tree from u; -1 marks what it does not reach.
func (o *oracle) search(u int) (parent []int) {
	parent = slices.Repeat([]int{-1}, o.n+2)
	parent[u] = u
	queue := []int{u}
	for i := 0; i < len(queue); i++ {
		for v, r := range o.residual[queue[i]] {
			if r > 0 && parent[v] < 0 {
				parent[v] = queue[i]
				queue = append(queue, v)
			}
		}
	}
	return parent
}

// side is what s reaches in a solved network: the minimal source side.
func (o *oracle) side() []graph.ID {
	var side []graph.ID
	for v, p := range o.search(o.n)[:o.n] {
		if p >= 0 {
			side = append(side, graph.ID(v))
		}
	}
	return side
}

// web is a small hidden web: what a crawler would find, all of it.
type web struct {
	out   [][]graph.Arc
	seeds []graph.ID
	toll  []int64
}

// drawCapacity prefers few distinct values, for ties, and 0 among them.
func drawCapacity() *rapid.Generator[int64] {
	return rapid.OneOf(rapid.SampledFrom([]int64{0, 1, 1, 2, 10, 30, 100}), rapid.Int64Range(0, 200))
}

// drawWeb draws a web of up to most pages with a toll of at least 1 at every page. Where links also
// bind their target, some have a reverse capacity.
func drawWeb(t *rapid.T, most int, reverse ...int64) web {
	reverse = append(reverse, 0)
	n := rapid.IntRange(2, most).Draw(t, "pages")
	page := rapid.Custom(func(t *rapid.T) graph.ID {
		return graph.ID(rapid.IntRange(0, n-1).Draw(t, "page"))
	})
	link := rapid.Custom(func(t *rapid.T) graph.Arc {
		return graph.Arc{
			To:       page.Draw(t, "to"),
			Capacity: drawCapacity().Draw(t, "capacity"),
			Reverse:  rapid.SampledFrom(reverse).Draw(t, "reverse"),
		}
	})
	w := web{seeds: rapid.SliceOfNDistinct(page, 1, min(3, n), rapid.ID[graph.ID]).Draw(t, "seeds")}
	toll := rapid.Int64Range(1, 40).Draw(t, "toll")
	for range n {
		w.out = append(w.out, rapid.SliceOfN(link, 0, 5).Draw(t, "links"))
		w.toll = append(w.toll, toll*rapid.Int64Range(1, 3).Draw(t, "times"))
	}
	return w
}

// network is the web with every page revealed.
func (w web) network() *flow.Network {
	return w.networkOf(func(graph.ID) bool { return true })
}

// networkOf is the web with the links of the given pages only.
func (w web) networkOf(known func(graph.ID) bool) *flow.Network {
	n := w.hidden()
	for u, out := range w.out {
		if known(graph.ID(u)) {
			n.Reveal(graph.ID(u), out)
		}
	}
	return n
}

// hidden is the web with seeds and tolls and no page revealed.
func (w web) hidden() *flow.Network {
	n := flow.New()
	n.AddVertices(len(w.out))
	for u, toll := range w.toll {
		n.SetSink(graph.ID(u), toll)
	}
	for _, u := range w.seeds {
		n.SetSource(u, flow.Infinite)
	}
	return n
}
