package sketchbench

import (
	"math"
	"testing"

	"watershed/replica/sketch"
)

// whole is a sketch that holds the features from..to-1 of a kind.
func whole(t *testing.T, from, to, kind int) *sketch.Sketch {
	b, err := sketch.NewBuilder(sketch.Options{Size: sketch.MaxValues, NoSuper: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := from; i < to; i++ {
		b.Feature(uint64(kind)<<40 + uint64(i))
	}
	s := b.Sketch()
	return &s
}

// TestExpectedSize: the moduli by size give 100 to 200 values, halved 50 to 100.
func TestExpectedSize(t *testing.T) {
	for _, tt := range []struct {
		name     string
		by       modulus
		from, to float64
	}{{"by size", bySize, 100, 200}, {"halved", halved, 50, 100}} {
		for _, n := range []int{130, 199, 200, 399, 1000, 5000, 12800} {
			sum := 0
			for kind := range 40 {
				sum += len(tt.by.of(whole(t, 0, n, kind)))
			}
			if mean := float64(sum) / 40; mean < tt.from*.94 || mean > tt.to*1.06 {
				t.Errorf("%d features, %s: %.0f values", n, tt.name, mean)
			}
		}
	}
}

// TestModulusUnbiased: the mean of many estimates is the truth, within four standard errors.
func TestModulusUnbiased(t *testing.T) {
	for name, by := range map[string]modulus{"mod 25": fixed(25), "by size": bySize, "halved": halved} {
		sum, squares, n := 0., 0., 100.
		const truth = 900. / 4100 // 1000 features, 4000, and 900 of both
		for kind := range int(n) {
			e, err := by.estimate(whole(t, 0, 1000, kind), whole(t, 100, 4100, kind))
			if err != nil {
				t.Fatal(err)
			}
			sum += e.Value
			squares += (e.Value - truth) * (e.Value - truth)
		}
		if math.Abs(sum/n-truth) > 4*math.Sqrt(squares/n/n) {
			t.Errorf("%s: mean %.4f, want %.4f", name, sum/n, truth)
		}
	}
}
