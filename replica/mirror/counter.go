package mirror

import (
	"cmp"
	"math"
	"slices"
)

// counter counts terms of one host: an open hash table of places in a list. The list is dense, so
// that it is gone through in order and the table takes 4 bytes a cell; both are small enough for
// the nearest cache for most hosts.
type counter struct {
	cells []uint32 // the complement of a place in list; 0, whose complement is beyond all places, is free
	list  []tally  // the terms, and room for more: one for each sparse cells
	used  int      // how many there are, fewer than list has places
	least least
}

const (
	fewestCells = 1 << 10
	// cells for each term at least: a fifth of the terms, then, do not lie where they are looked
	// for first
	sparse = 4
)

func newCounter() *counter {
	return &counter{cells: make([]uint32, fewestCells), list: make([]tally, fewestCells/sparse)}
}

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

// add counts a term n times; a term is not 0. Whether a term is new is not asked by a branch, for
// nothing foretells it: each is written behind the last, and the list becomes longer by it or not.
func (c *counter) add(term uint64, n uint32) {
	cells, used := c.cells, c.used
	c.list[used] = tally{term, 0}
	mask := uint64(len(cells) - 1)
	for i := term >> 1 & mask; ; i = (i + 1) & mask {
		at := min(int(^cells[i]), used)
		if t := &c.list[at]; t.term == term {
			t.count += n
			cells[i] = ^uint32(at)
			c.used = max(used, at+1)
			break
		}
	}
	if c.used == len(c.list)-1 {
		c.grow()
	}
}

// terms are those that were counted.
func (c *counter) terms() []tally { return c.list[:c.used] }

// grow doubles the table and the list.
func (c *counter) grow() {
	c.cells = make([]uint32, 2*len(c.cells))
	list := make([]tally, len(c.cells)/sparse)
	copy(list, c.terms())
	c.list = list
	mask := uint64(len(c.cells) - 1)
	for k, t := range c.terms() {
		i := t.term >> 1 & mask
		for c.cells[i] != 0 {
			i = (i + 1) & mask
		}
		c.cells[i] = ^uint32(k)
	}
}

// mostCells is what a counter keeps for the next host, about that of a host of 100,000 URLs: one of
// millions must not fix what all others cost.
const mostCells = 1 << 18

// reset empties the counter. A table that is far too large for what it held is halved, so that
// emptying it costs no more than filling it did.
func (c *counter) reset() {
	switch {
	case len(c.cells) > mostCells:
		c.cells, c.list = make([]uint32, fewestCells), make([]tally, fewestCells/sparse)
	case c.used*8*sparse < len(c.cells) && len(c.cells) > fewestCells:
		c.cells, c.list = c.cells[:len(c.cells)/2], c.list[:len(c.list)/2]
	}
	clear(c.cells)
	c.used = 0
}

// many is the count from which on top tells counts apart by sorting.
const many = 63

// top appends the n most frequent terms, of those of one count the smaller hashes: by count, the
// most frequent first, those of one count in no order. It takes time linear in the terms: how many
// there are of each count tells from which count on they are among the n, and where they go.
func (c *counter) top(n int, into []tally) []tally {
	var of [many + 1]int
	for i := range c.terms() {
		of[min(c.list[i].count, many)]++
	}
	first := len(into)
	var place [many + 1]int // where the next of each count goes
	bar, at := many, first  // the greatest count of which not all terms find place
	for ; bar > 0 && of[bar] <= n; bar-- {
		place[bar] = at
		at += of[bar]
		n -= of[bar]
	}
	into = slices.Grow(into, at-first+n)[:at]
	if bar == many {
		return c.mostFrequent(n, into)
	}
	c.least.expect(n, of[bar])
	c.place(into, bar, &place)
	if len(c.least.list) < min(n, of[bar]) {
		c.least.reset(n)
		c.place(nil, bar, nil)
	}
	for _, t := range c.least.smallest() {
		into = append(into, tally{t, uint32(bar)})
	}
	if frequent := into[first : first+of[many]]; len(frequent) > 1 {
		slices.SortFunc(frequent, byCount)
	}
	return into
}

// place puts terms whose count is beyond the bar where they go, if told, and those of the bar into
// least.
func (c *counter) place(into []tally, bar int, place *[many + 1]int) {
	for _, x := range c.terms() {
		switch k := min(int(x.count), many); {
		case k == bar:
			c.least.add(x.term)
		case k > bar && place != nil:
			into[place[k]] = x
			place[k]++
		}
	}
}

// mostFrequent appends the n most frequent terms of those whose counts are many or more.
func (c *counter) mostFrequent(n int, into []tally) []tally {
	first := len(into)
	for _, x := range c.terms() {
		if x.count >= many {
			into = append(into, x)
		}
	}
	slices.SortFunc(into[first:], byCount)
	return into[:min(len(into), first+n)]
}

// least keeps the n smallest of the numbers it is given, which are hashes, in a list that is cut
// when it is much longer than it need be.
type least struct {
	n    int
	list []uint64
	bar  uint64 // no number above is among the smallest
}

// leastRoom is how many numbers fit beyond twice n: most hosts need no cut before their end.
const leastRoom = 1 << 10

func (l *least) reset(n int) { l.n, l.list, l.bar = n, l.list[:0], math.MaxUint64 }

// expect resets, for so many hashes: those that are hardly among the n smallest are not even taken.
// Where the list is shorter than n in the end, all must be added again after a reset.
func (l *least) expect(n, hashes int) {
	l.reset(n)
	if hashes > 4*n {
		l.bar = math.MaxUint64 / uint64(hashes) * uint64(2*n)
	}
}

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
// Hashes are spread evenly, so about twice n are within the first 2n/len of their range: mostly
// only those are sorted.
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
