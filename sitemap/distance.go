package sitemap

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"watershed/flow"
	"watershed/graph"
	"watershed/page"
)

// meter measures how far apart the URLs of linked pages are, in tokens (Senellart 2003, figure 6).
// Tokens are hashed, so that nothing is kept of them: two tokens of one URL pair share a hash with
// a probability of 2⁻³².
type meter struct {
	editor   flow.Editor
	from, to []uint32
	text     []byte
	source   graph.ID
	fresh    bool
}

// farthest is the largest distance that is told; beyond it all are the same.
const farthest = 255

// measure gives the distance between two URLs; consecutive calls with the same source are cheaper.
func (m *meter) measure(w *web, from, to graph.ID) uint8 {
	if !m.fresh || m.source != from {
		m.text = w.appendText(m.text[:0], from)
		m.from = tokens(m.from[:0], m.text, &ofURLs)
		m.source, m.fresh = from, true
	}
	m.text = w.appendText(m.text[:0], to)
	m.to = tokens(m.to[:0], m.text, &ofURLs)
	return uint8(min(farthest, m.editor.Distance(m.from, m.to, farthest)))
}

// alphabet has the character for which a byte stands in a token, 0 for one that separates tokens.
type alphabet [256]byte

// ofURLs is that of the paper.
var ofURLs = func() (as alphabet) {
	for c := range as {
		if !strings.ContainsRune(flow.PaperSeparators, rune(c)) {
			as[c] = byte(c)
		}
	}
	return as
}()

// tokens appends the hashes (FNV-1a) of the tokens of a text.
func tokens[T string | page.URL | []byte](list []uint32, text T, as *alphabet) []uint32 {
	hash, empty := uint32(2166136261), true
	for i := 0; i <= len(text); i++ {
		if i < len(text) && as[text[i]] != 0 {
			hash, empty = (hash^uint32(as[text[i]]))*16777619, false
			continue
		}
		if !empty {
			list = append(list, hash)
		}
		hash, empty = 2166136261, true
	}
	return list
}

// sampleSize is the number of pages whose pairs give σ: 2016 pairs.
const sampleSize = 64

// sample is the fetched pages whose URLs have the smallest hashes: it depends on which pages were
// fetched and not on the order.
type sample struct {
	drawn []uint32 // by hash
	sigma float64
	known bool // sigma is that of drawn
}

// add takes a fetched page into account.
func (m *sample) add(b *book, p uint32) {
	i, _ := slices.BinarySearchFunc(m.drawn, b.key(p), func(q uint32, key uint64) int {
		return cmp.Compare(b.key(q), key)
	})
	if i < sampleSize {
		m.drawn = slices.Insert(m.drawn[:min(len(m.drawn), sampleSize-1)], i, p)
		m.known = false
	}
}

// rms is the root mean square distance between pairs of the sample, 0 with less than two.
func (m *sample) rms(b *book) float64 {
	if !m.known {
		addresses := nameList{editor: &b.web.meter.editor}
		for _, p := range m.drawn {
			addresses.of = append(addresses.of, tokens(nil, b.web.text(b.places[p].id), &ofURLs))
		}
		m.sigma, m.known = addresses.sigma(), true
	}
	return m.sigma
}

// deviation is the sigma by which links inside blocks are weighed, 0 where all carry the same.
func (w *wiring) deviation() float64 {
	if w.s.book.opts.NoEditDistance {
		return 0
	}
	return w.s.sample.rms(w.s.book)
}

// similarity is the capacity of a link inside a block by the distance of its ends.
func similarity(d int, sigma float64) float64 {
	if sigma == 0 {
		return 1
	}
	return math.Exp(-float64(d*d) / (2 * sigma * sigma))
}
