package mirror

import (
	"cmp"
	"slices"
)

// Pair is two hosts and how much a ranking thinks of them. Scores of different rankings cannot be
// compared.
type Pair struct {
	A, B  HostID // A has the name that sorts first
	Score float64
}

func (p Pair) key() uint64 { return pairKey(p.A, p.B) }

// best keeps the pairs of greatest score: it gathers twice the depth, then drops the worse half.
type best struct {
	e     *engine
	depth int
	list  []scored
	bar   float64 // a pair of lower score is not among the best; valid once full
	full  bool
}

type scored struct {
	Pair
	raw rawSum
}

func newBest(e *engine) *best { return &best{e: e, depth: e.o.Depth} }

func (b *best) add(p Pair, raw rawSum) {
	if b.full && p.Score < b.bar || p.Score <= 0 {
		return
	}
	if b.e.hosts.list[p.A].Name > b.e.hosts.list[p.B].Name {
		p.A, p.B = p.B, p.A
	}
	b.list = append(b.list, scored{p, raw})
	if len(b.list) >= 2*b.depth {
		b.trim()
	}
}

func (b *best) trim() {
	slices.SortFunc(b.list, func(p, q scored) int {
		return cmp.Or(cmp.Compare(q.Score, p.Score), b.e.hosts.names(p.Pair, q.Pair))
	})
	if len(b.list) > b.depth {
		b.list = b.list[:b.depth]
		b.bar, b.full = b.list[b.depth-1].Score, true
	}
}

// finish gives the best pairs, the greatest score first, ties by name.
func (b *best) finish() ([]Pair, []rawSum) {
	b.trim()
	pairs, raw := make([]Pair, len(b.list)), make([]rawSum, len(b.list))
	for i, s := range b.list {
		pairs[i], raw[i] = s.Pair, s.raw
	}
	return pairs, raw
}
