package replica

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

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

// Put takes an entry as it is, in place of one for the same replica. If it is in force, it points to where a chain of entries
// in force would end, and so do those that point into it. The error is an *EntryError: ErrCircle, ErrOverlap, or what
// Entry.Validate says; then the table is as before.
func (t *Table) Put(e Entry) error {
	if err := e.Validate(); err != nil {
		return err
	}
	e = e.clone()
	if !e.State.InForce() {
		t.set(&e)
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

// circles reports whether following entries in force would never end for some URL that e covers. Each step replaces a
// directory by another; so if a URL goes round, then so does the directory of one of the entries on its way.
func (t *Table) circles(e *Entry) bool {
	reached := map[string]bool{}
	queue := []*Entry{e}
	for len(queue) > 0 {
		f := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, g := range t.meeting(f.To) {
			if !reached[g.From] {
				reached[g.From] = true
				queue = append(queue, g)
			}
		}
	}
	if !reached[e.From] {
		return false
	}
	for from := range reached {
		u := page.URL(from)
		if IsHost(from) {
			u = page.URL("http://" + from + "/")
		}
		for step := 0; ; step++ {
			f := t.covering(u, inForce)
			if f == nil {
				break
			}
			if step > len(reached) {
				return true
			}
			u = f.Stand(u)
		}
	}
	return false
}

// meeting gives the entries in force of which the replica and a host or directory have something in common.
func (t *Table) meeting(name string) []*Entry {
	h := hostOf(name)
	var list []*Entry
	if e := t.entries[string(h)]; e != nil && e.State.InForce() {
		list = append(list, e)
	}
	for _, dir := range t.dirs[h] {
		e := t.entries[dir]
		if e.State.InForce() && (IsHost(name) || strings.HasPrefix(name, dir) || strings.HasPrefix(dir, name)) {
			list = append(list, e)
		}
	}
	return list
}

// hostOf is the host of a name.
func hostOf(name string) page.Host {
	if IsHost(name) {
		return page.Host(name)
	}
	return page.URL(name).Host()
}

// shorten has a new entry in force point to the end of its chain, and gives those entries in force that would point into it,
// changed so that they do not.
func (t *Table) shorten(e *Entry) ([]*Entry, error) {
	to, err := t.end(e.To, e)
	if err != nil {
		return nil, &EntryError{e.From, err}
	}
	if to != e.To {
		e.Note = clip(strings.TrimPrefix(e.Note+"; through "+e.To, "; "))
		e.To = to
	}
	if err := e.Validate(); err != nil {
		return nil, err
	}
	var changed []*Entry
	for _, from := range slices.Sorted(slices.Values(t.stands[hostOf(e.From)])) {
		other := t.entries[from]
		if !other.State.InForce() || !e.holds(other.To) {
			continue
		}
		c := other.clone()
		c.Note = clip(strings.TrimPrefix(c.Note+"; through "+c.To, "; "))
		c.To, err = t.end(e.stand(c.To), e)
		if err == nil {
			err = c.Validate()
		}
		if err != nil {
			return nil, &EntryError{e.From, fmt.Errorf("%w, through %q", ErrCircle, from)}
		}
		changed = append(changed, &c)
	}
	return changed, nil
}

// clip shortens a note to what an entry may have.
func clip(note string) string { return strings.ToValidUTF8(note[:min(len(note), maxNote)], "") }

// end follows entries in force from a representative to the last one.
func (t *Table) end(to string, e *Entry) (string, error) {
	for range len(t.entries) + 1 {
		if e.holds(to) {
			return "", ErrCircle
		}
		through := t.holder(to)
		if through == nil {
			return to, nil
		}
		to = through.stand(to)
	}
	return "", ErrCircle
}

// Around gives the narrowest entry in force, other than its own, that covers the whole of a directory.
func (t *Table) Around(name string) (Entry, bool) {
	if IsHost(name) {
		return Entry{}, false
	}
	e := t.covering(page.URL(name), func(e *Entry) bool { return e.State.InForce() && e.From != name })
	if e == nil {
		return Entry{}, false
	}
	return e.clone(), true
}

// holder is the narrowest entry in force that covers the whole of a host or directory.
func (t *Table) holder(name string) *Entry {
	if IsHost(name) {
		if e := t.entries[name]; e != nil && e.State.InForce() {
			return e
		}
		return nil
	}
	return t.covering(page.URL(name), inForce)
}

// holds reports whether the entry covers the whole of a host or directory.
func (e *Entry) holds(name string) bool {
	if IsHost(name) {
		return e.From == name
	}
	return e.Covers(page.URL(name))
}

// stand is what stands for a host or directory that the entry covers.
func (e *Entry) stand(name string) string {
	if IsHost(name) {
		return e.To
	}
	return string(e.Stand(page.URL(name)))
}

func (t *Table) set(e *Entry) {
	t.unset(e.From)
	if t.entries == nil {
		t.entries, t.dirs, t.stands = map[string]*Entry{}, map[page.Host][]string{}, map[page.Host][]string{}
	}
	if !IsHost(e.From) {
		h := hostOf(e.From)
		t.dirs[h] = append(t.dirs[h], e.From)
	}
	h := hostOf(e.To)
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
		remove(t.dirs, hostOf(from), from)
	}
	remove(t.stands, hostOf(e.To), from)
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

// inForce reports an entry in force.
func inForce(e *Entry) bool { return e.State.InForce() }

// covering is the narrowest entry that covers u and counts.
func (t *Table) covering(u page.URL, counts func(*Entry) bool) *Entry {
	h := u.Host()
	var best *Entry
	if e := t.entries[string(h)]; e != nil && counts(e) {
		best = e
	}
	for _, dir := range t.dirs[h] {
		e := t.entries[dir]
		if counts(e) && e.Covers(u) && (best == nil || IsHost(best.From) || len(dir) > len(best.From)) {
			best = e
		}
	}
	return best
}

// maxNesting bounds the steps of Resolve; each but the first needs a directory in force within the one before.
const maxNesting = 32

// Resolve gives the URL that stands for u and the entry by which u is left out; ok is false where u is not. It costs
// O(entries for directories of the host).
func (t *Table) Resolve(u page.URL) (stand page.URL, by Entry, ok bool) {
	first := t.covering(u, inForce)
	if first == nil {
		return u, Entry{}, false
	}
	return t.follow(first.Stand(u)), first.clone(), true
}

// follow gives what stands for a URL in the end; itself where nothing does.
func (t *Table) follow(u page.URL) page.URL {
	for range maxNesting {
		e := t.covering(u, inForce)
		if e == nil {
			break
		}
		u = e.Stand(u)
	}
	return u
}

// Agreeing gives the replicas in force in which u lies and by which the same page stands for it, the narrowest first: none where u is not
// left out. A page that is compared with what stands for it tells of each of them.
func (t *Table) Agreeing(u page.URL) []string {
	first := t.covering(u, inForce)
	if first == nil {
		return nil
	}
	list := []string{first.From}
	stand := t.follow(first.Stand(u))
	h := u.Host()
	for _, from := range append(slices.Clone(t.dirs[h]), string(h)) {
		if e := t.entries[from]; e != nil && e != first && e.State.InForce() && e.Covers(u) && t.follow(e.Stand(u)) == stand {
			list = append(list, from)
		}
	}
	slices.SortFunc(list[1:], func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return list
}

// Twins gives the URLs that entries in force leave out and for which u stands, in the order of URLs; not those of entries written by hand,
// which hold whatever the pages say. It costs O(entries that lead to the host).
func (t *Table) Twins(u page.URL) []page.URL {
	var list []page.URL
	for _, from := range t.stands[u.Host()] {
		e := t.entries[from]
		if !e.State.InForce() || e.ByHand() {
			continue
		}
		twin, ok := e.Twin(u)
		if !ok {
			continue
		}
		if first := t.covering(twin, inForce); first == e && t.follow(e.Stand(twin)) == u {
			list = append(list, twin)
		}
	}
	slices.Sort(list)
	return list
}

// Propose adds what was found. Of a replica that is known, a proposal only renews the evidence and the representative while
// nobody has decided; a rejected one stays rejected. It reports whether the entry is new.
func (t *Table) Propose(e Entry) (bool, error) {
	e.State = Proposed
	if err := e.Validate(); err != nil {
		return false, err
	}
	old := t.entries[e.From]
	switch {
	case old == nil:
		t.set(&e)
		return true, nil
	case old.State == Proposed:
		e.Found, e.History = old.Found, old.History
		t.set(&e)
	}
	return false, nil
}

// Confirm puts an entry in force. level 0 leaves the level as it is.
func (t *Table) Confirm(from string, level int, c Change) error {
	return t.decide(from, Confirmed, c, func(e *Entry) {
		e.Verified = c.Time
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

// Prune notes that a harvest leaves something out by an entry in force.
func (t *Table) Prune(from string, c Change) error { return t.decide(from, Pruned, c, nil) }

// Reopen ends an entry whose sample no longer agrees.
func (t *Table) Reopen(from string, c Change) error { return t.decide(from, Reopened, c, nil) }

// Reject notes that an entry is none.
func (t *Table) Reject(from string, c Change) error { return t.decide(from, Rejected, c, nil) }

func (t *Table) decide(from string, to State, c Change, more func(*Entry)) error {
	old := t.entries[from]
	if old == nil {
		return &EntryError{from, ErrUnknown}
	}
	e := old.clone()
	if err := e.move(to, c); err != nil {
		return err
	}
	if more != nil {
		more(&e)
	}
	return t.Put(e)
}

// Expire ends all entries in force that no test or sample has agreed with for a time, and gives them. Entries without a date, which
// somebody wrote by hand, hold until somebody takes them back.
func (t *Table) Expire(age time.Duration, now time.Time) []Entry {
	var expired []Entry
	for _, from := range slices.Sorted(maps.Keys(t.entries)) {
		e := t.entries[from]
		if !e.State.InForce() || e.since().IsZero() || now.Sub(e.since()) < age {
			continue
		}
		if err := e.move(Expired, Change{Time: now, By: "rule", Note: fmt.Sprintf("not verified since %s", e.since().Format(time.DateOnly))}); err == nil {
			expired = append(expired, e.clone())
		}
	}
	return expired
}

// since is when somebody or something agreed with the entry last.
func (e *Entry) since() time.Time {
	if e.Verified.After(e.Decided) {
		return e.Verified
	}
	for i := len(e.History) - 1; e.State == Pruned && i >= 0; i-- {
		if e.History[i].State == Confirmed {
			return later(e.History[i].Time, e.Verified)
		}
	}
	return later(e.Decided, e.Verified)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// InForce gives the entries by which is left out, of the levels that count: those of a level in skip, and those without a
// level where skip has 0. A nil skip lets all count.
func (t *Table) InForce(skip []int) []Entry {
	var list []Entry
	for _, e := range t.All() {
		if e.State.InForce() && (skip == nil || slices.Contains(skip, e.Level)) {
			list = append(list, e)
		}
	}
	return list
}

// Date gives the entries without a date one: they were found, decided and agreed with then, by whom c says.
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

// Merge takes over the entries of another table: what it says wins, except that proposals do not undo decisions. The error
// joins those of entries that could not be taken; all others are.
func (t *Table) Merge(other *Table) error {
	var errs []error
	for _, e := range other.All() {
		if e.State == Proposed {
			_, err := t.Propose(e)
			errs = append(errs, err)
			continue
		}
		errs = append(errs, t.Put(e))
	}
	return errors.Join(errs...)
}
