package mirror

import (
	"cmp"
	"math"
	"slices"
)

// counter counts terms of one host: an open hash table of places in a list. The list is dense, so that it is gone through in order
// and the table takes 4 bytes a cell; both are small enough for the nearest cache for most hosts.
type counter struct {
	cells []uint32 // place in terms + 1; 0 is free
	terms []tally
	least least
}

const fewestCells = 1 << 10

func newCounter() *counter { return &counter{cells: make([]uint32, fewestCells)} }

// tally is a term and how often it was counted.
type tally struct {
	term  uint64
	count uint32
}

func byCount(a, b tally) int {
	if a.count != b.count {
		return cmp.Compare(b.count, a.count)
	}
	return cmp.Compare(a.term, b.term)
}

// add counts a term n times; a term is not 0.
func (c *counter) add(term uint64, n uint32) {
	cells := c.cells
	mask := uint64(len(cells) - 1)
	for i := term >> 1 & mask; ; i = (i + 1) & mask {
		at := cells[i]
		if at == 0 {
			c.terms = append(c.terms, tally{term, n})
			cells[i] = uint32(len(c.terms))
			if len(c.terms)*2 > len(cells) {
				c.grow()
			}
			return
		}
		if t := &c.terms[at-1]; t.term == term {
			t.count += n
			return
		}
	}
}

// grow doubles the table.
func (c *counter) grow() {
	c.cells = make([]uint32, 2*len(c.cells))
	mask := uint64(len(c.cells) - 1)
	for k, t := range c.terms {
		i := t.term >> 1 & mask
		for c.cells[i] != 0 {
			i = (i + 1) & mask
		}
		c.cells[i] = uint32(k + 1)
	}
}

// mostCells is what a counter keeps for the next host, about that of a host of 100,000 URLs: one of millions must not fix what
// all others cost.
const mostCells = 1 << 18

// reset empties the counter. A table that is far too large for what it held is halved, so that emptying it costs no more than
// filling it did.
func (c *counter) reset() {
	switch {
	case len(c.cells) > mostCells:
		c.cells, c.terms = make([]uint32, fewestCells), nil
	case len(c.terms)*16 < len(c.cells) && len(c.cells) > fewestCells:
		c.cells = c.cells[:len(c.cells)/2]
	}
	clear(c.cells)
	c.terms = c.terms[:0]
}

// many is the count from which on top tells counts apart by sorting.
const many = 63

// top appends the n most frequent terms, ties by the smaller hash. It takes time linear in the terms: how many there are of
// each count tells from which count on they are among the n.
func (c *counter) top(n int, into []tally) []tally {
	var of [many + 1]int
	for i := range c.terms {
		of[min(c.terms[i].count, many)]++
	}
	bar := uint32(many) // the greatest count of which not all terms find place
	for bar > 0 && of[bar] <= n {
		n -= of[bar]
		bar--
	}
	first := len(into)
	c.least.reset(n)
	for _, x := range c.terms {
		switch {
		case x.count > bar, bar == many && x.count == many:
			into = append(into, x)
		case x.count == bar:
			c.least.add(x.term)
		}
	}
	if bar < many {
		for _, t := range c.least.smallest() {
			into = append(into, tally{t, bar})
		}
	}
	slices.SortFunc(into[first:], byCount)
	if bar == many {
		into = into[:min(len(into), first+n)]
	}
	return into
}

// least keeps the n smallest of the numbers it is given, which are hashes, in a list that is cut when it is much longer than it
// need be.
type least struct {
	n    int
	list []uint64
	bar  uint64 // no number above is among the smallest
}

// leastRoom is how many numbers fit beyond twice n: most hosts need no cut before their end.
const leastRoom = 1 << 10

func (l *least) reset(n int) { l.n, l.list, l.bar = n, l.list[:0], math.MaxUint64 }

func (l *least) add(x uint64) {
	if x > l.bar {
		return
	}
	l.list = append(l.list, x)
	if len(l.list) >= 2*l.n+leastRoom {
		l.bar = 0
		if l.smallest(); l.n > 0 {
			l.bar = l.list[l.n-1]
		}
	}
}

// smallest gives the numbers, in order. The slice is valid until the next call of add or reset.
//
// Hashes are spread evenly, so about twice n are within the first 2n/len of their range: mostly only those are sorted.
func (l *least) smallest() []uint64 {
	if m := len(l.list); m > 4*l.n {
		below := math.MaxUint64 / uint64(m) * uint64(2*l.n)
		k := 0
		for i, x := range l.list {
			if x <= below {
				l.list[i], l.list[k] = l.list[k], x
				k++
			}
		}
		if k >= l.n {
			l.list = l.list[:k]
		}
	}
	slices.Sort(l.list)
	l.list = l.list[:min(l.n, len(l.list))]
	return l.list
}
