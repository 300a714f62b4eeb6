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

// Info is what is kept of a document beside its sketch.
type Info struct {
	Key
	Host    uint64 // the server's key; equal for pages of one server
	Time    int64  // seconds since 1970, when it was fetched
	Links   uint32 // pages that link to it, for the rank by links
	Size    uint32 // in bytes
	Digest  uint64 // fingerprint of the bytes; 0 when not known
	Lexical uint64 // fingerprint of the canonical words; 0 when not known
}

// Document is a document with its sketch. A store keeps nothing of the slices.
type Document struct {
	Info

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

// Of fills in a document from its sketch, whose slices it shares.
func Of(i Info, s *sketch.Sketch) Document {
	if !s.Empty() {
		i.Lexical = s.Lexical // no words are equal to no others
	}
	top := math.Ldexp(1, int(s.Scheme.Bits))
	d := Document{
		Info: i, Shingles: s.Values,
		Rate: float32((float64(s.Limit()) + 1) / top),
	}
	if s.HasSuper {
		d.Super = s.Super[:]
	}
	return d
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

// set is the fingerprint of the set of shingles; 0 for none.
func (d *Document) set(scratch []byte) (uint64, []byte) {
	if len(d.Shingles) == 0 {
		return 0, scratch
	}
	scratch = scratch[:0]
	for _, s := range d.Shingles {
		scratch = binary.LittleEndian.AppendUint64(scratch, s)
	}
	return max(1, xxh3.Hash(scratch)), scratch
}

// row is a document as tables hold it. Word 0 is its number in the store in the table of documents,
// ⟨cluster, place⟩ in that of clusters.
type row [10]uint64

func newRow(d *Document, seq uint32, set uint64) row {
	rate := d.Rate
	if rate == 0 {
		rate = 1
	}
	return row{
		uint64(seq), d.Page, uint64(d.Sweep)<<32 | uint64(seq), d.Host, uint64(d.Time),
		uint64(d.Links)<<32 | uint64(d.Size),
		uint64(math.Float32bits(rate)) << 32, d.Digest, d.Lexical, set,
	}
}

func (r *row) seq() uint32          { return uint32(r[2]) }
func (r *row) key() Key             { return Key{r[1], uint32(r[2] >> 32)} }
func (r *row) rate() float32        { return math.Float32frombits(uint32(r[6] >> 32)) }
func (r *row) shingles() uint32     { return uint32(r[6]) }
func (r *row) setShingles(n uint32) { r[6] = r[6]>>32<<32 | uint64(n) }
func (r *row) cluster() uint32      { return uint32(r[0] >> 32) }

func (r *row) info() Info {
	return Info{
		Key: r.key(), Host: r[3], Time: int64(r[4]), Links: uint32(r[5] >> 32), Size: uint32(r[5]),
		Digest: r[7], Lexical: r[8],
	}
}

// Relation is how two documents are alike.
type Relation uint8

// The relations, from the closest; each of the first three includes those before it.
const (
	Identical Relation = iota
	LexicallyEquivalent
	ShingleEquivalent
	Similar // linked, directly or by others
)

// relate is how two rows are alike.
func relate(a, b *row) Relation {
	switch {
	case a[7] != 0 && a[7] == b[7]:
		return Identical
	case a[8] != 0 && a[8] == b[8]:
		return LexicallyEquivalent
	case a[9] != 0 && a[9] == b[9]:
		return ShingleEquivalent
	}
	return Similar
}
