package flow

// augment makes a preflow maximum that nearly is: by searching from t, against residual arcs, for
// the excess that is nearest. Push-relabel would set all excess in motion that can reach t, and
// after a small change that is often nearly all there is, for room that is hardly any.
//
// Each phase finds the vertices with excess that are nearest to t and lets them send along shortest
// paths what can be sent (Dinic, Algorithm for solution of a problem of maximum flow in networks
// with power estimation, 1970, from t instead of from s). There are at most n phases, nearly always
// a handful. It gives up, and says so, when it has taken longer than a cold start might; what it
// did then still holds.
func (n *preflow) augment() bool {
	n.work = 0
	for {
		found := n.searchExcess()
		if len(found) == 0 {
			return true
		}
		copy(n.current, n.size)
		for _, u := range found {
			n.drain(u)
		}
		if n.work > workPerVertex*n.Len()+workPerHalf*len(n.halves) {
			return false
		}
	}
}

// searchExcess gives the vertices from which t is reached their heights, level by level, up to the
// first level that holds excess, and lists those of it that do.
func (n *preflow) searchExcess() (found []uint32) {
	n.order = n.order[:0]
	for u, room := range n.room {
		switch {
		case room == 0:
			n.height[u] = cutOff
		case n.excess[u] > 0:
			n.height[u] = 1
			found = append(found, uint32(u))
		default:
			n.height[u] = 1
			n.order = append(n.order, uint32(u))
		}
	}
	for i := 0; i < len(n.order); i++ {
		u := n.order[i]
		if len(found) > 0 && n.height[u] >= n.height[found[0]] {
			break
		}
		halves := n.halvesOf(u)
		n.work += len(halves)
		for _, h := range halves {
			if n.height[h.to] != cutOff || n.halves[h.twin].residual == 0 {
				continue
			}
			n.height[h.to] = n.height[u] + 1
			if n.excess[h.to] > 0 {
				found = append(found, h.to)
			} else {
				n.order = append(n.order, h.to)
			}
		}
	}
	return found
}

// drain sends excess of u to t along descending heights until there is none, or no path. A vertex
// from which none leads is cut off for the rest of the phase.
func (n *preflow) drain(u uint32) {
	path := n.path[:0] // positions of the halves from u to v
	v := u
	for n.excess[u] > 0 {
		switch p, ok := n.descend(v); {
		case n.height[v] == 1 && n.room[v] > 0:
			n.send(u, v, path)
			path, v = path[:0], u
		case ok:
			path = append(path, p)
			v = n.halves[p].to
		case v == u:
			n.path = path
			return
		default:
			n.height[v] = cutOff
			v = n.halves[n.halves[path[len(path)-1]].twin].to
			path = path[:len(path)-1]
		}
	}
	n.path = path
}

// descend gives the half, by its position, that leads from v one level down.
func (n *preflow) descend(v uint32) (position uint32, ok bool) {
	if n.height[v] <= 1 || n.height[v] == cutOff {
		return 0, false
	}
	down := n.height[v] - 1
	halves := n.halvesOf(v)
	for i := n.current[v]; i > 0; i-- {
		if h := &halves[i-1]; h.residual > 0 && n.height[h.to] == down {
			n.work += int(n.current[v]-i) + 1
			n.current[v] = i
			return n.start[v] + i - 1, true
		}
	}
	n.work += int(n.current[v])
	n.current[v] = 0
	return 0, false
}

// send pushes what fits from u along a path to v and there into t.
func (n *preflow) send(u, v uint32, path []uint32) {
	d := min(n.excess[u], n.room[v])
	for _, p := range path {
		d = min(d, n.halves[p].residual)
	}
	for _, p := range path {
		h := &n.halves[p]
		h.residual -= d
		n.halves[h.twin].residual += d
	}
	n.excess[u] -= d
	n.room[v] -= d
}
