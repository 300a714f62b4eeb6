package clusterbench

import (
	"iter"
	"math"
	"slices"

	"watershed/replica/cluster"
)

// corpus is a generated collection of sketches with the shape of the one in Broder, Glassman,
// Manasse, Zweig, Syntactic Clustering of the Web, 1997, section 7. The same number and seed give
// the same documents.
//
// Of each 30 documents, on average:
//   - 5.3 are in clusters of identical documents only, of 2.5 documents on average, and 7 in mixed
//     clusters of 4.7; sizes follow a power law from 2 to 1000, its exponent fitted to that mean.
//   - In a mixed cluster, a third of the documents are copies of the first; the others each have
//     their own share of their shingles replaced, evenly from 0 to 30 in a hundred, so that they
//     resemble the first by 1 to 0.54.
//   - The rest resemble nothing.
//   - Sketches hold 20 shingles on average, of 40 bits: a log-normal law with σ = 0.8, 1 to 1000.
//   - About three and a half have one shingle more, of a template that 10 to 5000 documents share
//     (a power law of exponent 2): above 1000 it is ignored, below it makes pairs of documents that
//     resemble each other little.
//   - 20 shingles, of programs' marks, each are in one document of a hundred.
//
// Members of a cluster do not come together: an affine map scatters the numbers.
type corpus struct {
	n, seed uint64
	// of sketches by the smallest shingles of whole documents; 0 for the paper's, a twenty-fifth of
	// the shingles
	size      int
	stride    uint64
	members   []member // of one block of documents, which repeats
	templates []uint32 // group of each place in a block of documents with templates
}

// member is a place in a cluster.
type member struct {
	cluster uint32 // in its block
	place   uint32
	kind    uint8
}

// The kinds of clusters.
const (
	alone = iota
	copies
	mixed
)

const (
	block         = 300_000
	templateBlock = 100_000
)

func newCorpus(n, seed uint64) *corpus {
	c := &corpus{n: n, seed: seed, stride: coprime(n)}
	cluster := uint32(0)
	addKind := func(kind uint8, documents int, mean float64, most int) {
		for _, size := range powerLaw(documents, 2, most, exponentFor(mean, 2, most)) {
			for place := range size {
				c.members = append(c.members, member{cluster, uint32(place), kind})
			}
			cluster++
		}
	}
	addKind(copies, block*53/300, 2.5, 1000)
	addKind(mixed, block*70/300, 4.7, 1000)
	for len(c.members) < block {
		c.members = append(c.members, member{cluster: cluster})
		cluster++
	}
	for group, size := range powerLaw(templateBlock, 10, 5000, 2) {
		c.templates = append(c.templates, slices.Repeat([]uint32{uint32(group)}, size)...)
	}
	return c
}

// coprime is a number near the golden section of n that has no divisor in common with it.
func coprime(n uint64) uint64 {
	for s := uint64(float64(n)*0.6180339887) | 1; ; s++ {
		if gcd(s, n) == 1 {
			return s
		}
	}
}

func gcd(a, b uint64) uint64 {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// exponentFor is the exponent of the power law from least to most with that mean.
func exponentFor(mean float64, least, most int) float64 {
	low, high := 1.0, 8.0
	for range 60 {
		mid := (low + high) / 2
		sum, weighted := 0.0, 0.0
		for k := least; k <= most; k++ {
			w := math.Pow(float64(k), -mid)
			sum, weighted = sum+w, weighted+w*float64(k)
		}
		if weighted/sum > mean {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// powerLaw are sizes that sum to total: the quantiles of the law, in turn from all over it.
func powerLaw(total, least, most int, exponent float64) (sizes []int) {
	cumulated := make([]float64, 0, most)
	sum := 0.0
	for k := least; k <= most; k++ {
		sum += math.Pow(float64(k), -exponent)
		cumulated = append(cumulated, sum)
	}
	u := 0.0
	for left := total; left > 0; {
		u = math.Mod(u+0.6180339887498949, 1)
		i, _ := slices.BinarySearch(cumulated, u*sum)
		size := min(least+i, left)
		sizes = append(sizes, size)
		left -= size
	}
	return sizes
}

// mix is the finalizer of SplitMix64 (Steele, Lea, Flood, 2014).
func mix(z uint64) uint64 {
	z += 0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// unit is a number in [0, 1).
func unit(z uint64) float64 { return float64(mix(z)>>11) / (1 << 53) }

const shingleMask = 1<<40 - 1

// all goes through the documents. The shingles are reused.
func (c *corpus) all() iter.Seq2[cluster.Document, error] {
	return func(yield func(cluster.Document, error) bool) {
		var d cluster.Document
		for i := range c.n {
			c.document(i, &d)
			if !yield(d, nil) {
				return
			}
		}
	}
}

// document makes the i-th document.
func (c *corpus) document(i uint64, d *cluster.Document) {
	j := (i*c.stride + c.seed) % c.n
	m := c.members[j%block]
	base := mix(c.seed ^ mix(j/block<<32|uint64(m.cluster)))
	own := mix(base + uint64(m.place) + 1)
	variant := base
	if m.kind == mixed && own%3 > 0 {
		variant = own
	}
	*d = cluster.Document{
		Key: cluster.Key{Page: mix(c.seed + j), Sweep: 1}, Time: int64(i), Digest: variant, Lexical: variant,
		Rate: 1.0 / sampled, Shingles: c.shingles(d.Shingles[:0], j, base, variant),
	}
	if c.size > 0 {
		c.least(d)
	}
}

func (c *corpus) shingles(to []uint64, j, base, variant uint64) []uint64 {
	// The sum of twelve even numbers is near enough to normal.
	z := -6.0
	for k := range uint64(12) {
		z += unit(base + k)
	}
	count := int(min(1000, max(1, 14.5*math.Exp(.8*z))))
	if c.size > 0 {
		count *= sampled
	}
	replaced := 0.0
	if variant != base {
		replaced = .3 * unit(variant)
	}
	for k := range uint64(count) {
		from := base
		if variant != base && unit(variant+k+1) < replaced {
			from = variant
		}
		to = append(to, mix(from^k<<40)&shingleMask)
	}
	// Copies of one document must have one sketch, so only what is not copied has a template, a
	// tenth of it.
	if m := c.members[j%block]; m.kind == alone && j%5 == 0 {
		t := j / 5
		to = append(to, mix(c.seed^t/templateBlock<<32^uint64(c.templates[mix(t)%templateBlock])^0x7E3F)&
			shingleMask)
	}
	for k := range uint64(20) {
		if unit(variant^k<<48) < .01 {
			to = append(to, mix(c.seed^k^0xC033))
		}
	}
	for k := range to {
		to[k] &= shingleMask
	}
	slices.Sort(to)
	return slices.Compact(to)
}

// sampled is how many shingles of a document the paper keeps one of.
const sampled = 25

// least keeps the smallest shingles of a document that has all.
func (c *corpus) least(d *cluster.Document) {
	if d.Rate = 1; len(d.Shingles) > c.size {
		d.Shingles = d.Shingles[:c.size]
		d.Rate = float32(d.Shingles[c.size-1]+1) / (shingleMask + 1)
	}
}
