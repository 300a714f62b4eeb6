package decision

import (
	"cmp"
	"slices"
	"time"
)

// Last is the last that was decided on a subject: a decision, or that it was withdrawn.
type Last struct {
	Decision
	End *Change `json:"end,omitempty"` // nil where the decision is in force
}

// Key is a name of the subject.
func (d *Decision) Key() string {
	kind := d.Do
	if d.Pins() {
		kind = "pin"
	}
	return kind + " " + d.Subject()
}

// When is the time of it.
func (x *Last) When() time.Time {
	if x.End != nil {
		return x.End.Time
	}
	return x.Time
}

// Author is who decided it, or withdrew it.
func (x *Last) Author() string {
	if x.End != nil {
		return x.End.By
	}
	return x.By
}

// Replaces reports that x says something else on the subject of y than y, and holds in place of it: it is the
// later one. Of two of one second that which withdraws holds, or else the greater value, so that lists which
// tell each other come to the same.
func (x *Last) Replaces(y *Last) bool {
	if x.End != nil && y.End != nil || x.End == nil && y.End == nil && x.Equal(&y.Decision) {
		return false
	}
	later := x.When().Compare(y.When())
	if later == 0 && (x.End == nil) != (y.End == nil) {
		return x.End != nil
	}
	return cmp.Or(later, cmp.Compare(x.Value(), y.Value())) > 0
}

// ForEach gives the last that was decided on each subject which is for each site: first those that were
// withdrawn, then those in force, in their order.
func (l *List) ForEach() (list []Last) {
	told := map[string]bool{}
	for _, d := range l.Decisions {
		if d.Site == "" {
			list, told[d.Key()] = append(list, Last{Decision: d}), true
		}
	}
	var ended []Last
	for _, w := range slices.Backward(l.Withdrawn) {
		if key := w.Key(); w.Site == "" && !told[key] {
			ended, told[key] = append(ended, Last{w.Decision, &w.End}), true
		}
	}
	slices.Reverse(ended)
	return append(ended, list...)
}

// ByKey are the last on their subjects, by the keys of these.
func ByKey(list []Last) map[string]Last {
	known := make(map[string]Last, len(list))
	for _, x := range list {
		known[x.Key()] = x
	}
	return known
}

// Take has what was decided elsewhere hold here, among the other decisions by its time.
func (l *List) Take(x Last) {
	if i := l.find(&x.Decision); i >= 0 {
		end := Change{By: x.By, Time: x.Time, Note: "replaced by " + x.Value()}
		if x.End != nil {
			end = *x.End
		}
		l.end(i, end)
	} else if x.End != nil {
		l.Withdrawn = append(l.Withdrawn, Withdrawn{x.Decision, *x.End})
	}
	if x.End == nil {
		at := len(l.Decisions)
		for at > 0 && l.Decisions[at-1].Time.After(x.Time) {
			at--
		}
		l.Decisions = slices.Insert(l.Decisions, at, x.Decision)
	}
}
