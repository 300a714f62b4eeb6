package novelty

import "watershed/page"

// said knows which words, lines and rows of numbers the pages of hosts had, in a fixed space: two
// Bloom filters (Bloom, 1970, method 2) of 4 MiB with two bits a thing, both in the same 64 bytes,
// which a processor reads at once (Putze, Sanders and Singler, 2007, blocked filters). When an eighth
// of the newer is set the older is forgotten. So up to 3 % of what is new is taken for known.
type said struct {
	filters [2][]uint64 // the newer first
	set     int         // bits of the newer
	// last are things that the newer has, by their lowest bits: most words of a page are those of the menu,
	// and 32 KiB are nearer to the processor than 8 MiB.
	last [1 << 12]uint64
}

const (
	saidBits = 1 << 25
	// rowsEnough is how many rows of numbers a table has that tells something. A calendar whose window
	// slides on has a new one or two.
	rowsEnough = 8
)

// told is what a page says that its host has not said before.
type told struct {
	line, word bool
	rows       bool // enough of them
	all        bool // its lines together with their numbers
}

// learn takes over what a page says.
func (s *said) learn(u page.URL, f Features) told {
	host := uint64(page.URL("said " + string(u.Host())).Key())
	fresh := func(list ...uint64) (n int) {
		for _, x := range list {
			if s.add(x ^ host) {
				n++
			}
		}
		return n
	}
	return told{
		line: fresh(f.lines...) > 0, word: fresh(f.words...) > 0, rows: fresh(f.rows...) >= rowsEnough,
		all: fresh(f.all) > 0,
	}
}

// add reports that a thing was not known, and remembers it.
func (s *said) add(x uint64) bool {
	last := &s.last[x%uint64(len(s.last))]
	if *last == x {
		return false
	}
	*last = x
	if s.filters[0] == nil {
		s.filters[0] = make([]uint64, saidBits/64)
	}
	var had [2]int
	const block = 512
	first := x % saidBits
	for _, bit := range [2]uint64{first, first&^(block-1) | x>>32%block} {
		at, mask := bit/64, uint64(1)<<(bit%64)
		if s.filters[1] != nil && s.filters[1][at]&mask != 0 {
			had[1]++
		}
		if s.filters[0][at]&mask != 0 {
			had[0]++
		} else {
			s.filters[0][at] |= mask
			s.set++
		}
	}
	if s.set >= saidBits/8 {
		s.filters, s.set = [2][]uint64{nil, s.filters[0]}, 0
		clear(s.last[:])
	}
	return had[0] < 2 && had[1] < 2
}
