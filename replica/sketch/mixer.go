package sketch

// Rabin fingerprints are linear, so neighbours in text would be neighbours in number. The paper had
// them "enhanced to behave as a random permutation" (section 7) without saying how: a fixed
// bijection of the same width follows here, of shifts and odd multiplications. Selection and
// comparison see its result only. Source of the form: Steele, Lea, Flood, Fast Splittable
// Pseudorandom Number Generators, 2014, section 3.3 (mix64, there the variant 13 of Stafford).
const (
	mixA uint64 = 0xBF58476D1CE4E5B9
	mixB uint64 = 0x94D049BB133111EB
)

// mix40 is a bijection of the numbers below 2^40.
func mix40(x uint64) uint64 {
	x ^= x >> 19
	x = x * (mixA & mask40) & mask40
	x ^= x >> 17
	x = x * (mixB & mask40) & mask40
	return x ^ x>>20
}

// saltMark is what a sketch tells of its salt: enough to know it again, too little to find it.
func saltMark(salt uint64) uint64 {
	if salt == 0 {
		return 0
	}
	return max(mix64(mix64(salt)^mixA)>>32<<32, 1<<32)
}

// salted permutes mixed fingerprints of 40 or 64 bits once more, by the salt.
func salted(values []uint64, salt uint64, bits int) {
	salt = mix64(salt)
	for i, v := range values {
		if bits == 64 {
			values[i] = mix64(v ^ salt)
		} else {
			values[i] = mix40(v ^ salt&mask40)
		}
	}
}

// mix64 is a bijection of the numbers of 64 bits.
func mix64(x uint64) uint64 {
	x ^= x >> 30
	x *= mixA
	x ^= x >> 27
	x *= mixB
	return x ^ x>>31
}
