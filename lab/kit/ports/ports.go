// Package ports gives tests addresses of loopback at which something will listen later.
package ports

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// Free gives addresses at which nobody listens. Their ports lie below those that systems give to whoever
// asks for any, as the servers and clients of other tests do meanwhile.
func Free(t testing.TB, count int) (free []string) {
	t.Helper()
	for tries := 0; len(free) < count; tries++ {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 20_000+rand.IntN(12_000)))
		if err == nil {
			defer func() { _ = l.Close() }() // only now, so that no port is given twice
			free = append(free, l.Addr().String())
		} else if tries > 100 {
			t.Fatal(err)
		}
	}
	return free
}
