package sketch

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
)

// TestSalt: a salt selects other features, of the same number and as good for comparing; sketches
// of two salts say nothing of each other.
func TestSalt(t *testing.T) {
	for _, bits := range []int{40, 64} {
		of := func(salt uint64, from, to int) Sketch {
			b, err := NewBuilder(Options{Bits: bits, Salt: salt})
			if err != nil {
				t.Fatal(err)
			}
			for i := from; i < to; i++ {
				b.Text(fmt.Appendf(nil, "w%d ", i))
			}
			return b.Sketch()
		}
		plain, one, two := of(0, 0, 3000), of(7, 0, 3000), of(8, 0, 3000)
		if len(one.Values) != len(plain.Values) || one.Lexical != plain.Lexical {
			t.Errorf("%d bits: %d values, %d without salt", bits, len(one.Values), len(plain.Values))
		}
		same := 0
		for _, v := range one.Values {
			if slices.Contains(plain.Values, v) || slices.Contains(two.Values, v) {
				same++
			}
		}
		if same > 0 {
			t.Errorf("%d bits: %d values are those of another selection", bits, same)
		}
		part := of(7, 1000, 4000)
		e, err := Resemblance(&one, &part)
		if err != nil || math.Abs(e.Value-.5) > 4*e.Error {
			t.Errorf("%d bits: resemblance %+v, %v, want .5", bits, e, err)
		}
		for _, other := range []*Sketch{&plain, &two} {
			if _, err := Resemblance(&one, other); !errors.Is(err, ErrIncomparable) {
				t.Errorf("%v and %v: %v", one.Scheme, other.Scheme, err)
			}
		}
		stored := one.AppendEncode(nil)
		var back Sketch
		if err := back.Decode(stored); err != nil || back.Scheme != one.Scheme ||
			!slices.Equal(back.Values, one.Values) {
			t.Errorf("%d bits: read back %v as %v, %v", bits, one.Scheme, back.Scheme, err)
		}
		if len(stored) != len(plain.AppendEncode(nil))+4 {
			t.Errorf("%d bits: %d bytes", bits, len(stored))
		}
	}
}
