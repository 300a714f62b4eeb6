package sketch

// votes count, for each of 64 bits, in how many features it is set. The counts stand upright: plane
// i holds bit i of all 64, so that one addition serves all of them. Source of the hash: Charikar,
// Similarity Estimation Techniques from Rounding Algorithms, 2002, section 3; of its use on pages:
// Manku, Jain, Sarma, Detecting Near-Duplicates for Web Crawling, 2007; of the counting: Warren,
// Hacker's Delight, 2nd ed., section 5-1 (carry-save adders).
type votes struct {
	planes [48]uint64
	n      uint64
}

// add counts one feature.
func (v *votes) add(x uint64) { v.addAt(x, 0); v.n++ }

func (v *votes) addAt(x uint64, plane int) {
	for i := plane; x != 0 && i < len(v.planes); i++ {
		v.planes[i], x = v.planes[i]^x, v.planes[i]&x
	}
}

// addTokens counts each token after the first together with the one before it: pairs tell more of a
// text than words, of which the common ones are the same in every text, and change less by an edit
// than long shingles do.
func (v *votes) addTokens(tokens []uint64) {
	v.n += uint64(len(tokens) - 1)
	pair := func(i int) uint64 { return mix64(tokens[i-1]*lexicalFactor + tokens[i]) }
	i := 1
	ones, twos, fours := v.planes[0], v.planes[1], v.planes[2]
	for ; i+8 <= len(tokens); i += 8 {
		var a2, b2, c2, d2, a4, b4, a8 uint64
		ones, a2 = csa(ones, pair(i), pair(i+1))
		ones, b2 = csa(ones, pair(i+2), pair(i+3))
		ones, c2 = csa(ones, pair(i+4), pair(i+5))
		ones, d2 = csa(ones, pair(i+6), pair(i+7))
		twos, a4 = csa(twos, a2, b2)
		twos, b4 = csa(twos, c2, d2)
		fours, a8 = csa(fours, a4, b4)
		v.addAt(a8, 3)
	}
	v.planes[0], v.planes[1], v.planes[2] = ones, twos, fours
	for ; i < len(tokens); i++ {
		v.addAt(pair(i), 0)
	}
}

// csa adds three bits in each place.
func csa(a, b, c uint64) (sum, carry uint64) {
	u := a ^ b
	return u ^ c, a&b | u&c
}

// hash has the bits that more than half of the features have.
func (v *votes) hash() uint64 {
	half := v.n / 2
	more, equal := uint64(0), ^uint64(0)
	for i := len(v.planes) - 1; i >= 0; i-- {
		if half>>i&1 == 0 {
			more |= equal & v.planes[i]
			equal &^= v.planes[i]
		} else {
			equal &= v.planes[i]
		}
	}
	return more
}
