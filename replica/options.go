package replica

import (
	"slices"
	"time"
)

// Options say which replicas a harvest leaves out by the table, and how it tests them by sample.
// The zero value has the documented defaults; a negative number means none.
type Options struct {
	// Skip are the levels whose replicas are left out, 0 standing for those without a level
	// (replicated collections). Default 0, 1, 2, 3 and 4; empty and not nil for none.
	Skip []int
	// Sample is the part of each replica's known pages that a harvest fetches nevertheless, to
	// compare them. Default 0.01.
	Sample float64
	// MinSample is the least number of them, if there are as many. Default 3.
	MinSample int
	// Expire is how long an entry holds without a test or sample that agrees. Default 365 days.
	Expire time.Duration
}

// Defaults of Options.
const (
	defaultSample    = 0.01
	DefaultMinSample = 3
	defaultExpire    = 365 * 24 * time.Hour
)

// WithDefaults gives the options with the defaults filled in.
func (o Options) WithDefaults() Options {
	if o.Skip == nil {
		o.Skip = []int{0, 1, 2, 3, 4}
	}
	o.Skip = slices.Clone(o.Skip)
	o.Sample = orDefault(o.Sample, defaultSample)
	o.MinSample = orDefault(o.MinSample, DefaultMinSample)
	o.Expire = orDefault(o.Expire, defaultExpire)
	return o
}

// orDefault gives the default for 0. A value below 0 stays, so that filling in twice is the same as
// once.
func orDefault[T int | float64 | time.Duration](v, d T) T {
	if v == 0 {
		return d
	}
	return v
}
