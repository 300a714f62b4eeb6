package sketch

import "slices"

// Clone is a copy that shares no memory.
func (s *Sketch) Clone() Sketch {
	c := *s
	c.Values = slices.Clone(s.Values)
	return c
}
