package sketch

import "slices"

// enough is the number of values below which a sketch by modulus is taken for empty: the smallest
// values go with it then.
const enough = 8

// least keeps the few smallest of a stream of fingerprints, for documents of which a modulus
// selects next to nothing.
type least struct {
	held [enough]uint64 // ascending
	n    int
}

func (l *least) reset() { l.n = 0 }

func (l *least) add(values []uint64) {
	for _, v := range values {
		if l.n == enough && v >= l.held[enough-1] {
			continue
		}
		i, found := slices.BinarySearch(l.held[:l.n], v)
		if found {
			continue
		}
		l.n = min(l.n+1, enough)
		copy(l.held[i+1:l.n], l.held[i:])
		l.held[i] = v
	}
}

// values is a copy of what is held.
func (l *least) values() []uint64 { return slices.Clone(l.held[:l.n]) }
