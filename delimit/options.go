package delimit

import (
	"cmp"
	"fmt"
	"runtime"

	"watershed/sitemap"
)

// The constants of the method.
const (
	// navigation is the part of a directory's pages that lead to one page beside it, so that both
	// are one site.
	navigation = 0.5
	// likeness is the part of the pages of the larger of two directories that have a namesake in
	// the other, so that both are versions or languages of one work.
	likeness = 0.5
	// merge is the part of a site's pages that the boundary of another takes in, so that both are
	// one.
	merge = 0.5
)

// Options say what is asked of the method. The zero value of each means the default that its comment
// gives.
type Options struct {
	// MinPages is the least number of pages of a site; a site with fewer is a rest. Default 5.
	MinPages int
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
	if o.MinPages < 1 || o.MinPages > 1e6 {
		return fmt.Errorf("delimit option MinPages is %d: want 1 to 1000000", o.MinPages)
	}
	if o.Workers < 1 || o.Workers > 1e4 {
		return fmt.Errorf("delimit option Workers is %d: want 1 to 10000", o.Workers)
	}
	return o.Survey.Validate()
}

func (o Options) withDefaults() Options {
	o.MinPages = cmp.Or(o.MinPages, 5)
	o.Survey.Growth = cmp.Or(o.Survey.Growth, -1)
	o.Survey.Lean = cmp.Or(o.Survey.Lean, -1)
	o.Survey.ListSample = cmp.Or(o.Survey.ListSample, -1)
	o.Workers = cmp.Or(o.Workers, runtime.GOMAXPROCS(0))
	return o
}
