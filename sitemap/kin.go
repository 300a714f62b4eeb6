package sitemap

import (
	"strings"

	"watershed/page"
)

// A block can belong to a site without ever linking back: source listings, data, printable versions, scans. What tells it
// from a stranger that the site merely cites is that its pages are named after those that link to them: Network-Socket.html
// leads to src/Network.Socket.html. The kinship κ of a block is the part of its known pages that a page of the prefix with
// a like name links to. Like is the same letters and digits, but not the same name: a page of exactly the same name is
// rather that of which this one is a copy.
//
// Kinship is told only of blocks that were probed, of which a page answered, and that have minKin pages. Where the pages of
// a block link to each other, those that the site does not link to come to be known by the probes and lower κ; where they do
// not, no more than what the site links to can come in.

// minKin is the least number of known pages of a block whose kinship is told; the names of fewer agree by chance.
const minKin = 4

// kinships gives κ of every block, 0 where it is not told.
func (s *settlement) kinships(probed func(blockID) bool) []float64 {
	b := s.b
	kin := make([]float64, len(s.blocks.list))
	if b.opts.Kinship == 0 {
		return kin
	}
	like, living, answered := s.countKin()
	for k := range kin {
		if k := blockID(k); k != prefixBlock && living[k] >= minKin && answered[k] && probed(k) {
			kin[k] = min(1, b.opts.Kinship*float64(like[k])/float64(living[k]))
		}
	}
	return kin
}

// countKin counts, by block, the pages named like one of the prefix that links to them, and all that did not fail; and tells
// whether a page of the block answered.
func (s *settlement) countKin() (like, living []int, answered []bool) {
	b := s.b
	n := len(s.blocks.list)
	like, living, answered = make([]int, n), make([]int, n), make([]bool, n)
	counted := make(map[uint32]bool)
	for u := range b.places {
		pl, k := &b.places[u], s.blocks.of[u]
		if !b.lives(uint32(u)) {
			continue
		}
		living[k]++
		answered[k] = answered[k] || pl.is(isAnswered) && b.web.state[pl.id] == alive
		if k != prefixBlock {
			continue
		}
		name := lastSegment(b.web.text[pl.id])
		for _, v := range s.links(uint32(u)) {
			l := s.blocks.of[v]
			if l != prefixBlock && !counted[v] && b.lives(v) && likeNamed(name, lastSegment(b.web.text[b.places[v].id])) {
				counted[v] = true
				like[l]++
			}
		}
	}
	return like, living, answered
}

// likeNamed reports two names that have the same letters and digits, extensions and case apart, and are not the same.
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
