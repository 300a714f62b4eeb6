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
			n += s.add(x ^ host)
		}
		return n
	}
	return told{
		line: fresh(f.lines...) > 0, word: fresh(f.words...) > 0, rows: fresh(f.rows...) >= rowsEnough,
		all: fresh(f.all) > 0,
	}
}

// add gives 1 for a thing that was not known, else 0, and remembers it.
func (s *said) add(x uint64) int {
	last := &s.last[x%uint64(len(s.last))]
	if *last == x {
		return 0
	}
	*last = x
	if s.filters[0] == nil {
		s.filters[0] = make([]uint64, saidBits/64)
	}
	const block = 512
	first := x % saidBits
	second := first&^(block-1) | x>>32%block
	// no branch waits for memory, so that a processor fetches the blocks of several things at once
	newer := s.filters[0]
	known := newer[first/64] >> (first % 64) & 1
	newer[first/64] |= 1 << (first % 64)
	known += newer[second/64] >> (second % 64) & 1
	newer[second/64] |= 1 << (second % 64)
	s.set += int(2 - known)
	fresh := 1 - known/2
	if older := s.filters[1]; older != nil {
		fresh &^= older[first/64] >> (first % 64) & (older[second/64] >> (second % 64)) & 1
	}
	if s.set >= saidBits/8 {
		s.filters, s.set = [2][]uint64{nil, s.filters[0]}, 0
		clear(s.last[:])
	}
	return int(fresh)
}
