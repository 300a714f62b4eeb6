package mcl

import (
	"context"
	"fmt"
	"testing"

	"watershed/lab/kit/planted"
)

// BenchmarkCluster clusters web-like graphs of named sizes: those that sitemap.Survey settles
// (10²–10⁴ pages) and, with -bench Cluster/87k, one of the size of the paper's (PERFORMANCE.md §2
// has another generator).
func BenchmarkCluster(b *testing.B) {
	sizes := []struct {
		name         string
		pages, links int
	}{
		{"100", 100, 800}, {"1k", 1000, 8000}, {"10k", 10000, 80000}, {"87k", 87140, 709371},
	}
	for _, size := range sizes {
		for _, inflation := range []float64{1.4, 2, 4} {
			b.Run(fmt.Sprintf("%s/I=%v", size.name, inflation), func(b *testing.B) {
				g, err := NewGraph(size.pages, planted.Links(size.pages, size.links, 1), JoinEither)
				if err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					r, err := g.Cluster(context.Background(), Options{Inflation: inflation, Threads: 1})
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(len(r.Clusters)), "clusters")
				}
			})
		}
	}
}
