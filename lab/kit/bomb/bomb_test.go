package bomb

import (
	"testing"
	"time"

	"watershed/lab/kit/rusage"
)

// failures notes that a test would have failed.
type failures struct {
	testing.TB
	n int
}

func (f *failures) Helper()               {}
func (f *failures) Errorf(string, ...any) { f.n++ }

func TestHolds(t *testing.T) {
	const most = 200 * time.Millisecond
	if n := len(Nested("<a>")); n > Depth || n < Depth-3 {
		t.Errorf("a bomb of %d bytes", n)
	}
	var kept [][]byte
	for name, tt := range map[string]struct {
		want int
		read func()
	}{
		"little": {0, func() { kept = append(kept, make([]byte, 1<<10)) }},
		"memory": {1, func() { kept = append(kept, make([]byte, 40<<20)) }},
		"time": {1, func() {
			for start := rusage.CPU(); rusage.CPU()-start < 2*most; {
				kept = kept[:0]
			}
		}},
	} {
		f := &failures{TB: t}
		if holds(f, most, 32<<20, tt.read); f.n != tt.want {
			t.Errorf("%s: %d failures, want %d", name, f.n, tt.want)
		}
	}
}
