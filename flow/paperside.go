package flow

import (
	"slices"

	"watershed/graph"
)

// PaperSide is what to call the source side of a search that may have stopped before it was done:
// the paper does not say. At convergence, with a source that was not lowered, the first two are the
// largest and the smallest minimum cut.
type PaperSide int

const (
	// NoPathToSink is the crawled pages without a residual path to t.
	NoPathToSink PaperSide = iota
	// FromSource is the crawled pages that s or an overflow reaches along residual arcs.
	FromSource
	// SourceHigh is the crawled pages at least as high as the source.
	SourceHigh
)

// Side lists the source side by one of its meanings, in order of number. Pages that were not
// crawled are on the other side in all of them. It costs O(vertices + links).
func (p *Paper) Side(meaning PaperSide) []graph.ID {
	var in func(u graph.ID) bool
	switch meaning {
	case SourceHigh:
		in = func(u graph.ID) bool { return p.pages[u].height >= p.height }
	case FromSource:
		reached := p.closure(p.residualArcs(false), func(x *paperPage) bool {
			return x.overflow > 0 || x.returned > 0
		})
		in = func(u graph.ID) bool { return reached[u] }
	default:
		drained := p.closure(p.residualArcs(true), func(x *paperPage) bool { return x.room > 0 })
		in = func(u graph.ID) bool { return !drained[u] }
	}
	var side []graph.ID
	for i := range p.pages {
		if u := graph.ID(i); p.pages[u].crawled && in(u) {
			side = append(side, u)
		}
	}
	return side
}

// Disagreement is the number of pages that only one of two meanings puts on the source side.
func (p *Paper) Disagreement(a, b PaperSide) int {
	x, y := p.Side(a), p.Side(b)
	both := 0
	for _, u := range x {
		if _, ok := slices.BinarySearch(y, u); ok {
			both++
		}
	}
	return len(x) + len(y) - 2*both
}

// residualArcs lists the residual arcs by tail, or by head.
func (p *Paper) residualArcs(byHead bool) [][]graph.ID {
	arcs := make([][]graph.ID, len(p.pages))
	for u := range p.pages {
		for i := p.pages[u].first; i != none; i = p.halves[i].next {
			if h := p.halves[i]; h.residual > 0 {
				at, leads := graph.ID(u), h.to
				if byHead {
					at, leads = leads, at
				}
				arcs[at] = append(arcs[at], leads)
			}
		}
	}
	return arcs
}

// closure marks what the pages with a property reach.
func (p *Paper) closure(arcs [][]graph.ID, root func(*paperPage) bool) []bool {
	reached := make([]bool, len(p.pages))
	var stack []graph.ID
	for u := range p.pages {
		if root(&p.pages[u]) {
			reached[u] = true
			stack = append(stack, graph.ID(u))
		}
	}
	for len(stack) > 0 {
		u := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, v := range arcs[u] {
			if !reached[v] {
				reached[v] = true
				stack = append(stack, v)
			}
		}
	}
	return reached
}
