package sitemap

import "watershed/graph"

// sparse maps some vertices to dense numbers of a site's own. Vertices of one site lie close together, for they were found
// in one go, so the map is a table of pages that are made when first needed: 4 bytes a vertex of a page in use.
type sparse struct {
	tables []*[tableSize]uint32
}

const tableSize = 256

// none is no place.
const none = 1<<32 - 1

// get gives the number of a vertex, or none.
func (s *sparse) get(id graph.ID) uint32 {
	if t := int(id / tableSize); t < len(s.tables) && s.tables[t] != nil {
		return s.tables[t][id%tableSize] - 1
	}
	return none
}

// set gives a vertex a number below none.
func (s *sparse) set(id graph.ID, n uint32) {
	t := int(id / tableSize)
	for t >= len(s.tables) {
		s.tables = append(s.tables, nil)
	}
	if s.tables[t] == nil {
		s.tables[t] = new([tableSize]uint32)
	}
	s.tables[t][id%tableSize] = n + 1
}
