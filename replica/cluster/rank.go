package cluster

import "cmp"

// Rank orders the members of a cluster: negative when a comes before b. The first is the
// representative. Members that it holds equal are ordered by their keys, so that the order never
// depends on anything else.
type Rank func(a, b *Info) int

// earliest puts the document of the earliest sweep first, and in a sweep the one fetched first.
func earliest(a, b *Info) int {
	return cmp.Or(cmp.Compare(a.Sweep, b.Sweep), cmp.Compare(a.Time, b.Time))
}
