package flow

import "watershed/graph"

// markInside marks the minimal source side: what is reachable from excess. Where excess is stuck, a
// maximum flow would send it back to s, and s would reach the vertex against that flow.
func (n *preflow) markInside() {
	queue := n.order[:0]
	for u := range n.traits {
		n.traits[u] &^= inside
		if n.excess[u] > 0 {
			n.traits[u] |= inside
			queue = append(queue, uint32(u))
		}
	}
	for i := 0; i < len(queue); i++ {
		u := queue[i]
		for _, h := range n.halvesOf(u) {
			if h.residual > 0 && n.traits[h.to]&inside == 0 {
				n.traits[h.to] |= inside
				queue = append(queue, h.to)
			}
		}
	}
	n.order = queue
}

// Inside says whether u was on the minimal source side at the last Solve. A vertex added since was
// not.
func (n *Network) Inside(u graph.ID) bool { return n.traits[u]&inside != 0 }

// Side is the minimal source side at the last Solve, in order of number: of all minimum cuts the
// one with the fewest vertices.
func (n *Network) Side() []graph.ID {
	var side []graph.ID
	for u, t := range n.traits {
		if t&inside != 0 {
			side = append(side, graph.ID(u))
		}
	}
	return side
}

// Wanted is the hidden part of the source side at the last Solve, in order of number: what must be
// revealed before the cut is final. In which order that is done changes the cost and never the
// result; Bond tells how much binds each of them.
func (n *Network) Wanted() []graph.ID {
	var wanted []graph.ID
	for u, t := range n.traits {
		if t&(inside|revealed) == inside {
			wanted = append(wanted, graph.ID(u))
		}
	}
	return wanted
}

// MostFetches bounds what the fetch rule can still reveal: flow of at most the given capacity
// enters, and every vertex that is ever wanted keeps at least toll of it, which must be positive.
// For a start it is c(seeds, rest)/α; to extend a settled site to a smaller toll it is the capacity
// of its cut arcs over that toll.
func MostFetches(capacity, toll int64) int64 { return capacity / toll }

// Excess is what u has received and could not pass on. It is one of many answers: only where it
// ends up depends on the order of pushes, not how much of it there is in all, nor the source side.
func (n *Network) Excess(u graph.ID) int64 { return n.excess[u] }

// Absorbed is the flow from u to t.
func (n *Network) Absorbed(u graph.ID) int64 { return n.sink[u] - n.room[u] }

// Value is the value of the maximum flow at the last Solve.
func (n *Network) Value() int64 { return n.value }

// CutArc is a direction of an arc that leads out of the source side, with its capacity.
type CutArc struct {
	From, To graph.ID
	Capacity int64
}

// Cut is what separates the minimal source side from the rest. Sources + Arcs + Sinks is its value.
type Cut struct {
	Crossing []CutArc // arcs with capacity, in order of addition
	Arcs     int64    // their capacity
	Sources  int64    // capacity from s to vertices outside: soft sources that were refused
	Sinks    int64    // capacity from vertices inside to t: the toll of the members
}

// Value is the capacity of the cut.
func (c Cut) Value() int64 { return c.Sources + c.Arcs + c.Sinks }

// Cut lists the cut of the last Solve, computed from the capacities and not from the flow. It costs
// O(vertices + arcs).
func (n *Network) Cut() Cut {
	var c Cut
	cross := func(from, to graph.ID, capacity int64) {
		if capacity > 0 && n.Inside(from) && !n.Inside(to) {
			c.Crossing = append(c.Crossing, CutArc{from, to, capacity})
			c.Arcs += capacity
		}
	}
	for _, a := range n.arcs {
		cross(a.from, a.to, a.forward)
		cross(a.to, a.from, a.backward)
	}
	for u, t := range n.traits {
		if t&inside != 0 {
			c.Sinks += n.sink[u]
		} else {
			c.Sources += n.supply[u]
		}
	}
	return c
}

// Bond is the capacity, in both directions, of the arcs between u and the source side of the last
// Solve. Other than Excess it depends on nothing but the network. It costs O(arcs at u).
func (n *Network) Bond(u graph.ID) int64 {
	bond := int64(0)
	for _, h := range n.halvesOf(uint32(u)) {
		if n.traits[h.to]&inside != 0 {
			bond += h.residual + n.halves[h.twin].residual
		}
	}
	return bond
}
