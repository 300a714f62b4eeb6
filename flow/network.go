package flow

import (
	"fmt"
	"math"
	"slices"

	"watershed/graph"
)

// Infinite as a source capacity pins a vertex inside, as a sink capacity outside: the capacity
// counts as one unit more than all the arcs at the vertex, and grows with them. A vertex pinned on
// both sides is inside.
const Infinite int64 = math.MaxInt64

// ArcID names an arc for SetArc: its number in order of addition.
type ArcID uint32

// Network is a flow network between a source s and a sink t that grows while it is solved. s and t
// are not vertices: every vertex u carries the capacities c(s,u) and c(u,t) itself. It is not safe
// for concurrent use.
//
// Invariants, between any two calls:
//
//  1. Arcs from s are saturated: u has received the whole of c(s,u).
//  2. No flow exceeds its capacity: residuals are at least 0, and the two residuals of an arc sum
//     to its two capacities.
//  3. excess(u) = c(s,u) + inflow − outflow − absorbed. Solve makes it at least 0 first.
//
// After Solve also: no vertex with excess has a residual path to t, so the preflow is maximum and
// the vertices reachable from excess are the minimal source side. Arcs that are added or widened
// keep 1–3; a capacity that shrinks takes its flow back, and where the vertex behind has already
// passed that flow on, it is taken back from where it went. Only where that would take longer than
// it might to begin anew is the next Solve cold: it starts again from zero flow.
//
// Memory is 56 bytes an arc (both directions) and 77 bytes a vertex, in a network whose capacities
// shrink 64 an arc.
type Network struct{ preflow }

// preflow is a network with the flow that is in it, as the solver sees it.
type preflow struct {
	// Vertices.
	supply []int64 // c(s,u), all of it received
	sink   []int64 // c(u,t)
	room   []int64 // c(u,t) less what u has absorbed
	excess []int64
	traits []trait

	// Arcs: as given, in order of addition, and as solved, each in two halves grouped by vertex.
	arcs   []arc
	placed int      // arcs[:placed] have their halves
	start  []uint32 // the halves of u begin here,
	size   []uint32 // are so many,
	space  []uint32 // and may become so many without a move
	halves []half
	wasted int     // halves left behind by moves
	owner  []ArcID // by half; nil until it is needed

	edits  []edit // capacities of placed arcs before they were set
	solved bool   // the answers are those of the network as it stands
	warm   bool   // there is a preflow that was maximum once
	value  int64
	stats  Stats

	labels
}

// arc is an arc as the caller gave it.
type arc struct {
	from, to          graph.ID
	forward, backward int64
}

// half is one direction of an arc, at the vertex it leaves.
type half struct {
	to       uint32
	twin     uint32 // the other half
	residual int64  // capacity less flow
}

// trait is a set of yes/no properties of a vertex.
type trait uint8

const (
	revealed  trait = 1 << iota // its arcs were given
	pinnedIn                    // c(s,u) is Infinite
	pinnedOut                   // c(u,t) is Infinite
	inside                      // on the minimal source side of the last Solve
)

// Stats counts what the solver did since New.
type Stats struct {
	Epochs     int64 // calls of Solve that had something to do
	ColdStarts int64 // of these, because the preflow was given up
}

// New returns an empty network.
func New() *Network { return new(Network) }

// Len is the number of vertices.
func (n *preflow) Len() int { return len(n.traits) }

// AddVertex adds a hidden vertex without capacities and returns it.
func (n *Network) AddVertex() graph.ID { return n.AddVertices(1) }

// AddVertices adds k hidden vertices without capacities and returns the first; the others follow
// it.
func (n *Network) AddVertices(k int) graph.ID {
	first := n.Len()
	n.grow(k)
	to := first + k
	n.supply, n.sink = n.supply[:to], n.sink[:to]
	n.room, n.excess = n.room[:to], n.excess[:to]
	n.traits = n.traits[:to]
	n.solved = false
	return graph.ID(first)
}

// grow makes space for k more vertices. The values between length and capacity are zero: vertices
// are never removed.
func (n *preflow) grow(k int) {
	n.supply, n.sink = slices.Grow(n.supply, k), slices.Grow(n.sink, k)
	n.room, n.excess = slices.Grow(n.room, k), slices.Grow(n.excess, k)
	n.traits = slices.Grow(n.traits, k)
}

