package cluster

import "cmp"

// Rank orders the members of a cluster: negative when a comes before b. The first is the
// representative. Members that it holds equal are ordered by their keys, so that the order never
// depends on anything else.
type Rank func(a, b *Info) int

// Earliest puts the document of the earliest sweep first, and in a sweep the one fetched first.
func Earliest(a, b *Info) int {
	return cmp.Or(cmp.Compare(a.Sweep, b.Sweep), cmp.Compare(a.Time, b.Time))
}

// MostLinked puts the document first that most pages link to.
func MostLinked(a, b *Info) int { return cmp.Compare(b.Links, a.Links) }

// Latest puts the document of the latest sweep first.
func Latest(a, b *Info) int { return Earliest(b, a) }

// Chosen puts the pages that the archivist chose first, and leaves the rest to another rank. The
// function must not change.
func Chosen(chosen func(page uint64) bool, rest Rank) Rank {
	return func(a, b *Info) int {
		switch x, y := chosen(a.Page), chosen(b.Page); {
		case x && !y:
			return -1
		case y && !x:
			return 1
		}
		return rest(a, b)
	}
}
