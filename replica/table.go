package replica

import (
	"errors"
	"maps"
	"slices"

	"watershed/page"
)

// Table is the table of replicas. The zero value is empty. Invariants: see the package.
type Table struct {
	entries map[string]*Entry
	dirs    map[page.Host][]string // directories that entries are for, by host
	stands  map[page.Host][]string // replicas by the host of their representatives
}

// Len is the number of entries.
func (t *Table) Len() int { return len(t.entries) }

// All gives the entries in the order of From. They are copies.
func (t *Table) All() []Entry {
	list := make([]Entry, 0, len(t.entries))
	for _, from := range slices.Sorted(maps.Keys(t.entries)) {
		list = append(list, t.entries[from].clone())
	}
	return list
}

// Get gives the entry of a replica.
func (t *Table) Get(from string) (Entry, bool) {
	if e := t.entries[from]; e != nil {
		return e.clone(), true
	}
	return Entry{}, false
}

func (e *Entry) clone() Entry {
	c := *e
	c.History = slices.Clone(e.History)
	return c
}

// Put takes an entry as it is, in place of one for the same replica. If it is in force, it points
// to where a chain of entries in force would end, and so do those that point into it; a proposal that
// says the opposite goes, and is not taken later. The error is an *EntryError: ErrCircle, ErrOverlap, or
// the error of Entry.Validate; then the table is as before.
func (t *Table) Put(e Entry) error {
	if err := e.Validate(); err != nil {
		return err
	}
	e = e.clone()
	if !e.State.InForce() {
		back := opposite(t, &e)
		if e.State != Proposed || back == nil || !back.State.InForce() {
			t.set(&e)
		}
		return nil
	}
	old := t.entries[e.From]
	t.unset(e.From)
	changed, err := t.shorten(&e)
	if err != nil {
		if old != nil {
			t.set(old)
		}
		return err
	}
	undo := make([]*Entry, 0, len(changed))
	for _, c := range changed {
		undo = append(undo, t.entries[c.From])
		t.set(c)
	}
	t.set(&e)
	if !t.circles(&e) {
		for _, x := range append(changed, &e) {
			if back := opposite(t, x); back != nil && back.State == Proposed {
				t.unset(back.From)
			}
		}
		return nil
	}
	t.unset(e.From)
	for _, c := range undo {
		t.set(c)
	}
	if old != nil {
		t.set(old)
	}
	return &EntryError{e.From, ErrCircle}
}

func (t *Table) set(e *Entry) {
	t.unset(e.From)
	if t.entries == nil {
		t.entries, t.dirs, t.stands = map[string]*Entry{}, map[page.Host][]string{}, map[page.Host][]string{}
	}
	if !IsHost(e.From) {
		h := HostOf(e.From)
		t.dirs[h] = append(t.dirs[h], e.From)
	}
	h := HostOf(e.To)
	t.stands[h] = append(t.stands[h], e.From)
	t.entries[e.From] = e
}

func (t *Table) unset(from string) {
	e := t.entries[from]
	if e == nil {
		return
	}
	delete(t.entries, from)
	if !IsHost(from) {
		remove(t.dirs, HostOf(from), from)
	}
	remove(t.stands, HostOf(e.To), from)
}

func remove(lists map[page.Host][]string, h page.Host, name string) {
	lists[h] = slices.DeleteFunc(lists[h], func(n string) bool { return n == name })
	if len(lists[h]) == 0 {
		delete(lists, h)
	}
}

// Delete takes an entry out, as if it had never been there. It reports whether it was.
func (t *Table) Delete(from string) bool {
	_, there := t.entries[from]
	t.unset(from)
	return there
}

// InForce gives the entries by which is left out, of the levels that count: those of a level in
// skip, and those without a level where skip has 0. A nil skip lets all count.
func (t *Table) InForce(skip []int) []Entry {
	var list []Entry
	for _, e := range t.All() {
		if e.State.InForce() && (skip == nil || slices.Contains(skip, e.Level)) {
			list = append(list, e)
		}
	}
	return list
}

// Merge takes over the entries of another table. They win over those of t, also where they say the
// opposite (see Turn), except that proposals do not undo decisions. The error joins those of entries
// that could not be taken; all others are.
func (t *Table) Merge(other *Table) error {
	var errs []error
	for _, e := range other.All() {
		if e.State == Proposed {
			_, err := t.Propose(e)
			errs = append(errs, err)
			continue
		}
		errs = append(errs, t.Turn(e, Change{Time: e.Decided, By: e.By, Note: e.Note}))
	}
	return errors.Join(errs...)
}
