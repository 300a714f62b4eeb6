package collection

import (
	"cmp"
	"strings"

	"watershed/page"
)

// Candidate is a replica that may represent its collection.
type Candidate struct {
	Host   page.Host
	Prefix string
	Pages  int   // that have a likeness
	Known  int   // that lie under the prefix
	Links  int   // from other sites to its pages
	First  int64 // the least Page.First of its pages; 0 for unknown
}

// Rank orders candidates as cmp.Compare does: negative if a represents better than b. Ties go to
// the lesser prefix.
type Rank func(a, b Candidate) int

// Fullest prefers a replica with more than nine tenths of another one's pages to one with less,
// then is MostLinked: a representative stands for no pages but those that it has.
func Fullest(a, b Candidate) int {
	switch {
	case 10*a.Pages < 9*b.Pages:
		return 1
	case 10*b.Pages < 9*a.Pages:
		return -1
	}
	return MostLinked(a, b)
}

// MostLinked prefers the replica that most links of other sites lead to, then the earlier one, then
// the one with more pages that have a likeness, then with more pages.
func MostLinked(a, b Candidate) int {
	return cmp.Or(cmp.Compare(b.Links, a.Links), compareFirst(a.First, b.First),
		cmp.Compare(b.Pages, a.Pages),
		cmp.Compare(b.Known, a.Known))
}

// compareFirst puts unknown times last.
func compareFirst(a, b int64) int {
	switch {
	case a == b:
		return 0
	case a == 0:
		return 1
	case b == 0:
		return -1
	}
	return cmp.Compare(a, b)
}

// Prefer puts the archivist's choice first: replicas whose prefix begins with one of the prefixes,
// in their order, then the others by rank.
func Prefer(prefixes []string, rank Rank) Rank {
	choice := func(c Candidate) int {
		for i, p := range prefixes {
			if strings.HasPrefix(c.Prefix, p) {
				return i
			}
		}
		return len(prefixes)
	}
	return func(a, b Candidate) int { return cmp.Or(cmp.Compare(choice(a), choice(b)), rank(a, b)) }
}

// best gives the index of the best candidate: one that no other beats, found by a round through
// all. Fullest is no total order (a chain of replicas each a tenth smaller), so the round starts at
// the largest one.
func best(list []Candidate, rank Rank) int {
	first := 0
	for i, c := range list {
		if f := list[first]; c.Pages > f.Pages || c.Pages == f.Pages && c.Prefix < f.Prefix {
			first = i
		}
	}
	b := first
	for i, c := range list {
		if i == b {
			continue
		}
		if k := rank(c, list[b]); k < 0 || k == 0 && c.Prefix < list[b].Prefix {
			b = i
		}
	}
	return b
}
