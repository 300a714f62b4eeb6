package replica

import (
	"slices"

	"watershed/page"
)

// Denial gives the entry that forbids the program to put another one in force by itself: a person has
// rejected or reopened the same of a place around, or the opposite was reopened, so that it is known which
// of the two is the copy.
func (t *Table) Denial(e *Entry) (by Entry, ok bool) {
	from, to := RootOf(e.From), RootOf(e.To)
	if x := t.denier(from, e); x != nil {
		return x.clone(), true
	}
	opposite := t.covering(to, func(x *Entry) bool {
		return x.State == Reopened && x.By != "rule" && x.Stand(to) == from
	})
	if opposite == nil {
		return Entry{}, false
	}
	return opposite.clone(), true
}

// denier is the entry by which a person has decided that u is not left out by e; nil where there is none.
// Where e is a person's decision, too, the narrower one counts.
func (t *Table) denier(u page.URL, e *Entry) *Entry {
	rule := !e.State.InForce() || e.ByRule()
	return t.covering(u, func(x *Entry) bool {
		return x != e && x.denies() && x.Stand(u) == e.Stand(u) &&
			(rule || !IsHost(x.From) && (IsHost(e.From) || len(x.From) > len(e.From)))
	})
}

// denies reports an entry that a person has rejected or reopened.
func (e *Entry) denies() bool {
	return (e.State == Rejected || e.State == Reopened) && !slices.Contains(machines[:], e.By)
}

// Drifted reports an entry that a sample has ended, because the copy went its own way.
func (e *Entry) Drifted() bool { return e.State == Reopened && e.By == "sample" }

// machines are the names by which the program decides.
var machines = [...]string{"rule", "test", "inference", "sample", "harvest"}

// refuse ends an entry that a person no longer trusts, and what the program found of places within it.
func (t *Table) refuse(from string, to State, c Change) error {
	if err := t.decide(from, to, c, nil); err != nil {
		return err
	}
	x := t.entries[from]
	if !x.denies() {
		return nil
	}
	for _, dir := range slices.Sorted(slices.Values(t.dirs[HostOf(from)])) {
		e := t.entries[dir]
		u := page.URL(dir)
		if e.ByRule() && e.State.InForce() && x.Covers(u) && x.Stand(u) == page.URL(e.To) {
			within := c
			within.Note = clip("with " + from + " around it")
			if err := t.decide(dir, Reopened, within, nil); err != nil {
				return err
			}
		}
	}
	return nil
}
