package sketchbench

import (
	"math/bits"
	"slices"

	"watershed/replica/sketch"
)

// modulus gives the modulus by which features are selected of a document of so many tokens: the
// paper's MOD_m and MOD_2^i (Broder and others, 1997, section 3). Sketches by a modulus are made of
// whole ones, which hold every feature; no harvest makes any.
type modulus func(tokens uint32) uint64

// fixed is m of MOD_m.
func fixed(m uint64) modulus { return func(uint32) uint64 { return m } }

// bySize is 2^i of documents of 100·2^i to 100·2^(i+1) tokens, 1 of shorter ones: of a hundred to
// two hundred features, not the fifty to a hundred that the paper prints.
func bySize(tokens uint32) uint64 { return 1 << max(0, bits.Len32(tokens/100)-1) }

// halved is twice that, of documents of 100 tokens or more: the printed size.
func halved(tokens uint32) uint64 { return 1 << bits.Len32(tokens/100) }

// of are the features of a whole sketch that the modulus divides.
func (m modulus) of(s *sketch.Sketch) []uint64 {
	return slices.DeleteFunc(slices.Clone(s.Values), func(v uint64) bool { return v%m(s.Tokens) != 0 })
}

// estimate compares two documents at the modulus of the longer one, which is unbiased (section 3,
// theorem).
func (m modulus) estimate(a, b *sketch.Sketch) (sketch.Estimate, error) {
	most := max(m(a.Tokens), m(b.Tokens))
	x := slices.DeleteFunc(m.of(a), func(v uint64) bool { return v%most != 0 })
	y := slices.DeleteFunc(m.of(b), func(v uint64) bool { return v%most != 0 })
	common := 0
	for _, v := range x {
		if _, both := slices.BinarySearch(y, v); both {
			common++
		}
	}
	n := len(x) + len(y) - common
	return sketch.EstimateOf(common, n, float64(n)*float64(most), most == 1), nil
}
