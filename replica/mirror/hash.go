package mirror

// FNV-1a of 64 bits (Fowler, Noll, Vo) takes bytes as they are scanned; mix spreads it over all
// bits. Two of 140 million paths share a hash with a probability of 1 in 2,000.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

func hashOf(b []byte) uint64 {
	h := uint64(fnvOffset)
	for _, c := range b {
		h = (h ^ uint64(c)) * fnvPrime
	}
	return mix(h)
}

// mix is a bijection of 64-bit numbers: the finaliser of splitmix64 (Steele, Lea, Flood, Fast
// splittable pseudorandom number generators, 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// draw is a number that depends on all given.
func draw(seed uint64, of ...uint64) uint64 {
	for _, x := range of {
		seed = mix(seed+0x9e3779b97f4a7c15) ^ x
	}
	return mix(seed + 0x9e3779b97f4a7c15)
}
