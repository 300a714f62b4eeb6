package sketch

import "fmt"

// Scheme is how a sketch was made. Sketches of equal schemes can be compared, whatever their Size.
type Scheme struct {
	Width uint8 // w
	Bits  uint8 // 40 or 64
	Size  uint32
	Salt  uint64 // a fingerprint of Options.Salt; 0 for none
}

// comparable is the scheme without what may differ between sketches that are compared.
func (c Scheme) comparable() Scheme {
	c.Size = 0
	return c
}

// String is the scheme in tables: "w=10 40 bits min 128".
func (c Scheme) String() string {
	s := fmt.Sprintf("w=%d %d bits min %d", c.Width, c.Bits, c.Size)
	if c.Salt != 0 {
		s += fmt.Sprintf(" salt %08x", c.Salt>>32)
	}
	return s
}

// Sketch is a sample of a document's set of features, which is its w-shingling when it is text, and
// three fingerprints besides. The zero Sketch is not the sketch of anything. A Sketch is not
// changed by comparing it; copies share Values.
//
// Invariants: 1. Values ascend and are distinct. 2. Values hold every feature that is not above
// Limit.
type Sketch struct {
	Scheme Scheme

	// Tokens is the size of the document in tokens, repetitions counted, or in features.
	Tokens uint32

	// Short says that the document has fewer tokens than a shingle: its only feature is the whole
	// list. Two short documents are alike or not; nothing is between.
	Short bool

	// Cut says that features above the last value were left out, because the size of the sketch is
	// bounded.
	Cut bool

	// Values are the mixed fingerprints that were selected, ascending and distinct.
	Values []uint64

	// Lexical is the fingerprint of the whole token sequence: documents with the same are lexically
	// equivalent. 0 when there were features other than text. Source: Broder et al., 1997, section
	// 5.2.
	Lexical uint64

	// Super are the super shingles; see SuperCommon. They mean nothing unless HasSuper.
	Super    [SuperCount]uint64
	HasSuper bool
}

// Limit is the greatest number up to which the sketch knows of every feature.
func (s *Sketch) Limit() uint64 {
	if s.Cut && len(s.Values) > 0 {
		return s.Values[len(s.Values)-1]
	}
	return fieldOf(int(s.Scheme.Bits)).top()
}

// Empty says that the document has no features at all.
func (s *Sketch) Empty() bool { return s.Tokens == 0 }

// SameWords reports documents with the same tokens in the same order, of which the fingerprint of
// all of them tells. Documents without tokens, and merged sketches, tell nothing.
func (s *Sketch) SameWords(other *Sketch) bool {
	return s.Lexical != 0 && s.Lexical == other.Lexical && s.Tokens == other.Tokens
}
