package cluster

import (
	"errors"
	"testing"
)

// FuzzDecodeState must not panic, and must tell what is no state.
func FuzzDecodeState(f *testing.F) {
	b, err := (&state{Generation: 1}).encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte("watershed-clusters 1 0000000000000000\n{}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := decodeState(b)
		if (s == nil) == (err == nil) || err != nil && !errors.Is(err, ErrState) {
			t.Fatalf("%v, %v", s, err)
		}
	})
}
