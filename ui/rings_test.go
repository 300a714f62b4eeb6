package ui

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestArrange checks that no discs overlap, that rings are filled in order, and that the same input
// gives the same picture.
func TestArrange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		radii := rapid.SliceOfN(rapid.Float64Range(2, 40), 0, 120).Draw(t, "radii")
		var ties []tie
		if n := len(radii); n > 0 {
			for range rapid.IntRange(0, 200).Draw(t, "ties") {
				ties = append(ties, tie{rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t,
					"to"), rapid.Float64Range(0, 9).Draw(t, "weight")})
			}
		}
		spots, rings := arrange(radii, ties)
		if len(spots) != len(radii) {
			t.Fatalf("%d spots of %d", len(spots), len(radii))
		}
		const small = 1e-6
		for i, s := range spots {
			r := math.Hypot(s.x, s.y)
			if math.IsNaN(r) || r-radii[i] < rings[s.ring].inner-small && s.ring > 0 ||
				r+radii[i] > rings[s.ring].outer+small {
				t.Fatalf("disc %d of radius %g at %g is not within its ring %+v", i, radii[i], r,
					rings[s.ring])
			}
			if i > 0 && s.ring != spots[i-1].ring && s.ring != spots[i-1].ring+1 {
				t.Fatalf("disc %d is on ring %d after ring %d", i, s.ring, spots[i-1].ring)
			}
			for j := range i {
				if d := math.Hypot(s.x-spots[j].x, s.y-spots[j].y); d < radii[i]+radii[j]-small {
					t.Fatalf("discs %d and %d of radii %g and %g are %g apart", i, j, radii[i], radii[j], d)
				}
			}
		}
		again, _ := arrange(radii, ties)
		if fmt.Sprint(again) != fmt.Sprint(spots) {
			t.Fatal("another picture")
		}
	})
}

// TestArrangeTies checks that what is tied lies nearer than what is not: two circles of twenty,
// each a clique of its own, with the discs of both in turn.
func TestArrangeTies(t *testing.T) {
	radii := make([]float64, 41)
	var ties []tie
	for i := range radii {
		radii[i] = 5
		for j := 1; j < i; j++ {
			if i > 0 && i%2 == j%2 {
				ties = append(ties, tie{i, j, 1})
			}
		}
	}
	spots, _ := arrange(radii, ties)
	same, other, n, m := 0.0, 0.0, 0, 0
	for i := 1; i < len(spots); i++ {
		for j := 1; j < i; j++ {
			d := math.Hypot(spots[i].x-spots[j].x, spots[i].y-spots[j].y)
			if i%2 == j%2 {
				same, n = same+d, n+1
			} else {
				other, m = other+d, m+1
			}
		}
	}
	if same/float64(n) > .7*other/float64(m) {
		t.Errorf("mean distance %.1f within a clique, %.1f between them", same/float64(n), other/float64(m))
	}
}

// BenchmarkArrange lays out 2,000 discs with 6,000 ties, the most that a picture has.
func BenchmarkArrange(b *testing.B) {
	radii := make([]float64, graphNodes)
	ties := make([]tie, graphEdges)
	for i := range radii {
		radii[i] = 5
	}
	for i := range ties {
		ties[i] = tie{i % len(radii), i * 7919 % len(radii), 1}
	}
	for b.Loop() {
		arrange(radii, ties)
	}
}
