// Package graph numbers things densely: the algorithms speak of vertices 0, 1, 2, … and not of URLs.
//
// A vertex is a number handed out in order of first sight by an Index; an arc leads from the vertex at hand to another
// one and has a capacity in fixed point, so that sums are exact and the same on every machine.
package graph

import "math/bits"

// ID is a vertex: a dense number, counted from 0 in order of first sight.
type ID uint32

// None is no vertex.
const None ID = 1<<32 - 1

// Unit is a capacity of 1 in fixed point: capacities are int64 multiples of one millionth. Flow sums are then exact, two
// solvers can be compared by equality, and no loop ends on a rounding error. The largest sum is 9.2e12 units of capacity.
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

// Edge joins two vertices; it is one entry of a sparse matrix when From is the column and To the row.
type Edge struct {
	From, To ID
	Weight   float64
}

// Index hands out dense vertices to 64-bit keys. The zero value is empty and ready; it is not safe for concurrent use.
//
// It is a hash table with linear probing of vertices, whose keys say where they belong: it takes 14 to 19 bytes a key, besides
// what a slice grows ahead.
type Index struct {
	slots []ID // 1 + vertex, 0 for none; a power of two of them, at most three quarters of them taken
	shift uint8
	keys  []uint64
}

// slot is where to look first. The multiplier is 2⁶⁴/φ: neighbours land far apart (Knuth, The Art of Computer Programming,
// volume 3, 6.4).
func (x *Index) slot(key uint64) int { return int(key * 0x9e3779b97f4a7c15 >> x.shift) }

// Add gives the vertex of key, a new one if key was never seen.
func (x *Index) Add(key uint64) (id ID, fresh bool) {
	if id := x.Find(key); id != None {
		return id, false
	}
	if 4*(len(x.keys)+1) > 3*len(x.slots) {
		x.slots = make([]ID, max(16, 2*len(x.slots)))
		x.shift = uint8(64 - bits.Len(uint(len(x.slots)-1)))
		for id, k := range x.keys {
			x.put(k, ID(id))
		}
	}
	id = ID(len(x.keys))
	x.keys = append(x.keys, key)
	x.put(key, id)
	return id, true
}

// put notes the vertex of a key that has no slot.
func (x *Index) put(key uint64, id ID) {
	i := x.slot(key)
	for x.slots[i] != 0 {
		i = (i + 1) & (len(x.slots) - 1)
	}
	x.slots[i] = id + 1
}

// Find gives the vertex of key, or None.
func (x *Index) Find(key uint64) ID {
	if len(x.slots) == 0 {
		return None
	}
	for i := x.slot(key); ; i = (i + 1) & (len(x.slots) - 1) {
		switch id := x.slots[i]; {
		case id == 0:
			return None
		case x.keys[id-1] == key:
			return id - 1
		}
	}
}

// Key gives the key of a vertex that Add returned.
func (x *Index) Key(id ID) uint64 { return x.keys[id] }

// Len is the number of vertices.
func (x *Index) Len() int { return len(x.keys) }
