package flow

import (
	"errors"
	"fmt"

	"watershed/graph"
)

// Certify checks that the network holds a maximum preflow and marks the minimal source side, from
// the capacities that the caller gave and without trust in the solver: CheckCapacities,
// CheckConservation, CheckValue and CheckMinimal in turn. By weak duality these four together are a
// proof. It costs O(vertices + arcs).
func (n *Network) Certify() error {
	for _, check := range []func() error{
		n.CheckCapacities, n.CheckConservation, n.CheckValue,
		n.CheckMinimal,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// CheckCapacities checks that no flow exceeds its capacity, on arcs and into t, and that pins
// outweigh the arcs beside them.
func (n *Network) CheckCapacities() error {
	if !n.solved {
		return ErrNotSolved
	}
	around := make([]int64, n.Len())
	var err error
	n.eachArc(func(id ArcID, forward, backward uint32) {
		a, f, b := n.arcs[id], n.halves[forward], n.halves[backward]
		around[a.from] += a.forward + a.backward
		around[a.to] += a.forward + a.backward
		if f.to != uint32(a.to) || b.to != uint32(a.from) || f.twin != backward || b.twin != forward {
			err = fmt.Errorf("arc %d→%d: its halves lead elsewhere", a.from, a.to)
		}
		if f.residual < 0 || b.residual < 0 || f.residual+b.residual != a.forward+a.backward {
			err = fmt.Errorf("arc %d→%d: residuals %d and %d under capacities %d and %d",
				a.from, a.to, f.residual, b.residual, a.forward, a.backward)
		}
	})
	for u := range n.sink {
		if n.room[u] < 0 || n.room[u] > n.sink[u] {
			return fmt.Errorf("vertex %d: room %d in a sink of %d", u, n.room[u], n.sink[u])
		}
		if n.weakPin(u, around[u]) {
			return fmt.Errorf("vertex %d: pinned by source %d, sink %d against %d", u, n.supply[u],
				n.sink[u], around[u])
		}
	}
	return err
}

// weakPin says whether u is pinned by a capacity that the arcs around it, and the other side, could
// outweigh.
func (n *Network) weakPin(u int, around int64) bool {
	switch t := n.traits[u]; {
	case t&pinnedIn != 0:
		return n.supply[u] <= around+n.sink[u]
	case t&pinnedOut != 0:
		return n.sink[u] <= around+n.supply[u]
	}
	return false
}

// CheckConservation checks that every vertex holds exactly what it received and did not pass on,
// and never less than 0.
func (n *Network) CheckConservation() error {
	if !n.solved {
		return ErrNotSolved
	}
	balance := make([]int64, n.Len())
	n.eachArc(func(id ArcID, forward, _ uint32) {
		a := n.arcs[id]
		flow := a.forward - n.halves[forward].residual
		balance[a.from] -= flow
		balance[a.to] += flow
	})
	for u, b := range balance {
		b += n.supply[u] - n.Absorbed(graph.ID(u))
		if b != n.excess[u] || b < 0 {
			return fmt.Errorf("vertex %d: keeps %d, its excess is %d", u, b, n.excess[u])
		}
	}
	return nil
}

// CheckValue checks that as much flows into t as the cut can carry. Then no flow is larger and no
// cut smaller.
func (n *Network) CheckValue() error {
	if !n.solved {
		return ErrNotSolved
	}
	absorbed := int64(0)
	for u := range n.sink {
		absorbed += n.Absorbed(graph.ID(u))
	}
	if cut := n.Cut().Value(); absorbed != cut || n.value != cut {
		return fmt.Errorf("flow of %d (said: %d) through a cut of %d", absorbed, n.value, cut)
	}
	return nil
}

// CheckMinimal checks that every vertex of the source side can be reached from excess along
// residual arcs: then it is on the source side of every minimum cut, and no minimum cut has a
// smaller one. It takes 5 bytes of memory a vertex at most.
func (n *Network) CheckMinimal() error {
	if !n.solved {
		return ErrNotSolved
	}
	reached := make([]bool, n.Len())
	var stack []graph.ID
	reach := func(u graph.ID) {
		if !reached[u] {
			reached[u] = true
			stack = append(stack, u)
		}
	}
	for u, e := range n.excess {
		if e > 0 {
			reach(graph.ID(u))
		}
	}
	for len(stack) > 0 {
		u := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, h := range n.halves[n.start[u] : n.start[u]+n.size[u]] {
			if h.residual > 0 {
				reach(graph.ID(h.to))
			}
		}
	}
	for u, r := range reached {
		if r != n.Inside(graph.ID(u)) {
			return fmt.Errorf("vertex %d: inside is %v, reachable from excess is %v", u, !r, r)
		}
	}
	return nil
}

// ErrNotSolved is returned by checks of a network that changed since it was solved.
var ErrNotSolved = errors.New("network changed since it was solved")
