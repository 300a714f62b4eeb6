package cluster

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/zeebo/xxh3"

	"watershed/replica/sketch"
)

// Key names a document: a page in a sweep.
type Key struct {
	Page  uint64 // the page's key, such as the 64-bit hash of its URL
	Sweep uint32
}

// String is the page's key in hexadecimal, an at sign, and the sweep.
func (k Key) String() string { return fmt.Sprintf("%016x@%d", k.Page, k.Sweep) }

// Document is what is compared of a document. Nothing is kept of the slices.
type Document struct {
	Key
	Time    int64  // seconds since 1970, when it was fetched
	Digest  uint64 // fingerprint of the bytes; 0 when not known
	Lexical uint64 // fingerprint of the canonical words; 0 when not known

	// Shingles are the fingerprints of the sketch, ascending and distinct. A document that has none
	// is never similar to another, only identical or lexically equivalent.
	Shingles []uint64

	// Rate is the part of all shingles that the sketch holds, above 0, at most 1: 1/m for MOD_m,
	// and for MIN_s the part of the range of fingerprints up to the greatest one kept. Samples of
	// several rates can be compared where the lesser includes what it shares with the greater, as
	// those of package sketch do. 0 means 1: the whole set.
	Rate float32

	// Super are the super shingles, for Options.Super.
	Super []uint64
}

// Take takes over what a sketch tells, whose slices the document shares.
func (d *Document) Take(s *sketch.Sketch) {
	if !s.Empty() {
		d.Lexical = s.Lexical // no words are equal to no others
	}
	top := math.Ldexp(1, int(s.Scheme.Bits))
	d.Shingles, d.Rate = s.Values, float32((float64(s.Limit())+1)/top)
	if s.HasSuper {
		d.Super = s.Super[:]
	}
}

// Validate tells why a document cannot be taken.
func (d *Document) Validate() error {
	if !(d.Rate >= 0 && d.Rate <= 1) {
		return fmt.Errorf("document %v: rate %g: must be above 0, at most 1", d.Key, d.Rate)
	}
	for i, s := range d.Shingles {
		if i > 0 && s <= d.Shingles[i-1] {
			return fmt.Errorf("document %v: shingles do not ascend at %d of %d", d.Key, i, len(d.Shingles))
		}
	}
	return nil
}

// Set is the fingerprint of the set of shingles; 0 for none.
func (d *Document) Set() uint64 {
	if len(d.Shingles) == 0 {
		return 0
	}
	var h xxh3.Hasher
	var word [8]byte
	for _, s := range d.Shingles {
		binary.LittleEndian.PutUint64(word[:], s)
		_, _ = h.Write(word[:]) // it never fails
	}
	return max(1, h.Sum64())
}
