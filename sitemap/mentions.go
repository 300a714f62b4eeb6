package sitemap

import (
	"cmp"
	"iter"
	"slices"

	"watershed/page"
)

// Mentions finds the maps that have more to say of a URL than that the site has it: those for which
// Waits, Excludes, NotHad, MadeUp or Vain may hold. Of very many sites hardly any knows a URL, and to
// ask all of them for each URL takes a time that grows with the square of their number.
type Mentions struct {
	maps []*Map
	list []mention // by key and map
}

// mention is a URL and the number of a map that says something of it.
type mention struct {
	key page.Key
	of  uint32
}

// MentionsIn lists the URLs of which maps say something. It costs O(URLs log URLs), and 16 bytes for each.
func MentionsIn(maps []*Map) *Mentions {
	x := &Mentions{maps: maps}
	for i, m := range maps {
		add := func(key page.Key) { x.list = append(x.list, mention{key, uint32(i)}) }
		for key := range m.vain {
			add(key)
		}
		for key := range m.madeUp {
			add(key)
		}
		for u := range m.Waiting() {
			add(u.Key())
		}
		for k := range m.Outside {
			add(m.Outside[k].URL.Key())
		}
	}
	slices.SortFunc(x.list, func(a, b mention) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.of, b.of))
	})
	x.list = slices.Compact(x.list)
	return x
}

// Of gives the maps that may say something of a URL, in their order.
func (x *Mentions) Of(u page.URL) iter.Seq[*Map] {
	return func(yield func(*Map) bool) {
		key := u.Key()
		i, _ := slices.BinarySearchFunc(x.list, key, func(m mention, key page.Key) int {
			return cmp.Compare(m.key, key)
		})
		for ; i < len(x.list) && x.list[i].key == key; i++ {
			if !yield(x.maps[x.list[i].of]) {
				return
			}
		}
	}
}

// None reports that there are no maps.
func (x *Mentions) None() bool { return len(x.maps) == 0 }

// Any reports that something is true of a URL by any map.
func (x *Mentions) Any(u page.URL, is func(*Map, page.URL) bool) bool {
	for m := range x.Of(u) {
		if is(m, u) {
			return true
		}
	}
	return false
}
