package novelty

import (
	"math/bits"
	"slices"

	"watershed/page"
)

// orders knows pages by the words of their addresses, so that one shows nothing new whose address has the
// same words in another order, as /tags/a+b and /tags/b+a, or filters of a list.
type orders map[uint64][sampled]uint64

const (
	// sampled is how many of a page's features are compared, the smallest.
	sampled = 8
	// mostOrders bounds what is known, some 5 MiB; then all is forgotten, and such pages are new once more.
	mostOrders = 1 << 15
)

// again reports that a page was learnt whose address has the same words, and of whose smallest features
// this one has three quarters. Else the page is remembered, if none with these words is.
func (o orders) again(u page.URL, features []uint64) bool {
	var own [sampled]uint64
	n := copy(own[:], features)
	key := wordsOf(u)
	other, known := o[key]
	if !known {
		if len(o) >= mostOrders {
			clear(o)
		}
		o[key] = own
	}
	common := 0
	for _, x := range own[:n] {
		if slices.Contains(other[:], x) {
			common++
		}
	}
	return known && 4*common >= 3*n
}

// wordsOf sums up the words of an address: runs of letters and digits. A byte below 0x80 that stands
// encoded ends a word as others do.
func wordsOf(u page.URL) (sum uint64) {
	var word uint64
	for i := 0; i < len(u); i++ {
		c := u[i]
		if c == '%' && i+2 < len(u) && u[i+1] < '8' {
			i += 2
		} else if c == '%' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' {
			word = (bits.RotateLeft64(word, 5) ^ uint64(c) ^ wordSeed) * wordFactor
			continue
		}
		sum += word ^ word>>31
		word = 0
	}
	return sum + (word ^ word>>31)
}
