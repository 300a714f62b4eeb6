// Package disjoint keeps disjoint sets of the numbers 0 … n-1 that are united two by two: a forest,
// in which the root of a set is its least number, whatever the order of the unions, so that nothing
// depends on it.
//
// Finding halves paths (R. E. Tarjan, J. van Leeuwen, Worst-case analysis of set union algorithms,
// JACM 31, 1984, section 5): O(log n) amortised, without ranks, in the memory of one number an
// element.
package disjoint

// Sets is the parent of each number; a root is its own. It is not safe for concurrent use: finding
// writes, too.
type Sets[N ~int | ~int32 | ~uint32] []N

// New makes n sets of one number each.
func New[N ~int | ~int32 | ~uint32](n int) Sets[N] {
	s := make(Sets[N], n)
	for i := range s {
		s[i] = N(i)
	}
	return s
}

// Add makes one set more, of the next number, which it gives.
func (s *Sets[N]) Add() N {
	n := N(len(*s))
	*s = append(*s, n)
	return n
}

// Find gives the least number of the set of x.
func (s Sets[N]) Find(x N) N {
	for s[x] != x {
		s[x] = s[s[x]]
		x = s[x]
	}
	return x
}

// Union makes one set of those of a and b.
func (s Sets[N]) Union(a, b N) {
	a, b = s.Find(a), s.Find(b)
	s[max(a, b)] = min(a, b)
}
