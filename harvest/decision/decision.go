package decision

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"watershed/page"
)

// The decisions that can be made.
const (
	In      = "in"
	Out     = "out"
	Soft    = "soft"
	Exclude = "exclude"
	Alpha   = "alpha"
)

// Decision is one thing that was said of one site, or of all.
type Decision struct {
	Do    string    `json:"do"`
	Site  string    `json:"site,omitempty"`  // "" is each
	Rule  page.Rule `json:"rule,omitzero"`   // of all but Alpha
	Alpha float64   `json:"alpha,omitempty"` // of Alpha
	By    string    `json:"by"`
	Time  time.Time `json:"time"`
	Note  string    `json:"note,omitempty"`
}

// Bounds of what a decision may hold.
const (
	LeastAlpha = 1e-6
	MostAlpha  = 1.0
	maxText    = 500 // bytes of a name or note
)

// Validate reports what is wrong, as an error that wraps ErrDecision.
func (d *Decision) Validate() error {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s", ErrDecision, fmt.Sprintf(format, args...))
	}
	pages := d.Do == In || d.Do == Out || d.Do == Soft || d.Do == Exclude
	switch {
	case !pages && d.Do != Alpha:
		return wrong("%q is not one of in, out, soft, exclude and alpha", d.Do)
	case pages && d.Rule.Kind == 0:
		return wrong("%s needs a rule", d.Do)
	case pages && d.Alpha != 0, !pages && d.Rule.Kind != 0:
		return wrong("%s has a rule and a scale", d.Do)
	case d.Do == Alpha && !(d.Alpha >= LeastAlpha && d.Alpha <= MostAlpha):
		return wrong("alpha is %v to %v", LeastAlpha, MostAlpha)
	case len(d.By) > maxText || len(d.Note) > maxText || len(d.Site) > maxText:
		return wrong("a name or note is longer than %d bytes", maxText)
	case strings.ContainsFunc(d.By+d.Note+d.Site+d.Rule.String(), unicode.IsControl):
		return wrong("a name, note or rule has control characters")
	}
	return nil
}

// Pins reports a decision that pins pages.
func (d *Decision) Pins() bool { return d.Do == In || d.Do == Out || d.Do == Soft }

// same reports whether two decisions have one subject.
func (d *Decision) same(other *Decision) bool {
	return d.Site == other.Site && d.Rule.Equal(other.Rule) && (d.Do == other.Do || d.Pins() && other.Pins())
}

// Equal reports whether two decisions say the same, whoever made them.
func (d *Decision) Equal(other *Decision) bool {
	return d.same(other) && d.Do == other.Do && d.Alpha == other.Alpha
}

// Subject tells what a decision is about, in words.
func (d *Decision) Subject() string {
	what := "alpha"
	if d.Do != Alpha {
		what = d.Rule.String()
	}
	if d.Site == "" {
		return what + " for each site"
	}
	return what + " for site " + d.Site
}

// Value tells what was decided on the subject: the word, or the scale.
func (d *Decision) Value() string {
	if d.Do == Alpha {
		return strconv.FormatFloat(d.Alpha, 'g', -1, 64)
	}
	return d.Do
}

// Who tells who decided, when, and why.
func (d *Decision) Who() string {
	text := "by " + cmp.Or(d.By, "an unknown hand")
	if !d.Time.IsZero() {
		text += " on " + d.Time.UTC().Format(time.DateTime)
	}
	if d.Note != "" {
		text += ": " + d.Note
	}
	return text
}

// String tells a decision in a line.
func (d *Decision) String() string {
	if d.Do == Alpha {
		return d.Subject() + ": " + d.Value() + ", " + d.Who()
	}
	return d.Do + " " + d.Subject() + ", " + d.Who()
}

// Change is who takes a decision back, when, and why.
type Change struct {
	By   string    `json:"by"`
	Time time.Time `json:"time"`
	Note string    `json:"note,omitempty"`
}

// Withdrawn is a decision that does not hold any more.
type Withdrawn struct {
	Decision
	End Change `json:"end"`
}

// List are the decisions on a harvest, in the order in which they were made, and those that were
// withdrawn.
type List struct {
	Decisions []Decision  `json:"decisions"`
	Withdrawn []Withdrawn `json:"withdrawn"`
}

// maxWithdrawn is how many withdrawn decisions are kept; the oldest go first.
const maxWithdrawn = 1000

// Put makes a decision, in place of that on its subject, and later than all on it: who made those may
// have a clock that is ahead. It reports whether anything is different now.
func (l *List) Put(d Decision) (changed bool, err error) {
	if err := d.Validate(); err != nil {
		return false, err
	}
	i := l.find(&d)
	if i >= 0 && l.Decisions[i].Equal(&d) {
		return false, nil
	}
	d.Time = l.after(&d)
	if i >= 0 {
		l.end(i, Change{By: d.By, Time: d.Time, Note: "replaced by " + d.Value()})
	}
	l.Decisions = append(l.Decisions, d)
	return true, nil
}

