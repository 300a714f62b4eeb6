package delimit

import (
	"fmt"
	"runtime"

	"watershed/sitemap"
)

// Options are the constants of the method. The zero value of each means the default that its
// comment gives.
type Options struct {
	// MinPages is the least number of pages of a site; a site with fewer is a rest. Default 5.
	MinPages int
	// Navigation is the part of a directory's pages that lead to one page beside it, so that both
	// are one site. Default 0.5.
	Navigation float64
	// Likeness is the part of the pages of the larger of two directories that have a namesake in
	// the other, so that both are versions or languages of one work. Default 0.5.
	Likeness float64
	// Merge is the part of a site's pages that the boundary of another takes in, so that both are
	// one. Default 0.5.
	Merge float64

	// Survey are the constants by which boundaries are drawn. Its Growth is negative by default:
	// all answers are there at once, so that epochs while some are open would only cost. Its Lean
	// is negative, too: the prefix of a site was settled with its roots. So is its ListSample: each
	// captured page has a root, whether a page links to it or not.
	Survey sitemap.Options
	// Workers is how many boundaries are drawn at a time. The result does not depend on it.
	// Default: one a processor.
	Workers int
}

// Validate reports a value outside its range.
func (o Options) Validate() error {
	o = o.withDefaults()
	for _, c := range []struct {
		name      string
		v, lo, hi float64
	}{
		{"MinPages", float64(o.MinPages), 1, 1e6},
		{"Navigation", o.Navigation, 0.01, 1},
		{"Likeness", o.Likeness, 0.01, 1},
		{"Merge", o.Merge, 0.01, 1},
		{"Workers", float64(o.Workers), 1, 1e4},
	} {
		if !(c.v >= c.lo && c.v <= c.hi) {
			return fmt.Errorf("delimit option %s is %v: want %v to %v", c.name, c.v, c.lo, c.hi)
		}
	}
	return o.Survey.Validate()
}

func (o Options) withDefaults() Options {
	for _, d := range []struct {
		v       *float64
		instead float64
	}{{&o.Navigation, 0.5}, {&o.Likeness, 0.5}, {&o.Merge, 0.5}} {
		if *d.v == 0 {
			*d.v = d.instead
		}
	}
	if o.MinPages == 0 {
		o.MinPages = 5
	}
	if o.Survey.Growth == 0 {
		o.Survey.Growth = -1
	}
	if o.Survey.Lean == 0 {
		o.Survey.Lean = -1
	}
	if o.Survey.ListSample == 0 {
		o.Survey.ListSample = -1
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	return o
}
