package sketch

// The moduli of the Rabin fingerprints, as polynomials over GF(2) without their leading term. Each
// is the first irreducible one from x^40 (x^64) plus the first 40 (64) bits of the fraction of π
// upward, so that nobody chose it. Source: Rabin, Fingerprinting by Random Polynomials, 1981;
// Broder, Some Applications of Rabin's Fingerprinting Method, 1993.
const (
	poly40 uint64 = 0x243F6A889F       // x^40 + these terms
	poly64 uint64 = 0x243F6A8885A30907 // x^64 + these terms
	mask40 uint64 = 1<<40 - 1          // of a fingerprint of 40 bits
)

// table multiplies by a fixed power of x, modulo a polynomial: the product is the sum over the
// bytes of the other factor.
type table [8][256]uint64

// field is arithmetic modulo one of the polynomials.
type field struct {
	bits uint
	poly uint64
}

func fieldOf(bits int) field {
	if bits == 64 {
		return field{64, poly64}
	}
	return field{40, poly40}
}

// shift is a·x modulo the polynomial.
func (f field) shift(a uint64) uint64 {
	carry := a >> (f.bits - 1) & 1
	a <<= 1
	if f.bits < 64 {
		a &= 1<<f.bits - 1
	}
	return a ^ f.poly&-carry
}

// power is x^n modulo the polynomial.
func (f field) power(n int) uint64 {
	r := uint64(1)
	for range n {
		r = f.shift(r)
	}
	return r
}

// fill makes t multiply a number of 64 bits by x^n.
func (f field) fill(t *table, n int) {
	a := f.power(n)
	for i := range 64 {
		t[i/8][1<<(i%8)] = a // the product with x^i
		a = f.shift(a)
	}
	for i := range t {
		for b := 3; b < 256; b++ {
			if low := b & -b; low != b {
				t[i][b] = t[i][low] ^ t[i][b^low]
			}
		}
	}
}

// times40 multiplies a number of 40 bits.
func (t *table) times40(a uint64) uint64 {
	return t[0][byte(a)] ^ t[1][byte(a>>8)] ^ t[2][byte(a>>16)] ^ t[3][byte(a>>24)] ^ t[4][byte(a>>32)]
}

// times64 multiplies a number of 64 bits.
func (t *table) times64(a uint64) uint64 {
	return t.times40(a) ^ t[5][byte(a>>40)] ^ t[6][byte(a>>48)] ^ t[7][byte(a>>56)]
}

// reduce40 takes a number of 64 bits modulo the polynomial of 40; t multiplies by x^0.
func (t *table) reduce40(a uint64) uint64 {
	return a&mask40 ^ t[5][byte(a>>40)] ^ t[6][byte(a>>48)] ^ t[7][byte(a>>56)]
}
