package cluster

// unionFind is a forest over 0 … n-1; the root of a tree is its smallest number, whatever the order of the unions, so that nothing
// depends on it. Finding halves paths (Tarjan, van Leeuwen, Worst-case analysis of set union algorithms, 1984): O(log n) amortised
// without ranks, at 4 bytes an element.
type unionFind []uint32

func newUnionFind(n int) unionFind {
	u := make(unionFind, n)
	for i := range u {
		u[i] = uint32(i)
	}
	return u
}

func (u unionFind) find(x uint32) uint32 {
	for u[x] != x {
		u[x] = u[u[x]]
		x = u[x]
	}
	return x
}

func (u unionFind) union(a, b uint32) {
	a, b = u.find(a), u.find(b)
	switch {
	case a < b:
		u[b] = a
	case b < a:
		u[a] = b
	}
}
