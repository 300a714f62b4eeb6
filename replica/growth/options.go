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
	Largest     int     // pages above which a place is not measured: 1000
	Most        int     // pages that are taken in: 200,000, which take some 300 MB
}

func (o Options) withDefaults() Options {
	o.Pages, o.Common = cmp.Or(o.Pages, 10), cmp.Or(o.Common, 100)
	o.Largest, o.Most = cmp.Or(o.Largest, 1000), cmp.Or(o.Most, 200_000)
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
	if min(o.Pages, o.Common, o.Largest, o.Most) < 0 {
		return fmt.Errorf("growth: %+v: a count is negative", o)
	}
	return nil
}
