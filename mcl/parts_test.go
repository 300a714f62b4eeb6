package mcl

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The worked example of the type entry, made by hand.
func TestEntryExample(t *testing.T) {
	l := layoutFor(10)
	want := entry(30<<27 | 1<<26 | 5)
	if got := l.pack(5, 0.75); got != want || l.value(want) != 0.75 || l.row(want) != 5 {
		t.Errorf("packed as %#x, want %#x, which holds %v in row %d", got, want, l.value(want), l.row(want))
	}
}

func TestEntry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, MaxVertices).Draw(t, "n")
		l := layoutFor(n)
		row := uint32(rapid.IntRange(0, n-1).Draw(t, "row"))
		v := rapid.Float32Range(1e-9, 1).Draw(t, "value")
		e := l.pack(row, v)
		half := math.Exp2(-float64(32 - exponentBits - l.rowBits + 1)) // of the last place of the mantissa
		if got := l.value(e); l.row(e) != row || math.Abs(float64(got-v)) > half*float64(v)*1.0001 {
			t.Fatalf("row %d with %g came back as row %d with %g", row, v, l.row(e), got)
		}
		bound := rapid.Float32Range(0, 2).Draw(t, "bound")
		if least := atLeast(bound); e < least && l.value(e) >= bound {
			t.Fatalf("%g is at least %g, but its entry is left out", l.value(e), bound)
		}
	})
}

func TestPower(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.Float64Range(1.01, 10).Draw(t, "r")
		v := rapid.Float32Range(1e-3, 1).Draw(t, "v")
		want := math.Pow(float64(v), r)
		if got := float64(newPower(r).of(v)); math.Abs(got-want) > 1e-5*want {
			t.Fatalf("%g^%g = %g, want %g", v, r, got, want)
		}
	})
}

func TestSelectLargestAndSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Uint32Range(0, 50), 1, 300).Draw(t, "values")
		keys := make([]key, len(values))
		column := make([]entry, len(values))
		for i, v := range values {
			keys[i] = makeKey(uint32(i), v)
			column[i] = entry(v<<27 | uint32(i))
		}
		k := rapid.IntRange(0, len(keys)).Draw(t, "k")
		want := slices.SortedFunc(slices.Values(keys), func(a, b key) int { return cmp.Compare(b, a) })[:k]
		selectLargest(keys, k)
		got := slices.SortedFunc(slices.Values(keys[:k]), func(a, b key) int { return cmp.Compare(b, a) })
		if !slices.Equal(got, want) {
			t.Fatalf("the %d largest: %x, want %x", k, got, want)
		}
		sorted := slices.Clone(column)
		slices.SortStableFunc(sorted, func(a, b entry) int {
			return cmp.Compare(b>>classShift, a>>classShift)
		})
		new(classSorter).sort(column)
		if !slices.Equal(column, sorted) {
			t.Fatalf("sorted as %x, want %x", column, sorted)
		}
	})
}

// Pruning against its description in the manual of mcl, "PRUNING OPTIONS", followed literally on a
// sorted column.
func TestPrune(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.IntRange(1, 1000), 1, 60).Draw(t, "weights")
		p := Pruning{
			Cutoff:  rapid.SampledFrom([]float64{-1, 0.005, 0.02, 0.1}).Draw(t, "cutoff"),
			Select:  rapid.SampledFrom([]int{-1, 3, 10}).Draw(t, "select"),
			Recover: rapid.SampledFrom([]int{-1, 5, 15}).Draw(t, "recover"),
			Percent: rapid.SampledFrom([]int{10, 60, 90}).Draw(t, "percent"),
		}
		sum := 0
		for _, w := range weights {
			sum += w
		}
		w := newWorker(&matrix{layout: layoutFor(len(weights)), columns: make([][]entry, len(weights))},
			Options{Pruning: p}, Step{}, nil, nil)
		column := make([]key, len(weights))
		for i, x := range weights {
			w.sum[i], w.touched[i] = float32(x)/float32(sum), uint32(i)
			column[i] = makeKey(uint32(i), math.Float32bits(w.sum[i]))
		}
		got := slices.Sorted(slices.Values(w.prune(len(weights))))
		slices.Sort(column)
		slices.Reverse(column)
		want := slices.Sorted(slices.Values(column[:pruneByManual(column, p)]))
		if !slices.Equal(got, want) {
			t.Fatalf("%d entries stay, want %d", len(got), len(want))
		}
		if slices.ContainsFunc(w.sum, func(v float32) bool { return v != 0 }) {
			t.Fatal("the accumulator is not empty")
		}
	})
}

// pruneByManual tells how many entries of a descending column stay.
func pruneByManual(column []key, p Pruning) int {
	share := func(k int) float64 { return massOf(column[:k]) / massOf(column) * 100 }
	n := 0
	for n < len(column) && math.Float32frombits(column[n].valueBits()) >= float32(p.Cutoff) {
		n++
	}
	if n < p.Recover && share(n) < float64(p.Percent) {
		return min(p.Recover, len(column))
	}
	if p.Select > 0 && n > p.Select {
		cut := n
		n = p.Select
		if n < p.Recover && share(n) < float64(p.Percent) {
			n = min(p.Recover, cut)
		}
	}
	return n
}
