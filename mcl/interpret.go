package mcl

import "watershed/graph"

// interpret reads the clusters off a limit matrix. A column points to the rows of its significant
// entries. The terminal strongly connected components of that graph are the attractor systems; a
// vertex belongs to every system it has a path to. (Van Dongen 2000, definition 8; Senellart 2003,
// §3.1 says "a path in G", which must read: in the graph of the limit.) O(n + entries).
func interpret(m *matrix, overlap Overlap, stats Stats) Result {
	arcs := significant(m)
	systems := terminals(arcs)
	lead := systems.reach(arcs)
	switch overlap {
	case OverlapAssign:
		assign(m, lead)
	case OverlapSplit:
		split(lead, systems.count)
	}
	return newResult(lead, stats)
}

// significant gives for each column the rows of the entries that are at least half its largest one.
// In a limit matrix all entries of a column are equal; where the process was stopped early this
// keeps what inflation would have kept.
func significant(m *matrix) [][]graph.ID {
	memory := make([]graph.ID, 0, m.entries())
	arcs := make([][]graph.ID, len(m.columns))
	for v, column := range m.columns {
		largest := float32(0)
		for _, e := range column {
			largest = max(largest, m.value(e))
		}
		from := len(memory)
		for _, e := range column {
			if m.value(e) >= largest/2 {
				memory = append(memory, graph.ID(m.row(e)))
			}
		}
		arcs[v] = memory[from:len(memory):len(memory)]
	}
	return arcs
}

// components are the strongly connected components of a graph, numbered so that every arc leads to
// a component with the same or a smaller number; the terminal ones, which no arc leaves, are
// numbered a second time as systems.
type components struct {
	of     []int32    // the component of a vertex
	order  []graph.ID // the vertices, component by component
	system []int32    // of a component; −1 if an arc leaves it
	count  int        // systems
}

// terminals finds the components of arcs. Tarjan, Depth-first search and linear graph algorithms,
// 1972, with a stack of its own instead of recursion: chains of pages are long.
func terminals(arcs [][]graph.ID) *components {
	t := tarjan{arcs: arcs, index: make([]int32, len(arcs)), low: make([]int32, len(arcs))}
	t.of = make([]int32, len(arcs))
	for v := range arcs {
		if t.index[v] == 0 {
			t.search(graph.ID(v))
		}
	}
	t.number()
	return &t.components
}

type tarjan struct {
	components
	arcs  [][]graph.ID
	index []int32 // order of discovery, from 1; 0 is undiscovered
	low   []int32 // the least index known to be reachable within the component
	seen  int32
	open  []graph.ID // discovered, not yet in a component
	calls []call
}

// A call is a vertex under search with the next of its arcs to follow.
type call struct {
	v    graph.ID
	next int
}

func (t *tarjan) search(root graph.ID) {
	t.enter(root)
	for len(t.calls) > 0 {
		c := &t.calls[len(t.calls)-1]
		if c.next == len(t.arcs[c.v]) {
			t.leave()
			continue
		}
		to := t.arcs[c.v][c.next]
		c.next++
		switch {
		case t.index[to] == 0:
			t.enter(to)
		case t.low[to] > 0: // still open
			t.low[c.v] = min(t.low[c.v], t.index[to])
		}
	}
}

func (t *tarjan) enter(v graph.ID) {
	t.seen++
	t.index[v], t.low[v] = t.seen, t.seen
	t.open = append(t.open, v)
	t.calls = append(t.calls, call{v: v})
}

// leave ends the search of the last call; the root of a component closes it. A closed vertex has
// low 0.
func (t *tarjan) leave() {
	v := t.calls[len(t.calls)-1].v
	t.calls = t.calls[:len(t.calls)-1]
	low := t.low[v]
	if low == t.index[v] {
		t.close(v)
	}
	if len(t.calls) > 0 {
		if parent := t.calls[len(t.calls)-1].v; low < t.low[parent] {
			t.low[parent] = low
		}
	}
}

func (t *tarjan) close(root graph.ID) {
	component := int32(len(t.system))
	t.system = append(t.system, -1)
	for {
		v := t.open[len(t.open)-1]
		t.open = t.open[:len(t.open)-1]
		t.of[v], t.low[v] = component, 0
		t.order = append(t.order, v)
		if v == root {
			return
		}
	}
}

// number finds the components that no arc leaves.
func (t *tarjan) number() {
	left := make([]bool, len(t.system))
	for v, to := range t.arcs {
		for _, u := range to {
			if t.of[u] != t.of[v] {
				left[t.of[v]] = true
			}
		}
	}
	for c := range t.system {
		if !left[c] {
			t.system[c] = int32(t.count)
			t.count++
		}
	}
}

// reach gives for every vertex the systems it has a path to, ascending. Components come after those
// they lead to, so one pass suffices. Vertices of a component share one slice.
func (c *components) reach(arcs [][]graph.ID) [][]int32 {
	of := make([][]int32, len(c.system))
	lead := make([][]int32, len(arcs))
	for _, v := range c.order {
		own := c.of[v]
		if c.system[own] >= 0 && of[own] == nil {
			of[own] = []int32{c.system[own]}
		}
		for _, u := range arcs[v] {
			if c.of[u] != own {
				of[own] = union(of[own], of[c.of[u]])
			}
		}
	}
	for v := range lead {
		lead[v] = of[c.of[v]]
	}
	return lead
}

// union of two ascending slices; it does not change them and gives one of them back where that is
// the union.
func union(a, b []int32) []int32 {
	switch {
	case len(a) == 0 || len(b) > 0 && &a[0] == &b[0]:
		return b
	case len(a) == 1 && len(b) == 1 && a[0] == b[0]:
		return a
	}
	out := make([]int32, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		x := min(a[0], b[0])
		if a[0] == x {
			a = a[1:]
		}
		if b[0] == x {
			b = b[1:]
		}
		out = append(out, x)
	}
	return append(append(out, a...), b...)
}
