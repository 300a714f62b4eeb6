package flow_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"watershed/flow"
	"watershed/graph"
)

// syntheticWeb is a web of communities within communities: 25 pages, 100, 400 and so on, one link
// in four leaving each. Wider links carry less, and one link in fifty leads to a hub that everyone
// links to: the shape on which a survey runs.
func syntheticWeb(pages int, seed uint64) [][]graph.Arc {
	random := rand.New(rand.NewPCG(seed, 0))
	hubs := rand.NewZipf(random, 1.3, 20, uint64(pages-1))
	out := make([][]graph.Arc, pages)
	for u := range out {
		seen := map[graph.ID]bool{graph.ID(u): true}
		for range 1 + random.IntN(15) {
			v, capacity := graph.ID(hubs.Uint64()), graph.Unit/50
			if random.IntN(50) > 0 {
				block := 25
				for capacity = graph.Unit; random.IntN(4) == 0 && block < pages; capacity /= 2 {
					block *= 4
				}
				v = graph.ID(min(u/block*block+random.IntN(block), pages-1))
			}
			if !seen[v] {
				seen[v] = true
				out[u] = append(out[u], graph.Arc{To: v, Capacity: capacity, Reverse: capacity})
			}
		}
	}
	return out
}

// buildWeb reveals a whole web, with the given toll at every page and one seed.
func buildWeb(out [][]graph.Arc, toll int64) *flow.Network {
	arcs := 0
	for _, list := range out {
		arcs += len(list)
	}
	n := flow.New()
	n.AddVertices(len(out))
	n.SetSource(graph.ID(len(out)/2), flow.Infinite)
	for u, list := range out {
		n.SetSink(graph.ID(u), toll)
		n.Reveal(graph.ID(u), list)
	}
	return n
}

// BenchmarkSolve builds and solves a web at once. The toll decides how far the flow goes.
func BenchmarkSolve(b *testing.B) {
	for _, pages := range []int{1_000, 10_000, 100_000} {
		out := syntheticWeb(pages, 1)
		for _, toll := range []float64{1e-6, 0.01, 0.1} {
			b.Run(fmt.Sprintf("pages=%d/toll=%v", pages, toll), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					buildWeb(out, graph.Fixed(toll)).Solve()
				}
			})
		}
	}
}

// BenchmarkEpoch is one warm Solve after 48 pages were revealed.
func BenchmarkEpoch(b *testing.B) {
	for _, pages := range []int{1_000, 10_000, 100_000} {
		out := syntheticWeb(pages, 1)
		b.Run(fmt.Sprintf("pages=%d", pages), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				n := buildWeb(out, graph.Fixed(0.01))
				n.Solve()
				random := rand.New(rand.NewPCG(2, 0))
				for range 48 {
					u := n.AddVertex()
					n.SetSink(u, graph.Fixed(0.01))
					for range 8 {
						n.AddArc(u, graph.Arc{
							To: graph.ID(random.IntN(pages)), Capacity: graph.Unit,
							Reverse: graph.Unit,
						})
					}
				}
				b.StartTimer()
				n.Solve()
			}
		})
	}
}

// strip is a web whose links reach 25 pages to either side, with soft sources at one page in ten:
// it has many scales.
func strip(pages int) *flow.Network {
	random := rand.New(rand.NewPCG(3, 0))
	out := make([][]graph.Arc, pages)
	for u := range out {
		for range 4 {
			capacity := random.Int64N(graph.Unit / 10)
			v := graph.ID((u + random.IntN(50) - 25 + pages) % pages)
			out[u] = append(out[u], graph.Arc{To: v, Capacity: capacity, Reverse: capacity})
		}
	}
	n := buildWeb(out, 100)
	for range pages / 10 {
		n.SetSource(graph.ID(random.IntN(pages)), random.Int64N(graph.Unit))
	}
	return n
}

// BenchmarkScales is the whole nested family: two or three sites for a web with one seed, thousands
// for a strip.
func BenchmarkScales(b *testing.B) {
	for _, pages := range []int{1_000, 10_000, 100_000} {
		toll := make([]int64, pages)
		for u := range toll {
			toll[u] = 1 + int64(u)%3
		}
		for name, n := range map[string]*flow.Network{
			"web":   buildWeb(syntheticWeb(pages, 1), graph.Fixed(0.01)),
			"strip": strip(pages),
		} {
			b.Run(fmt.Sprintf("%s/pages=%d", name, pages), func(b *testing.B) {
				scales := 0
				for b.Loop() {
					s, err := flow.FindScales(n, toll, flow.ScaleOptions{})
					if err != nil {
						b.Fatal(err)
					}
					scales = len(s)
				}
				b.ReportMetric(float64(scales), "scales")
			})
		}
	}
}

// BenchmarkDistance is the edit distance of two URLs of usual length.
func BenchmarkDistance(b *testing.B) {
	for _, granularity := range []flow.Granularity{flow.Tokens, flow.Characters} {
		a := flow.NewAddresses(granularity, "")
		a.Set(0, "http://osage.inria.fr/verso/Gemo/PUBLI/index.php?all=1&year=2003")
		a.Set(1, "http://www-rocq.inria.fr/verso/Gemo/Projects/index.html")
		b.Run([]string{"tokens", "characters"}[granularity], func(b *testing.B) {
			var e flow.Editor
			b.ReportAllocs()
			for b.Loop() {
				a.Distance(&e, 0, 1, 50)
			}
		})
	}
}
