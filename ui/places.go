package ui

import (
	"cmp"
	"slices"
	"strings"

	"watershed/page"
	"watershed/sitemap"
)

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

// kindRequisite is the kind of a requisite that was fetched.
const kindRequisite = "requisite"

// turnsOf goes once through the URLs of a map. It costs O(URLs·log pages).
func turnsOf(m *sitemap.Map) []placeTurns {
	type key struct {
		place, scale int
		kind         string
	}
	var list []placeTurns
	number := map[string]int{}
	sums := map[key]int{}
	last := -1 // mostly, the next URL lies there too
	place := func(u page.URL) int {
		host, prefix := placeOf([]byte(u))
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
	x := siteMap{Map: m}
	for _, p := range m.Members.All() {
		k := place(p.URL)
		sums[key{k, p.Scale, memberKind(&p)}]++
		if p.Scale > 0 { // it leaves below
			sums[key{k, 0, kindOutside}]++
			sums[key{k, p.Scale, kindOutside}]--
		}
	}
	for _, p := range m.Wider.All() {
		sums[key{place(p.URL), p.Scale, memberKind(&p)}]++
	}
	for i := range m.Outside {
		p := &m.Outside[i]
		k, kind := place(p.URL), outsiderKind(p)
		if held(m, p.URL) {
			kind = kindContext
		}
		sums[key{k, 0, kind}]++
		if since, ok := x.memberScale(p.URL); ok {
			sums[key{k, since, kind}]--
		}
	}
	for i := range m.Context {
		p := &m.Context[i]
		if _, linked := slices.BinarySearchFunc(m.Outside, p.URL, func(o sitemap.Outsider, u page.URL) int {
			return cmp.Compare(o.URL, u)
		}); linked || !had(p.State) {
			continue
		}
		k := place(p.URL)
		sums[key{k, 0, kindContext}]++
		if since, ok := x.memberScale(p.URL); ok {
			sums[key{k, since, kindContext}]--
		}
	}
	for _, list := range [][]sitemap.Requisite{m.Requisites, m.Needed} {
		for i := range list {
			r := &list[i]
			k, kind := place(r.URL), kindMissing
			if had(r.State) {
				kind = kindRequisite
			}
			sums[key{k, r.Scale, kind}]++
			if since, ok := x.memberScale(r.URL); ok { // from then on it is a page of the site
				sums[key{k, max(since, r.Scale), kind}]--
			}
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
