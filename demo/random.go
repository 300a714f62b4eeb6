package demo

import (
	"hash/fnv"
	"math/rand/v2"
)

// random is a source of its own for each thing that is drawn, so that one more page on a site
// changes nothing elsewhere.
func random(seed int, keys ...string) *rand.Rand {
	h := fnv.New64a()
	for _, k := range keys {
		_, _ = h.Write([]byte(k + "\x00")) // a hash takes all
	}
	return rand.New(rand.NewPCG(uint64(seed), h.Sum64()))
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }
