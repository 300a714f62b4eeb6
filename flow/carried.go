package flow

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
