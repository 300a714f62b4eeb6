package growth

import (
	"cmp"
	"fmt"
)

// Options say what is a copy. The zero value has the documented defaults.
type Options struct {
	Pages       int     // pages of a copy that must have a twin: 10
	Containment float64 // .9
	Purity      float64 // .9
	Shape       float64 // .5; links to what a copy has for itself differ
	Similar     float64 // resemblance from which on pages are similar: .8
	Common      int     // pages above which a shingle says nothing: 100
}

func (o Options) withDefaults() Options {
	o.Pages, o.Common = cmp.Or(o.Pages, 10), cmp.Or(o.Common, 100)
	o.Containment, o.Purity = cmp.Or(o.Containment, .9), cmp.Or(o.Purity, .9)
	o.Shape, o.Similar = cmp.Or(o.Shape, .5), cmp.Or(o.Similar, .8)
	return o
}

// Validate tells what is out of range.
func (o Options) Validate() error {
	for _, x := range []float64{o.Containment, o.Purity, o.Shape, o.Similar} {
		if !(x >= 0 && x <= 1) {
			return fmt.Errorf("growth: a share of %g is not between 0 and 1", x)
		}
	}
	if o.Pages < 0 || o.Common < 0 {
		return fmt.Errorf("growth: %d pages, %d in common: a count is negative", o.Pages, o.Common)
	}
	return nil
}
