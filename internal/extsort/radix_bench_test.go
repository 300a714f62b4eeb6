package extsort

import (
	"syscall"
	"testing"
)

// cpuNanos is the processor time of this process; on a busy machine the wall says little.
func cpuNanos(b *testing.B) int64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return r.Utime.Nano() + r.Stime.Nano()
}

// BenchmarkRadix sorts 4 Mi records with 40-bit keys.
func BenchmarkRadix(b *testing.B) {
	const n = 4 << 20
	a, from := make([]pair, n), make([]pair, n)
	rnd := noise(1)
	for i := range from {
		from[i] = pair{rnd.next() >> 24, uint64(i)}
	}
	start := cpuNanos(b)
	for b.Loop() {
		copy(a, from)
		sortRecords(a)
	}
	b.ReportMetric(float64(cpuNanos(b)-start)/float64(b.N)/n, "cpu-ns/record")
}
