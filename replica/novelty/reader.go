package novelty

import (
	"math/bits"
	"slices"
)

// Reader takes the text of one page after the other and gives the features by which pages are
// compared: fingerprints of runs of five words without their digits, at most maxFeatures of them,
// the smallest. It is not safe for concurrent use.
type Reader struct {
	word  uint64    // hash of the word that the last piece ended within, 0 between words
	last  [5]uint64 // words before it
	words int
	kept  []uint64
	limit uint64 // features from here on are not kept
}

const (
	maxFeatures = 64
	wordSeed    = 0x9e3779b97f4a7c15
	wordFactor  = 0xff51afd7ed558ccd
)

// NewReader makes a Reader.
func NewReader() *Reader {
	r := &Reader{kept: make([]uint64, 0, 4*maxFeatures)}
	r.Reset()
	return r
}

// Reset forgets what was read since the last Features.
func (r *Reader) Reset() {
	r.word, r.words, r.limit = 0, 0, ^uint64(0)
	r.last = [5]uint64{}
	r.kept = r.kept[:0]
}

// Text takes a piece of visible text; it is not kept. Letters are those of ASCII, without regard to
// case, and all bytes above.
func (r *Reader) Text(piece []byte) {
	h := r.word
	for _, c := range piece {
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z':
			h = (bits.RotateLeft64(h, 5) ^ uint64(c|0x20) ^ wordSeed) * wordFactor
		case c >= 0x80:
			h = (bits.RotateLeft64(h, 5) ^ uint64(c) ^ wordSeed) * wordFactor
		case h != 0 && (c < '0' || c > '9'):
			r.end(h)
			h = 0
		}
	}
	r.word = h
}

// end takes a whole word.
func (r *Reader) end(word uint64) {
	copy(r.last[:], r.last[1:])
	r.last[len(r.last)-1] = word
	if r.words++; r.words >= len(r.last) {
		r.keep(r.run(r.last[:]))
	}
}

// run is the fingerprint of some words in their order.
func (r *Reader) run(words []uint64) uint64 {
	var h uint64
	for _, w := range words {
		h = (bits.RotateLeft64(h, 7) ^ w) * wordFactor
	}
	return h ^ h>>31
}

func (r *Reader) keep(f uint64) {
	if f >= r.limit {
		return
	}
	if r.kept = append(r.kept, f); len(r.kept) == cap(r.kept) {
		r.cut()
	}
}

// cut leaves the smallest features, each once.
func (r *Reader) cut() {
	slices.Sort(r.kept)
	r.kept = slices.Compact(r.kept)
	if len(r.kept) >= maxFeatures {
		r.kept = r.kept[:maxFeatures]
		r.limit = r.kept[maxFeatures-1]
	}
}

// Features ends the page and gives its features, sorted, in memory of the caller. A page of fewer
// than five words has one, that of all its words; a page without any has none.
func (r *Reader) Features() []uint64 {
	if r.word != 0 {
		r.end(r.word)
	}
	if 0 < r.words && r.words < len(r.last) {
		r.keep(r.run(r.last[len(r.last)-r.words:]))
	}
	r.cut()
	f := slices.Clone(r.kept)
	r.Reset()
	return f
}
