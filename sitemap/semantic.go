package sitemap

import (
	"math"

	"watershed/graph"
	"watershed/page"
	"watershed/replica/sketch"
)

// least is the part of its capacity that a link keeps between pages whose texts have nothing in
// common: a page still belongs by one link, as without texts, unless its toll is more than a few
// times the default.
const least = 0.1

// texts are the similarity hashes of the pages, where they are asked for.
type texts struct {
	wanted bool
	hash   map[graph.ID]uint64
}

// note takes over the text of a visit, and reports whether it is another one than before.
func (x *texts) note(id graph.ID, v *page.Visit) (changed bool) {
	if !x.wanted {
		return false
	}
	was, now := x.hash[id], simHash(v.Sketch)
	if was == now {
		return false
	}
	if x.hash == nil {
		x.hash = make(map[graph.ID]uint64)
	}
	if x.hash[id] = now; now == 0 {
		delete(x.hash, id)
	}
	return true
}

// distance of the ends of a link that is at a position of the lists: that of their URLs in tokens,
// or of their texts in bits. It is 0 where nothing is known of them.
func (s *settlement) distance(u, v, at uint32) uint8 {
	if x := &s.b.web.texts; x.wanted {
		from, to := &s.b.places[u], &s.b.places[v]
		a, b := x.hash[from.id], x.hash[to.id]
		// pages that another site has fetched do not count
		if a == 0 || b == 0 || !from.is(isAnswered) || !to.is(isAnswered) {
			return 0
		}
		return uint8(sketch.SimHashDistance(a, b))
	}
	if len(s.far) > 0 {
		return s.far[at]
	}
	return 0
}

// resemblances gives the capacity of a link by the distance of the similarity hashes of its ends:
// the cosine of the angle between their texts, which it estimates (Charikar, Similarity Estimation
// Techniques from Rounding Algorithms, STOC 2002, section 3).
func resemblances() (table [farthest + 1]float64) {
	for d := range table {
		table[d] = max(least, math.Cos(math.Pi*min(float64(d), 32)/64))
	}
	return table
}
