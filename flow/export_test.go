package flow

import (
	"fmt"
	"slices"

	"watershed/graph"
)

// Arcs appends an arc for each link from a vertex to the list. Links that repeat a target, and
// links to the vertex itself, are the caller's to leave out; links without capacity are left out
// here.
func (c Capacity) Arcs(list []graph.Arc, from graph.ID, to []graph.ID) []graph.Arc {
	for _, v := range to {
		if x := c(from, v); x > 0 {
			list = append(list, graph.Arc{To: v, Capacity: x})
		}
	}
	return list
}

// Check checks the invariants of Paper: capacities, conservation and heights.
func (p *Paper) Check() error {
	balance := make([]int64, len(p.pages))
	for i, h := range p.halves {
		if h.residual < 0 {
			return fmt.Errorf("arc to %d: residual %d", h.to, h.residual)
		}
		if h.twin > int32(i) { // the link itself: its twin came later and holds its flow
			flow := p.halves[h.twin].residual
			balance[h.to] += flow
			balance[p.halves[h.twin].to] -= flow
		}
	}
	for u, b := range balance {
		x := &p.pages[u]
		if b += x.supplied - (p.epsilon - x.room); b != x.overflow || b < 0 || x.room < 0 ||
			x.room > p.epsilon {
			return fmt.Errorf("vertex %d: keeps %d, overflow %d, room %d of %d", u, b, x.overflow,
				x.room, p.epsilon)
		}
		if x.room > 0 && x.height > 1 || x.supplied > 0 && x.height > p.height+1 {
			return fmt.Errorf("vertex %d: height %d above t or s", u, x.height)
		}
		for i := x.first; i != none; i = p.halves[i].next {
			if h := p.halves[i]; h.residual > 0 && x.height > p.pages[h.to].height+1 {
				return fmt.Errorf("arc %d→%d: residual, and leads from height %d to %d", u, h.to, x.height,
					p.pages[h.to].height)
			}
		}
	}
	return nil
}

// Value is the flow into t, in units of 1/PaperUnit.
func (p *Paper) Value() (value int64) {
	for i := range p.pages {
		value += p.epsilon - p.pages[i].room
	}
	return value
}

// Side is the site at position i, in order of number.
func (s Scales) Side(i int) []graph.ID {
	var side []graph.ID
	for _, x := range s[:i+1] {
		side = append(side, x.Joined...)
	}
	slices.Sort(side)
	return side
}
