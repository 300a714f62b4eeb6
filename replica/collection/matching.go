package collection

import "slices"

// matching is a bipartite graph between the pages of two trivial clusters, and a maximum matching
// of it by J. Hopcroft and R. Karp, An n^5/2 algorithm for maximum matchings in bipartite graphs,
// SIAM J. Comput. 2(4), 1973. Cost O(m √n).
type matching struct {
	out   [][]uint32 // of a left vertex, its right ones
	left  []uint32   // partner of a left vertex, or none
	right []uint32
	depth []uint32
	queue []uint32
}

const none = ^uint32(0)

func newMatching(left, right int) *matching {
	return &matching{
		out: make([][]uint32, left), left: slices.Repeat([]uint32{none}, left),
		right: slices.Repeat([]uint32{none}, right), depth: make([]uint32, left),
	}
}

func (m *matching) edge(l, r uint32) { m.out[l] = append(m.out[l], r) }

// run augments the matching at hand to a maximum one and gives its size. Vertices once matched stay
// matched, so edges that are to be preferred are added and run first.
func (m *matching) run() (size int) {
	for m.layers() {
		for l := range m.left {
			if m.left[l] == none {
				m.augment(uint32(l))
			}
		}
	}
	for _, r := range m.left {
		if r != none {
			size++
		}
	}
	return size
}

// layers sets the depths of left vertices on shortest alternating paths, and tells whether one of
// them can be augmented.
func (m *matching) layers() bool {
	m.queue = m.queue[:0]
	for l := range m.left {
		m.depth[l] = none
		if m.left[l] == none {
			m.depth[l] = 0
			m.queue = append(m.queue, uint32(l))
		}
	}
	found := false
	for i := 0; i < len(m.queue); i++ {
		l := m.queue[i]
		for _, r := range m.out[l] {
			switch next := m.right[r]; {
			case next == none:
				found = true
			case m.depth[next] == none:
				m.depth[next] = m.depth[l] + 1
				m.queue = append(m.queue, next)
			}
		}
	}
	return found
}

// augment looks for an augmenting path from l along growing depths, depth first, without recursion.
func (m *matching) augment(l uint32) bool {
	type frame struct {
		l    uint32
		next int
	}
	stack := []frame{{l: l}}
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.next == len(m.out[f.l]) {
			m.depth[f.l] = none
			stack = stack[:len(stack)-1]
			continue
		}
		r := m.out[f.l][f.next]
		f.next++
		next := m.right[r]
		if next == none {
			for _, f := range stack { // each frame's edge before next enters the matching
				r := m.out[f.l][f.next-1]
				m.left[f.l], m.right[r] = r, f.l
			}
			return true
		}
		if m.depth[f.l] != none && m.depth[next] == m.depth[f.l]+1 {
			stack = append(stack, frame{l: next})
		}
	}
	return false
}
