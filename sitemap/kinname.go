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
func (s *settlement) noteNearest(u uint32) {
	b := s.b
	if b.opts.Kinship == 0 || !b.opts.comparesNames() {
		return
	}
	m := &b.web.meter
	s.ownName = s.ownName[:0]
	for _, v := range s.links(u) {
		if s.blocks.of[v] == prefixBlock {
			continue
		}
		if len(s.ownName) == 0 {
			s.ownName = appendNameTokens(s.ownName, b.web.text(b.places[u].id))
		}
		s.otherName = appendNameTokens(s.otherName[:0], b.web.text(b.places[v].id))
		x := &s.nearest[v]
		far := uint8(min(farthest, m.editor.Distance(s.ownName, s.otherName, farthest)))
		if x.place == none || far < x.far || far == x.far && b.key(u) < b.key(x.place) {
			*x = nearer{u, far}
		}
	}
}

// namedAfter gives, by block, the part of a sample of its pages that are named after pages of the
// prefix which link to them, 0 for a block of less than minKin pages.
func (s *settlement) namedAfter(counts []kinCount) []float64 {
	parts := make([]float64, len(counts))
	samples := s.kinSamples(counts)
	if len(samples) == 0 {
		return parts
	}
	var prefix []uint32
	for _, x := range s.sample.drawn {
		if s.blocks.of[x.place] == prefixBlock {
			prefix = append(prefix, x.place)
		}
	}
	names := s.b.namesOf(prefix)
	for k, sample := range samples {
		after := make(map[uint32]bool)
		for _, v := range sample {
			if x := s.nearest[v]; x.place != none && s.blocks.of[x.place] == prefixBlock &&
				s.named(v, x, prefix, names) {
				after[x.place] = true
			}
		}
		if len(after) >= minKin {
			parts[k] = min(1, s.b.opts.Kinship*float64(len(after))/float64(len(sample)))
		}
	}
	return parts
}

// kinSamples draws pages of the blocks that may be kin by names, by the hashes of their URLs.
func (s *settlement) kinSamples(counts []kinCount) map[blockID][]uint32 {
	b := s.b
	samples := make(map[blockID][]uint32)
	for k, c := range counts {
		if k := blockID(k); k != prefixBlock && c.led >= minKin && c.answered && s.shares.probed(k) &&
			s.shares.flow[pairKey(k, prefixBlock)] == 0 {
			samples[k] = nil
		}
	}
	if len(samples) == 0 {
		return nil
	}
	b.arrange()
	for _, p := range b.order {
		k := s.blocks.of[p]
		if k == noBlock || counts[k].led < minKin {
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
func (s *settlement) named(v uint32, x nearer, prefix []uint32, names nameList) bool {
	text := s.b.web.text
	u := text(s.b.places[v].id)
	if endsAlike(text(s.b.places[x.place].id), u) {
		return false
	}
	s.otherName = appendNameTokens(s.otherName[:0], u)
	for i, p := range prefix {
		if p != x.place && names.editor.Distance(names.of[i], s.otherName, int(x.far)) <= int(x.far) {
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
