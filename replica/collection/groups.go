package collection

import "watershed/internal/disjoint"

// groups is a partition of 0 … n-1 as one table: the members of group g are
// items[start[g]:start[g+1]], ascending; groups are numbered by their first members.
type groups struct {
	of    []uint32
	start []uint32
	items []uint32
}

// groupsOf are the sets as a table.
func groupsOf(s disjoint.Sets[uint32]) *groups {
	n := len(s)
	g := &groups{of: make([]uint32, n)}
	var sizes []uint32
	for v := range n {
		r := s.Find(uint32(v))
		if int(r) == v {
			g.of[v] = uint32(len(sizes))
			sizes = append(sizes, 0)
		} else {
			g.of[v] = g.of[r]
		}
		sizes[g.of[v]]++
	}
	g.start = make([]uint32, len(sizes)+1)
	for i, k := range sizes {
		g.start[i+1] = g.start[i] + k
	}
	g.items = make([]uint32, n)
	at := append([]uint32(nil), g.start[:len(sizes)]...)
	for v := range n {
		k := g.of[v]
		g.items[at[k]] = uint32(v)
		at[k]++
	}
	return g
}

func (g *groups) len() int                  { return len(g.start) - 1 }
func (g *groups) members(k uint32) []uint32 { return g.items[g.start[k]:g.start[k+1]] }
func (g *groups) size(k uint32) int         { return int(g.start[k+1] - g.start[k]) }
