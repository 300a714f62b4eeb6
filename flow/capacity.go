package flow

import (
	"fmt"
	"math"

	"watershed/graph"
)

// Capacity is the capacity of a link between two vertices, in fixed point and at least 0. A
// capacity that needs more than the two numbers (the mutual share of blocks, the semantic
// similarity of texts) is a closure of the caller.
type Capacity func(from, to graph.ID) int64

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
