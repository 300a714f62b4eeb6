package rankings

import (
	"cmp"
	"math"
	"strings"

	"watershed/replica/mirror"
)

// FitOptions are those of Fit. The zero value means the defaults.
type FitOptions struct {
	// penalty of half the square of each weight but the bias, for each unit of sample weight: 1e-7,
	// for mirrors are one candidate of some thousands
	Ridge float64
	Steps int // most steps: 60
}

// Fit finds the weights that make samples likeliest, by Newton's method with a quadratic model
// solved coordinate by coordinate (Friedman, Hastie, Tibshirani, Regularization paths for
// generalized linear models via coordinate descent, 2010, section 3), within bounds: weights of
// evidence for a pair are at least 0, of evidence against at most 0. A step that does not lessen
// the loss is halved. Cost O(Steps × samples × features²). The same samples give the same weights.
func Fit(samples []Sample, o FitOptions) mirror.Weights {
	o.Ridge, o.Steps = cmp.Or(o.Ridge, 1e-7), cmp.Or(o.Steps, 60)
	var w mirror.Weights
	if len(samples) == 0 {
		return w
	}
	loss := lossOf(samples, &w, o.Ridge)
	for range o.Steps {
		g, h := curvature(samples, &w, o.Ridge)
		d := direction(&w, &g, &h)
		next, size := w, 1.0
		better := loss
		for ; size > 1e-4; size /= 2 {
			for i := range w {
				next[i] = w[i] + size*d[i]
			}
			if better = lossOf(samples, &next, o.Ridge); better < loss {
				break
			}
		}
		if loss-better < 1e-10 {
			break
		}
		w, loss = next, better
	}
	return w
}

func penalty(w *mirror.Weights, ridge float64) (sum float64) {
	for _, x := range w[1:] {
		sum += ridge * x * x / 2
	}
	return sum
}

// lossOf is the mean logarithmic loss, with the penalty.
func lossOf(samples []Sample, w *mirror.Weights, ridge float64) float64 {
	var sum, weight float64
	for i := range samples {
		s := &samples[i]
		x := w.Logit(&s.Features)
		if s.Mirrors {
			x = -x
		}
		sum += s.Weight * (max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))))
		weight += s.Weight
	}
	return sum/weight + penalty(w, ridge)
}

// matrix is symmetric; what lies below the diagonal is filled in.
type matrix [len(mirror.Features{})]mirror.Features

// curvature is the gradient of the loss and its second derivatives.
func curvature(samples []Sample, w *mirror.Weights, ridge float64) (g mirror.Weights, h matrix) {
	var weight float64
	for i := range samples {
		s := &samples[i]
		p := w.Probability(&s.Features)
		err, bend := p, s.Weight*p*(1-p)
		if s.Mirrors {
			err--
		}
		weight += s.Weight
		err *= s.Weight
		for j, x := range s.Features {
			if x == 0 {
				continue
			}
			g[j] += err * x
			for k := j; k < len(s.Features); k++ {
				h[j][k] += bend * x * s.Features[k]
			}
		}
	}
	for j := range g {
		g[j] /= weight
		for k := j; k < len(g); k++ {
			h[j][k] /= weight
			h[k][j] = h[j][k]
		}
		if j > 0 {
			g[j] += ridge * w[j]
			h[j][j] += ridge
		}
		h[j][j] += 1e-9
	}
	return g, h
}

// direction minimises the quadratic model within the bounds.
func direction(w, g *mirror.Weights, h *matrix) (d mirror.Weights) {
	for range 500 {
		change := 0.0
		for i := range d {
			slope := g[i]
			for j, x := range d {
				slope += h[i][j] * x
			}
			next := bound(i, w[i]+d[i]-slope/h[i][i]) - w[i]
			change = max(change, math.Abs(next-d[i]))
			d[i] = next
		}
		if change < 1e-8 {
			break
		}
	}
	return d
}

// bound keeps the weight of a feature on its side: evidence for a pair never lowers its
// probability, evidence against never raises it. The bias, and what says that nothing is known, may
// do either.
func bound(i int, weight float64) float64 {
	switch name := mirror.FeatureName(i); {
	case name == "links.against" || name == "content.against":
		return min(0, weight)
	case name != "bias" && !strings.HasPrefix(name, "no."):
		return max(0, weight)
	}
	return weight
}
