package sketch

import (
	"cmp"
	"fmt"
)

// Limits of what can be asked for.
const (
	maxWidth  = 255     // of Options.Width
	MaxValues = 1 << 16 // of Options.Size, and most fingerprints that any sketch holds
)

// Options say how sketches are made. The zero value is the default, told with each field. Sketches
// can be compared when they agree in all but Size.
type Options struct {
	// Width is w, the number of tokens in a shingle. Default 10. Source: Broder et al., 1997,
	// section 7.
	Width int `json:"width,omitempty"`

	// Bits is the width of a fingerprint: 40, the default and the paper's, or 64 for collections of
	// more than 10^9 shingles.
	Bits int `json:"bits,omitempty"`

	// Size is how many of the smallest fingerprints are kept, s of the paper's MIN_s. A set of no
	// more than Size is held whole, and every answer about two such sets is exact. Default 128,
	// which makes 640 bytes of 40-bit fingerprints and a standard error of at most .044. Broder,
	// Bharat and others (A Comparison of Techniques to Find Mirrored Hosts, section 4.1.3) used
	// sketches of 300 to 800 bytes.
	Size int `json:"size,omitempty"`

	// Salt, if not zero, selects other features than everybody's sketches do, by a permutation that
	// only who knows it can foresee: for those who look for texts that were altered just so much
	// that the usual sketch does not show it. Source: Broder et al., 1997, section 6.6. It is kept
	// apart from the sketch, which has a fingerprint of it.
	Salt uint64 `json:"salt,omitempty"`

	// NoSuper leaves out the super shingles: no sketch has them.
	NoSuper bool `json:"no_super,omitempty"`
}

// Validate reports the first field that has no meaning.
func (o Options) Validate() error {
	o = o.withDefaults()
	switch {
	case o.Width < 1 || o.Width > maxWidth:
		return fmt.Errorf("width %d: must be 1 to %d", o.Width, maxWidth)
	case o.Bits != 40 && o.Bits != 64:
		return fmt.Errorf("bits %d: must be 40 or 64", o.Bits)
	case o.Size < 2 || o.Size > MaxValues:
		return fmt.Errorf("size %d: must be 2 to %d", o.Size, MaxValues)
	}
	return nil
}

func (o Options) withDefaults() Options {
	o.Width, o.Bits, o.Size = cmp.Or(o.Width, 10), cmp.Or(o.Bits, 40), cmp.Or(o.Size, 128)
	return o
}
