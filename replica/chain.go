package replica

import (
	"fmt"
	"slices"
	"strings"

	"watershed/page"
)

// shorten has a new entry in force point to the end of its chain, and gives those entries in force
// that would point into it, changed so that they do not.
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
	for _, from := range slices.Sorted(slices.Values(t.stands[HostOf(e.From)])) {
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

// stand is the name that stands for a host or directory that the entry covers.
func (e *Entry) stand(name string) string {
	if IsHost(name) {
		return e.To
	}
	return string(e.Stand(page.URL(name)))
}

// clip shortens a note to the length that an entry may have.
func clip(note string) string { return strings.ToValidUTF8(note[:min(len(note), maxNote)], "") }

// circles reports whether following entries in force would never end for some URL that e covers.
// Each step replaces a directory by another; so if a URL goes round, then so does the directory of
// one of the entries on its way.
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
		u := RootOf(from)
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

// meeting gives the entries in force of which the replica and a host or directory have something in
// common.
func (t *Table) meeting(name string) []*Entry {
	h := HostOf(name)
	var list []*Entry
	if e := t.entries[string(h)]; e != nil && e.State.InForce() {
		list = append(list, e)
	}
	for _, dir := range t.dirs[h] {
		if e := t.entries[dir]; e.State.InForce() && e.Meets(name) {
			list = append(list, e)
		}
	}
	return list
}

// Meets reports that the replica and a host or directory have something in common.
func (e *Entry) Meets(name string) bool {
	if IsHost(e.From) || IsHost(name) {
		return HostOf(e.From) == HostOf(name)
	}
	return strings.HasPrefix(name, e.From) || strings.HasPrefix(e.From, name)
}

// HostOf is the host of a name of an entry: a host, or a directory of one.
func HostOf(name string) page.Host {
	if IsHost(name) {
		return page.Host(name)
	}
	return page.URL(name).Host()
}

// Prefixes are those of the pages of a host, by either scheme, or of a directory.
func Prefixes(name string) []string {
	if IsHost(name) {
		return []string{"http://" + name + "/", "https://" + name + "/"}
	}
	return []string{name}
}

// RootOf is the first URL of a name of an entry.
func RootOf(name string) page.URL {
	if IsHost(name) {
		return page.URL("http://" + name + "/")
	}
	return page.URL(name)
}
