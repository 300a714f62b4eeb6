package sitemap

import (
	"slices"
	"strings"

	"watershed/page"
)

// A block can belong to a site without ever linking back: source listings, data, printable
// versions, scans. It differs from a stranger that the site merely cites in that its pages are
// named after those that link to them: Network-Socket.html leads to src/Network.Socket.html. The
// kinship κ of a block is the part of its known pages that a page of the prefix with a like name
// links to. Two names are alike if they have the same letters and digits, but are not the same: a
// page of exactly the same name is rather the original of which this one is a copy.
//
// Kinship is told only of blocks that were probed, of which a page answered, and that have minKin
// pages. Where the pages of a block link to each other, those that the site does not link to come
// to be known by the probes and lower κ; where they do not, only pages to which the site links can
// come in.
//
// Names of other letters are compared by edit distance (namedAfter).

// minKin is the least number of known pages of a block whose kinship is told; the names of fewer
// agree by chance.
const minKin = 4

// kinCount are the pages of a block that count for κ.
type kinCount struct {
	like, living int  // named like a page of the prefix that links to them; all that did not fail
	led          int  // of these, those that a page of the prefix links to
	answered     bool // some page of it did
}

// kinship finds the kin of the prefix among the pages that it links to.
type kinship struct {
	s       *settlement
	like    []bool   // by place: a page of the prefix with a like name links to it
	nearest []nearer // by place
	counts  []kinCount

	names              []string // of the lenders of the list that was made last
	ownName, otherName []uint32 // tokens of names that are compared
}

// likeNames tells the kinship of blocks.
type likeNames struct{ witness }

func (likeNames) evidence(s *settlement) []float64 { return s.kinship.kinships() }

func (l likeNames) explain(s *settlement, k blockID, x *Block) string {
	if x.Inside > 0 && x.Kin > x.Share && x.Kin == s.shares.proof(l, k) {
		return "its pages are named like those of the site that link to them"
	}
	return ""
}

// kinships gives κ of every block, 0 where it is not told.
func (x *kinship) kinships() []float64 {
	kin := x.namedAfter()
	for k, c := range x.counts {
		if k := blockID(k); k != prefixBlock && c.living >= minKin && c.answered && x.s.shares.probed(k) {
			kin[k] = max(kin[k], min(1, x.s.book.opts.Kinship*float64(c.like)/float64(c.living)))
		}
	}
	return kin
}

// note marks the pages outside the prefix that are named like a page of it that links to them,
// or like a copy of that. It is called right after the list of the page was made.
func (x *kinship) note(u uint32) {
	b := x.s.book
	if b.opts.Kinship == 0 {
		return
	}
	names := x.names[:0]
	for _, p := range x.s.lenders {
		if x.s.blocks.of[p] == prefixBlock {
			names = append(names, lastSegment(b.web.text(b.places[p].id)))
		}
	}
	x.names = names
	for _, v := range x.s.links(u) {
		if x.s.blocks.of[v] == prefixBlock || x.like[v] {
			continue
		}
		other := lastSegment(b.web.text(b.places[v].id))
		x.like[v] = slices.ContainsFunc(names, func(name string) bool { return likeNamed(name, other) })
	}
}

// likeNamed reports two names that have the same letters and digits, extensions and case apart, and
// are not the same.
func likeNamed(a, b string) bool {
	return a != b && len(a) > 0 && sameLetters(stem(a), stem(b))
}

// sameLetters compares the letters and digits of two names; two that have none are not the same.
func sameLetters(a, b string) bool {
	i, j, same := 0, 0, false
	for {
		for i < len(a) && letter(a[i]) == 0 {
			i++
		}
		for j < len(b) && letter(b[j]) == 0 {
			j++
		}
		if i == len(a) || j == len(b) {
			return same && i == len(a) && j == len(b)
		}
		if letter(a[i]) != letter(b[j]) {
			return false
		}
		i, j, same = i+1, j+1, true
	}
}

// letter is an ASCII letter in lower case or a digit, and 0 for everything else.
func letter(c byte) byte {
	switch {
	case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
		return c
	case 'A' <= c && c <= 'Z':
		return c + 'a' - 'A'
	}
	return 0
}

// longestExtension is that of .xhtml and the like, with the dot.
const longestExtension = 6

// stem is a name without its extension.
func stem(name string) string {
	if i := strings.LastIndexByte(name, '.'); i > 0 && len(name)-i <= longestExtension {
		return name[:i]
	}
	return name
}

// lastSegment is the last part of a URL's path that is not empty.
func lastSegment(u page.URL) string {
	path := strings.TrimSuffix(u.Path(), "/")
	return path[strings.LastIndexByte(path, '/')+1:]
}
