package sketch

import "testing"

// TestSuper compares how often super shingles agree with theory: 14 minima agree with probability
// r^14 each.
func TestSuper(t *testing.T) {
	b := builder(t, Options{})
	for _, tt := range []struct {
		size, common int
		low, high    float64 // share of pairs with two in common
	}{
		{2000, 1949, .85, .99},  // r = .95: 1-(1-p)^6-6p(1-p)^5 with p = r^14 is .93
		{2000, 1777, .001, .12}, // r = .80: .03
		{2000, 1333, 0, .01},    // r = .50
		{2000, 2000, 1, 1},
	} {
		const rounds = 300
		found := 0
		for salt := range uint64(rounds) {
			x := ofFeatures(b, 0, tt.size, salt)
			y := ofFeatures(b, tt.size-tt.common, 2*tt.size-tt.common, salt)
			shared := 0
			for i, v := range x.Super {
				if v == y.Super[i] {
					shared++
				}
			}
			if shared >= 2 {
				found++
			}
		}
		if p := float64(found) / rounds; p < tt.low || p > tt.high {
			t.Errorf("%d of %d in common: %.3f of the pairs, want %.3f to %.3f", tt.common, tt.size, p,
				tt.low, tt.high)
		}
	}
	x := ofFeatures(b, 0, 100, 1)
	if got := len(x.SuperShingles(nil, 10)); got != 91 {
		t.Errorf("%d super shingles of length 10 of 100 values", got)
	}
	if got := len(x.SuperShingles(nil, 101)); got != 0 {
		t.Errorf("%d super shingles longer than the sketch", got)
	}
}

// TestMinima finds every range filled, from few values and from one.
func TestMinima(t *testing.T) {
	for _, width := range []int{40, 64} {
		var m minima
		m.reset()
		if m.super() != [SuperCount]uint64{} {
			t.Error("super shingles of nothing")
		}
		m.add([]uint64{5}, width)
		for i := range m {
			if m.at(i) != 5 {
				t.Errorf("range %d holds %d", i, m.at(i))
			}
		}
		m.add([]uint64{1<<width - 1}, width)
		if m[minimaCount-1] != 1<<width-1 {
			t.Errorf("the last range holds %x", m[minimaCount-1])
		}
	}
}

// TestNoMemory: a Builder that has seen some documents asks for no more memory.
func TestNoMemory(t *testing.T) {
	for _, o := range all {
		b := builder(t, o)
		body := []byte(manual())
		var s Sketch
		if n := testing.AllocsPerRun(20, func() {
			b.Text(body)
			b.Finish(&s)
		}); n > 0 {
			t.Errorf("%v: %.0f allocations", s.Scheme, n)
		}
	}
}
