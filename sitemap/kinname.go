package sitemap

import "watershed/page"

// Where the last segments of two URLs are not the same letters, as where whole paths are one flat
// name, or a source listing has its version in its name, edit distance tells which pages are named
// after which: of a page v outside the prefix, the page of the prefix that links to it and is named
// most like it counts, if none of a sample of the prefix is named as much like v. Each page of the
// prefix counts once, so that a list of things named like itself is not kin to them. A name that
// ends like the other, to the letter, is again rather that of a copy. Where names are numbers, none
// is nearer than another.
//
// Only of blocks that never link back is this told: of others their shares tell more.

// kinSample is how many pages of a block are looked at.
const kinSample = 32

// nearer is the page of the prefix that links to a page and whose name is nearest to its name.
type nearer struct {
	place uint32 // none for no page
	far   uint8
}

// noteNearest notes of the pages outside the prefix that a page of it links to how far their names
// are from its name. Among equals the page with the least key counts, so that the order of answers
// does not.
func (x *kinship) noteNearest(u uint32) {
	b := x.s.book
	if b.opts.Kinship == 0 || !b.opts.comparesNames() {
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

// namedAfter gives, by block, the part of a sample of its pages that are named after pages of the
// prefix which link to them, 0 for a block of less than minKin pages.
func (x *kinship) namedAfter() []float64 {
	parts := make([]float64, len(x.counts))
	samples := x.kinSamples()
	if len(samples) == 0 {
		return parts
	}
	var prefix []uint32
	for _, drawn := range x.s.sample.drawn {
		if x.s.blocks.of[drawn.place] == prefixBlock {
			prefix = append(prefix, drawn.place)
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
	for k, c := range x.counts {
		if k := blockID(k); k != prefixBlock && c.led >= minKin && c.answered && x.s.shares.probed(k) &&
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
		if k == noBlock || x.counts[k].led < minKin {
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
	i, j := len(stem(x)), len(stem(y))
	if x[i:] != y[j:] {
		return false
	}
	same := i // the stem of x from here on has the letters that y ends with
	for {
		for i > 0 && letter(x[i-1]) == 0 {
			i--
		}
		for j > 0 && letter(y[j-1]) == 0 {
			j--
		}
		if i == 0 || j == 0 || letter(x[i-1]) != letter(y[j-1]) {
			break
		}
		i, j = i-1, j-1
		same = i
	}
	n := len(x) - same
	return n <= len(y) && x[same:] == y[len(y)-n:]
}
