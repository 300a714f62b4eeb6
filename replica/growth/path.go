package growth

import (
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"watershed/page"
)

// placesOf gives the places of two pages that end with the same path: what is left of them when the
// longest path that both end with is taken away, from a slash on. ok is false where not even the name
// of the page is the same, or they lie in one place.
func placesOf(p, q page.URL) (x Candidate, ok bool) {
	a, b := string(p), string(q)
	a, b = a[:len(a)-ending(p, q)], b[:len(b)-ending(p, q)]
	if len(a) == len(p) || a == b {
		return x, false
	}
	if a > b {
		a, b = b, a
	}
	return Candidate{a, b}, true
}

// ending is the length of the longest end of both that begins behind a slash, host not included; the
// end of a directory's own page is its last name.
func ending(p, q page.URL) int {
	a, b := p.PathQuery(), q.PathQuery()
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	if n == len(a) || n == len(b) { // a whole path: its first slash belongs to the place
		n = min(len(a), len(b)) - 1
		if m := max(len(a), len(b)); m > n+1 {
			longer := a
			if len(b) == m {
				longer = b
			}
			if longer[m-1-n] != '/' {
				return 0
			}
		}
		return n
	}
	k := strings.IndexByte(a[len(a)-n:], '/')
	if k < 0 {
		return 0
	}
	return n - k - 1
}

// linksOf are hashes of a page's links as they would be told from the page: those of its host by the
// way from its directory, others by their address.
func linksOf(v *page.Visit) []uint64 {
	dir, _, _ := strings.Cut(v.URL.PathQuery(), "?")
	dir = dir[:strings.LastIndexByte(dir, '/')+1]
	var list []uint64
	for i := range v.Links {
		if l := &v.Links[i]; l.Kind.Joins() {
			list = append(list, xxh3.HashString(way(v.URL.Host(), dir, l.URL)))
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	return slices.Clone(list[:min(len(list), keptLinks)])
}

// way is how one gets from a directory of a host to an address.
func way(host page.Host, dir string, u page.URL) string {
	if u.Host() != host {
		return string(u)
	}
	to, up := u.PathQuery(), 0
	for !strings.HasPrefix(to, dir) {
		dir = dir[:strings.LastIndexByte(dir[:len(dir)-1], '/')+1]
		up++
	}
	return strings.Repeat("../", up) + to[len(dir):]
}

// shape is how like the links of two pages are; two pages without links are alike.
func shape(p, q *visited) float64 {
	if len(p.links) == 0 && len(q.links) == 0 {
		return 1
	}
	return share(p.links, q.links, keptLinks)
}
