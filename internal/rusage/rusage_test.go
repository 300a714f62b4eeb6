//go:build linux

package rusage

import "testing"

// TestGrows uses up time and memory until both are told to have grown.
func TestGrows(t *testing.T) {
	time, memory := CPU(), Peak()
	if memory < 1<<20 {
		t.Fatalf("a process of %d bytes", memory)
	}
	var held [][]byte
	for i := 0; CPU() == time || Peak() < memory+32<<20; i++ {
		if i == 1000 {
			t.Fatalf("%d MiB written: CPU %v -> %v, peak %d -> %d", i, time, CPU(), memory, Peak())
		}
		block := make([]byte, 1<<20)
		for k := range block {
			block[k] = byte(i)
		}
		held = append(held, block)
	}
	if len(held) < 31 {
		t.Errorf("%d MiB held, and the peak grew by 32", len(held))
	}
}
