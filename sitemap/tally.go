package sitemap

import "math/bits"

// tally counts, for each place, how many pages of each block link to it. Nearly every place is
// linked to from one block, which is kept beside it, so a place takes 8 bytes.
type tally struct {
	first []fromBlock
	more  map[uint32][]fromBlock
}

// fromBlock are the pages of a block that link to a place.
type fromBlock struct {
	block blockID
	pages uint32 // 0: none, and block means nothing
}

// grow makes space for n places.
func (t *tally) grow(n int) { t.first = append(t.first, make([]fromBlock, n-len(t.first))...) }

// at gives the entry of a block at a place, nil for none.
func (t *tally) at(v uint32, a blockID) *fromBlock {
	if f := &t.first[v]; f.pages > 0 && f.block == a {
		return f
	}
	more := t.more[v]
	for i := range more {
		if more[i].block == a && more[i].pages > 0 {
			return &more[i]
		}
	}
	return nil
}

// pages is how many pages of a link to v.
func (t *tally) pages(v uint32, a blockID) uint32 {
	if f := t.at(v, a); f != nil {
		return f.pages
	}
	return 0
}

// add counts one page more, and gives how many there are.
func (t *tally) add(v uint32, a blockID) uint32 {
	if f := t.at(v, a); f != nil {
		f.pages++
		return f.pages
	}
	if t.first[v].pages == 0 {
		t.first[v] = fromBlock{a, 1}
		return 1
	}
	for i := range t.more[v] {
		if f := &t.more[v][i]; f.pages == 0 {
			*f = fromBlock{a, 1}
			return 1
		}
	}
	if t.more == nil {
		t.more = make(map[uint32][]fromBlock)
	}
	t.more[v] = append(t.more[v], fromBlock{a, 1})
	return 1
}

// remove counts one page less, and gives how many are left.
func (t *tally) remove(v uint32, a blockID) uint32 {
	f := t.at(v, a)
	f.pages--
	return f.pages
}

// clear forgets who links to v, after telling each block.
func (t *tally) clear(v uint32, tell func(fromBlock)) {
	for _, f := range append(t.more[v], t.first[v]) {
		if f.pages > 0 {
			tell(f)
		}
	}
	t.first[v] = fromBlock{}
	delete(t.more, v)
}

// coarseBits is how many binary digits of a capacity count: a step is between 1/128 and 1/64 of it.
const coarseBits = 7

// coarse rounds a capacity, so that a small change leaves it as it is: each learned page changes
// nearly every share a little, and without rounding nearly every capacity of the network would
// change with it. The share is an estimate that is not as sharp as this.
func coarse(capacity int64) int64 { return int64(round(uint64(capacity), coarseBits)) }

// round rounds a number to so many binary digits.
func round(x uint64, digits int) uint64 {
	shift := max(0, bits.Len64(x)-digits)
	return (x + 1<<shift>>1) >> shift << shift
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
