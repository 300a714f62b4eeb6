package flow

import (
	"cmp"
	"slices"
)

// The halves of a vertex lie side by side, in the order in which their arcs were added. That order
// ties an arc to its two halves: a walk over the arcs with one cursor a vertex meets them one after
// the other. Only a network whose arcs are edited a few at a time also keeps, for each half, whose
// it is (owner).
//
// Many new arcs at once are laid out without gaps. A few are inserted where they belong: a vertex
// whose space is used up moves to the end with a quarter more than it needs, so that an arc costs
// amortised O(1).

// halvesOf are the halves at a vertex.
func (n *preflow) halvesOf(u uint32) []half {
	from := n.start[u]
	return n.halves[from : from+n.size[u]]
}

// fewFresh is the part of the placed arcs below which new ones are inserted: to lay all out moves
// every half once, to insert an arc moves about eight, for most come with a vertex of their own.
const fewFresh = 1. / 8

// place gives halves to the arcs that have none and keeps the flow of the others.
func (n *preflow) place() {
	for _, s := range []*[]uint32{&n.start, &n.size, &n.space} {
		*s = append(*s, make([]uint32, n.Len()-len(*s))...)
	}
	fresh := n.arcs[n.placed:]
	if float64(len(fresh)) > fewFresh*float64(n.placed) || n.wasted > len(n.halves)/4 {
		n.layOut(fresh)
	} else if len(fresh) > 0 {
		n.makeSpace(fresh)
	}
	for i := range fresh {
		a := &fresh[i]
		if a.from == a.to {
			continue
		}
		p, q := n.start[a.from]+n.size[a.from], n.start[a.to]+n.size[a.to]
		n.size[a.from]++
		n.size[a.to]++
		n.halves[p] = half{to: uint32(a.to), twin: q, residual: a.forward}
		n.halves[q] = half{to: uint32(a.from), twin: p, residual: a.backward}
		if n.owner != nil {
			n.owner[p], n.owner[q] = ArcID(n.placed+i), ArcID(n.placed+i)
		}
	}
	n.placed = len(n.arcs)
}

// layOut moves all halves to where there is space for just those of the fresh arcs besides. It
// costs O(vertices + halves).
func (n *preflow) layOut(fresh []arc) {
	space := slices.Clone(n.size)
	for i := range fresh {
		if a := &fresh[i]; a.from != a.to {
			space[a.from]++
			space[a.to]++
		}
	}
	start := make([]uint32, len(space))
	sum := uint32(0)
	for u := range start {
		start[u] = sum
		sum += space[u]
	}
	halves := make([]half, sum)
	for u := range n.start {
		block := halves[start[u]:]
		for i, h := range n.halvesOf(uint32(u)) {
			h.twin += start[h.to] - n.start[h.to]
			block[i] = h
		}
	}
	if n.owner != nil {
		owner := make([]ArcID, sum)
		for u, from := range n.start {
			copy(owner[start[u]:], n.owner[from:from+n.size[u]])
		}
		n.owner = owner
	}
	n.start, n.space, n.halves, n.wasted = start, space, halves, 0
}

// makeSpace moves the vertices whose space the fresh arcs do not fit into. It costs O(vertices) and
// the moves.
func (n *preflow) makeSpace(fresh []arc) {
	need := n.scratch()
	clear(need)
	for i := range fresh {
		if a := &fresh[i]; a.from != a.to {
			need[a.from]++
			need[a.to]++
		}
	}
	for i := range fresh {
		for _, u := range [...]uint32{uint32(fresh[i].from), uint32(fresh[i].to)} {
			if all := n.size[u] + need[u]; all > n.space[u] {
				n.move(u, all+all/4)
			}
		}
	}
}

// move gives a vertex space at the end.
func (n *preflow) move(u, space uint32) {
	from, to := n.start[u], uint32(len(n.halves))
	n.halves = append(n.halves, make([]half, space)...)
	block := n.halves[to : to+n.size[u]]
	copy(block, n.halves[from:])
	for i, h := range block {
		n.halves[h.twin].twin = to + uint32(i)
	}
	if n.owner != nil {
		n.owner = append(n.owner, make([]ArcID, space)...)
		copy(n.owner[to:], n.owner[from:from+n.size[u]])
	}
	n.wasted += int(n.space[u])
	n.start[u], n.space[u] = to, space
}

