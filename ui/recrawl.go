package ui

import (
	"cmp"
	"math"
	"path/filepath"
	"slices"
	"time"

	"watershed/drift"
	"watershed/harvest"
	"watershed/internal/disk"
)

// recrawl is what a recrawl was expected to cost and what it cost, and how often pages change over
// all runs.
type recrawl struct {
	Forecast *harvest.Forecast `json:"forecast,omitempty"` // told when the run began
	Outcome  *harvest.Outcome  `json:"outcome,omitempty"`  // told when it had ended; without the forecast
	// the two hundred groups that are to be visited again first
	Rates     []RateRow `json:"rates"`
	RateCount int       `json:"rateCount"`
}

// RateRow is how often the pages of a group change, and when to visit them again.
type RateRow struct {
	drift.Rate
	PerDay *float64 `json:"perDay,omitempty"` // drift.Rate.PerDay; nil where it is not known
	Low    *float64 `json:"low,omitempty"`
	High   *float64 `json:"high,omitempty"` // nil where there is no bound too
	// days after a visit at which a page has changed with probability nextShare
	After float64    `json:"after,omitempty"`
	Next  *time.Time `json:"next,omitempty"` // After the run, where it is the last
}

// nextShare is the share of pages that may have changed before the next visit, as watershed forecast
// has it.
const nextShare = .1

// rateRows is how many groups the page has.
const rateRows = 200

// readRecrawl reads the files of the run that a query names; site narrows the rates where it is not
// "". ended is when the run ended, zero where that is not known.
func readRecrawl(q *query, site string, ended time.Time) (recrawl, error) {
	x := recrawl{Rates: []RateRow{}}
	var err error
	dir := q.run.Reports()
	if x.Forecast, err = disk.FindJSON[harvest.Forecast](filepath.Join(dir, "forecast.json")); err != nil {
		return x, err
	}
	if x.Outcome, err = disk.FindJSON[harvest.Outcome](filepath.Join(dir, "recrawl.json")); err != nil {
		return x, err
	}
	if x.Outcome != nil {
		x.Forecast, x.Outcome.Forecast = cmp.Or(x.Outcome.Forecast, x.Forecast), nil
		x.Outcome.Reopened, x.Outcome.Verified = append([]string{}, x.Outcome.Reopened...),
			append([]string{}, x.Outcome.Verified...)
	}
	rates, err := q.harvest.Folder.ReadRates()
	if err != nil {
		return x, err
	}
	if q.run.Name() != q.runs[len(q.runs)-1] {
		ended = time.Time{}
	}
	for _, r := range rates {
		if site == "" || r.Site == site {
			x.Rates = append(x.Rates, rateRow(r, ended))
		}
	}
	slices.SortStableFunc(x.Rates, func(a, b RateRow) int { return cmp.Compare(a.order(), b.order()) })
	x.RateCount = len(x.Rates)
	x.Rates = x.Rates[:min(len(x.Rates), rateRows)]
	return x, nil
}

// order puts those first that are to be visited first, and those of which nothing is known last.
func (r *RateRow) order() float64 {
	if r.PerDay == nil {
		return math.Inf(1)
	}
	return r.After
}

func rateRow(r drift.Rate, ended time.Time) RateRow {
	row := RateRow{Rate: r}
	known := func(x float64) *float64 {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
		x = max(x, 0) // no change at all may come as −0
		return &x
	}
	rate, low, high := r.PerDay()
	row.PerDay, row.Low, row.High = known(rate), known(low), known(high)
	if after, ok := r.Interval(nextShare); ok {
		row.After = after.Hours() / 24
		if !ended.IsZero() {
			next := ended.Add(after)
			row.Next = &next
		}
	}
	return row
}

// Taken is a number of seconds for people.
func (recrawl) Taken(seconds int64) string { return (time.Duration(seconds) * time.Second).String() }
