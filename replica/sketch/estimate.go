package sketch

import (
	"fmt"
	"math"
	"slices"
)

// leastSample is the number of features that an estimate must rest on to be sufficient: the
// standard error is then at most 1/8.
const leastSample = 16

// Estimate is a ratio of two sets, told from samples of them.
type Estimate struct {
	// Value is the share found in the sample, 0 to 1; 0 when there is no sample.
	Value float64

	// Error is its standard error, 0 when exact: √(v(1-v)/n), less what is due to the sample being
	// a good part of the whole.
	Error float64

	// Low and High are the ends of a confidence interval of 95%. They are of use also where Value
	// is 0 or 1, and Error therefore 0. Source: Wilson, Probable Inference, the Law of Succession,
	// and Statistical Inference, 1927.
	Low, High float64

	Common int  // features of the sample that both have
	Sample int  // features that the estimate rests on
	Exact  bool // both sets are known whole
}

// Sufficient says that the estimate is exact, or rests on at least leastSample features.
func (e Estimate) Sufficient() bool { return e.Exact && e.Sample > 0 || e.Sample >= leastSample }

// z is the normal deviate of a two-sided interval of 95%.
const z = 1.959964

// EstimateOf tells a share, common of sample features. The whole is about how many features the
// sample stands for; exact says that it is all of them.
func EstimateOf(common, sample int, whole float64, exact bool) Estimate {
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

// compare counts the values of two sketches in the range that both know.
func compare(a, b *Sketch) (overlap, error) {
	o, x, y, err := bothKnow(a, b)
	o.common = common(x, y)
	return o, err
}

// bothKnow are the values of two sketches that can be compared: up to the lesser of their limits.
// Features at the limit itself are left out: it was set by one of them.
func bothKnow(a, b *Sketch) (o overlap, x, y []uint64, err error) {
	if a.Scheme.Bits == 0 || a.Scheme.comparable() != b.Scheme.comparable() {
		return o, nil, nil, fmt.Errorf("compare %v and %v: %w", a.Scheme, b.Scheme, ErrIncomparable)
	}
	x, y, o.part, o.exact = a.Values, b.Values, 1, true
	if a.Cut || b.Cut {
		limit := min(a.Limit(), b.Limit())
		x, y, o.exact = below(x, limit), below(y, limit), false
		o.part = float64(limit) / float64(fieldOf(int(a.Scheme.Bits)).top())
	}
	o.a, o.b = len(x), len(y)
	return o, x, y, nil
}

// below is the part of an ascending list below a limit.
func below(list []uint64, limit uint64) []uint64 {
	n, _ := slices.BinarySearch(list, limit)
	return list[:n]
}

// common counts what two ascending lists of distinct numbers have in common.
func common(a, b []uint64) int {
	_, _, n := meet(a, b, len(a)+len(b))
	return n
}

// meet goes through two ascending lists of distinct numbers side by side, in at most steps steps;
// it tells how far it came in each, and how many numbers were in both. It compares two numbers
// without a branch: samples of unlike documents are as good as random, so the processor would guess
// a branch wrong every other time.
func meet(a, b []uint64, steps int) (i, j, both int) {
	for ; steps > 0 && i < len(a) && j < len(b); steps-- {
		x, y := a[i], b[j]
		i += one(x <= y)
		j += one(y <= x)
		both += one(x == y)
	}
	return i, j, both
}

// one is 1 for true; the compiler makes no branch of it.
func one(is bool) int {
	n := 0
	if is {
		n = 1
	}
	return n
}

// Resemblance estimates |A∩B|/|A∪B| by the same ratio over all features below the lesser of the two
// limits. That rests on up to twice as many features as the paper's estimator for MIN_s, and its
// bias is less than 1/(4s). A document without features resembles nothing: the estimate has no
// sample. Source: Broder et al., 1997, section 3, theorem; Cohen, Kaplan, Leveraging Discarded
// Samples for Tighter Estimation of Multiple-Set Aggregates, 2009. Time O(len(values)).
//
// The error is ErrIncomparable when the two were made in different ways.
func Resemblance(a, b *Sketch) (Estimate, error) {
	o, err := compare(a, b)
	if err != nil {
		return Estimate{}, err
	}
	n := o.a + o.b - o.common
	return EstimateOf(o.common, n, float64(n)/max(o.part, math.SmallestNonzeroFloat64), o.exact), nil
}

// Reaches reports that the Value of Resemblance is at least so much. It looks no further than it
// needs to: unlike documents cost a third. Sketches that cannot be compared reach nothing but 0.
func Reaches(a, b *Sketch, least float64) bool {
	_, x, y, err := bothKnow(a, b)
	if err != nil || len(x)+len(y) == 0 {
		return 0 >= least
	}
	const stride = 32 // values, between two looks at what can still be
	either := len(x) + len(y)
	n := 0
	for {
		i, j, k := meet(x, y, stride)
		n, x, y = n+k, x[i:], y[j:]
		most := n + min(len(x), len(y))
		if len(x) == 0 || len(y) == 0 || float64(most)/float64(either-most) < least {
			return float64(most)/float64(either-most) >= least
		}
	}
}
