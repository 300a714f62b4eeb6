package replica

import (
	"cmp"
	"slices"

	"watershed/page"
)

// Resolve gives the URL that stands for u and the entry by which u is left out; ok is false where u
// is not. It costs O(entries for directories of the host).
func (t *Table) Resolve(u page.URL) (stand page.URL, by Entry, ok bool) {
	first := t.by(u)
	if first == nil {
		return u, Entry{}, false
	}
	return t.follow(first.Stand(u)), first.clone(), true
}

// Agreeing gives the replicas in force in which u lies and by which the same page stands for it,
// the narrowest first: none where u is not left out. Comparing u with the page that stands for it
// is evidence for each of them.
func (t *Table) Agreeing(u page.URL) []string {
	first := t.by(u)
	if first == nil {
		return nil
	}
	list := []string{first.From}
	stand := t.follow(first.Stand(u))
	h := u.Host()
	for _, from := range append(slices.Clone(t.dirs[h]), string(h)) {
		if e := t.entries[from]; e != nil && e != first && e.State.InForce() && e.Covers(u) &&
			t.follow(e.Stand(u)) == stand {
			list = append(list, from)
		}
	}
	slices.SortFunc(list[1:], func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	return list
}

// by is the entry by which u is left out; nil where it is not.
func (t *Table) by(u page.URL) *Entry {
	e := t.covering(u, inForce)
	if e == nil || t.denier(u, e) != nil {
		return nil
	}
	return e
}

// Around gives the narrowest entry in force, other than its own, that covers the whole of a
// directory.
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

// follow gives the page that stands for a URL in the end; the URL itself where there is none.
func (t *Table) follow(u page.URL) page.URL {
	for range maxNesting {
		e := t.by(u)
		if e == nil {
			break
		}
		u = e.Stand(u)
	}
	return u
}

// covering is the narrowest entry that covers u and counts.
func (t *Table) covering(u page.URL, counts func(*Entry) bool) *Entry {
	h := u.Host()
	var best *Entry
	if e := t.entries[string(h)]; e != nil && counts(e) {
		best = e
	}
	for _, dir := range t.dirs[h] {
		e := t.entries[dir]
		if e.Covers(u) && counts(e) && (best == nil || IsHost(best.From) || len(dir) > len(best.From)) {
			best = e
		}
	}
	return best
}

// maxNesting bounds the steps of Resolve; each but the first needs a directory in force within the
// one before.
const maxNesting = 32

// inForce reports an entry in force.
func inForce(e *Entry) bool { return e.State.InForce() }
