package flow

import (
	"math"
	"math/rand/v2"

	"watershed/graph"
)

// Sample keeps vertices drawn evenly from a stream of unknown length (Vitter, Random sampling with
// a reservoir, 1985, algorithm R). Equal streams and seeds give equal samples. It is not safe for
// concurrent use.
type Sample struct {
	random *rand.Rand
	most   int
	seen   int
	kept   []graph.ID
}

// defaultSampleSize makes 32,640 pairs, which tie the root mean square down to about one per cent.
const defaultSampleSize = 256

// NewSample returns an empty sample of at most size vertices; 0 means defaultSampleSize.
func NewSample(size int, seed uint64) *Sample {
	if size <= 0 {
		size = defaultSampleSize
	}
	return &Sample{random: rand.New(rand.NewPCG(seed, 0)), most: size}
}

// Offer shows the sample the next vertex of the stream.
func (s *Sample) Offer(u graph.ID) {
	s.seen++
	if len(s.kept) < s.most {
		s.kept = append(s.kept, u)
	} else if i := s.random.IntN(s.seen); i < s.most {
		s.kept[i] = u
	}
}

// Sigma is the σ of the paper: the root mean square of the edit distance over all pairs in the
// sample. The paper says standard deviation, of a quantity that is not centred; the root mean
// square is what its Gaussian needs. With fewer than two different URLs it is 0.
func (s *Sample) Sigma(a *Addresses) float64 {
	var e Editor
	sum, pairs := 0.0, 0.0
	for i, u := range s.kept {
		for _, v := range s.kept[:i] {
			d := float64(a.Distance(&e, u, v, math.MaxInt32))
			sum += d * d
			pairs++
		}
	}
	if pairs == 0 {
		return 0
	}
	return math.Sqrt(sum / pairs)
}