// Reveal gives the arcs of u, which must be hidden; a vertex that is no page is revealed with nil.
// Arcs may lead to hidden vertices. The cost is amortised O(len(out)).
func (n *Network) Reveal(u graph.ID, out []graph.Arc) {
	if !n.Hidden(u) {
		panic(fmt.Sprintf("flow: vertex %d is revealed twice", u))
	}
	n.traits[u] |= revealed
	for _, a := range out {
		n.AddArc(u, a)
	}
}

// Hidden says whether the arcs of u are still unknown.
func (n *Network) Hidden(u graph.ID) bool { return n.traits[u]&revealed == 0 }

// AddArc adds one arc from u, whether u is hidden or not. Parallel arcs add up; a loop carries
// nothing. The cost is amortised O(1). There is space for 2³¹ arcs.
func (n *Network) AddArc(u graph.ID, a graph.Arc) ArcID {
	if int(u) >= n.Len() || int(a.To) >= n.Len() {
		panic(fmt.Sprintf("flow: arc %d→%d in a network of %d vertices", u, a.To, n.Len()))
	}
	mustBeFinite(a.Capacity)
	mustBeFinite(a.Reverse)
	n.arcs = append(n.arcs, arc{u, a.To, a.Capacity, a.Reverse})
	n.solved = false
	return ArcID(len(n.arcs) - 1)
}

// SetArc replaces the capacities of an arc. The cost is O(1), and in the next Solve, for a few
// arcs, O(arcs at that end of each which has fewer), for many O(arcs) once.
func (n *Network) SetArc(id ArcID, capacity, reverse int64) {
	mustBeFinite(capacity)
	mustBeFinite(reverse)
	a := &n.arcs[id]
	if a.forward == capacity && a.backward == reverse {
		return
	}
	if int(id) < n.placed && a.from != a.to {
		n.edits = append(n.edits, edit{id, a.forward, a.backward})
	}
	a.forward, a.backward = capacity, reverse
	n.solved = false
}

// Arc gives an arc as it stands.
func (n *Network) Arc(id ArcID) (from graph.ID, a graph.Arc) {
	x := n.arcs[id]
	return x.from, graph.Arc{To: x.to, Capacity: x.forward, Reverse: x.backward}
}

// Arcs is the number of arcs.
func (n *Network) Arcs() int { return len(n.arcs) }

// SetSource sets c(s,u); Infinite pins u inside.
func (n *Network) SetSource(u graph.ID, capacity int64) {
	mustNotBeNegative(capacity)
	n.solved = false
	if capacity == Infinite {
		n.traits[u] |= pinnedIn // Solve finds out how much that is
		return
	}
	n.traits[u] &^= pinnedIn
	n.setSupply(u, capacity)
}

// setSupply replaces c(s,u). The excess of u may become negative by that: Solve looks.
func (n *preflow) setSupply(u graph.ID, capacity int64) {
	n.excess[u] += capacity - n.supply[u]
	n.supply[u] = capacity
}

// SetSink sets c(u,t); Infinite pins u outside.
func (n *Network) SetSink(u graph.ID, capacity int64) {
	mustNotBeNegative(capacity)
	n.solved = false
	if capacity == Infinite {
		n.traits[u] |= pinnedOut
		return
	}
	n.traits[u] &^= pinnedOut
	n.setSink(u, capacity)
}

// setSink replaces c(u,t). Flow that no longer fits becomes excess again, so the preflow is kept.
func (n *preflow) setSink(u graph.ID, capacity int64) {
	n.room[u] += capacity - n.sink[u]
	n.sink[u] = capacity
	if n.room[u] < 0 {
		n.excess[u] -= n.room[u]
		n.room[u] = 0
	}
}

// Source is c(s,u); for a pinned vertex, what it amounted to in the last Solve.
func (n *Network) Source(u graph.ID) int64 { return n.supply[u] }

// Sink is c(u,t); for a pinned vertex, what it amounted to in the last Solve.
func (n *Network) Sink(u graph.ID) int64 { return n.sink[u] }

// Stats tells what the solver did so far.
func (n *Network) Stats() Stats { return n.stats }

func mustBeFinite(capacity int64) {
	mustNotBeNegative(capacity)
	if capacity == Infinite {
		panic("flow: an arc cannot have infinite capacity")
	}
}

func mustNotBeNegative(capacity int64) {
	if capacity < 0 {
		panic(fmt.Sprintf("flow: capacity %d is negative", capacity))
	}
}
