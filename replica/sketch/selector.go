package sketch

import (
	"math/bits"
	"slices"
)

// selector keeps the smallest ones of a stream of fingerprints: the paper's MIN_s.
//
// Invariants: 1. kept holds every fingerprint below limit that was added, perhaps several times.
// 2. limit never grows.
type selector struct {
	size    int    // most values of the sketch
	limit   uint64 // values above it are not needed
	cut     bool   // some were not kept because of limit
	kept    []uint64
	scratch []uint64
}

func (c *selector) reset(o Options) {
	c.size, c.cut, c.kept = o.Size, false, c.kept[:0]
	c.limit = fieldOf(o.Bits).top()
}

// top is the greatest fingerprint.
func (f field) top() uint64 {
	if f.bits == 64 {
		return ^uint64(0)
	}
	return 1<<f.bits - 1
}

// add takes fingerprints.
func (c *selector) add(values []uint64) {
	for len(values) > 0 {
		n := min(len(values), batch)
		c.addBatch(values[:n])
		values = values[n:]
		if len(c.kept) >= c.room() {
			c.compact()
		}
	}
}

// room is the number of values, with repetitions, at which the selection is cut to size.
func (c *selector) room() int { return max(c.size+c.size/2, batch) }

// addBatch keeps the values up to the limit. It has no branch that depends on them.
func (c *selector) addBatch(values []uint64) {
	n := len(c.kept)
	c.kept = slices.Grow(c.kept, len(values))[:n+len(values)]
	kept, limit := c.kept, c.limit
	for _, v := range values {
		kept[n] = v
		if v <= limit {
			n++
		}
	}
	c.kept = kept[:n]
}

// compact sorts what was kept, drops repetitions and cuts to size. Only the least values are
// sorted, unless repetitions leave too few of them.
func (c *selector) compact() {
	n := len(c.kept)
	sorted, spare := sortSpread(c.kept, c.scratch, c.limit, c.size)
	given, least := len(sorted), slices.Compact(sorted)
	if len(least) < min(c.size, n) && given < n {
		sorted, spare = sortSpread(c.kept, sorted[:0], c.limit, n)
		given, least = n, slices.Compact(sorted)
	}
	c.kept, c.scratch = least, spare
	if len(c.kept) > c.size || given < n {
		c.kept = c.kept[:c.size]
		c.cut = true
		c.limit = c.kept[c.size-1]
	}
}

// finish writes the selection into a sketch.
func (c *selector) finish(s *Sketch) {
	c.compact()
	s.Values = append(s.Values, c.kept...)
	s.Cut = c.cut
}

// maxSpread is more than the default selection ever sorts; a power of two.
const maxSpread = 1024

// sortSpread sorts values that are spread evenly up to the limit, as mixed fingerprints are:
// counted into buckets of one each, then by insertion. Of the values it gives the least ones, at
// least so many as are needed. The values stay as they are where not all are given; sorted and
// spare share no memory. Expected time O(n). Values that an enemy made cost O(n²), of n below
// maxSpread; longer lists are sorted by comparing.
func sortSpread(values, scratch []uint64, limit uint64, need int) (sorted, spare []uint64) {
	n := len(values)
	if n < 32 || n >= maxSpread {
		slices.Sort(values)
		return values, scratch
	}
	var count [maxSpread + 1]uint16
	shift := max(0, bits.Len64(limit)-bits.Len(uint(n)))
	places := count[:limit>>shift+2] // limit>>shift has as many bits as n, and is below maxSpread
	for _, v := range values {
		places[v>>shift+1]++
	}
	sum, last := uint16(0), uint64(len(places)) // values of buckets behind the last are not needed
	for i := range places {
		sum += places[i]
		places[i] = sum
		if int(sum) >= need && i > 0 {
			last = uint64(i) - 1
			break
		}
	}
	if cap(scratch) < n {
		scratch = make([]uint64, 0, max(n, 2*batch))
	}
	scratch = scratch[:sum]
	for _, v := range values {
		if at := v >> shift; at <= last {
			scratch[places[at]] = v
			places[at]++
		}
	}
	for i := 1; i < len(scratch); i++ {
		v := scratch[i]
		j := i
		for ; j > 0 && scratch[j-1] > v; j-- {
			scratch[j] = scratch[j-1]
		}
		scratch[j] = v
	}
	return scratch, values[:0]
}