// Withdraw takes back the decision on the subject of d. The error is ErrUnknown where there is
// none.
func (l *List) Withdraw(d Decision, c Change) error {
	i := l.find(&d)
	if i < 0 {
		return fmt.Errorf("%s: %w", d.Subject(), ErrUnknown)
	}
	d = l.Decisions[i]
	if d.By, d.Note = c.By, c.Note; d.Validate() != nil {
		return d.Validate()
	}
	if last := l.Decisions[i].Time; c.Time.Before(last) {
		c.Time = last
	}
	l.end(i, c)
	return nil
}

// after is the time of d, or a later one: that of the last decision, and in another second than whatever was
// decided on the subject of d. Files have whole seconds.
func (l *List) after(d *Decision) time.Time {
	at := d.Time
	pass := func(last time.Time) {
		if last = last.Truncate(time.Second); !at.Truncate(time.Second).After(last) {
			at = last.Add(time.Second)
		}
	}
	for i := range l.Decisions {
		if x := &l.Decisions[i]; x.same(d) {
			pass(x.Time)
		} else if x.Time.After(at) {
			at = x.Time
		}
	}
	for i := range l.Withdrawn {
		if x := &l.Withdrawn[i]; x.same(d) {
			pass(x.End.Time)
		}
	}
	return at
}

func (l *List) find(d *Decision) int {
	return slices.IndexFunc(l.Decisions, func(x Decision) bool { return x.same(d) })
}

// Find gives the decision on the subject of d, nil for none.
func (l *List) Find(d Decision) *Decision {
	if i := l.find(&d); i >= 0 {
		return &l.Decisions[i]
	}
	return nil
}

func (l *List) end(i int, c Change) {
	l.Withdrawn = append(l.Withdrawn, Withdrawn{l.Decisions[i], c})
	if n := len(l.Withdrawn) - maxWithdrawn; n > 0 {
		l.Withdrawn = slices.Delete(l.Withdrawn, 0, n)
	}
	l.Decisions = slices.Delete(l.Decisions, i, i+1)
}

// Validate reports every malformed decision, and every two on the same subject.
func (l *List) Validate() error {
	var errs []error
	for i := range l.Decisions {
		d := &l.Decisions[i]
		if err := d.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("decision %d: %w", i+1, err))
		} else if l.find(d) != i {
			errs = append(errs, fmt.Errorf("decision %d: %w: %s was decided before", i+1,
				ErrDecision, d.Subject()))
		}
	}
	return errors.Join(errs...)
}

// Ruling is what the decisions come to for one site.
type Ruling struct {
	Pins    []Decision // those of the site and of each, in their order, one a rule: the last
	Exclude []page.Rule
	Alpha   float64 // 0 where nothing was decided
}

// Of gives the ruling on a site.
func (l *List) Of(site string) (r Ruling) {
	for _, d := range l.Decisions {
		switch {
		case d.Site != "" && d.Site != site:
		case d.Do == Alpha:
			r.Alpha = d.Alpha
		case d.Do == Exclude:
			if !slices.ContainsFunc(r.Exclude, d.Rule.Equal) {
				r.Exclude = append(r.Exclude, d.Rule)
			}
		default:
			r.Pins = slices.DeleteFunc(r.Pins, func(x Decision) bool { return x.Rule.Equal(d.Rule) })
			r.Pins = append(r.Pins, d)
		}
	}
	return r
}

// Barred are the rules by which pages are excluded from each site.
func (l *List) Barred() (rules []page.Rule) {
	for _, d := range l.Decisions {
		if d.Do == Exclude && d.Site == "" {
			rules = append(rules, d.Rule)
		}
	}
	return rules
}

// About gives the decisions in force on a site that match a URL, the one that holds first.
func (l *List) About(site string, u page.URL) []Decision {
	return slices.DeleteFunc(l.On(u), func(d Decision) bool { return d.Site != "" && d.Site != site })
}

// On gives the decisions in force that match a URL, of any site, those that exclude first and then
// the last ones.
func (l *List) On(u page.URL) []Decision {
	list := []Decision{}
	for _, exclude := range []bool{true, false} {
		for _, d := range slices.Backward(l.Decisions) {
			if d.Do != Alpha && (d.Do == Exclude) == exclude && d.Rule.Match(u) {
				list = append(list, d)
			}
		}
	}
	return list
}

// Difference tells what was put and what was withdrawn between two lists, in the order of each.
func Difference(from, to *List) (put, withdrawn []Decision) {
	lacks := func(l *List, d *Decision) bool {
		return !slices.ContainsFunc(l.Decisions, func(x Decision) bool { return x.Equal(d) })
	}
	for _, d := range from.Decisions {
		if lacks(to, &d) {
			withdrawn = append(withdrawn, d)
		}
	}
	for _, d := range to.Decisions {
		if lacks(from, &d) {
			put = append(put, d)
		}
	}
	return put, withdrawn
}

// RuleOf reads a rule as people write it: a bare address stands for that page, or for all below it
// where it ends in a slash and below says so.
func RuleOf(text string, below bool) (page.Rule, error) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") {
		kind := page.RuleURL
		if below {
			kind = page.RulePrefix
		}
		text = kind.String() + ":" + text
	}
	return page.ParseRule(text)
}
