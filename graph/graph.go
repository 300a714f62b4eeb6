// Package graph numbers things densely: the algorithms speak of vertices 0, 1, 2, … and not of
// URLs.
//
// A vertex is a number handed out in order of first sight by an Index; an arc leads from the vertex
// at hand to another one and has a capacity in fixed point, so that sums are exact and the same on
// every machine.
package graph

import (
	"math/bits"
	"slices"
)

// ID is a vertex: a dense number, counted from 0 in order of first sight.
type ID uint32

// None is no vertex.
const None ID = 1<<32 - 1

// Unit is a capacity of 1 in fixed point: capacities are int64 multiples of one millionth. Flow
// sums are then exact, two solvers can be compared by equality, and no loop ends on a rounding
// error. The largest sum is 9.2e12 units of capacity.
const Unit int64 = 1_000_000

// Fixed is c in fixed point, rounded to the nearest millionth.
func Fixed(c float64) int64 {
	if c < 0 {
		return -int64(-c*float64(Unit) + 0.5)
	}
	return int64(c*float64(Unit) + 0.5)
}

// Arc leads to a vertex.
type Arc struct {
	To       ID
	Capacity int64 // along the arc, in fixed point, at least 0
	Reverse  int64 // against the arc, in fixed point, at least 0; 0 for a directed arc
}

// Edge joins two vertices; it is one entry of a sparse matrix when From is the column and To the
// row.
type Edge struct {
	From, To ID
	Weight   float64
}

// Index hands out dense vertices to 64-bit keys. The zero value is empty and ready; it is not safe
// for concurrent use.
//
// It is a hash table with linear probing of vertices, whose keys say where they belong: it takes 15
// to 22 bytes a key, besides what a slice grows ahead. A tag of each slot, a few bits of its key's
// hash, tells nearly always that a key is another one: else each slot on the way would cost a look
// at its key, which lies anywhere in memory.
type Index struct {
	// of the slots, 0 for one that is free; a power of two of them, at most three quarters of them
	// taken
	tags  []uint8
	slots []ID
	shift uint8
	keys  []uint64

	seen ID // by Prefetch, so that it is not optimised away
}

// slot is where to look first, and the tag to look for. The multiplier is 2⁶⁴/φ: neighbours land
// far apart (Knuth, The Art of Computer Programming, volume 3, 6.4).
func (x *Index) slot(key uint64) (i int, tag uint8) {
	hash := key * 0x9e3779b97f4a7c15
	return int(hash >> x.shift), uint8(hash>>(x.shift-8)) | 0x80
}

// Add gives the vertex of key, a new one if key was never seen.
func (x *Index) Add(key uint64) (id ID, fresh bool) {
	if 4*(len(x.keys)+1) > 3*len(x.slots) {
		x.spread(max(16, 2*len(x.slots)))
	}
	i, tag := x.slot(key)
	for ; x.tags[i] != 0; i = (i + 1) & (len(x.tags) - 1) {
		if x.tags[i] == tag && x.keys[x.slots[i]] == key {
			return x.slots[i], false
		}
	}
	id = ID(len(x.keys))
	x.keys = append(x.keys, key)
	x.tags[i], x.slots[i] = tag, id
	return id, true
}

// Prefetch has memory bring the slots of some keys that are to be added, all at a time; Add would
// wait for each of them.
func (x *Index) Prefetch(keys []uint64) {
	if len(x.slots) == 0 {
		return
	}
	for _, key := range keys {
		i, _ := x.slot(key)
		x.seen ^= x.slots[i] ^ ID(x.tags[i])
	}
}

// Grow makes room for n keys in all.
func (x *Index) Grow(n int) {
	x.keys = slices.Grow(x.keys, max(0, n-len(x.keys)))
	slots := max(16, len(x.slots))
	for 4*n > 3*slots {
		slots *= 2
	}
	if slots > len(x.slots) {
		x.spread(slots)
	}
}

// spread lays the keys out over so many slots.
func (x *Index) spread(n int) {
	x.tags, x.slots = make([]uint8, n), make([]ID, n)
	x.shift = uint8(64 - bits.Len(uint(n-1)))
	for id, key := range x.keys {
		i, tag := x.slot(key)
		for x.tags[i] != 0 {
			i = (i + 1) & (n - 1)
		}
		x.tags[i], x.slots[i] = tag, ID(id)
	}
}

// Find gives the vertex of key, or None.
func (x *Index) Find(key uint64) ID {
	if len(x.tags) == 0 {
		return None
	}
	i, tag := x.slot(key)
	for ; x.tags[i] != 0; i = (i + 1) & (len(x.tags) - 1) {
		if x.tags[i] == tag && x.keys[x.slots[i]] == key {
			return x.slots[i]
		}
	}
	return None
}

// Key gives the key of a vertex that Add returned.
func (x *Index) Key(id ID) uint64 { return x.keys[id] }

// Len is the number of vertices.
func (x *Index) Len() int { return len(x.keys) }
