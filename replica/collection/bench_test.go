package collection

import (
	"fmt"
	"runtime"
	"testing"

	"watershed/lab/kit/planted"
	"watershed/lab/kit/rusage"
)

// BenchmarkFind searches generated webs: a fifth of the pages are copies, six a collection of 100
// pages, each lacking 30 % and changing 10 %. It reports CPU time and the heap held at the end with
// pages, links and result.
func BenchmarkFind(b *testing.B) {
	for _, pages := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("pages=%d", pages), func(b *testing.B) {
			s := planted.Spec{
				Collections: pages / 3000, Replicas: 6, Size: 100, Links: 8, Strangers: 5,
				Missing: 0.3, Changed: 0.1, Background: pages * 79 / 100, Seed: 1,
			}
			in := inputOf(s.Make())
			var links int
			if err := in.Links(func(uint32, uint32) error { links++; return nil }); err != nil {
				b.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			start := rusage.CPU()
			for b.Loop() {
				r, err := Find(b.Context(), in, Options{})
				if err != nil {
					b.Fatal(err)
				}
				if got := len(r.Collections); got != s.Collections {
					b.Fatalf("%d collections, want %d", got, s.Collections)
				}
			}
			b.ReportMetric((rusage.CPU()-start).Seconds()/float64(b.N), "cpu-s/op")
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/float64(len(in.Pages)),
				"B/page")
			b.ReportMetric(float64(links), "links")
		})
	}
}
