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

// meter measures how far apart the URLs of linked pages are, in tokens (Senellart 2003, figure 6). Tokens are hashed, so
// that nothing is kept of them: two tokens of one URL pair share a hash with a probability of 2⁻³².
type meter struct {
	editor   flow.Editor
	from, to []uint32
	source   graph.ID
	fresh    bool
}

// farthest is the largest distance that is told; beyond it all are the same.
const farthest = 255

// measure gives the distance between two URLs; consecutive calls with the same source are cheaper.
func (m *meter) measure(w *web, from, to graph.ID) uint8 {
	if !m.fresh || m.source != from {
		m.from = tokens(m.from[:0], w.text[from])
		m.source, m.fresh = from, true
	}
	m.to = tokens(m.to[:0], w.text[to])
	return uint8(min(farthest, m.editor.Distance(m.from, m.to, farthest)))
}

// tokens appends the hashes (FNV-1a) of the tokens of a URL.
func tokens(list []uint32, u page.URL) []uint32 {
	hash, empty := uint32(2166136261), true
	for i := 0; i <= len(u); i++ {
		if i < len(u) && strings.IndexByte(flow.PaperSeparators, u[i]) < 0 {
			hash = (hash ^ uint32(u[i])) * 16777619
			empty = false
			continue
		}
		if !empty {
			list = append(list, hash)
		}
		hash, empty = 2166136261, true
	}
	return list
}

// sigmaSample is the number of pages whose pairs give σ: 2016 pairs.
const sigmaSample = 64

// sigma is the root mean square distance between pairs of fetched pages, drawn by the hashes of their URLs: it depends on
// which pages were fetched and not on the order. It is 0 with less than two.
func (b *boundary) sigma() float64 {
	type draw struct {
		hash  page.Key
		place uint32
	}
	var drawn []draw
	for p := range b.places {
		if b.places[p].is(isAnswered) && b.lives(uint32(p)) {
			drawn = append(drawn, draw{b.web.text[b.places[p].id].Key(), uint32(p)})
		}
	}
	slices.SortFunc(drawn, func(a, c draw) int { return cmp.Or(cmp.Compare(a.hash, c.hash), cmp.Compare(a.place, c.place)) })
	drawn = drawn[:min(len(drawn), sigmaSample)]
	sum, pairs := 0, 0
	for i := range drawn {
		for j := range i {
			d := int(b.web.meter.measure(b.web, b.places[drawn[i].place].id, b.places[drawn[j].place].id))
			sum += d * d
			pairs++
		}
	}
	if sum == 0 {
		return 0
	}
	return math.Sqrt(float64(sum) / float64(pairs))
}

// similarities gives the capacity of a link inside a block by the distance of its ends.
func (b *boundary) similarities() *[farthest + 1]float64 {
	var table [farthest + 1]float64
	sigma := 0.0
	if b.opts.Similarity != Constant {
		if sigma = b.opts.Sigma; sigma == 0 {
			sigma = b.sigma()
		}
	}
	for d := range table {
		table[d] = 1
		if sigma > 0 {
			table[d] = math.Exp(-float64(d*d) / (2 * sigma * sigma))
		}
	}
	return &table
}
