package mcl

import (
	"math"
	"math/bits"
)

// An entry is a row and a value of a sparse column in 32 bits, so that a matrix takes half the
// memory, and half the traffic between memory and processor, of a row number with a float32.
//
//	bit 31 … 27     26 … R        R−1 … 0
//	    exponent    mantissa      row          R = rowBits of the layout
//
// The exponent stands for 2^-31 … 2^0, the mantissa has its leading 1 implied, as in a float32
// whose exponent lost 3 bits and whose mantissa is cut: 17 bits remain for 10³ vertices, 10 for
// 10⁵, 7 for 10⁶. Entries compare as their values do, and then by row. Example, with R = 4: row 5
// with value 0.75 = 1.5 · 2^-1 is 30<<27 | 1<<26 | 5.
type entry uint32

const (
	exponentBits = 5
	minExponent  = 127 - 31 // biased exponent of a float32 that an entry stores as 0
	exponentLow  = minExponent << 23
	maxRowBits   = 22 // leaves 5 bits of mantissa: 1.6 % of rounding
	minRowBits   = 32 - exponentBits - 23
	one          = 127 << 23 // bits of float32 1
)

// A layout says which bits of an entry are the row.
type layout struct {
	rowBits uint
	rowMask uint32
}

// layoutFor is the layout with the longest mantissa for n vertices; n ≤ MaxVertices.
func layoutFor(n int) layout {
	r := max(minRowBits, bits.Len(uint(max(n, 1)-1)))
	return layout{rowBits: uint(r), rowMask: 1<<r - 1}
}

// pack rounds value, at most 1, to the nearest entry; it gives 0 for a value below 2^-31, which no
// entry can hold. (Row 0 with value 2^-31 would be 0 too; it is lost with them.)
func (l layout) pack(row uint32, value float32) entry {
	b := math.Float32bits(value)
	if b < exponentLow {
		return 0
	}
	if cut := l.rowBits - minRowBits; cut > 0 { // bits of mantissa that have no room
		b += 1 << (cut - 1)
	}
	b = min(b, one)
	return entry((b-exponentLow)<<4&^l.rowMask | row)
}

func (l layout) value(e entry) float32 {
	return math.Float32frombits((uint32(e)&^l.rowMask)>>4 + exponentLow)
}

func (l layout) row(e entry) uint32 { return uint32(e) & l.rowMask }

// classShift leaves of an entry its exponent and 3 bits of its mantissa: its class. Columns are
// ordered by descending class, within which values differ by at most an eighth; a counting sort
// does that in linear time.
const classShift = 32 - exponentBits - 3

// atLeast is the least entry of the class that holds value: whatever is below it is below value.
func atLeast(value float32) entry {
	b := math.Float32bits(value)
	if b < exponentLow {
		return 0
	}
	if b > one {
		return math.MaxUint32
	}
	return entry((b-exponentLow)<<4) >> classShift << classShift
}
