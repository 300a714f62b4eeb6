package mirror

import (
	"cmp"
	"slices"
)

// counter counts terms of one host: an open hash table that is emptied in time linear in what it holds.
type counter struct {
	terms  []uint64 // 0 is free
	counts []uint32
	used   []uint32 // places that are taken
}

func newCounter() *counter {
	return &counter{terms: make([]uint64, 1<<10), counts: make([]uint32, 1<<10)}
}

// add counts a term n times; a term is not 0.
func (c *counter) add(term uint64, n uint32) {
	mask := uint64(len(c.terms) - 1)
	for i := term & mask; ; i = (i + 1) & mask {
		switch c.terms[i] {
		case term:
			c.counts[i] += n
			return
		case 0:
			c.terms[i], c.counts[i] = term, n
			c.used = append(c.used, uint32(i))
			if len(c.used)*2 > len(c.terms) {
				c.grow()
			}
			return
		}
	}
}

func (c *counter) grow() {
	old := *c
	*c = counter{terms: make([]uint64, 2*len(old.terms)), counts: make([]uint32, 2*len(old.terms)), used: make([]uint32, 0, len(old.terms))}
	for _, i := range old.used {
		c.add(old.terms[i], old.counts[i])
	}
}

func (c *counter) reset() {
	for _, i := range c.used {
		c.terms[i] = 0
	}
	c.used = c.used[:0]
}

// tally is a term and how often it was counted.
type tally struct {
	term  uint64
	count uint32
}

func byCount(a, b tally) int {
	return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.term, b.term))
}

// top appends the n most frequent terms, ties by the smaller hash. Only where those of two or more do not suffice are the
// others looked at.
func (c *counter) top(n int, into []tally) []tally {
	ones := 0
	for _, i := range c.used {
		if c.counts[i] > 1 {
			into = append(into, tally{c.terms[i], c.counts[i]})
		} else {
			ones++
		}
	}
	if len(into) >= n {
		slices.SortFunc(into, byCount)
		return into[:n]
	}
	if ones > 0 {
		least := newLeast(n - len(into))
		for _, i := range c.used {
			if c.counts[i] == 1 {
				least.add(c.terms[i])
			}
		}
		for _, t := range least.heap {
			into = append(into, tally{t, 1})
		}
	}
	slices.SortFunc(into, byCount)
	return into
}

// least keeps the n smallest of the numbers it is given: a heap with the greatest on top.
type least struct {
	n    int
	heap []uint64
}

func newLeast(n int) *least { return &least{n: n} }

func (l *least) reset(n int) { l.n, l.heap = n, l.heap[:0] }

func (l *least) add(x uint64) {
	if len(l.heap) < l.n {
		l.heap = append(l.heap, x)
		for i := len(l.heap) - 1; i > 0; {
			up := (i - 1) / 2
			if l.heap[up] >= l.heap[i] {
				break
			}
			l.heap[up], l.heap[i] = l.heap[i], l.heap[up]
			i = up
		}
		return
	}
	if l.n == 0 || x >= l.heap[0] {
		return
	}
	l.heap[0] = x
	for i := 0; ; {
		down := 2*i + 1
		if down >= len(l.heap) {
			break
		}
		if r := down + 1; r < len(l.heap) && l.heap[r] > l.heap[down] {
			down = r
		}
		if l.heap[i] >= l.heap[down] {
			break
		}
		l.heap[i], l.heap[down] = l.heap[down], l.heap[i]
		i = down
	}
}
