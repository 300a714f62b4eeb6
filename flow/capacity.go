package flow

import (
	"fmt"
	"math"
	"math/bits"

	"watershed/graph"
)

// Capacity is the capacity of a link between two vertices, in fixed point and at least 0. A
// capacity that needs more than the two numbers (the mutual share of blocks, the semantic
// similarity of texts) is a closure of the caller.
type Capacity func(from, to graph.ID) int64

// OverInDegree divides c by the in-degree of the target, to the given power: 1 lets all links to a
// page share one capacity, 0.5 is milder. It discounts links that are on every page of a site.
func (c Capacity) OverInDegree(inDegree func(graph.ID) int, power float64) Capacity {
	return func(from, to graph.ID) int64 {
		d := max(1, inDegree(to))
		return int64(math.Round(float64(c(from, to)) / math.Pow(float64(d), power)))
	}
}

// Scaled multiplies the capacity of a link by a factor of the page it is on. To raise it near the
// seeds is the remedy for a constant capacity that the paper calls ad hoc (Senellart 2003, section
// 2.4.1): the factor then falls with the distance from them.
func (c Capacity) Scaled(factor func(from graph.ID) float64) Capacity {
	return func(from, to graph.ID) int64 {
		return int64(math.Round(float64(c(from, to)) * factor(from)))
	}
}

// Weighted multiplies the capacity of a link by a factor of both its pages, at least 0: how much
// their texts resemble each other, or one contains the other, by their sketches (the semantic
// similarity that Senellart 2003, section 2.4.1, leaves open).
func (c Capacity) Weighted(factor func(from, to graph.ID) float64) Capacity {
	return func(from, to graph.ID) int64 {
		return int64(math.Round(float64(c(from, to)) * factor(from, to)))
	}
}

// Times is the product of two capacities in units of graph.Unit, rounded down: between blocks a
// share scales a similarity. It panics when the product does not fit.
func (c Capacity) Times(d Capacity) Capacity {
	return func(from, to graph.ID) int64 {
		high, low := bits.Mul64(uint64(c(from, to)), uint64(d(from, to)))
		quotient, _ := bits.Div64(high, low, uint64(graph.Unit))
		return int64(quotient)
	}
}

// Arcs appends an arc for each link from a vertex to the list. Links that repeat a target, and
// links to the vertex itself, are the caller's to leave out; links without capacity are left out
// here.
func (c Capacity) Arcs(list []graph.Arc, from graph.ID, to []graph.ID) []graph.Arc {
	for _, v := range to {
		if x := c(from, v); x > 0 {
			list = append(list, graph.Arc{To: v, Capacity: x})
		}
	}
	return list
}

// Similarity is the capacity e^(−ed²/2σ²) of the edit distance ed between two URLs (Senellart 2003,
// figure 6), in the given unit and rounded. σ must be positive; Sample measures it. The capacity is
// not safe for concurrent use, as it keeps an Editor; URLs may be added later.
func Similarity(a *Addresses, sigma float64, unit int64) (Capacity, error) {
	if !(sigma > 0) || math.IsInf(sigma, 0) || unit < 1 {
		return nil, fmt.Errorf("similarity with σ=%v and unit %d: both must be positive", sigma, unit)
	}
	table := gaussTable(sigma, unit)
	e := new(Editor)
	return func(from, to graph.ID) int64 {
		return table[a.Distance(e, from, to, len(table)-2)]
	}, nil
}

// longestDistance keeps the table of similarities finite when σ is enormous.
const longestDistance = 1 << 16

// gaussTable lists the similarity of distance 0, 1, 2, … down to the first that rounds to 0, which
// stands for all beyond it.
func gaussTable(sigma float64, unit int64) []int64 {
	var table []int64
	for d := 0; d < longestDistance; d++ {
		x := gauss(float64(d), sigma, unit)
		if x == 0 {
			break
		}
		table = append(table, x)
	}
	return append(table, 0)
}

// gauss is e^(−distance²/2σ²) in the given unit, rounded.
func gauss(distance, sigma float64, unit int64) int64 {
	return int64(math.Round(float64(unit) * math.Exp(-distance*distance/(2*sigma*sigma))))
}
