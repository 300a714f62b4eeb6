package planted

import (
	"math"
	"math/rand/v2"

	"watershed/graph"
)

// Links makes a graph like that of a domain: pages belong to sites of Zipf sizes, three links of four
// stay in the site and prefer its first pages, one of five goes to one of the next sites, the rest
// anywhere. The same arguments give the same edges, loops and repetitions included.
func Links(pages, links int, seed uint64) []graph.Edge {
	r := rand.New(rand.NewPCG(seed, 0))
	starts := sites(pages)
	site := make([]int, pages)
	for s := range len(starts) - 1 {
		for v := starts[s]; v < starts[s+1]; v++ {
			site[v] = s
		}
	}
	edges := make([]graph.Edge, links)
	for i := range edges {
		from := r.IntN(pages)
		to, x := site[from], r.Float64()
		switch {
		case x >= 0.95:
			to = site[r.IntN(pages)]
		case x >= 0.75:
			to = (to + r.IntN(20)) % (len(starts) - 1)
		}
		size := starts[to+1] - starts[to]
		rank := int(math.Exp(r.Float64()*math.Log1p(float64(size)))) - 1 // density ~ 1/(rank+1)
		edges[i] = graph.Edge{From: graph.ID(from), To: graph.ID(starts[to] + min(rank, size-1)), Weight: 1}
	}
	return edges
}

// sites gives the first page of each site, and pages.
func sites(pages int) []int {
	count := max(2, pages/25)
	sum := 0.0
	for i := range count {
		sum += math.Pow(float64(i+1), -0.8)
	}
	starts := []int{0}
	for i := 0; i < count-1 && starts[i] < pages-1; i++ {
		size := max(1, int(math.Pow(float64(i+1), -0.8)/sum*float64(pages)))
		starts = append(starts, min(pages-1, starts[i]+size))
	}
	return append(starts, pages)
}
