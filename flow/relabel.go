package flow

import "slices"

// fit gives the working arrays the size of the network.
func (n *preflow) fit() {
	for _, s := range []*[]uint32{&n.height, &n.current, &n.next, &n.prev, &n.below} {
		*s = slices.Grow((*s)[:0], n.Len())[:n.Len()]
	}
	for _, s := range []*[]uint32{&n.level, &n.active} {
		*s = slices.Grow((*s)[:0], n.Len()+2)[:n.Len()+2]
	}
}

// scratch is an array of one number a vertex; its content is undefined. Solve may not be
// discharging.
func (n *preflow) scratch() []uint32 {
	n.current = slices.Grow(n.current[:0], n.Len())[:n.Len()]
	return n.current
}

// globalRelabel makes every height exact, by breadth-first search from t against residual arcs, and
// lists the active vertices. It costs O(n + m) at worst; the search ends as soon as every vertex is
// found, which on networks where nearly every vertex has room in its own sink is at once.
func (n *preflow) globalRelabel() {
	n.work = 0
	n.findHeights()
	for k := range n.level {
		n.level[k], n.active[k] = nobody, nobody
	}
	n.top, n.peak = 0, 0
	copy(n.current, n.size)
	for _, u := range n.order {
		n.enter(u, n.height[u])
		if n.excess[u] > 0 {
			n.activate(u, n.height[u])
		}
	}
}

// findHeights searches level by level: from the last level upwards along the twins, or, where fewer
// vertices are left than the level holds, from these downwards (Beamer, Asanović and Patterson,
// Direction-optimizing breadth-first search, 2012).
func (n *preflow) findHeights() {
	n.order = n.order[:0]
	for u, room := range n.room {
		if room > 0 {
			n.height[u] = 1
			n.order = append(n.order, uint32(u))
		} else {
			n.height[u] = cutOff
		}
	}
	rest := n.below[:0] // vertices not found, once someone asks
	level := n.order
	for height := uint32(1); len(level) > 0 && len(n.order) < n.Len(); height++ {
		from := len(n.order)
		if n.Len()-from > len(level) {
			n.searchUp(level, height)
		} else {
			rest = n.notFound(rest)
			n.searchDown(rest, height)
		}
		level = n.order[from:]
	}
}

// searchUp finds the vertices with a residual arc into the level.
func (n *preflow) searchUp(level []uint32, height uint32) {
	all, heights, order := n.halves, n.height, n.order
	for _, u := range level {
		for _, h := range n.halvesOf(u) {
			if heights[h.to] == cutOff && all[h.twin].residual > 0 {
				heights[h.to] = height + 1
				order = append(order, h.to)
			}
		}
	}
	n.order = order
}

// searchDown finds, among the vertices left, those with a residual arc into the level.
func (n *preflow) searchDown(rest []uint32, height uint32) {
	for _, u := range rest {
		for _, h := range n.halvesOf(u) {
			if h.residual > 0 && n.height[h.to] == height {
				n.height[u] = height + 1
				n.order = append(n.order, u)
				break
			}
		}
	}
}

// notFound is the list of vertices without a height, kept from call to call of one search.
func (n *preflow) notFound(rest []uint32) []uint32 {
	if len(rest) == 0 {
		for u, h := range n.height {
			if h == cutOff {
				rest = append(rest, uint32(u))
			}
		}
		return rest
	}
	return slices.DeleteFunc(rest, func(u uint32) bool { return n.height[u] != cutOff })
}
