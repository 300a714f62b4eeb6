package flow

import (
	"cmp"
	"slices"
)

// The halves of a vertex lie side by side, in the order in which their arcs were added. That order is all that ties an arc
// to its two halves: a walk over the arcs with one cursor a vertex meets them one after the other, and nothing is stored
// for it.

// place gives halves to the arcs that have none and keeps the flow of the others. It costs O(vertices + halves), as the
// global relabel after it does.
func (n *Network) place() {
	fresh := n.arcs[n.placed:]
	old := n.start
	for len(old) <= n.Len() { // vertices that came since have no halves yet
		old = append(old, uint32(len(n.halves)))
	}
	n.start = widen(old, fresh)
	n.halves = slices.Grow(n.halves, int(n.start[n.Len()])-len(n.halves))[:n.start[n.Len()]]
	cursor := n.scratch()
	n.spread(old, cursor)
	for i := range fresh {
		a := &fresh[i]
		if a.from == a.to {
			continue
		}
		p, q := cursor[a.from], cursor[a.to]
		cursor[a.from], cursor[a.to] = p+1, q+1
		n.halves[p] = half{to: uint32(a.to), twin: q, residual: a.forward}
		n.halves[q] = half{to: uint32(a.from), twin: p, residual: a.backward}
	}
	n.placed = len(n.arcs)
}

// widen is start with space for the halves of the fresh arcs.
func widen(start []uint32, fresh []arc) []uint32 {
	wide := make([]uint32, len(start))
	for i := range fresh {
		if a := &fresh[i]; a.from != a.to {
			wide[a.from+1]++
			wide[a.to+1]++
		}
	}
	before := uint32(0) // fresh halves of the vertices so far
	for u := range wide {
		before += wide[u]
		wide[u] = start[u] + before
	}
	return wide
}

// spread moves the halves of every vertex from their old start up to the new one, and leaves in cursor where the next half
// of each vertex goes.
func (n *Network) spread(old, cursor []uint32) {
	for u := len(cursor) - 1; u >= 0; u-- {
		block := n.halves[old[u]:old[u+1]]
		for i := range block {
			v := block[i].to
			block[i].twin += n.start[v] - old[v]
		}
		copy(n.halves[n.start[u]:], block)
		cursor[u] = n.start[u] + uint32(len(block))
	}
}

// eachArc calls visit with every placed arc and the positions of its halves. Loops have none and are left out.
func (n *Network) eachArc(visit func(id ArcID, forward, backward uint32)) {
	cursor := n.scratch()
	copy(cursor, n.start)
	for i := range n.arcs[:n.placed] {
		a := &n.arcs[i]
		if a.from == a.to {
			continue
		}
		p, q := cursor[a.from], cursor[a.to]
		cursor[a.from], cursor[a.to] = p+1, q+1
		visit(ArcID(i), p, q)
	}
}

// restart returns all flow: residuals are the capacities, and every vertex holds what s supplies.
func (n *Network) restart() {
	n.eachArc(func(id ArcID, forward, backward uint32) {
		n.halves[forward].residual = n.arcs[id].forward
		n.halves[backward].residual = n.arcs[id].backward
	})
	copy(n.excess, n.supply)
	copy(n.room, n.sink)
}

// edit remembers the capacities that a placed arc had before SetArc.
type edit struct {
	arc               ArcID
	forward, backward int64
}

// reweigh fits the flow of every edited arc into its new capacities. What no longer fits is taken back from the vertex it
// went to, whose excess may become negative by that.
func (n *Network) reweigh() {
	slices.SortStableFunc(n.edits, func(a, b edit) int { return cmp.Compare(a.arc, b.arc) })
	edits := slices.CompactFunc(n.edits, func(a, b edit) bool { return a.arc == b.arc }) // the first remembers the flow
	n.eachArc(func(id ArcID, forward, backward uint32) {
		if len(edits) == 0 || edits[0].arc != id {
			return
		}
		was, is := edits[0], n.arcs[id]
		edits = edits[1:]
		flow := was.forward - n.halves[forward].residual
		kept := min(max(flow, -is.backward), is.forward)
		n.excess[is.from] += flow - kept
		n.excess[is.to] -= flow - kept
		n.halves[forward].residual = is.forward - kept
		n.halves[backward].residual = is.backward + kept
	})
	n.edits = n.edits[:0]
}
