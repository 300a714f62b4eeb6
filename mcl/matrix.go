package mcl

import (
	"slices"
	"sync"

	"watershed/graph"
)

// A matrix is column-stochastic and sparse. Each column lists its entries by descending class (see
// entry), never a row twice, and its values sum to 1 but for the rounding of its entries.
type matrix struct {
	layout
	columns [][]entry
	chunks  [][]entry // the memory of the columns, given back to the pool at the end
}

// newMatrix makes the first matrix of the process: the columns of g with loops, divided by their
// sums. O(entries).
func newMatrix(g *Graph, loops Loops) *matrix {
	b := newBuilder(g.Len(), len(g.rows), loops)
	for v := range g.Len() {
		rows, weights := g.Neighbours(graph.ID(v))
		b.column(graph.ID(v), rows, weights)
	}
	return b.matrix
}

// A builder makes a matrix column by column.
type builder struct {
	*matrix
	loops  Loops
	memory []entry
	sorter classSorter
}

// newBuilder makes a builder for n columns with that many entries besides the loops.
func newBuilder(n, entries int, loops Loops) *builder {
	m := &matrix{layout: layoutFor(n), columns: make([][]entry, n)}
	return &builder{matrix: m, loops: loops, memory: make([]entry, 0, n+entries)}
}

// column sets column v to the weights of rows, which are distinct and not v, and a loop; scaled to
// sum 1.
func (b *builder) column(v graph.ID, rows []graph.ID, weights []float32) {
	loop := loopWeight(b.loops, weights)
	sum := float64(loop)
	for _, w := range weights {
		sum += float64(w)
	}
	from := len(b.memory)
	b.add(v, float64(loop)/sum)
	for i, r := range rows {
		b.add(r, float64(weights[i])/sum)
	}
	b.columns[v] = b.memory[from:len(b.memory):len(b.memory)]
	b.sorter.sort(b.columns[v])
}

func (b *builder) add(row graph.ID, value float64) {
	if e := b.pack(uint32(row), float32(value)); e != 0 {
		b.memory = append(b.memory, e)
	}
}

func loopWeight(loops Loops, weights []float32) float32 {
	if loops == LoopOne || len(weights) == 0 {
		return 1
	}
	return slices.Max(weights)
}

// entries is the number of entries of m.
func (m *matrix) entries() int {
	sum := 0
	for _, c := range m.columns {
		sum += len(c)
	}
	return sum
}

// A pool lends chunks of entries, so that the process needs the memory of two matrices and no more:
// what the last matrix but one gave back holds the next one. It is safe for concurrent use; mu
// guards free.
type pool struct {
	size int // entries of a chunk
	mu   sync.Mutex
	free [][]entry
}

// chunk gives an empty chunk with room for at least need entries.
func (p *pool) chunk(need int) []entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := len(p.free) - 1; last >= 0 && cap(p.free[last]) >= need {
		c := p.free[last]
		p.free = p.free[:last]
		return c[:0]
	}
	return make([]entry, 0, max(p.size, need))
}

// release gives the memory of m back; m must not be used any more.
func (p *pool) release(m *matrix) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range m.chunks {
		if cap(c) == p.size {
			p.free = append(p.free, c)
		}
	}
	m.columns, m.chunks = nil, nil
}
