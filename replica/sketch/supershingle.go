package sketch

import "math/bits"

// A super shingle is a fingerprint of several values of a sketch: documents with one in common
// agree in all of these values, so a sort by super shingle finds similar documents without counting
// pairs. They are of no use for short documents and cannot find containment. Source: Broder et al.,
// 1997, section 5.3.
const (
	// SuperCount is the number of super shingles in a sketch, and superLength of values in each.
	// Documents that agree in two are near copies. The paper leaves the numbers open; these are
	// those of Fetterly, Manasse, Najork, On the Evolution of Clusters of Near-Duplicate Web Pages,
	// 2003, section 3.1.
	SuperCount  = 6
	superLength = 14
	minimaCount = SuperCount * superLength
)

// minima are the 84 values of which super shingles are made: the fingerprints are dealt into 84
// equal ranges, and each range has its smallest. A single permutation serves for 84; a range
// without a fingerprint takes the minimum of another, which is the same one in documents that are
// alike. Source: Li, Owen, Zhang, One Permutation Hashing, 2012; Shrivastava, Optimal Densification
// for Fast and Accurate Minwise Hashing, 2017, section 4.
type minima [minimaCount]uint64

const none = ^uint64(0)

func (m *minima) reset() {
	for i := range m {
		m[i] = none
	}
}

func (m *minima) add(values []uint64, width int) {
	up := 64 - width
	for _, v := range values {
		i, _ := bits.Mul64(v<<up, minimaCount)
		m[i] = min(m[i], v)
	}
}

// super makes the super shingles; all are 0 when there are no values.
func (m *minima) super() (s [SuperCount]uint64) {
	held := 0
	for _, v := range m {
		if v != none {
			held++
		}
	}
	if held == 0 {
		return s
	}
	for i := range s {
		h := lexicalSeed
		for j := i * superLength; j < (i+1)*superLength; j++ {
			h = (h + m.at(j)) * lexicalFactor
		}
		s[i] = mix64(h)
	}
	return s
}

// at is the minimum of a range, or of the first one with any in the range's own sequence of others.
func (m *minima) at(i int) uint64 {
	for try := 0; ; try++ {
		if v := m[i]; v != none {
			return v
		}
		if try == 64*minimaCount { // cannot be reached but by a chance below 10^-27: then any will do
			for _, v := range m {
				if v != none {
					return v
				}
			}
		}
		hi, _ := bits.Mul64(mix64(uint64(i)+uint64(try+1)*lexicalFactor), minimaCount)
		i = int(hi)
	}
}

// SuperShingles is the paper's own mode: the sketch's values in order, each run of length of them
// taken for one. It gives len(values)-length+1 of them, appended to dst, or none where the sketch
// has fewer values than length. Two documents with a super shingle in common are taken for similar.
// Source: Broder et al., 1997, section 5.3.
func (s *Sketch) SuperShingles(dst []uint64, length int) []uint64 {
	for i := 0; length > 0 && i+length <= len(s.Values); i++ {
		dst = append(dst, fingerprint(s.Values[i:i+length]))
	}
	return dst
}

// fingerprint is that of a list of numbers.
func fingerprint(values []uint64) uint64 {
	h := lexicalSeed
	for _, v := range values {
		h = (h + v) * lexicalFactor
	}
	return mix64(h ^ uint64(len(values)))
}
