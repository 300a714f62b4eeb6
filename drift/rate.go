package drift

import (
	"cmp"
	"math"
	"time"
)

// Rate says how often the pages of a group change. Rates of several pairs of harvests add up by
// Add.
type Rate struct {
	Site  string `json:"site"`
	Group string `json:"group"` // a block of the site's map: a host or a directory
	// Visits is how many pages were visited again, summed over the pairs of harvests; Changed how
	// many of them had changed (links alone count, and so does a page that moved or went).
	Visits  int `json:"visits"`
	Changed int `json:"changed"`
	// Days is the mean interval between the two visits.
	Days float64 `json:"days"`
}

// Add adds the counts of another pair of harvests for the same group.
func (r *Rate) Add(o Rate) {
	if n := r.Visits + o.Visits; n > 0 {
		r.Days = (r.Days*float64(r.Visits) + o.Days*float64(o.Visits)) / float64(n)
	}
	r.Visits += o.Visits
	r.Changed += o.Changed
}

// PerDay is the estimated number of changes of a page in a day, and the bounds between which it
// lies with a probability of 0.95 (Wilson's interval for the share of changed pages). NaN where
// nothing was visited, or less than an hour lies between the visits.
func (r *Rate) PerDay() (rate, low, high float64) {
	if r.Visits == 0 || r.Days < 1./24 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	n, x := float64(r.Visits), float64(r.Changed)
	rate = math.Log((n+.5)/(n-x+.5)) / r.Days
	const z = 1.959964
	p := x / n
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	low, high = -math.Log1p(-max(middle-half, 0))/r.Days, math.Inf(1)
	if r.Changed < r.Visits {
		high = -math.Log1p(-(middle + half)) / r.Days
	}
	return rate, low, high
}

// Interval proposes when to visit the group again: when a page of it will have changed with
// probability share, at most maxInterval and at least minInterval. ok is false where nothing is
// known.
func (r *Rate) Interval(share float64) (after time.Duration, ok bool) {
	rate, _, _ := r.PerDay()
	if math.IsNaN(rate) {
		return 0, false
	}
	days := maxInterval.Hours() / 24
	if rate > 0 {
		days = min(days, -math.Log1p(-share)/rate)
	}
	return max(time.Duration(days*24*float64(time.Hour)), minInterval), true
}

// Bounds of what Interval proposes.
const (
	minInterval = 24 * time.Hour
	maxInterval = 365 * 24 * time.Hour
)

// compareRates orders rates by site and group.
func compareRates(a, b Rate) int {
	return cmp.Or(cmp.Compare(a.Site, b.Site), cmp.Compare(a.Group, b.Group))
}
