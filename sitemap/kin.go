package sitemap

import (
	"strings"

	"watershed/page"
)

// A block can belong to a site without ever linking back: source listings, data, printable
// versions, scans. It differs from a stranger that the site merely cites in that its pages are
// named after those that link to them: Network-Socket.html leads to src/Network.Socket.html. The
// kinship κ of a block is the part of a sample of its pages that are named after pages of the
// prefix.
//
// A page outside is named after the page of the prefix that links to it and whose name is nearest to
// its own by edit distance, if none of a sample of the prefix is as near. Each page of the prefix
// counts once, so that a list of things named like itself is not kin to them. A name that ends like
// the other, to the letter, is rather that of a copy. Where names are numbers, none is nearer than
// another.
//
// Kinship is told only of blocks that never link back, of others their shares tell more; that were
// probed, of which a page answered; and of which the prefix leads to minKin pages. Where the pages of
// a block link to each other, those that the site does not link to come to be known by the probes and
// lower κ; where they do not, only pages to which the site links can come in.

// minKin is the least number of known pages of a block whose kinship is told; the names of fewer
// agree by chance.
const minKin = 4

// kinSample is how many pages of a block are looked at.
const kinSample = 32

// kinship finds the kin of the prefix among the pages that it links to.
type kinship struct {
	s       *settlement
	nearest []nearer // by place

	ownName, otherName []uint32 // tokens of names that are compared
}

// nearer is the page of the prefix that links to a page and whose name is nearest to its name.
type nearer struct {
	place uint32 // none for no page
	far   uint8
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

// note notes of the pages outside the prefix that a page of it links to how far their names
// are from its name. Among equals the page with the least key counts, so that the order of answers
// does not.
func (x *kinship) note(u uint32) {
	b := x.s.book
	if b.opts.Kinship == 0 || b.opts.NoEditDistance {
		return
	}
	m := &b.web.meter
	x.ownName = x.ownName[:0]
	for _, v := range x.s.links(u) {
		if x.s.blocks.of[v] == prefixBlock {
			continue
		}
		if len(x.ownName) == 0 {
			x.ownName = appendNameTokens(x.ownName, b.web.text(b.places[u].id))
		}
		x.otherName = appendNameTokens(x.otherName[:0], b.web.text(b.places[v].id))
		least := &x.nearest[v]
		far := uint8(min(farthest, m.editor.Distance(x.ownName, x.otherName, farthest)))
		if least.place == none || far < least.far || far == least.far && b.key(u) < b.key(least.place) {
			*least = nearer{u, far}
		}
	}
}

// kinships gives κ of every block, 0 where it is not told.
func (x *kinship) kinships() []float64 {
	parts := make([]float64, len(x.s.blocks.list))
	samples := x.kinSamples()
	if len(samples) == 0 {
		return parts
	}
	var prefix []uint32
	for _, p := range x.s.sample.drawn {
		if x.s.blocks.of[p] == prefixBlock {
			prefix = append(prefix, p)
		}
	}
	names := x.s.book.namesOf(prefix)
	for k, sample := range samples {
		after := make(map[uint32]bool)
		for _, v := range sample {
			if least := x.nearest[v]; least.place != none && x.s.blocks.of[least.place] == prefixBlock &&
				x.named(v, least, prefix, names) {
				after[least.place] = true
			}
		}
		if len(after) >= minKin {
			parts[k] = min(1, x.s.book.opts.Kinship*float64(len(after))/float64(len(sample)))
		}
	}
	return parts
}

// kinSamples draws pages of the blocks that may be kin by names, by the hashes of their URLs.
func (x *kinship) kinSamples() map[blockID][]uint32 {
	b := x.s.book
	samples := make(map[blockID][]uint32)
	for k, c := range x.s.blocks.list {
		if k := blockID(k); k != prefixBlock && c.led >= minKin && c.came > 0 && x.s.shares.probed(k) &&
			x.s.shares.flow[pairKey(k, prefixBlock)] == 0 {
			samples[k] = nil
		}
	}
	if len(samples) == 0 {
		return nil
	}
	b.arrange()
	for _, p := range b.order {
		k := x.s.blocks.of[p]
		if k == noBlock {
			continue
		}
		if list, ok := samples[k]; ok && len(list) < kinSample && b.lives(p) {
			samples[k] = append(list, p)
		}
	}
	return samples
}

// named reports whether a page is named after the one that is nearest to it, and not rather after
// others of the prefix.
func (x *kinship) named(v uint32, least nearer, prefix []uint32, names nameList) bool {
	text := x.s.book.web.text
	u := text(x.s.book.places[v].id)
	if endsAlike(text(x.s.book.places[least.place].id), u) {
		return false
	}
	x.otherName = appendNameTokens(x.otherName[:0], u)
	far := int(least.far)
	for i, p := range prefix {
		if p != least.place && names.editor.Distance(names.of[i], x.otherName, far) <= far {
			return false
		}
	}
	return true
}

// endsAlike reports two URLs whose names have the same extension and the same letters at their
// ends, written alike.
func endsAlike(a, b page.URL) bool {
	x, y := a.PathQuery(), b.PathQuery()
	if x[len(stem(x)):] != y[len(stem(y)):] {
		return false
	}
	for x != "" && y != "" && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	last := lastLetter(x)
	return last == 0 || last != lastLetter(y)
}

// lastLetter is the last letter or digit of a text, 0 where it has none.
func lastLetter(text string) byte {
	for i := len(text) - 1; i >= 0; i-- {
		if c := letter(text[i]); c != 0 {
			return c
		}
	}
	return 0
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
