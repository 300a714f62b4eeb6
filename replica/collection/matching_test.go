package collection

import (
	"testing"

	"pgregory.net/rapid"
)

// most is the size of a maximum matching by trying everything.
func most(out [][]uint32, l int, used uint32) int {
	if l == len(out) {
		return 0
	}
	best := most(out, l+1, used)
	for _, r := range out[l] {
		if used&(1<<r) == 0 {
			best = max(best, 1+most(out, l+1, used|1<<r))
		}
	}
	return best
}

func TestMatching(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		left, right := rapid.IntRange(0, 7).Draw(t, "left"), rapid.IntRange(1, 7).Draw(t, "right")
		m := newMatching(left, right)
		edges := make([][]uint32, left)
		draw := func(share int) {
			for l := range edges {
				for r := range right {
					if rapid.IntRange(0, 9).Draw(t, "edge") < share {
						m.edge(uint32(l), uint32(r))
						edges[l] = append(edges[l], uint32(r))
					}
				}
			}
		}
		for _, share := range []int{2, 3} { // in two rounds, as match does
			draw(share)
			if got, want := m.run(), most(edges, 0, 0); got != want {
				t.Fatalf("matching of %d, want %d", got, want)
			}
		}
		for l, r := range m.left {
			if r == none {
				continue
			}
			if m.right[r] != uint32(l) {
				t.Fatalf("%d is matched to %d, which is matched to %d", l, r, m.right[r])
			}
			found := false
			for _, e := range edges[l] {
				found = found || e == r
			}
			if !found {
				t.Fatalf("matched along %d-%d, which is no edge", l, r)
			}
		}
	})
}
