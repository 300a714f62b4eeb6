// Package graph numbers things densely: the algorithms speak of vertices 0, 1, 2, … and not of URLs.
//
// A vertex is a number handed out in order of first sight by an Index; an arc leads from the vertex at hand to another
// one and has a capacity in fixed point, so that sums are exact and the same on every machine.
package graph

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
// It takes about 28 bytes a key.
type Index struct {
	ids  map[uint64]ID
	keys []uint64
}

// Add gives the vertex of key, a new one if key was never seen.
func (x *Index) Add(key uint64) (id ID, fresh bool) {
	if id, ok := x.ids[key]; ok {
		return id, false
	}
	if x.ids == nil {
		x.ids = make(map[uint64]ID)
	}
	id = ID(len(x.keys))
	x.ids[key] = id
	x.keys = append(x.keys, key)
	return id, true
}

// Find gives the vertex of key, or None.
func (x *Index) Find(key uint64) ID {
	if id, ok := x.ids[key]; ok {
		return id
	}
	return None
}

// Key gives the key of a vertex that Add returned.
func (x *Index) Key(id ID) uint64 { return x.keys[id] }

// Len is the number of vertices.
func (x *Index) Len() int { return len(x.keys) }
