package mcl

import (
	"fmt"
	"math"
	"slices"

	"watershed/graph"
)

// MaxVertices is the largest graph that can be clustered: a vertex and the value of an entry share
// 32 bits (see entry).
const MaxVertices = 1 << maxRowBits

// A Graph is an undirected graph with weights above 0 and without loops, stored by columns. It does
// not change once made and may be used by several goroutines. It takes 8 bytes for each direction
// of an edge and 8 for each vertex.
//
// Invariants: rows ascend within a column; w(u,v) = w(v,u).
type Graph struct {
	start   []int // column v is rows[start[v]:start[v+1]]
	rows    []graph.ID
	weights []float32
}

// NewGraph makes the underlying undirected graph of edges over the vertices 0 … n−1. Loops and
// edges of weight 0 are left out. It returns errTooLarge, or an error that wraps errEdge and names
// the edge. Time and memory O(n + edges), by counting.
func NewGraph(n int, edges []graph.Edge, join Join) (*Graph, error) {
	if n < 0 || n > MaxVertices {
		return nil, fmt.Errorf("%w: %d, at most %d", errTooLarge, n, MaxVertices)
	}
	for i, e := range edges {
		if err := checkEdge(n, e); err != nil {
			return nil, fmt.Errorf("edge %d: %w", i, err)
		}
	}
	g := mirror(n, edges)
	// columns are now sorted by row; the matrix is symmetric but for the order of repeated entries
	g = g.transpose()
	g.combine(join)
	return g, nil
}

func checkEdge(n int, e graph.Edge) error {
	if int64(e.From) >= int64(n) || int64(e.To) >= int64(n) {
		return fmt.Errorf("%w: %d→%d leaves the %d vertices", errEdge, e.From, e.To, n)
	}
	if !(e.Weight >= 0 && e.Weight <= math.MaxFloat32) {
		return fmt.Errorf("%w: weight %v of %d→%d", errEdge, e.Weight, e.From, e.To)
	}
	return nil
}

// mirror stores every edge in both columns, unsorted and with repetitions.
func mirror(n int, edges []graph.Edge) *Graph {
	g := &Graph{start: make([]int, n+1)}
	for _, e := range edges {
		if e.From != e.To && e.Weight > 0 {
			g.start[e.From+1]++
			g.start[e.To+1]++
		}
	}
	for v := range n {
		g.start[v+1] += g.start[v]
	}
	g.rows = make([]graph.ID, g.start[n])
	g.weights = make([]float32, g.start[n])
	next := append([]int(nil), g.start[:n]...)
	put := func(column, row graph.ID, weight float32) {
		g.rows[next[column]], g.weights[next[column]] = row, weight
		next[column]++
	}
	for _, e := range edges {
		if e.From != e.To && e.Weight > 0 {
			put(e.From, e.To, float32(e.Weight))
			put(e.To, e.From, float32(e.Weight))
		}
	}
	return g
}

// transpose gives the same matrix with rows and columns exchanged, each column sorted by row. O(n +
// entries).
func (g *Graph) transpose() *Graph {
	n := g.Len()
	t := &Graph{
		start: make([]int, n+1), rows: make([]graph.ID, len(g.rows)),
		weights: make([]float32, len(g.rows)),
	}
	for _, r := range g.rows {
		t.start[r+1]++
	}
	for v := range n {
		t.start[v+1] += t.start[v]
	}
	next := append([]int(nil), t.start[:n]...)
	for v := range n {
		for i := g.start[v]; i < g.start[v+1]; i++ {
			at := next[g.rows[i]]
			t.rows[at], t.weights[at] = graph.ID(v), g.weights[i]
			next[g.rows[i]]++
		}
	}
	return t
}

// combine makes one entry of the repeated entries of a column, in place.
func (g *Graph) combine(join Join) {
	end := 0
	for v := range g.Len() {
		from, to := g.start[v], g.start[v+1]
		g.start[v] = end
		for i := from; i < to; i++ {
			r, w := g.rows[i], g.weights[i]
			if end > g.start[v] && g.rows[end-1] == r {
				g.weights[end-1] = joined(join, g.weights[end-1], w)
				continue
			}
			if join == JoinEither {
				w = 1
			}
			g.rows[end], g.weights[end] = r, w
			end++
		}
	}
	g.start[g.Len()] = end
	g.rows, g.weights = g.rows[:end:end], g.weights[:end:end]
}

func joined(join Join, a, b float32) float32 {
	switch join {
	case JoinMax:
		return max(a, b)
	case JoinEither:
		return 1
	default:
		return min(a+b, math.MaxFloat32)
	}
}

// Len is the number of vertices.
func (g *Graph) Len() int { return len(g.start) - 1 }

// Neighbours gives the neighbours of v in ascending order and the weights of the edges to them. The
// caller must not change what it gets.
func (g *Graph) Neighbours(v graph.ID) ([]graph.ID, []float32) {
	from, to := g.start[v], g.start[v+1]
	return g.rows[from:to], g.weights[from:to]
}

// Subgraph is the graph that g induces on vertices, which must be distinct; vertex i of it is
// vertices[i] of g. O(g.Len() + edges of the vertices).
func (g *Graph) Subgraph(vertices []graph.ID) *Graph {
	local := slices.Repeat([]graph.ID{graph.None}, g.Len())
	for i, v := range vertices {
		local[v] = graph.ID(i)
	}
	s := &Graph{start: make([]int, 1, len(vertices)+1)}
	for _, v := range vertices {
		rows, weights := g.Neighbours(v)
		for i, r := range rows {
			if local[r] != graph.None {
				s.rows = append(s.rows, local[r])
				s.weights = append(s.weights, weights[i])
			}
		}
		s.start = append(s.start, len(s.rows))
	}
	return s.transpose() // symmetric, so this only sorts
}
