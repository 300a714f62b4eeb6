package extsort

import (
	"testing"

	"watershed/lab/kit/rusage"
)

// BenchmarkRadix sorts 4 Mi records with 40-bit keys.
func BenchmarkRadix(b *testing.B) {
	const n = 4 << 20
	a, from := make([]pair, n), make([]pair, n)
	rnd := noise(1)
	for i := range from {
		from[i] = pair{rnd.next() >> 24, uint64(i)}
	}
	start := rusage.CPU()
	for b.Loop() {
		copy(a, from)
		sortRecords(a)
	}
	b.ReportMetric(float64(rusage.CPU()-start)/float64(b.N)/n, "cpu-ns/record")
}
