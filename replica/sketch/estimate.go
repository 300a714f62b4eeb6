package sketch

import (
	"fmt"
	"math"
)

// LeastSample is the number of features that an estimate must rest on to be sufficient: the standard error is then at most 1/8.
const LeastSample = 16

// Estimate is a ratio of two sets, told from samples of them.
type Estimate struct {
	// Value is the share found in the sample, 0 to 1; 0 when there is no sample.
	Value float64

	// Error is its standard error, 0 when exact: √(v(1-v)/n), less what is due to the sample being a good part of the whole.
	Error float64

	// Low and High are the ends of a confidence interval of 95%. They are of use also where Value is 0 or 1, and Error therefore
	// 0. Source: Wilson, Probable Inference, the Law of Succession, and Statistical Inference, 1927.
	Low, High float64

	Common int  // features of the sample that both have
	Sample int  // features that the estimate rests on
	Exact  bool // both sets are known whole
}

// Verdict is an answer to whether a ratio reaches a threshold.
type Verdict uint8

// The verdicts.
const (
	Insufficient Verdict = iota // the sample is too small to say
	Below
	Reached
)

// String is the verdict in words.
func (v Verdict) String() string {
	switch v {
	case Below:
		return "below"
	case Reached:
		return "reached"
	}
	return "insufficient sample"
}

// Sufficient says that the estimate is exact, or rests on at least LeastSample features.
func (e Estimate) Sufficient() bool { return e.Exact && e.Sample > 0 || e.Sample >= LeastSample }

// Verdict says whether the ratio reaches the threshold; Insufficient when the sample is too small, unless even the far end of the
// confidence interval is below.
func (e Estimate) Verdict(threshold float64) Verdict {
	switch {
	case e.Sufficient() && e.Value >= threshold:
		return Reached
	case e.Sufficient() || e.Sample > 0 && e.High < threshold:
		return Below
	}
	return Insufficient
}

// z is the normal deviate of a two-sided interval of 95%.
const z = 1.959964

// newEstimate is the share of a sample in a whole of about that many.
func newEstimate(common, sample int, whole float64, exact bool) Estimate {
	e := Estimate{Common: common, Sample: sample, Exact: exact, High: 1}
	if sample == 0 {
		return e
	}
	n, p := float64(sample), float64(common)/float64(sample)
	e.Value = p
	if exact {
		e.Low, e.High = p, p
		return e
	}
	finite := 1.0 // correction for sampling without replacement
	if whole > 1 {
		finite = max(0, min(1, (whole-n)/(whole-1)))
	}
	e.Error = math.Sqrt(p * (1 - p) / n * finite)
	mid := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	e.Low, e.High = max(0, mid-half), min(1, mid+half)
	return e
}

// overlap is what two sketches say of each other in the range that both know.
type overlap struct {
	a, b, common int     // values of each, and of both, in that range
	part         float64 // the part of all features that the range holds
	exact        bool
}

func (o overlap) union() int { return o.a + o.b - o.common }

// count takes a value that one or both have.
func (o *overlap) count(inA, inB bool) {
	if inA {
		o.a++
	}
	if inB {
		o.b++
	}
	if inA && inB {
		o.common++
	}
}

// compare counts the values of two sketches, by the modulus of the longer document and up to the lesser of their limits. Features
// at the limit itself are left out: it was set by one of them.
func compare(a, b *Sketch) (overlap, error) {
	var o overlap
	if a.Modulus == 0 || b.Modulus == 0 || a.Scheme.comparable() != b.Scheme.comparable() {
		return o, fmt.Errorf("compare %v and %v: %w", a.Scheme, b.Scheme, ErrIncomparable)
	}
	x, y := a.Values, b.Values
	m := max(a.Modulus, b.Modulus)
	if len(a.Least) > 0 && len(b.Least) > 0 { // both moduli selected next to nothing
		return compareLeast(a, b), nil
	}
	top := fieldOf(int(a.Scheme.Bits)).top()
	limit := top
	cut := a.Cut || b.Cut
	if cut {
		limit = min(a.Limit(), b.Limit())
	}
	o.exact = !cut && m == 1
	o.part = float64(limit) / float64(top) / float64(m)
	union(x, y, func(v uint64, inA, inB bool) bool {
		if cut && v >= limit {
			return false
		}
		if m > 1 && v%m != 0 {
			return true
		}
		o.count(inA, inB)
		return true
	})
	return o, nil
}

