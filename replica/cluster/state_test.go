package cluster

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/zeebo/xxh3"
)

// FuzzDecodeState must not panic, must tell what is no state, and must read back what it was given.
func FuzzDecodeState(f *testing.F) {
	f.Add([]byte(`{"generation":1,"tables":{"a":{"file":"b","records":2}}}`), true)
	f.Add([]byte("watershed-clusters 1 0000000000000000\n{}"), false)
	f.Fuzz(func(t *testing.T, b []byte, seal bool) {
		if seal { // lets the fuzzer past the checksum
			b = append(fmt.Appendf(nil, "%s %d %016x\n", stateMagic, stateVersion, xxh3.Hash(b)), b...)
		}
		s, err := decodeState(b)
		if (s == nil) == (err == nil) || err != nil && !errors.Is(err, errState) {
			t.Fatalf("%v, %v", s, err)
		}
		if err != nil {
			return
		}
		own, err := s.encode()
		if err != nil {
			t.Fatal(err)
		}
		if again, err := decodeState(own); err != nil || !reflect.DeepEqual(again, s) {
			t.Fatalf("%+v becomes %+v, %v", s, again, err)
		}
	})
}
