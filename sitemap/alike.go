package sitemap

import (
	"math"
	"strings"

	"watershed/flow"
	"watershed/graph"
	"watershed/page"
)

// Edit distance tells something where directories do not: between the names of pages that lie side
// by side, and between pages of two hosts. There a token is a run of letters and digits, in lower
// case, of the path without its extension, and of the query: the separators of the paper make one
// token of package-lens-docs-index.html. Where names are numbers, all are equally far from each
// other, and tell nothing.

// appendNameTokens appends the hashes (FNV-1a) of the tokens of a page's name.
func appendNameTokens(list []uint32, u page.URL) []uint32 {
	name := u.PathQuery()
	if end := stem(name); !strings.ContainsAny(name[len(end):], "/?&") {
		name = end
	}
	return tokens(list, name, &ofNames)
}

// ofNames has letters and digits, in lower case, and what is a part of some other letter.
var ofNames = func() (as alphabet) {
	for c := range as {
		if as[c] = letter(byte(c)); c >= 0x80 {
			as[c] = byte(c)
		}
	}
	return as
}()

// nameList holds the names of some pages as tokens.
type nameList struct {
	of     [][]uint32
	editor *flow.Editor
}

// namesOf gives those of some places.
func (b *book) namesOf(places []uint32) nameList {
	l := nameList{make([][]uint32, len(places)), &b.web.meter.editor}
	var all []uint32
	for i, p := range places {
		start := len(all)
		all = appendNameTokens(all, b.web.text(b.places[p].id))
		l.of[i] = all[start:len(all):len(all)]
	}
	return l
}

// distance of two names, farthest at most.
func (l nameList) distance(i, j graph.ID) int {
	return min(farthest, l.editor.Distance(l.of[i], l.of[j], farthest))
}

// fromLeft is the edit distance plus the distance by changes at the ends of the names only. Names
// are read from the left, so that an early difference counts for more: strangers who use the same
// program have the same names but for the first tokens.
func (l nameList) fromLeft(i, j graph.ID) int {
	a, b := l.of[i], l.of[j]
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	ends := len(a) + len(b) - 2*same
	return min(farthest, ends+l.editor.Distance(a[same:], b[same:], farthest))
}

// sigma is the root mean square distance of the pairs of a sample of the names, 0 where all are the
// same.
func (l nameList) sigma() float64 {
	sample, sum, pairs := evenly(l.of, sampleSize), 0, 0
	for i, a := range sample {
		for _, b := range sample[:i] {
			d := min(farthest, l.editor.Distance(a, b, farthest))
			sum += d * d
			pairs++
		}
	}
	return math.Sqrt(float64(sum) / float64(max(1, pairs)))
}

// nearest gives the least distance of a name from the left to some others, farthest for none.
func (l nameList) nearest(i graph.ID, others []graph.ID) int {
	best := farthest
	for _, j := range others {
		if i != j {
			best = min(best, l.fromLeft(i, j))
		}
	}
	return best
}

// evenly picks n of a list, or all if it has no more.
func evenly[T any](list []T, n int) []T {
	if len(list) <= n {
		return list
	}
	some := make([]T, n)
	for i := range some {
		some[i] = list[i*len(list)/n]
	}
	return some
}

// sharpness divides σ where names weigh the links of a flat host: pages that link to each other are
// named more alike than pairs drawn by chance, of which σ tells. Half of it or three quarters make
// mean F1 on flat webs less by .01.
const sharpness = 4

// leastWeight of a link, so that none vanishes.
const leastWeight = 1e-9

// weigh gives links between pages the similarity of their names as weights.
func (l nameList) weigh(edges []graph.Edge) {
	sigma := l.sigma() / sharpness
	if sigma == 0 {
		return
	}
	for i := range edges {
		d := float64(l.distance(edges[i].From, edges[i].To))
		edges[i].Weight = max(leastWeight, math.Exp(-d*d/(2*sigma*sigma)))
	}
}
