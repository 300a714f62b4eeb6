package mcl

import (
	"context"
	"fmt"
	"testing"
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
				g, err := NewGraph(size.pages, web(size.pages, size.links, 1), JoinEither)
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
	g, err := NewGraph(pages, web(pages, 80000, 1), JoinEither)
	if err != nil {
		b.Fatal(err)
	}
	r, err := g.Cluster(context.Background(), Options{Threads: 1})
	if err != nil {
		b.Fatal(err)
	}
	before := relabelled(r.Labels[:pages-late], len(r.Clusters), Stats{})
	for b.Loop() {
		after, err := Update(context.Background(), g, before, nil, Options{Threads: 1})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(after.Stats.Region), "region")
	}
}

func BenchmarkReadABC(b *testing.B) {
	text := readFile(b, "dense.abc")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		readGraph(b, "dense.abc")
	}
}
