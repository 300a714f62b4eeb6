package sketchbench

import (
	"fmt"
	"slices"

	"watershed/replica/sketch"
)

// common counts in how many documents each feature is, in bounded memory: for one host, where the
// common features are its template and the rest the main text, or for all documents. The rare
// features are forgotten, the common ones are not. Not safe for concurrent use.
//
// Invariants: 1. a feature is in at least as many documents as its count, and in at most as many as
// its count and slack together. 2. slack ≤ features counted / capacity, so that whatever is in more
// documents than that is held. 3. at most 2·capacity features are held. Source: Misra, Gries,
// Finding Repeated Elements, 1982; Anderson and others, A High-Performance Algorithm for
// Identifying Frequent Items in Data Streams, 2017 (many taken away at once).
type common struct {
	capacity  int
	counts    map[uint64]uint32
	slack     uint32
	documents int
	scratch   []uint32
}

// newCommon makes a counter that holds from capacity to twice as many features, of about 20 bytes
// each. For the template of a host 4096 are plenty; for all documents, some times the length of the
// list that is expected.
func newCommon(capacity int) (*common, error) {
	if capacity < 1 || capacity > 1<<28 {
		return nil, fmt.Errorf("capacity %d: must be 1 to 2^28", capacity)
	}
	return &common{capacity: capacity, counts: make(map[uint64]uint32)}, nil
}

// Add counts a document's selected features once each. Give each text once: copies of one page
// would make all of it common.
func (c *common) Add(s *sketch.Sketch) {
	c.documents++
	for _, v := range s.Values {
		c.counts[v]++
	}
	c.shrink()
}

// shrink takes the count of the capacity's next feature away from all, once twice as many as the
// capacity are held.
func (c *common) shrink() {
	if len(c.counts) <= 2*c.capacity {
		return
	}
	c.scratch = c.scratch[:0]
	for _, n := range c.counts {
		c.scratch = append(c.scratch, n)
	}
	slices.Sort(c.scratch)
	least := c.scratch[len(c.scratch)-c.capacity-1]
	c.slack += least
	for v, n := range c.counts {
		if n <= least {
			delete(c.counts, v)
		} else {
			c.counts[v] = n - least
		}
	}
}

// features are those that are in more than that many documents for certain, ascending, as
// sketch.Sketch.Without takes them.
func (c *common) features(more int) []uint64 {
	var list []uint64
	for v, n := range c.counts {
		if int(n) > more {
			list = append(list, v)
		}
	}
	slices.Sort(list)
	return list
}

// leastPages is the number of pages of a host below which nothing is called its template.
const leastPages = 8

// template is the features that more than that share of a host's documents have; nil for fewer than
// eight documents. A share of .2 serves: what a fifth of a host's different pages have in common
// was not written for one of them.
func (c *common) template(share float64) []uint64 {
	if c.documents < leastPages {
		return nil
	}
	return c.features(max(2, int(share*float64(c.documents))))
}
