package mcl

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"watershed/graph"
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

// BenchmarkUpdate adds 15 pages to a graph of 10,000; compare with BenchmarkCluster/10k.
func BenchmarkUpdate(b *testing.B) {
	const pages, late = 10000, 15
	g, err := NewGraph(pages, planted.Links(pages, 80000, 1), JoinEither)
	if err != nil {
		b.Fatal(err)
	}
	r, err := g.Cluster(context.Background(), Options{Threads: 1})
	if err != nil {
		b.Fatal(err)
	}
	clusters := make([][]graph.ID, len(r.Clusters))
	for v, c := range r.Labels[:pages-late] {
		clusters[c] = append(clusters[c], graph.ID(v))
	}
	clusters = slices.DeleteFunc(clusters, func(c []graph.ID) bool { return len(c) == 0 })
	before := NewResult(pages-late, clusters)
	for b.Loop() {
		after, err := Update(context.Background(), g, before, nil, Options{Threads: 1})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(after.Stats.Region), "region")
	}
}
