package mirror

import "math/bits"

// divisor tests whether numbers are divisible, with a multiplication (D. Lemire, O. Kaser, N. Kurz,
// Faster remainder by direct computation, 2019, section 3; T. Granlund, P. Montgomery, Division by
// invariant integers using multiplication, 1994, section 9).
type divisor struct {
	inverse, most uint64
	twos          int
}

func newDivisor(m uint64) divisor {
	twos := bits.TrailingZeros64(m)
	odd := m >> twos
	inverse := odd // of the odd part, modulo 2^3; each step of Newton's doubles the bits
	for range 5 {
		inverse *= 2 - odd*inverse
	}
	return divisor{inverse, ^uint64(0) / m, twos}
}

func (d divisor) divides(x uint64) bool {
	return bits.RotateLeft64(x*d.inverse, -d.twos) <= d.most
}
