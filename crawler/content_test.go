package crawler

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"watershed/page"
)

// BenchmarkContent digests payloads that are in memory, of the sizes of a small page, of one of the
// bench's, and of a long document.
func BenchmarkContent(b *testing.B) {
	for _, size := range []int{5_000, 20_000, 200_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			x := &page.Exchange{Body: page.Body{Bytes: make([]byte, size)}}
			r := rand.New(rand.NewPCG(1, 2))
			for i := range x.Body.Bytes {
				x.Body.Bytes[i] = byte(' ' + r.IntN(96))
			}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if contentOf(x) == 0 {
					b.Fatal("a whole payload has no digest")
				}
			}
		})
	}
}
