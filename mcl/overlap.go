package mcl

import (
	"maps"
	"slices"
)

// assign leaves each vertex in the one of its systems that holds most of its column's mass in
// vertices of one system only; the first of equals.
func assign(m *matrix, lead [][]int32) {
	choice := make(map[int]int32)
	for v, to := range lead {
		if len(to) > 1 {
			choice[v] = heaviest(m, lead, v)
		}
	}
	for v, s := range choice {
		lead[v] = []int32{s}
	}
}

func heaviest(m *matrix, lead [][]int32, v int) int32 {
	mass := make(map[int32]float64, len(lead[v]))
	for _, e := range m.columns[v] {
		if to := lead[m.row(e)]; len(to) == 1 {
			mass[to[0]] += float64(m.value(e))
		}
	}
	const rounding = 1e-3 // of entries in graphs of 10⁵ vertices; what differs by less is equal
	best := lead[v][0]
	for _, s := range lead[v] {
		if mass[s] > mass[best]*(1+rounding) {
			best = s
		}
	}
	return best
}

// split puts the vertices that lead to the same several systems into a cluster of their own,
// numbered from count in the order of their sets.
func split(lead [][]int32, count int) {
	sets := make(map[string][]int)
	for v, to := range lead {
		if len(to) > 1 {
			name := nameOf(to)
			sets[name] = append(sets[name], v)
		}
	}
	for i, name := range slices.Sorted(maps.Keys(sets)) {
		own := []int32{int32(count + i)}
		for _, v := range sets[name] {
			lead[v] = own
		}
	}
}

// nameOf is the big-endian text of a set, so that names sort as sets do.
func nameOf(set []int32) string {
	name := make([]byte, 0, 4*len(set))
	for _, s := range set {
		name = append(name, byte(s>>24), byte(s>>16), byte(s>>8), byte(s))
	}
	return string(name)
}
