package replica

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"
)

// Propose adds a replica that was found. Of a known replica a proposal only renews the evidence and
// the representative while nobody has decided; a rejected one stays rejected, and one that a test has
// classified is not renewed by one without a level. Of a pair one is the original: a proposal that says
// the opposite gives way, if it is older, or if the new one alone was classified by a test, and the
// new one is dropped where the opposite is in force. It reports whether the entry is new.
func (t *Table) Propose(e Entry) (bool, error) {
	e.State = Proposed
	if err := e.Validate(); err != nil {
		return false, err
	}
	old := t.entries[e.From]
	if back := opposite(t, &e); back != nil && (back.State == Proposed || back.State.InForce()) {
		older := !e.Decided.After(back.Decided) && (e.Level == 0 || back.Level > 0)
		if back.State != Proposed || older || back.Level > 0 && e.Level == 0 {
			return false, nil
		}
		if old == nil {
			old = back
		}
		if old.State == Proposed {
			t.unset(back.From)
		}
	}
	switch {
	case old == nil:
		t.set(&e)
		return true, nil
	case old.State == Proposed && (old.To != e.To || old.Level == 0 || e.Level > 0):
		e.Found, e.History = old.Found, old.History
		t.set(&e)
	}
	return false, nil
}

// Confirm puts an entry in force. level 0 leaves the level as it is.
func (t *Table) Confirm(from string, level int, c Change) error {
	return t.decide(from, Confirmed, c, func(e *Entry) {
		e.Verified, e.Evidence.Harvests = c.Time, 0
		if level > 0 {
			e.Level = level
		}
	})
}

// Verify notes that a sample agreed: the entry stays in force, for Options.Expire from then on.
func (t *Table) Verify(from string, v Evidence, at time.Time) error {
	e := t.entries[from]
	if e == nil {
		return &EntryError{from, ErrUnknown}
	}
	e.Verified, e.Evidence = at, v
	return nil
}

// Unsettled is how likely a replica is to have gone its own way since it was verified, by the rule of
// succession: it has not done so in a number of harvests in a row, of which only as many count as there
// were times as long before as have passed since then.
func (e *Entry) Unsettled(now time.Time) float64 {
	n := float64(e.Evidence.Harvests)
	if since := now.Sub(e.Verified); since > 0 {
		n = min(n, math.Round(float64(e.Verified.Sub(e.Found))/float64(since)))
	}
	return 1 / (max(0, n) + 2)
}

// Prune notes that a harvest leaves URLs out by an entry in force.
func (t *Table) Prune(from string, c Change) error { return t.decide(from, Pruned, c, nil) }

// Reopen ends an entry whose sample no longer agrees; for a person also what the program found within.
func (t *Table) Reopen(from string, c Change) error { return t.refuse(from, Reopened, c) }

// Reject notes that an entry is no replica; for a person also what the program found within.
func (t *Table) Reject(from string, c Change) error { return t.refuse(from, Rejected, c) }

// Turn takes an entry that somebody wrote as Put does. Where the table says the opposite of it, that
// is rejected: the pair is turned round.
func (t *Table) Turn(e Entry, c Change) error {
	put := func() error { return t.Put(e) }
	if !e.State.InForce() {
		return put()
	}
	return t.turn(&e, c, put)
}

// Insist confirms an entry as a person does: where the table says the opposite of it, the pair is
// turned round.
func (t *Table) Insist(from string, level int, c Change) error {
	confirm := func() error { return t.Confirm(from, level, c) }
	old := t.entries[from]
	if old == nil {
		return confirm()
	}
	return t.turn(old, c, confirm)
}

// opposite is the entry by which what stands for another one would be its copy; nil where there is none.
func opposite(t *Table, e *Entry) *Entry {
	if back := t.entries[e.To]; back != nil && back.To == e.From {
		return back
	}
	return nil
}

// turn rejects the opposite of an entry where that is in force, and has the entry put.
func (t *Table) turn(e *Entry, c Change, put func() error) error {
	back := opposite(t, e)
	if back == nil || !back.State.InForce() {
		return put()
	}
	err := t.Reject(e.To, c)
	if err == nil {
		err = put()
	}
	if err != nil {
		t.set(back)
	}
	return err
}

func (t *Table) decide(from string, to State, c Change, more func(*Entry)) error {
	old := t.entries[from]
	if old == nil {
		return &EntryError{from, ErrUnknown}
	}
	e := old.clone()
	if to == Confirmed && slices.Contains(machines[:], c.By) {
		if by, denied := t.Denial(old); denied {
			return &EntryError{from, fmt.Errorf("%w: %s", ErrDenied, by.String())}
		}
	}
	if err := e.move(to, c); err != nil {
		return err
	}
	if more != nil {
		more(&e)
	}
	return t.Put(e)
}

// Expire ends all entries in force that no test or sample has agreed with for a time, and gives
// them. Entries without a date, which somebody wrote by hand, hold until somebody takes them back.
func (t *Table) Expire(age time.Duration, now time.Time) []Entry {
	var expired []Entry
	for _, from := range slices.Sorted(maps.Keys(t.entries)) {
		e := t.entries[from]
		if !e.State.InForce() || e.since().IsZero() || now.Sub(e.since()) < age {
			continue
		}
		if err := e.move(Expired, Change{
			Time: now, By: "rule",
			Note: fmt.Sprintf("not verified since %s", e.since().Format(time.DateOnly)),
		}); err == nil {
			expired = append(expired, e.clone())
		}
	}
	return expired
}

// since is when somebody or something agreed with the entry last.
func (e *Entry) since() time.Time {
	if decided := e.decision().Time; decided.After(e.Verified) {
		return decided
	}
	return e.Verified
}

// Date gives the entries without a date one: they were found, decided and agreed with then, by whom
// c says.
func (t *Table) Date(c Change) {
	for _, e := range t.entries {
		if !e.Decided.IsZero() {
			continue
		}
		e.Decided, e.By = c.Time, cmp.Or(e.By, c.By)
		if e.Found.IsZero() {
			e.Found = c.Time
		}
		if e.Verified.IsZero() && e.State.InForce() {
			e.Verified = c.Time
		}
	}
}
