package ui

import (
	"cmp"
	"slices"
	"strings"

	"watershed/page"
	"watershed/sitemap"
)

// Kinds of what a map knows of a page, from inside to outside.
const (
	kindInside    = "inside"    // belongs, and is held
	kindPinned    = "pinned"    // belongs by a rule of the archivist
	kindMissing   = "missing"   // belongs, and is not held
	kindPruned    = "pruned"    // left out because a copy of it is held
	kindOutside   = "outside"   // linked from the site, does not belong
	kindExcluded  = "excluded"  // kept out by a rule of the archivist
	kindContext   = "context"   // outside, and captured with the site
	kindRequisite = "requisite" // a file that pages need, and is held
)

// pruned reports the note of what was left out as a copy.
func pruned(note string) bool { return note == "mirror" || note == "collection" }

// memberKind is the kind of a page that belongs.
func memberKind(p *sitemap.Member) string {
	switch {
	case p.State == "skipped" && pruned(p.Note):
		return kindPruned
	case !had(p.State):
		return kindMissing
	case p.Why == sitemap.WhyRule:
		return kindPinned
	}
	return kindInside
}

// outsiderKind is the kind of a page that does not.
func outsiderKind(p *sitemap.Outsider) string {
	switch {
	case p.Reason == "rule":
		return kindExcluded
	case pruned(p.Note):
		return kindPruned
	}
	return kindOutside
}

// placeTurns tells how a directory fills as the boundary widens.
type placeTurns struct {
	host, prefix string
	turns        []turn // by scale
}

// turn is that from a scale on there are so many more URLs of a kind in a place.
type turn struct {
	scale int
	kind  string
	more  int
}

// turnKey is where a turn is counted.
type turnKey struct {
	place, scale int
	kind         string
}

// turnTally counts URLs in the order of addresses, in which one mostly counts as the one before: it
// looks its key up where that is not so.
type turnTally struct {
	sums map[turnKey]int
	last turnKey
	n    int // of the last key, not yet in sums
}

func (t *turnTally) add(k turnKey) {
	if k != t.last {
		t.end()
		t.last = k
	}
	t.n++
}

// end gives the sums.
func (t *turnTally) end() map[turnKey]int {
	if t.sums == nil {
		t.sums = map[turnKey]int{}
	}
	t.sums[t.last] += t.n
	t.n = 0
	return t.sums
}

// turnsOf goes once through the URLs of a map. It costs O(URLs).
func turnsOf(m *sitemap.Map) []placeTurns {
	var list []placeTurns
	number := map[string]int{}
	last := -1 // mostly, the next URL lies there too
	var text []byte
	place := func(u page.URL) int {
		text = append(text[:0], u...)
		host, prefix := placeOf(text)
		if last >= 0 && string(prefix) == list[last].prefix {
			return last
		}
		k, ok := number[string(prefix)]
		if !ok {
			k = len(list)
			list = append(list, placeTurns{host: string(host), prefix: string(prefix)})
			number[list[k].prefix] = k
		}
		last = k
		return k
	}
	var members, come, leave turnTally
	for _, p := range m.Members.All() {
		members.add(turnKey{place(p.URL), p.Scale, memberKind(&p)})
	}
	for _, p := range m.Wider.All() {
		come.add(turnKey{place(p.URL), p.Scale, memberKind(&p)})
	}
	// until counts a URL that is no page of the site from a scale on, and until it is one.
	until := func(u page.URL, from int, kind string) {
		k := turnKey{place(u), from, kind}
		come.add(k)
		if scale, ok := memberScale(m, u); ok {
			k.scale = max(scale, from)
			leave.add(k)
		}
	}
	linked := 0
	for i := range m.Outside {
		p := &m.Outside[i]
		kind := outsiderKind(p)
		if held(m, p.URL) {
			kind = kindContext
		}
		until(p.URL, 0, kind)
	}
	for i := range m.Context {
		p := &m.Context[i]
		for linked < len(m.Outside) && m.Outside[linked].URL < p.URL {
			linked++
		}
		if had(p.State) && (linked == len(m.Outside) || m.Outside[linked].URL != p.URL) {
			until(p.URL, 0, kindContext)
		}
	}
	for _, list := range [][]sitemap.Requisite{m.Requisites, m.Needed} {
		for i := range list {
			r := &list[i]
			kind := kindMissing
			if had(r.State) {
				kind = kindRequisite
			}
			until(r.URL, r.Scale, kind)
		}
	}
	sums := come.end()
	for k, n := range leave.end() {
		sums[k] -= n
	}
	for k, n := range members.end() {
		sums[k] += n
		if k.scale > 0 { // it leaves below
			sums[turnKey{k.place, 0, kindOutside}] += n
			sums[turnKey{k.place, k.scale, kindOutside}] -= n
		}
	}
	for k, n := range sums {
		if n != 0 {
			list[k.place].turns = append(list[k.place].turns, turn{k.scale, k.kind, n})
		}
	}
	for k := range list {
		slices.SortFunc(list[k].turns, func(a, b turn) int { return cmp.Compare(a.scale, b.scale) })
	}
	return list
}

// memberScale tells from which scale on a URL is a page of the site.
func memberScale(m *sitemap.Map, u page.URL) (scale int, ok bool) {
	if scale, ok = m.Members.Scale(u); ok {
		return scale, true
	}
	return m.Wider.Scale(u)
}

// held reports a page that was captured as context.
func held(m *sitemap.Map, u page.URL) bool {
	x, is := m.Surrounds(u)
	return is && had(x.State)
}

// placesAt counts the URLs of a map by host and first directory at one of its scales, the fullest
// first. It costs O(turns).
func (x *siteMap) placesAt(scale int) []Place {
	list := make([]Place, 0, len(x.turns))
	for i := range x.turns {
		p := Place{Host: x.turns[i].host, Prefix: x.turns[i].prefix}
		for _, t := range x.turns[i].turns {
			if t.scale > scale {
				break
			}
			p.add(t.kind, t.more)
		}
		if p.URLs() > 0 {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b Place) int {
		return cmp.Or(cmp.Compare(b.URLs(), a.URLs()), strings.Compare(a.Prefix, b.Prefix))
	})
	return list
}

// crossings is how much of the site's links was cut, by prefix of the place that they lead to.
func crossings(m *sitemap.Map) map[string]float64 {
	sums := map[string]float64{}
	for i := range m.Outside {
		if p := &m.Outside[i]; p.Cut > 0 {
			_, prefix := placeOf([]byte(p.URL))
			sums[string(prefix)] += float64(p.Cut) / 1e6
		}
	}
	return sums
}

// add counts URLs of a kind.
func (p *Place) add(kind string, n int) {
	switch kind {
	case kindInside:
		p.Inside += n
	case kindPinned:
		p.Pinned += n
	case kindMissing:
		p.Missing += n
	case kindPruned:
		p.Pruned += n
	case kindRequisite:
		p.Requisite += n
	case kindContext:
		p.Context += n
	case kindExcluded:
		p.Excluded += n
	default:
		p.Outside += n
	}
}
