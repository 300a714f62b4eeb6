package sketch

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// TestVotes compares the upright counters with counting one by one.
func TestVotes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		var v votes
		var count [64]int
		n := 0
		for range rapid.IntRange(0, 4).Draw(t, "batches") {
			tokens := make([]uint64, rapid.IntRange(1, 60).Draw(t, "tokens"))
			for i := range tokens {
				tokens[i] = r.Uint64() >> r.IntN(60)
			}
			v.addTokens(tokens)
			for i := 1; i < len(tokens); i++ {
				x := mix64(tokens[i-1]*lexicalFactor + tokens[i])
				n++
				for b := range count {
					count[b] += int(x >> b & 1)
				}
			}
		}
		want := uint64(0)
		for b, c := range count {
			if 2*c > n {
				want |= 1 << b
			}
		}
		if got := v.hash(); got != want {
			t.Fatalf("%d features: %x, want %x", n, got, want)
		}
	})
}

// TestSimHash: an edit changes few bits, another text half of them.
func TestSimHash(t *testing.T) {
	b := builder(t, Options{})
	r := rand.New(rand.NewPCG(1, 2))
	write := func(words []int) uint64 {
		for _, w := range words {
			b.Text([]byte{byte('a' + w%26), byte('a' + w/26%26), byte('a' + w/676), ' '})
		}
		s := b.Sketch()
		return s.SimHash
	}
	near, far := 0, 0
	const rounds = 40
	for range rounds {
		words, others := make([]int, 500), make([]int, 500)
		for i := range words {
			words[i], others[i] = r.IntN(5000), r.IntN(5000)
		}
		x, y := write(words), write(others)
		words[r.IntN(500)] = r.IntN(5000)
		near += bits.OnesCount64(x ^ write(words))
		far += bits.OnesCount64(x ^ y)
	}
	if near > 3*rounds || far < 28*rounds || far > 36*rounds {
		t.Errorf("mean distance of near copies %.1f, of others %.1f", float64(near)/rounds,
			float64(far)/rounds)
	}
}

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
