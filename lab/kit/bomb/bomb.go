// Package bomb holds readers of foreign bytes to their bounds. It is not part of the program: tests
// hand it what a hostile site or archive might send, and it measures what reading that costs.
package bomb

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"watershed/lab/kit/rusage"
)

// Depth is how deep a bomb of brackets, tags or layers is made: far deeper than any stack bears.
const Depth = 10_000_000

// Bounds of the cost of reading. A reader that is linear in a bomb of some megabytes needs a tenth
// of it, and up to a half where other programs crowd the caches; a reader that is worse than linear,
// or calls itself for each bracket, needs far more.
const (
	mostCPU = 5 * time.Second // processor time
	// bytes; beyond it the test's process ends, as the program would at a gigabyte
	mostStack = 16 << 20
)

// Nested is Depth copies of a text, of which a reader might go one deeper for each.
func Nested(text string) []byte { return []byte(strings.Repeat(text, Depth/len(text))) }

// Holds calls read, and fails the test where that takes more than five seconds of processor time, or
// allocates more than so many bytes in sum. Tests that use it must not run in parallel with others
// of their package; under -short they are left out.
func Holds(t testing.TB, most uint64, read func()) {
	t.Helper()
	if testing.Short() {
		t.Skip("long")
	}
	holds(t, mostCPU, most, read)
}

func holds(t testing.TB, mostCPU time.Duration, most uint64, read func()) {
	t.Helper()
	defer debug.SetMaxStack(debug.SetMaxStack(mostStack))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu := rusage.CPU()
	read()
	cpu = rusage.CPU() - cpu
	runtime.ReadMemStats(&after)
	if cpu > mostCPU {
		t.Errorf("took %v of processor time, more than %v", cpu, mostCPU)
	}
	if made := after.TotalAlloc - before.TotalAlloc; made > most {
		t.Errorf("allocated %d MiB, more than %d", made>>20, most>>20)
	}
}
