package prove

import (
	"cmp"
	"fmt"
)

// Options say how pairs are tested. The zero value has the documented defaults, which are the
// papers' but for Criteria.
type Options struct {
	// Method is the test: Classify, the default, or Mirroring.
	Method Method
	// Criteria say how Classify comes from outcomes to a level: Shares, the default, or Printed.
	Criteria Criteria

	// Paths is how many paths are drawn of each name, at equal intervals of its sorted list.
	// Default 15 (Bharat, Broder, Dean, Henzinger 2000, section 4.1.1).
	Paths int
	// Tests is how many of them, besides the root, Classify tests. Default 9, which makes 19 tests
	// of a pair (Bharat, Broder 1999, section 3.2).
	Tests int
	// Seed permutes them. Equal seeds permute equally.
	Seed uint64

	// Similar is the resemblance from which on two pages are highly similar. Default 0.5 (both
	// papers).
	Similar float64
	// Full is the estimated resemblance from which on they are equivalent. Default 1 (1999, section
	// 3.2).
	Full float64
	// Trace is the resemblance above which they are related. Default 0 (1999, section 3.2).
	Trace float64

	// Agree is how many similar paths Mirroring takes for a mirror, the root not counted. Default
	// 10 (2000, section 4.1.1).
	Agree int
	// Least, where it is positive, has Mirroring take a pair whose lists end before Agree for a
	// mirror if all that could be tested agree and these are as many. By default such a pair is
	// undetermined: the paper does not tell of them.
	Least int
	// Several is how many pages of one name must be out of reach for it to count as down. Default
	// 3: the paper says "several".
	Several int

	// Partial is how many pages besides the root must be highly similar for Shares to see a partial
	// mirror. Default 3.
	Partial int
	// Structure is the part of the tests for which Shares asks where the paper asks for all.
	// Default 0.9.
	Structure float64

	// Glance is how many paths of each name Shares tests before the others: where not one page of
	// these shows a trace of similarity, the pair is a mismatch, and the others are not asked for.
	// Default 5; negative asks for all. A replica of which the other side holds a third is passed
	// over so once in sixty times, and never where the replica is held whole.
	Glance int

	// Hops is how many redirects are followed. Default 5.
	Hops int
	// Window bounds the pairs that are looked at at once. Default 1000.
	Window int
	// Separate tests every pair, and infers nothing.
	Separate bool
}

// Method is a way to test a pair.
type Method uint8

// The methods.
const (
	// Classify tests the root and Options.Tests paths of each name, and gives a level (Bharat,
	// Broder, Mirror, Mirror on the Web, 1999, section 3.2).
	Classify Method = iota
	// Mirroring tests path after path until it is sure that the pair mirrors or not (Bharat,
	// Broder, Dean, Henzinger, A Comparison of Techniques to Find Mirrored Hosts, 2000, section
	// 4.1.1).
	Mirroring
)

// Criteria are ways to come from the outcomes of tests to a level.
type Criteria uint8

// The criteria; see Tally.Class.
const (
	Shares  Criteria = iota // by the part of the paths that are valid and the mean resemblance of the pages
	Printed                 // by the table of 1999, to the letter: one test decides
)

// WithDefaults gives the options with the defaults filled in.
func (o Options) WithDefaults() Options {
	o.Paths, o.Tests = cmp.Or(o.Paths, 15), cmp.Or(o.Tests, 9)
	o.Similar, o.Full = cmp.Or(o.Similar, .5), cmp.Or(o.Full, 1)
	o.Agree, o.Several = cmp.Or(o.Agree, 10), cmp.Or(o.Several, 3)
	o.Partial, o.Structure = cmp.Or(o.Partial, 3), cmp.Or(o.Structure, wholeShare)
	o.Hops, o.Window = cmp.Or(o.Hops, 5), cmp.Or(o.Window, 1000)
	o.Glance = max(cmp.Or(o.Glance, 5), 0)
	return o
}

// Validate reports a value outside its range.
func (o Options) Validate() error {
	if o.Method > Mirroring || o.Criteria > Printed {
		return fmt.Errorf("prove: method %d or criteria %d is unknown", o.Method, o.Criteria)
	}
	for _, share := range []float64{o.Similar, o.Full, o.Trace, o.Structure} {
		if !(share >= 0 && share <= 1) {
			return fmt.Errorf("prove: a share of %g is not between 0 and 1", share)
		}
	}
	for _, n := range []int{o.Paths, o.Tests, o.Agree, o.Least, o.Several, o.Partial, o.Hops, o.Window} {
		if n < 0 {
			return fmt.Errorf("prove: a count of %d is negative", n)
		}
	}
	if o = o.WithDefaults(); o.Trace > o.Similar || o.Similar > o.Full {
		return fmt.Errorf("prove: trace %g, similar %g and full %g do not ascend", o.Trace, o.Similar, o.Full)
	}
	return nil
}
