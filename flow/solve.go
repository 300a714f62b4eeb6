package flow

import "watershed/graph"

// labels is the part of a Network that only a running Solve reads.
//
// The height of a vertex is a lower bound on the number of residual arcs from it to t. Vertices of
// one height form a level, a doubly linked list, so that a gap is emptied in time proportional to
// what it holds; those of them with excess also form a stack. The halves of u from current[u] on
// are not admissible: nothing leads down from u through them. So the arcs that were added last are
// tried first: in a network that is discovered, and in most that are generated, they lead to what
// came last, away from s.
type labels struct {
	height  []uint32
	current []uint32 // how many halves of u are left to try

	level      []uint32 // first vertex of a height
	next, prev []uint32 // within the level
	active     []uint32 // top vertex with excess of a height
	below      []uint32 // within the stack
	top        int      // no active vertex is higher
	peak       int      // no vertex is higher, cut-off ones aside

	order []uint32 // vertices that reach t, by height as the last global relabel found it
	work  int      // halves looked at and relabels since then
	path  []uint32 // for augment, positions of halves
}

const (
	cutOff = ^uint32(0) // the height of a vertex without a residual path to t
	nobody = ^uint32(0) // the end of a list
)

// Work between two global relabels, in halves looked at: workPerVertex for each vertex and
// workPerHalf for each half, where a relabel counts as workPerRelabel halves. hi_pr, the program of
// Cherkassky and Goldberg (On implementing the push-relabel method for the maximum flow problem,
// 1997), has 12, 1 and 12; waiting a little longer was better on grids, and on rmf and layered
// networks as good. Web graphs need one global relabel in all.
const (
	workPerVertex  = 12
	workPerHalf    = 2
	workPerRelabel = 12
)

// Solve makes the preflow maximum. After additions and widenings it goes on from the preflow it
// has; see Network for what costs a cold start. Without changes it does nothing.
//
// The method of a cold start is phase one of push-relabel (Goldberg and Tarjan, A new approach to
// the maximum-flow problem, 1988) with the highest label first, gap and global relabelling
// (Cherkassky and Goldberg 1997): O(n²√m) at worst. Phase two, the return of stuck excess to s, is
// left out: neither value nor minimal cut needs it. A warm start searches the room that has come up
// for excess (augment), and only where that is much goes on by push-relabel.
func (n *Network) Solve() {
	if n.solved {
		return
	}
	n.stats.Epochs++
	if !n.prepare() || !n.augment() {
		n.pushDownhill()
	}
	n.finish()
}

// pushDownhill is phase one of push-relabel: it discharges the highest active vertex until none is
// left.
func (n *preflow) pushDownhill() {
	n.globalRelabel()
	for n.top > 0 {
		u := n.active[n.top]
		if u == nobody {
			n.top--
			continue
		}
		n.active[n.top] = n.below[u]
		n.discharge(u)
		if n.work > workPerVertex*n.Len()+workPerHalf*len(n.halves) {
			n.globalRelabel()
		}
	}
}

// prepare brings arcs, pins and preflow into agreement with what was asked since the last Solve. It
// reports whether the preflow of the last Solve is still there.
func (n *preflow) prepare() (warm bool) {
	n.fit()
	if len(n.edits) > 0 {
		n.reweigh()
	}
	if n.placed < len(n.arcs) || len(n.start) < n.Len() {
		n.place()
	}
	n.pin()
	warm = n.warm
	if !n.repay() {
		n.restart()
		n.stats.ColdStarts++
		warm = false
	}
	return warm
}

// pin gives infinite capacities their finite value: more than all arcs at the vertex together. It
// never takes away.
func (n *preflow) pin() {
	for i, t := range n.traits {
		if t&(pinnedIn|pinnedOut) == 0 {
			continue
		}
		u, all := graph.ID(i), int64(1)
		for _, h := range n.halvesOf(uint32(i)) {
			all += h.residual + n.halves[h.twin].residual
		}
		if t&pinnedIn != 0 {
			n.setSupply(u, max(n.supply[u], all+n.sink[u]))
		} else {
			n.setSink(u, max(n.sink[u], all+n.supply[u]))
		}
	}
}

