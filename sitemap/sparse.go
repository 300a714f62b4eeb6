package sitemap

import (
	"slices"

	"watershed/graph"
)

// sparse finds the place of a vertex, among those that a site knows. It is a hash table with linear
// probing of numbers of places, whose vertices say where they belong: 6 to 11 bytes a place,
// however far apart its vertices are.
type sparse struct {
	slots []uint32 // 1 + place, 0 for none; a power of two of them
	used  int
}

// none is no place.
const none = 1<<32 - 1

// slot is where to look first. The multiplier is 2³²/φ (Knuth, The Art of Computer Programming,
// volume 3, 6.4): groups of eight neighbours land far apart. Neighbours, which come together as
// links of one page, lie side by side, in a line or two of the processor's cache.
func (s *sparse) slot(id graph.ID) uint32 {
	const group = 8
	at := uint32(uint64(uint32(id/group)*2654435769) * uint64(len(s.slots)) >> 32)
	return (at + uint32(id%group)) & uint32(len(s.slots)-1)
}

// get gives the place of a vertex, or none.
func (s *sparse) get(places []place, id graph.ID) uint32 {
	if len(s.slots) == 0 {
		return none
	}
	for i := s.slot(id); ; i = (i + 1) & uint32(len(s.slots)-1) {
		switch p := s.slots[i]; {
		case p == 0:
			return none
		case places[p-1].id == id:
			return p - 1
		}
	}
}

// add notes the last of the places, whose vertex has none so far.
func (s *sparse) add(places []place) {
	if 4*(s.used+1) > 3*len(s.slots) {
		s.slots = slices.Repeat([]uint32{0}, max(16, 2*len(s.slots)))
		for p := range places[:len(places)-1] {
			s.put(places[p].id, uint32(p))
		}
	}
	s.put(places[len(places)-1].id, uint32(len(places)-1))
	s.used = len(places)
}

func (s *sparse) put(id graph.ID, p uint32) {
	i := s.slot(id)
	for s.slots[i] != 0 {
		i = (i + 1) & uint32(len(s.slots)-1)
	}
	s.slots[i] = p + 1
}