// eachArc calls visit with every placed arc and the positions of its halves. Loops have none and
// are left out.
func (n *preflow) eachArc(visit func(id ArcID, forward, backward uint32)) {
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

// find gives the halves of a placed arc that is no loop, in O(halves of the end that has fewer).
// Owners must be known.
func (n *preflow) find(id ArcID) (forward, backward uint32) {
	a := &n.arcs[id]
	at := a.from
	if n.size[a.to] < n.size[at] {
		at = a.to
	}
	from := n.start[at]
	p := from + uint32(slices.Index(n.owner[from:from+n.size[at]], id))
	if at == a.from {
		return p, n.halves[p].twin
	}
	return n.halves[p].twin, p
}

// own finds out whose each half is.
func (n *preflow) own() {
	if n.owner != nil {
		return
	}
	n.owner = make([]ArcID, len(n.halves))
	n.eachArc(func(id ArcID, forward, backward uint32) { n.owner[forward], n.owner[backward] = id, id })
}

// outflow is the flow along a half of u at a position, negative where it runs against it. Owners
// must be known.
func (n *preflow) outflow(u, position uint32) int64 {
	a := &n.arcs[n.owner[position]]
	if uint32(a.from) == u {
		return a.forward - n.halves[position].residual
	}
	return a.backward - n.halves[position].residual
}

// restart returns all flow: residuals are the capacities, and every vertex holds what s supplies.
func (n *preflow) restart() {
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

// fewEdits is the part of the arcs below which edited ones are looked up one by one.
const fewEdits = 1. / 32

// reweigh fits the flow of every edited arc into its new capacities. Flow that no longer fits is
// taken back from the vertex that it went to, whose excess may become negative by that. Where an
// arc has several edits, the first one remembers the flow.
func (n *preflow) reweigh() {
	few := fewEdits * float64(n.placed)
	if float64(len(n.edits)) < few {
		slices.SortStableFunc(n.edits, func(a, b edit) int { return cmp.Compare(a.arc, b.arc) })
		n.own()
		for _, e := range slices.CompactFunc(n.edits, func(a, b edit) bool { return a.arc == b.arc }) {
			forward, backward := n.find(e.arc)
			n.refit(e, forward, backward)
		}
	} else {
		first := make([]uint32, n.placed) // 1 + the number of an arc's first edit
		for i := len(n.edits) - 1; i >= 0; i-- {
			first[n.edits[i].arc] = uint32(i + 1)
		}
		n.eachArc(func(id ArcID, forward, backward uint32) {
			if first[id] > 0 {
				n.refit(n.edits[first[id]-1], forward, backward)
			}
		})
	}
	if n.edits = n.edits[:0]; float64(cap(n.edits)) > few {
		n.edits = nil // there may have been one for every arc
	}
}

// refit fits the flow of one arc, whose halves are given, into its capacities.
func (n *preflow) refit(was edit, forward, backward uint32) {
	is := n.arcs[was.arc]
	flow := was.forward - n.halves[forward].residual
	kept := min(max(flow, -is.backward), is.forward)
	n.excess[is.from] += flow - kept
	n.excess[is.to] -= flow - kept
	n.halves[forward].residual = is.forward - kept
	n.halves[backward].residual = is.backward + kept
}

// repay makes a preflow again of one in which some vertices passed on more than they received: each
// takes back what it gave to t, then what it gave to others, who may come into debt by that. Only
// flow that is there is taken back, so it ends; where that takes longer than a cold start might, it
// gives up and says so.
func (n *preflow) repay() bool {
	debtors := n.debtors()
	if len(debtors) == 0 {
		return true
	}
	n.own()
	next := n.scratch() // halves of u before next[u] carry nothing away
	clear(next)
	work := n.Len() + len(n.halves)
	for i := 0; i < len(debtors); i++ {
		u := debtors[i]
		if n.excess[u] >= 0 {
			continue
		}
		d := min(-n.excess[u], n.sink[u]-n.room[u])
		n.room[u] += d
		n.excess[u] += d
		work--
		for ; n.excess[u] < 0; work-- {
			p := n.start[u] + next[u]
			if d := min(-n.excess[u], n.outflow(u, p)); d > 0 {
				h := &n.halves[p]
				h.residual += d
				n.halves[h.twin].residual -= d
				n.excess[u] += d
				if n.excess[h.to] -= d; n.excess[h.to] < 0 {
					debtors = append(debtors, h.to)
				}
			}
			if n.excess[u] < 0 {
				next[u]++
			}
		}
		if work < 0 {
			return len(n.debtors()) == 0
		}
	}
	return true
}

// debtors are the vertices with negative excess.
func (n *preflow) debtors() []uint32 {
	list := n.order[:0]
	for u, e := range n.excess {
		if e < 0 {
			list = append(list, uint32(u))
		}
	}
	return list
}

// EachFlow calls visit with every arc that carries flow at the last Solve, in order of addition:
// flow above 0 goes from the arc's tail to its head, below 0 the other way. Like Excess it is one
// of many answers. It costs O(vertices + arcs).
func (n *Network) EachFlow(visit func(id ArcID, flow int64)) {
	n.eachArc(func(id ArcID, forward, _ uint32) {
		if f := n.arcs[id].forward - n.halves[forward].residual; f != 0 {
			visit(id, f)
		}
	})
}
