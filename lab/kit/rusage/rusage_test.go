//go:build linux

package rusage

import "testing"

// TestGrows uses up time and memory until both are told to have grown. A race detector takes memory
// of its own, a few times as much.
func TestGrows(t *testing.T) {
	time, memory := CPU(), Peak()
	if memory < 1<<20 {
		t.Fatalf("a process of %d bytes", memory)
	}
	const most = 256
	var held [most][]byte
	n := 0
	for ; n < most && (CPU() == time || Peak() < memory+32<<20); n++ {
		held[n] = make([]byte, 1<<20)
		for k := range held[n] {
			held[n][k] = byte(n)
		}
	}
	if n == most {
		t.Errorf("%d MiB written: CPU %v -> %v, peak %d -> %d", n, time, CPU(), memory, Peak())
	}
	if peak := Peak(); peak < int64(n)<<20 || peak > 1<<34 {
		t.Errorf("a peak of %d bytes with %d MiB held", peak, n)
	}
}
