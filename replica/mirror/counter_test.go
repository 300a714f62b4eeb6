package mirror

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestTop compares top with sorting all terms; counts lie on both sides of the one from which top sorts itself.
func TestTop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		terms := rapid.SliceOfN(rapid.Uint64Range(1, 60), 0, 80).Draw(t, "terms")
		number := rapid.SampledFrom([]uint32{1, 1, 1, 2, 3, many - 1, many, many + 1, 1000})
		n := rapid.IntRange(0, 50).Draw(t, "n")
		c := newCounter()
		c.add(7, 1) // of a host before
		c.reset()
		have := map[uint64]uint32{}
		for _, x := range terms {
			x, k := mix(x), number.Draw(t, "number")
			c.add(x, k)
			have[x] += k
		}
		var want []tally
		for term, count := range have {
			want = append(want, tally{term, count})
		}
		slices.SortFunc(want, byCount)
		want = want[:min(n, len(want))]
		before := []tally{{1, 1}}
		if got := c.top(n, before); !slices.Equal(got[1:], want) || got[0] != before[0] {
			t.Fatalf("top %d: %v, want %v", n, got[1:], want)
		}
	})
}

// TestLeast compares the smallest numbers with those of a sort, for hashes and for numbers that are anything but evenly spread,
// more of them than a list holds.
func TestLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 300).Draw(t, "n")
		count := rapid.IntRange(0, 4*leastRoom).Draw(t, "count")
		shift := rapid.IntRange(0, 60).Draw(t, "shift")
		var l least
		l.reset(1)
		l.add(math.MaxUint64)
		l.reset(n)
		all := make([]uint64, count)
		for i := range all {
			all[i] = mix(uint64(i)) >> shift
			l.add(all[i])
		}
		slices.Sort(all)
		if got := l.smallest(); !slices.Equal(got, all[:min(n, count)]) {
			t.Fatalf("%d of %d >> %d: %v", n, count, shift, got)
		}
	})
}