// finish takes down value and source side.
func (n *preflow) finish() {
	n.value = 0
	for u := range n.sink {
		n.value += n.sink[u] - n.room[u]
	}
	n.markInside()
	n.solved, n.warm = true, true
}

// discharge rids u of its excess: down to t and to lower vertices, and when there are none, u
// rises. It ends without excess or cut off.
func (n *preflow) discharge(u uint32) {
	excess := n.excess[u]
	if room := n.room[u]; room > 0 { // then u has height 1
		d := min(excess, room)
		n.room[u] = room - d
		excess -= d
	}
	halves := n.halvesOf(u)
	for excess > 0 {
		if n.height[u] > 1 { // below height 1 there is only t
			excess = n.pushDown(u, halves, excess)
			if excess == 0 {
				break
			}
		}
		if !n.rise(u, halves) {
			break
		}
	}
	n.excess[u] = excess
}

// pushDown pushes excess of u along admissible halves from the current one on, and returns what is
// left.
func (n *preflow) pushDown(u uint32, halves []half, left int64) int64 {
	all, height, excess := n.halves, n.height, n.excess
	down := height[u] - 1
	from := int(n.current[u])
	i := from - 1
	for ; i >= 0; i-- {
		h := &halves[i]
		if h.residual == 0 || height[h.to] != down {
			continue
		}
		d := min(h.residual, left)
		h.residual -= d
		all[h.twin].residual += d
		if excess[h.to] == 0 {
			n.activate(h.to, down)
		}
		excess[h.to] += d
		if left -= d; left == 0 {
			break
		}
	}
	n.current[u] = uint32(i + 1)
	n.work += from - i
	return left
}

// rise lifts u, which has no admissible half, to one above its lowest residual neighbour, and says
// whether u still reaches t. No neighbour is below u, so the search ends at the first one level
// with it.
func (n *preflow) rise(u uint32, halves []half) bool {
	height := n.height
	old, lowest, at := height[u], cutOff, 0
	i := len(halves) - 1
	for ; i >= 0; i-- {
		h := &halves[i]
		if v := height[h.to]; v < lowest && h.residual > 0 {
			lowest, at = v, i
			if v == old {
				break
			}
		}
	}
	n.work += len(halves) - i + workPerRelabel
	n.leave(u, old)
	if n.level[old] == nobody {
		n.gap(int(old))
		height[u] = cutOff
		return false
	}
	if int(lowest) >= n.Len() { // cutOff, or farther than any path is long
		height[u] = cutOff
		return false
	}
	n.current[u] = uint32(at + 1)
	n.enter(u, lowest+1)
	return true
}

// gap cuts off all vertices above an empty level. None of them is active: the vertex that left the
// level was highest.
func (n *preflow) gap(empty int) {
	for k := empty + 1; k <= n.peak; k++ {
		for u := n.level[k]; u != nobody; u = n.next[u] {
			n.height[u] = cutOff
		}
		n.level[k] = nobody
	}
	n.peak = empty
}

// activate puts u, of the given height, on the stack of its level.
func (l *labels) activate(u, height uint32) {
	l.below[u] = l.active[height]
	l.active[height] = u
	l.top = max(l.top, int(height))
}

// enter puts u into a level.
func (l *labels) enter(u, height uint32) {
	first := l.level[height]
	l.height[u], l.next[u], l.prev[u] = height, first, nobody
	if first != nobody {
		l.prev[first] = u
	}
	l.level[height] = u
	l.peak = max(l.peak, int(height))
}

// leave takes u out of its level.
func (l *labels) leave(u, height uint32) {
	next, prev := l.next[u], l.prev[u]
	if prev == nobody {
		l.level[height] = next
	} else {
		l.next[prev] = next
	}
	if next != nobody {
		l.prev[next] = prev
	}
}
