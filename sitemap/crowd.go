package sitemap

import (
	"bytes"
	"math/bits"
	"slices"

	"github.com/zeebo/xxh3"

	"watershed/graph"
)

// A path that is asked for with ever other queries, such as a list that is sorted and filtered, may
// have more pages than the rest of its site: if each of them was asked for when it was met, they would
// be had before the pages that the list is of, and use up the limits. So the more pages of a path were
// asked for, the lower is the priority of the next; and where the boundary is drawn in epochs, some are
// asked for as they are met, and in each epoch as many again as there were.

// crowdSample is how many pages of a path are asked for as they are met: about as many as of a list that
// does not count as one.
const crowdSample = 64

// crowding asks for the pages below the seeds whose paths have many queries.
type crowding struct {
	scout
	asked   map[uint64]int      // pages of a path with a query that were asked for, by its hash
	waiting map[uint64][]uint32 // those that wait, in the order in which they were met
	order   []uint64            // the keys of waiting, likewise
	waits   map[uint32]bool     // by place
}

func newCrowding() crowding {
	return crowding{
		asked: make(map[uint64]int), waiting: make(map[uint64][]uint32), waits: make(map[uint32]bool),
	}
}

// holds reports whether a page of the prefix waits for an epoch, as its path has many others.
func (c *crowding) holds(b *boundary, p uint32) bool {
	path, is := b.web.pathOf(b.places[p].id)
	if !is || c.waits[p] || c.asked[path] < crowdSample || b.places[p].is(isSeed) || b.Boundary != Logical {
		return c.waits[p]
	}
	if len(c.waiting[path]) == 0 {
		c.order = append(c.order, path)
	}
	c.waiting[path] = append(c.waiting[path], p)
	c.waits[p] = true
	return true
}

// later counts a page that is asked for, and gives the doublings that its path has behind it.
func (c *crowding) later(b *boundary, p uint32) (doublings int) {
	path, is := b.web.pathOf(b.places[p].id)
	if !is {
		return 0
	}
	c.asked[path]++
	return bits.Len(uint(c.asked[path] / crowdSample))
}

// ask wants as many pages of each path as it had, and all where the site's limit has to say which are
// left out.
func (c *crowding) ask(b *boundary, at turn) {
	if at != dividing {
		return
	}
	c.order = slices.DeleteFunc(c.order, func(path uint64) bool {
		list, quota := c.waiting[path], c.asked[path]
		for ; len(list) > 0 && (quota > 0 || b.full()); list = list[1:] {
			p := list[0]
			delete(c.waits, p)
			if b.places[p].is(inPrefix) && !b.places[p].is(isAsked) {
				b.askWithin(p, WhyPrefix)
				quota--
			}
		}
		c.waiting[path] = list
		if len(list) == 0 {
			delete(c.waiting, path)
		}
		return len(list) == 0
	})
	b.dirty = b.dirty || len(c.order) > 0 // for another epoch
}

// pathOf is a hash of the path of a vertex whose URL has a query, which is reports.
func (t *urls) pathOf(id graph.ID) (hash uint64, is bool) {
	name, secure := t.dirs.pieces.get(t.names[id])
	path, _, is := bytes.Cut(name, []byte("?"))
	return xxh3.HashSeed(path, uint64(t.dir[id])<<1|uint64(b2i(secure))), is
}
