package disjoint_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"watershed/internal/disjoint"
)

// TestOracle compares with sets that are written out, renamed at each union.
func TestOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		s, least := disjoint.New[int32](n), make([]int32, n)
		for i := range least {
			least[i] = int32(i)
		}
		number := rapid.Int32Range(0, int32(n-1))
		for range rapid.IntRange(0, 60).Draw(t, "unions") {
			a, b := number.Draw(t, "a"), number.Draw(t, "b")
			s.Union(a, b)
			from, to := max(least[a], least[b]), min(least[a], least[b])
			for i := range least {
				if least[i] == from {
					least[i] = to
				}
			}
		}
		for i, want := range least {
			if got := s.Find(int32(i)); got != want {
				t.Fatalf("the set of %d is that of %d, want %d", i, got, want)
			}
		}
		if x := s.Add(); int(x) != n || s.Find(x) != x {
			t.Fatalf("the number added is %d, of the set of %d; want %d", x, s.Find(x), n)
		}
	})
}

func ExampleSets() {
	s := disjoint.New[uint32](5)
	s.Union(4, 2)
	s.Union(1, 4)
	fmt.Println(s.Find(4), s.Find(3))
	// Output: 1 3
}
