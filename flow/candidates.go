package flow

import "watershed/graph"

// candidates is the list of vertices with overflow, ordered by a key: a binary heap that knows
// where each vertex stands, so that a key can change. The largest key comes first, among equals the
// smaller vertex. put and remove cost O(log n).
type candidates struct {
	heap  []graph.ID
	place []int32 // by vertex: its position plus one; 0 if it is not there
	key   []int64
}

// grow makes space for one more vertex.
func (c *candidates) grow() {
	c.place = append(c.place, 0)
	c.key = append(c.key, 0)
}

func (c *candidates) has(u graph.ID) bool { return c.place[u] > 0 }

// first is the vertex with the largest key, or None.
func (c *candidates) first() graph.ID {
	if len(c.heap) == 0 {
		return graph.None
	}
	return c.heap[0]
}

// put adds u or changes its key.
func (c *candidates) put(u graph.ID, key int64) {
	c.key[u] = key
	if c.place[u] == 0 {
		c.heap = append(c.heap, u)
		c.place[u] = int32(len(c.heap))
	}
	c.settle(int(c.place[u]) - 1)
}

// remove takes u away if it is there.
func (c *candidates) remove(u graph.ID) {
	i := int(c.place[u]) - 1
	if i < 0 {
		return
	}
	last := len(c.heap) - 1
	c.swap(i, last)
	c.heap = c.heap[:last]
	c.place[u] = 0
	if i < last {
		c.settle(i)
	}
}

// settle moves the vertex at position i up or down to where it belongs.
func (c *candidates) settle(i int) {
	for i > 0 && c.before(i, (i-1)/2) {
		c.swap(i, (i-1)/2)
		i = (i - 1) / 2
	}
	for {
		child := 2*i + 1
		if child >= len(c.heap) {
			return
		}
		if child+1 < len(c.heap) && c.before(child+1, child) {
			child++
		}
		if !c.before(child, i) {
			return
		}
		c.swap(i, child)
		i = child
	}
}

func (c *candidates) before(i, j int) bool {
	a, b := c.heap[i], c.heap[j]
	return c.key[a] > c.key[b] || c.key[a] == c.key[b] && a < b
}

func (c *candidates) swap(i, j int) {
	c.heap[i], c.heap[j] = c.heap[j], c.heap[i]
	c.place[c.heap[i]], c.place[c.heap[j]] = int32(i+1), int32(j+1)
}
