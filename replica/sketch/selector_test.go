package sketch

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSortSpread(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var scratch []uint64
	for _, limit := range []uint64{1, 2, 1000, 1<<32 + 5, mask40, ^uint64(0)} {
		for _, n := range []int{0, 1, 31, 32, 33, 511, 512, 600, 1022, 1023, 1024, 1025, 2048, 4096, 5000} {
			for _, spread := range []func() uint64{
				func() uint64 { return r.Uint64N(limit) },
				func() uint64 { return r.Uint64N(min(limit, 3)) },
				func() uint64 { return limit },
			} {
				values := make([]uint64, n)
				for i := range values {
					values[i] = spread()
				}
				want := slices.Sorted(slices.Values(values))
				before := slices.Clone(values)
				var got []uint64
				need := r.IntN(n + 2)
				if got, scratch = sortSpread(values, scratch, limit, need); len(got) < min(need, n) ||
					!slices.Equal(got, want[:len(got)]) {
					t.Fatalf("the least %d of %d values up to %d are not in order", need, n, limit)
				}
				if len(got) < n && !slices.Equal(values, before) {
					t.Fatalf("the values are not what they were, with %d of %d sorted", len(got), n)
				}
				if got, scratch = sortSpread(before, scratch, limit, n); !slices.Equal(got, want) {
					t.Fatalf("%d values up to %d are not in order", n, limit)
				}
			}
		}
	}
}

// TestBoundedSize: the sketch of a document without end is of bounded size.
func TestBoundedSize(t *testing.T) {
	b := builder(t, Options{Size: MaxValues})
	s := ofFeatures(b, 0, 3*MaxValues, 1)
	if len(s.Values) != MaxValues || !s.Cut {
		t.Errorf("%d values, cut: %v", len(s.Values), s.Cut)
	}
	if cap(b.chosen.kept) > 4*MaxValues {
		t.Errorf("%d values held", cap(b.chosen.kept))
	}
}

// TestOtherSize: sketches of different sizes are compared over the range that both know.
func TestOtherSize(t *testing.T) {
	x := ofFeatures(builder(t, Options{Size: 1000}), 0, 4000, 1)
	y := ofFeatures(builder(t, Options{Size: 2000}), 1000, 5000, 1)
	if e, err := Resemblance(&x, &y); err != nil || e.Low > .6 || e.High < .6 || e.Sample < 1000 {
		t.Errorf("%+v, %v", e, err)
	}
}
