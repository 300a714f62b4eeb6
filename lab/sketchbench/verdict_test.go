package sketchbench

import (
	"testing"

	"watershed/replica/sketch"
)

// TestVerdicts: a sample that is too small says nothing, unless it says that a ratio is below; sets
// that are held whole say all.
func TestVerdicts(t *testing.T) {
	of := func(o sketch.Options, from, to uint64) *sketch.Sketch {
		b, err := sketch.NewBuilder(o)
		if err != nil {
			t.Fatal(err)
		}
		for f := from; f < to; f++ {
			b.Feature(1<<40 + f)
		}
		s := b.Sketch()
		return &s
	}
	mod := sketch.Options{Selection: sketch.Mod}
	empty, few, many := of(mod, 0, 0), of(mod, 0, 30), of(mod, 0, 5000)
	whole, half := of(sketch.Options{}, 0, 100), of(sketch.Options{}, 40, 120)
	for _, tt := range []struct {
		name      string
		a, b      *sketch.Sketch
		threshold float64
		want      verdict
	}{
		{"two documents without features", empty, empty, .5, insufficient},
		{"one without features", empty, many, .5, below},
		{"few in many", few, many, .5, below},
		{"few and the same", few, few, .5, insufficient},
		{"many and the same", many, many, .5, reached},
		{"both known whole, 60 of 120", whole, half, .5, reached},
		{"both known whole, less than asked", whole, half, .51, below},
	} {
		e, err := sketch.Resemblance(tt.a, tt.b)
		if err != nil {
			t.Fatal(err)
		}
		if got := verdictOf(e, tt.threshold); got != tt.want {
			t.Errorf("%s: %v of %+v, want %v", tt.name, got, e, tt.want)
		}
	}
}
