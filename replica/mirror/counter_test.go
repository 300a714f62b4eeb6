package mirror

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestTop compares top with sorting all terms; counts lie on both sides of the one from which top
// sorts itself.
func TestTop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]int{80, 80, 3000}).Draw(t, "most") // 3000 make the table grow
		terms := make([]uint64, rapid.IntRange(0, most).Draw(t, "terms"))
		for i := range terms {
			terms[i] = 1 + mix(uint64(i))%uint64(most*3/4)
		}
		number := rapid.SampledFrom([]uint32{1, 1, 1, 2, 3, many - 1, many, many + 1, 1000})
		n := rapid.IntRange(0, 50).Draw(t, "n")
		c := newCounter()
		for i := range rapid.SampledFrom([]int{1, 4000}).Draw(t, "before") {
			c.add(mix(uint64(i)), 1) // of a host before
		}
		c.reset()
		have := map[uint64]uint32{}
		numbers := rapid.SliceOfN(number, 7, 7).Draw(t, "numbers")
		for i, x := range terms {
			x, k := mix(x), numbers[i%7]
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
		got := c.top(n, before)
		if !slices.IsSortedFunc(got[1:], func(a, b tally) int { return cmp.Compare(b.count, a.count) }) {
			t.Fatalf("top %d: %v is not in order", n, got[1:])
		}
		if slices.SortFunc(got[1:], byCount); !slices.Equal(got[1:], want) || got[0] != before[0] {
			t.Fatalf("top %d: %v, want %v", n, got[1:], want)
		}
	})
}

// TestLeast compares the smallest numbers with those of a sort, for hashes and for numbers that are
// anything but evenly spread, more of them than a list holds.
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
