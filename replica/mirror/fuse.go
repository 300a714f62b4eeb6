package mirror

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// Weights are those of a logistic model: the probability that a pair are mirrors is 1 / (1 +
// e^(−w·f)).
type Weights [features]float64

// Logit is the logarithm of the odds of features.
func (w *Weights) Logit(f *Features) (sum float64) {
	for i, x := range f {
		sum += w[i] * x
	}
	return sum
}

// Probability is what the model says of features.
func (w *Weights) Probability(f *Features) float64 { return 1 / (1 + math.Exp(-w.Logit(f))) }

// fuse makes the two fused rankings of all pairs that a single ranking found.
func (e *engine) fuse() {
	x := e.index()
	top, all := newBest(e), newBest(e)
	w := e.o.weights()
	for _, key := range e.candidates() {
		a, b := unpair(key)
		f := e.features(x, key, false)
		top.add(Pair{a, b, w.Probability(&f)}, rawSum{})
		f = e.features(x, key, true)
		all.add(Pair{a, b, w.Probability(&f)}, rawSum{})
	}
	e.pairs[TopDown], _ = top.finish()
	e.pairs[Fused], _ = all.finish()
}

// candidates are the pairs of all rankings and all evidence, each once, in order.
func (e *engine) candidates() []uint64 {
	var keys []uint64
	for _, pairs := range e.pairs[:Combined] {
		for _, p := range pairs {
			keys = append(keys, p.key())
		}
	}
	for _, m := range []Method{Content, Declared} {
		for _, p := range e.pairs[m] {
			keys = append(keys, p.key())
		}
	}
	keys = slices.AppendSeq(keys, maps.Keys(e.below.collections))
	slices.Sort(keys)
	return slices.Compact(keys)
}

// Evidence is a feature of a pair, and what it adds to the logarithm of the odds.
type Evidence struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Adds  float64 `json:"adds"`
}

// Explain tells what the fused ranking knows of two hosts, what weighs most first. Features of
// value 0 are left out. Not safe for concurrent use.
func (r *Result) Explain(p Pair) []Evidence {
	if r.e.explain == nil {
		r.e.explain = r.e.index()
	}
	f := r.e.features(r.e.explain, p.key(), true)
	w := r.e.o.weights()
	var list []Evidence
	for i, x := range f {
		if x != 0 {
			list = append(list, Evidence{FeatureName(i), x, w[i] * x})
		}
	}
	slices.SortStableFunc(list, func(a, b Evidence) int {
		return cmp.Compare(math.Abs(b.Adds), math.Abs(a.Adds))
	})
	return list
}

// compared is Result.Compared.
func (e *engine) compared(yield func(Pair, Features) bool) {
	x := e.index()
	for _, key := range e.candidates() {
		a, b := unpair(key)
		if !yield(Pair{A: a, B: b}, e.features(x, key, true)) {
			return
		}
	}
}