// compareLeast compares by the smallest fingerprints: MIN_s in place of MOD_m.
func compareLeast(a, b *Sketch) overlap {
	exact := len(a.Least) < enough && len(b.Least) < enough // sets of so few are known whole
	limit := ^uint64(0)
	for _, s := range []*Sketch{a, b} {
		if len(s.Least) == enough {
			limit = min(limit, s.Least[enough-1])
		}
	}
	o := overlap{exact: exact, part: 1}
	union(a.Least, b.Least, func(v uint64, inA, inB bool) bool {
		if v >= limit && !exact {
			return false
		}
		o.count(inA, inB)
		return true
	})
	if !exact {
		o.part = float64(limit) / float64(fieldOf(int(a.Scheme.Bits)).top())
	}
	return o
}

// Resemblance estimates |A∩B|/|A∪B|: of Mod and ModSize sketches by |V(A)∩V(B)|/|V(A)∪V(B)| at the longer document's modulus,
// which is unbiased; of Min sketches by the same ratio over all features below the lesser of the two limits. That rests on up to
// twice as many features as the paper's estimator for MIN_s, which is MinResemblance, and its bias is less than 1/(4s). A
// document without features resembles nothing: the estimate has no sample. Source: Broder et al., 1997, section 3, theorem;
// Cohen, Kaplan, Leveraging Discarded Samples for Tighter Estimation of Multiple-Set Aggregates, 2009. Time O(len(values)).
//
// The error is ErrIncomparable when the two were made in different ways.
func Resemblance(a, b *Sketch) (Estimate, error) {
	o, err := compare(a, b)
	if err != nil {
		return Estimate{}, err
	}
	n := o.union()
	return newEstimate(o.common, n, float64(n)/max(o.part, math.SmallestNonzeroFloat64), o.exact), nil
}

// MinResemblance is the estimator that the paper's theorem gives for MIN_s: the share of common ones among the s smallest of the
// union. It is unbiased. Of other selections it is Resemblance.
func MinResemblance(a, b *Sketch) (Estimate, error) {
	if a.Scheme.Selection != Min || b.Scheme.Selection != Min {
		return Resemblance(a, b)
	}
	if a.Modulus == 0 || b.Modulus == 0 || a.Scheme.comparable() != b.Scheme.comparable() {
		return Estimate{}, fmt.Errorf("compare %v and %v: %w", a.Scheme, b.Scheme, ErrIncomparable)
	}
	s := int(min(a.Scheme.Size, b.Scheme.Size))
	n, common := 0, 0
	last := uint64(0)
	union(a.Values, b.Values, func(v uint64, inA, inB bool) bool {
		if n == s {
			return false
		}
		n, last = n+1, v
		if inA && inB {
			common++
		}
		return true
	})
	exact := !a.Cut && !b.Cut
	whole := float64(n)
	if !exact && last > 0 {
		whole = float64(n) / (float64(last) / float64(fieldOf(int(a.Scheme.Bits)).top()))
	}
	return newEstimate(common, n, whole, exact), nil
}

// Containment estimates |A∩B|/|A|, the part of a that is in b: |V(A)∩V(B)|/|V(A)| over the range that both sketches know. Where a
// is short and b long, few of a's features are in that range, and the estimate is insufficient: see Verdict. Source: Broder et
// al., 1997, section 3. Errors as in Resemblance.
func Containment(a, b *Sketch) (Estimate, error) {
	o, err := compare(a, b)
	if err != nil {
		return Estimate{}, err
	}
	return newEstimate(o.common, o.a, float64(o.a)/max(o.part, math.SmallestNonzeroFloat64), o.exact), nil
}

// Distance is 1 less the resemblance of two sets, given as ascending distinct numbers: a metric. Two empty sets are at distance 0.
func Distance(a, b []uint64) float64 {
	both, either := 0, 0
	union(a, b, func(_ uint64, inA, inB bool) bool {
		either++
		if inA && inB {
			both++
		}
		return true
	})
	if either == 0 {
		return 0
	}
	return 1 - float64(both)/float64(either)
}
