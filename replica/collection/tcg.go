package collection

import (
	"cmp"
	"slices"
)

// tcg is the trivial cluster graph: merges that are allowed, by the cluster that they lead from.
type tcg struct {
	start []uint32
	list  []tcgEdge
	n     int
}

type tcgEdge struct {
	to    uint32
	local bool
	back  bool
}

func newTCG(n int, edges []edge, both bool) *tcg {
	g := &tcg{n: n, start: make([]uint32, n+1)}
	each := func(fn func(from uint32, e tcgEdge)) {
		for _, e := range edges {
			fn(e.from, tcgEdge{to: e.to, local: e.local})
			if both {
				fn(e.to, tcgEdge{to: e.from, local: e.local, back: true})
			}
		}
	}
	each(func(from uint32, _ tcgEdge) { g.start[from+1]++ })
	for i := range n {
		g.start[i+1] += g.start[i]
	}
	g.list = make([]tcgEdge, g.start[n])
	at := slices.Clone(g.start)
	each(func(from uint32, e tcgEdge) {
		g.list[at[from]] = e
		at[from]++
	})
	for v := range uint32(n) {
		slices.SortFunc(g.edges(v), func(a, b tcgEdge) int {
			return cmp.Or(cmp.Compare(a.to, b.to), compareBool(a.back, b.back))
		})
	}
	return g
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func (g *tcg) edges(v uint32) []tcgEdge { return g.list[g.start[v]:g.start[v+1]] }

// starts gives a node of every strongly connected component that no other leads to, which together
// reach all: of larger cardinality first, then more attractive ones, then by number.
func (g *tcg) starts(t *groups, attraction []uint32) []uint32 {
	component, count := g.components()
	source := make([]bool, count)
	for i := range source {
		source[i] = true
	}
	best := make([]uint32, count)
	for i := range best {
		best[i] = none
	}
	for v := range uint32(g.n) {
		k := component[v]
		if b := best[k]; b == none || t.size(v) > t.size(b) ||
			t.size(v) == t.size(b) && attraction[v] > attraction[b] {
			best[k] = v
		}
		for _, e := range g.edges(v) {
			if component[e.to] != k {
				source[component[e.to]] = false
			}
		}
	}
	var list []uint32
	for k, v := range best {
		if source[k] {
			list = append(list, v)
		}
	}
	slices.SortFunc(list, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(t.size(b), t.size(a)), cmp.Compare(attraction[b], attraction[a]),
			cmp.Compare(a, b))
	})
	return list
}

// components numbers the strongly connected components: R. Tarjan, Depth-first search and linear
// graph algorithms, SIAM J. Comput. 1(2), 1972, with a stack of its own for the recursion.
func (g *tcg) components() (component []uint32, count int) {
	component = make([]uint32, g.n)
	index, low := make([]uint32, g.n), make([]uint32, g.n)
	for v := range component {
		component[v], index[v] = none, none
	}
	type frame struct {
		v    uint32
		next int
	}
	var calls []frame
	var open []uint32
	time := uint32(0)
	enter := func(v uint32) {
		index[v], low[v] = time, time
		time++
		open = append(open, v)
		calls = append(calls, frame{v: v})
	}
	for root := range uint32(g.n) {
		if index[root] == none {
			enter(root)
		}
		for len(calls) > 0 {
			f := &calls[len(calls)-1]
			if out := g.edges(f.v); f.next < len(out) {
				u := out[f.next].to
				f.next++
				switch {
				case index[u] == none:
					enter(u)
				case component[u] == none:
					low[f.v] = min(low[f.v], index[u])
				}
				continue
			}
			v := f.v
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				p := calls[len(calls)-1].v
				low[p] = min(low[p], low[v])
			}
			if low[v] != index[v] {
				continue
			}
			for {
				u := open[len(open)-1]
				open = open[:len(open)-1]
				component[u] = uint32(count)
				if u == v {
					break
				}
			}
			count++
		}
	}
	return component, count
}
