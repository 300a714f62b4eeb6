package sketchbench

import (
	"math"

	"watershed/replica/sketch"
)

// MinResemblance is the estimator that the theorem of Broder and others (Syntactic Clustering of
// the Web, 1997, section 3) gives for MIN_s: the share of common ones among the s smallest of the
// union. It is unbiased.
func MinResemblance(a, b *sketch.Sketch) (sketch.Estimate, error) {
	e, err := sketch.Resemblance(a, b)
	if err != nil {
		return e, err
	}
	s := int(min(a.Scheme.Size, b.Scheme.Size))
	n, common, last := 0, 0, uint64(0)
	for x, y := a.Values, b.Values; n < s && len(x)+len(y) > 0; n++ {
		switch {
		case len(y) == 0 || len(x) > 0 && x[0] < y[0]:
			last, x = x[0], x[1:]
		case len(x) == 0 || y[0] < x[0]:
			last, y = y[0], y[1:]
		default:
			last, x, y, common = x[0], x[1:], y[1:], common+1
		}
	}
	exact, whole := !a.Cut && !b.Cut, float64(n)
	if !exact && last > 0 {
		whole *= math.Exp2(float64(a.Scheme.Bits)) / float64(last)
	}
	return sketch.EstimateOf(common, n, whole, exact), nil
}
