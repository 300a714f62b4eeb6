package mirror

import "math"

// FitOptions are those of Fit. The zero value means the defaults.
type FitOptions struct {
	Ridge float64 // penalty of the square of each weight but the bias, for each sample: 1e-5
	Steps int     // most steps: 3000
}

// Fit finds weights that make samples likeliest, by accelerated projected gradients (Beck, Teboulle, A fast iterative
// shrinkage-thresholding algorithm, 2009, with a constant step): weights of evidence for a pair are at least 0, of evidence
// against at most 0. Cost O(Steps × samples × features). The same samples give the same weights.
func Fit(samples []Sample, o FitOptions) Weights {
	or(&o.Ridge, 1e-5)
	or(&o.Steps, 3000)
	var w, last Weights
	if len(samples) == 0 {
		return w
	}
	step := 1 / (lipschitz(samples) + o.Ridge)
	at, momentum := w, 1.0
	for range o.Steps {
		g := gradient(samples, &at, o.Ridge)
		last, w = w, at
		change := 0.0
		for i := range w {
			w[i] -= step * g[i]
			switch s := feature(i).sign(); {
			case s > 0:
				w[i] = max(0, w[i])
			case s < 0:
				w[i] = min(0, w[i])
			}
			change = max(change, math.Abs(w[i]-last[i]))
		}
		next := (1 + math.Sqrt(1+4*momentum*momentum)) / 2
		for i := range at {
			at[i] = w[i] + (momentum-1)/next*(w[i]-last[i])
		}
		momentum = next
		if change < 1e-7 {
			break
		}
	}
	return w
}

// lipschitz bounds the curvature of the loss: a quarter of the mean square of a sample's length.
func lipschitz(samples []Sample) float64 {
	var sum, weight float64
	for i := range samples {
		weight += samples[i].Weight
		for _, x := range samples[i].Features {
			sum += samples[i].Weight * x * x
		}
	}
	return sum / 4 / weight
}

// gradient is that of the mean logarithmic loss, with the penalty.
func gradient(samples []Sample, w *Weights, ridge float64) (g Weights) {
	var weight float64
	for i := range samples {
		s := &samples[i]
		err := w.Probability(&s.Features)
		if s.Mirrors {
			err--
		}
		weight += s.Weight
		err *= s.Weight
		for j, x := range s.Features {
			g[j] += err * x
		}
	}
	for j := range g {
		g[j] /= weight
		if feature(j) != bias {
			g[j] += ridge * w[j]
		}
	}
	return g
}
