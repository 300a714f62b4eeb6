package novelty

// filter remembers features in a fixed space. It may take a new one for an old one, rarely (below 3
// % at its fullest), and forgets all when it is half full, so that what was seen long ago counts as
// new again.
type filter struct {
	bits []uint64
	set  int
}

const filterBits = 1 << 16 // 8 KiB

// learn gives the part of the features that were not seen before, and remembers them. A page
// without any is wholly old: it says nothing.
func (f *filter) learn(features []uint64) float64 {
	if len(features) == 0 {
		return 0
	}
	if f.bits == nil {
		f.bits = make([]uint64, filterBits/64)
	}
	fresh := 0
	for _, x := range features {
		old := true
		for _, h := range [3]uint64{x, x >> 20, x >> 40} {
			h %= filterBits
			if mask := uint64(1) << (h % 64); f.bits[h/64]&mask == 0 {
				f.bits[h/64] |= mask
				f.set++
				old = false
			}
		}
		if !old {
			fresh++
		}
	}
	if f.set > filterBits/2 {
		clear(f.bits)
		f.set = 0
	}
	return float64(fresh) / float64(len(features))
}
