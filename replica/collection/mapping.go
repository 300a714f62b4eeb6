package collection

import (
	"cmp"
	"slices"
	"strings"
)

// Likeness says why a page is held to stand for another one.
type Likeness uint8

const (
	Similar Likeness = iota // similar pages, under the same relative path or linked alike
	// similar pages, the only ones of their trivial cluster on both sides, under other paths
	Moved
	Nearby // the same relative path and links in common, but no likeness of text
	likenesses
)

var likenessNames = [likenesses]string{"similar", "moved", "nearby"}

func (l Likeness) String() string {
	if l >= likenesses {
		return "unknown"
	}
	return likenessNames[l]
}

// Pair maps a page of a replica to that of the representative, both by index in Input.Pages.
type Pair struct {
	Page, Original uint32
	Likeness       Likeness
}

// couple is a Pair by vertex.
type couple struct {
	page, original uint32
	likeness       Likeness
}

// maps pairs the pages of two places one to one: by the directories that most of their similar
// pages align, then pages that have one likeness only on either side.
func (w *web) maps(t *groups, x, r place) []couple {
	a, b, ok := w.bestSplit(t, x, r)
	if !ok {
		return nil
	}
	var list []couple
	used := make(map[uint32]bool)
	mapped := make(map[uint32]bool)
	from := w.under(a)
	buffer := []byte(b)
	for v := max(from.lo, x.span.lo); v < min(from.hi, x.span.hi); v++ {
		buffer = append(buffer[:len(b)], w.urls[v][len(a):]...)
		u, ok := w.find(string(buffer))
		if !ok || !r.span.has(u) || u == v {
			continue
		}
		c := couple{v, u, Nearby}
		if t.of[u] == t.of[v] {
			c.likeness = Similar
		}
		list = append(list, c)
		used[u], mapped[v] = true, true
	}
	free := func(s span, k uint32, taken map[uint32]bool) (uint32, bool) {
		found, n := none, 0
		for _, v := range within(t.members(k), s) {
			if !taken[v] {
				found = v
				n++
			}
		}
		return found, n == 1
	}
	for v := x.span.lo; v < x.span.hi; v++ {
		if mapped[v] || t.size(t.of[v]) < 2 {
			continue
		}
		if _, alone := free(x.span, t.of[v], mapped); !alone {
			continue
		}
		if u, alone := free(r.span, t.of[v], used); alone {
			list = append(list, couple{v, u, Moved})
			used[u], mapped[v] = true, true
		}
	}
	return list
}

// within is the part of pages, which ascend, that lies in a span.
func within(pages []uint32, s span) []uint32 {
	lo, _ := slices.BinarySearch(pages, s.lo)
	hi, _ := slices.BinarySearch(pages, s.hi)
	return pages[lo:hi]
}

// bestSplit is the pair of directories, in or at x and r, that most similar pages of the two align.
func (w *web) bestSplit(t *groups, x, r place) (a, b string, ok bool) {
	type dirs struct{ a, b string }
	votes := make(map[dirs]int)
	for v := x.span.lo; v < x.span.hi; v++ {
		if t.size(t.of[v]) < 2 {
			continue
		}
		p := string(w.urls[v])
		if u, ok := w.find(r.prefix + p[len(x.prefix):]); ok && u != v && t.of[u] == t.of[v] {
			votes[dirs{x.prefix, r.prefix}]++
			continue
		}
		near := within(t.members(t.of[v]), r.span)
		for _, u := range near[:min(len(near), maxClique)] {
			q := string(w.urls[u])
			i, j, ok := split(p, q)
			if !ok {
				continue
			}
			// A directory name that both have above the places is no part of the path within them.
			if d := max(len(x.prefix)-i, len(r.prefix)-j, 0); i+d <= len(p) && j+d <= len(q) {
				votes[dirs{p[:i+d], q[:j+d]}]++
			}
		}
	}
	var best dirs
	most := 0
	for d, n := range votes {
		if n > most || n == most && cmp.Or(cmp.Compare(d.a, best.a), cmp.Compare(d.b, best.b)) < 0 {
			best, most = d, n
		}
	}
	// An alignment of parts, when there is one of the whole: pages directly in the place speak for
	// themselves only.
	if d := (dirs{x.prefix, r.prefix}); votes[d] > 0 && 2*votes[d] >= most {
		best = d
	}
	return best.a, best.b, most > 0
}

// connected keeps the pairs that the link test passes, and of those without a likeness of text
// those that have a link in common with another pair, or have none at all. The links of pairs that
// fail count for the others: one page that a copy's owner linked anew must not pull down, one after
// the other, all that it leads to.
func (w *web) connected(list []couple, test LinkTest) []couple {
	original := make(map[uint32]uint32, len(list))
	page := make(map[uint32]uint32, len(list))
	for _, c := range list {
		original[c.page], page[c.original] = c.original, c.page
	}
	all := w.common(list, original, page)
	kept := list[:0:0]
	for i, c := range list {
		if n := all[i]; test.passes(n) && (c.likeness != Nearby || n.in+n.out > 0 || !n.any) {
			kept = append(kept, c)
		}
	}
	return kept
}

// ties of a pair: its links within the replica and those of them that the representative has, too.
type ties struct {
	in, out         int  // in common
	inAll, outAll   int  // in the replica
	inElse, outElse bool // the page of the representative has some
	any             bool
}

func (l LinkTest) passes(n ties) bool {
	common, all, elsewhere := n.in, n.inAll, n.inElse
	if l.Out {
		common, all, elsewhere = n.out, n.outAll, n.outElse
	}
	if all == 0 && !elsewhere {
		return true
	}
	return common >= min(l.Least, max(all, 1)) && float64(common) >= l.Share*float64(all)
}

func (w *web) common(list []couple, original, page map[uint32]uint32) []ties {
	at := make(map[uint32]int, len(list))
	for i, c := range list {
		at[c.page] = i
	}
	n := make([]ties, len(list))
	for i, c := range list {
		for _, u := range w.links(c.page) {
			o, ok := original[u]
			if !ok {
				continue
			}
			j := at[u]
			n[i].outAll++
			n[j].inAll++
			n[i].any, n[j].any = true, true
			if w.linked(c.original, o) {
				n[i].out++
				n[j].in++
			}
		}
		for _, o := range w.links(c.original) {
			if u, ok := page[o]; ok {
				j := at[u]
				n[i].outElse, n[j].inElse = true, true
				n[i].any, n[j].any = true, true
			}
		}
	}
	return n
}

// directory is the longest directory that holds all the pages.
func (w *web) directory(pages []uint32) string {
	prefix := ""
	for i, v := range pages {
		u := string(w.urls[v])
		u = u[:strings.LastIndexByte(u, '/')+1]
		if i == 0 {
			prefix = u
			continue
		}
		prefix = commonDirectory(prefix, u)
	}
	return prefix
}
