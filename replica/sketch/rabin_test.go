package sketch

import (
	"math/bits"
	"testing"

	"pgregory.net/rapid"
)

// TestIrreducible is Rabin's test: a polynomial p of degree n is irreducible if and only if x^(2^n)
// = x modulo p and, for each prime q of n, x^(2^(n/q)) - x has no factor in common with p. Source:
// Rabin, Probabilistic Algorithms in Finite Fields, 1980.
func TestIrreducible(t *testing.T) {
	const fraction = 0x243F6A8885A308D3 // of π: Bailey, Borwein, Plouffe, 1997
	for _, tt := range []struct {
		f      field
		from   uint64
		primes []int
	}{
		{fieldOf(40), fraction >> 24, []int{2, 5}},
		{fieldOf(64), fraction, []int{2}},
	} {
		for p := tt.from; p <= tt.f.poly; p++ {
			if got, want := irreducible(field{tt.f.bits, p}, tt.primes), p == tt.f.poly; got != want {
				t.Errorf("x^%d + %x: irreducible = %v, want %v", tt.f.bits, p, got, want)
			}
		}
	}
	for _, p := range []uint64{0, 1, 2, 0b101} { // x^40, x^40+1 = (x^5+1)^8, ...
		if irreducible(field{40, p}, []int{2, 5}) {
			t.Errorf("x^40 + %x is called irreducible", p)
		}
	}
}

func irreducible(f field, primes []int) bool {
	frobenius := func(n int) uint64 { // x^(2^n)
		x := uint64(2)
		for range n {
			x = f.times(x, x)
		}
		return x
	}
	if frobenius(int(f.bits)) != 2 {
		return false
	}
	for _, q := range primes {
		if !coprime(f, frobenius(int(f.bits)/q)^2) {
			return false
		}
	}
	return true
}

// coprime reports whether a has no factor in common with the field's polynomial.
func coprime(f field, a uint64) bool {
	if a == 0 {
		return false
	}
	// The polynomial modulo a, its leading term taken first.
	d := bits.Len64(a) - 1
	r := uint64(1)
	for i := int(f.bits) - 1; i >= 0; i-- {
		if r>>d&1 != 0 {
			r ^= a
		}
		carry := r >> 63
		r = r<<1 | f.poly>>i&1
		if carry != 0 {
			panic("degree of 64 has no place here")
		}
	}
	if r>>d&1 != 0 {
		r ^= a
	}
	for r != 0 {
		a, r = r, remainder(a, r)
	}
	return a == 1
}

func remainder(a, b uint64) uint64 {
	for a != 0 && bits.Len64(a) >= bits.Len64(b) {
		a ^= b << (bits.Len64(a) - bits.Len64(b))
	}
	return a
}

// TestTables compares the tables with multiplication bit by bit.
func TestTables(t *testing.T) {
	t40, t64 := newTables(40, 10), newTables(64, 7)
	f40, f64 := fieldOf(40), fieldOf(64)
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Uint64().Draw(t, "x")
		y := x & mask40
		for name, pair := range map[string][2]uint64{
			"join 40":   {t40.join.times40(y), f40.times(y, f40.power(64))},
			"next 40":   {t40.next.times40(y), f40.times(y, f40.power(40))},
			"leave 40":  {t40.leave.times40(y), f40.times(y, f40.power(400))},
			"reduce 40": {t40.reduce.reduce40(x), slowReduce(f40, x)},
			"next 64":   {t64.next.times64(x), f64.times(x, f64.power(64))},
			"leave 64":  {t64.leave.times64(x), f64.times(x, f64.power(64*7))},
		} {
			if pair[0] != pair[1] {
				t.Fatalf("%s of %x = %x, want %x", name, x, pair[0], pair[1])
			}
		}
	})
}

// slowReduce takes a number of 64 bits modulo the polynomial, by Horner's rule.
func slowReduce(f field, x uint64) uint64 {
	r := uint64(0)
	for i := 63; i >= 0; i-- {
		r = f.shift(r) ^ x>>i&1
	}
	return r
}

// TestMixersAreBijections undoes each mixer by an inverse built from its definition.
func TestMixersAreBijections(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Uint64().Draw(t, "x")
		if got := unmix(mix64(x), 64, []int{30, 27, 31}); got != x {
			t.Fatalf("unmix64(mix64(%x)) = %x", x, got)
		}
		x &= mask40
		y := mix40(x)
		if got := unmix(y, 40, []int{19, 17, 20}); got != x || y > mask40 {
			t.Fatalf("mix40(%x) = %x, undone %x", x, y, got)
		}
	})
}

func unmix(x uint64, width int, shifts []int) uint64 {
	mask := ^uint64(0) >> (64 - width)
	undo := func(x uint64, s int) uint64 {
		y := x
		for range width/s + 1 {
			y = x ^ y>>s
		}
		return y
	}
	x = undo(x, shifts[2])
	x = x * inverse(mixB&mask) & mask
	x = undo(x, shifts[1])
	x = x * inverse(mixA&mask) & mask
	return undo(x, shifts[0])
}

// inverse is that of an odd number modulo 2^64, by Newton's method.
func inverse(a uint64) uint64 {
	x := a
	for range 6 {
		x *= 2 - a*x
	}
	return x
}

// TestMixersSpread asks that each bit of the input changes each bit of the result about half of the
// time.
func TestMixersSpread(t *testing.T) {
	for _, tt := range []struct {
		width int
		mix   func(uint64) uint64
	}{{40, mix40}, {64, mix64}} {
		const rounds = 4000
		for in := range tt.width {
			var count [64]int
			for i := range uint64(rounds) {
				x := mix64(i) >> (64 - tt.width)
				d := tt.mix(x) ^ tt.mix(x^1<<in)
				for out := range tt.width {
					count[out] += int(d >> out & 1)
				}
			}
			for out := range tt.width {
				if p := float64(count[out]) / rounds; p < .4 || p > .6 {
					t.Errorf("%d bits: bit %d changes bit %d with probability %.2f", tt.width, in, out, p)
				}
			}
		}
	}
}

// times is a·b modulo the polynomial, bit by bit; a and b are reduced. It is the oracle of
// the tables.
func (f field) times(a, b uint64) uint64 {
	var r uint64
	for ; b != 0; b >>= 1 {
		if b&1 != 0 {
			r ^= a
		}
		a = f.shift(a)
	}
	return r
}
