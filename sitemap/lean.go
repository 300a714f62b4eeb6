package sitemap

import (
	"math"

	"watershed/graph"
	"watershed/mcl"
)

// lean is a set of clusters that grows by those that lean on it or that it leans on. Names help to
// decide: where those of a cluster are nearest to names of the set, half as much leaning will do;
// where they are nearest to names of neither, twice as much is needed.
type lean struct {
	in     []bool
	joined int
	weight map[[2]int32]float64 // of the links from one cluster to another
	all    []float64            // of all links of a cluster
	mine   float64              // of all links of the set
	to     []float64            // from the set, by cluster
	from   []float64            // into the set, by cluster
	near   [][]int32            // clusters with links either way

	clusters [][]graph.ID
	names    nameList  // none where names do not count
	factor   []float64 // by cluster: what its names make of its leaning
	judged   []int     // by cluster: clusters in the set when that was found, 0 for never
}

func newLean(r mcl.Result, edges []graph.Edge, names nameList) *lean {
	n := len(r.Clusters)
	l := &lean{
		in: make([]bool, n), weight: make(map[[2]int32]float64),
		all: make([]float64, n), to: make([]float64, n), from: make([]float64, n), near: make([][]int32, n),
		clusters: r.Clusters, names: names, factor: make([]float64, n), judged: make([]int, n),
	}
	type bundle struct {
		from int32
		to   graph.ID
	}
	count := make(map[bundle]int)
	order := make([]bundle, 0, len(edges)) // sums of floats in one order
	for _, e := range edges {
		k := bundle{r.Labels[e.From], e.To}
		if count[k]++; count[k] == 1 {
			order = append(order, k)
		}
	}
	for _, k := range order {
		to, w := r.Labels[k.to], math.Log2(1+float64(count[k]))
		l.all[k.from] += w
		if to == k.from {
			continue
		}
		if l.weight[[2]int32{k.from, to}] == 0 && l.weight[[2]int32{to, k.from}] == 0 {
			l.near[k.from], l.near[to] = append(l.near[k.from], to), append(l.near[to], k.from)
		}
		l.weight[[2]int32{k.from, to}] += w
	}
	return l
}

// join takes a cluster into the set.
func (l *lean) join(c int32) {
	if l.in[c] {
		return
	}
	l.in[c] = true
	l.joined++
	l.mine += l.all[c]
	for _, d := range l.near[c] {
		l.to[d] += l.weight[[2]int32{c, d}]
		l.from[d] += l.weight[[2]int32{d, c}]
	}
}

// grow joins the cluster that leans most, as long as one leans enough. A pass is linear in the
// clusters, but for the names, which are looked at where they decide.
func (l *lean) grow(least float64) {
	for l.joined > 0 {
		best, most := int32(-1), 0.0
		for c := range l.in {
			if l.in[c] {
				continue
			}
			x := max(part(l.to[c], l.mine), part(l.from[c], l.all[c]))
			if x >= least/nameFactor && x < least*nameFactor {
				x *= l.liking(int32(c))
			}
			if x > most {
				best, most = int32(c), x
			}
		}
		if best < 0 || most < least {
			return
		}
		l.join(best)
	}
}

const (
	// nameFactor is the most that names make of leaning, or the inverse of the least.
	nameFactor = 2
	// nameSample is how many pages of a cluster are compared, with as many of the set and of the
	// others as nameOthers says.
	nameSample, nameOthers = 16, 64
)

// liking is what the names of a cluster make of its leaning: nameFactor^(2a−1), a the part of its
// pages whose nearest name, of as many of the set as of the others, is one of the set. The value
// holds until the set has grown by half as many clusters.
func (l *lean) liking(c int32) float64 {
	if l.names.of == nil {
		return 1
	}
	if l.judged[c] > 0 && 2*l.joined < 3*l.judged[c] {
		return l.factor[c]
	}
	var ours, others []graph.ID
	for k, list := range l.clusters {
		switch {
		case l.in[k]:
			ours = append(ours, list...)
		case int32(k) != c:
			others = append(others, list...)
		}
	}
	n := min(len(ours), len(others), nameOthers)
	ours, others = evenly(ours, n), evenly(others, n)
	some, score := evenly(l.clusters[c], nameSample), 0.0
	for _, i := range some {
		switch x, y := l.names.nearest(i, ours), l.names.nearest(i, others); {
		case x < y:
			score++
		case x == y:
			score += 0.5
		}
	}
	l.judged[c], l.factor[c] = l.joined, math.Pow(nameFactor, 2*part(score, float64(len(some)))-1)
	return l.factor[c]
}

func part(x, of float64) float64 {
	if of == 0 {
		return 0
	}
	return x / of
}
