package harvest

import (
	"cmp"
	"slices"

	"watershed/page"
	"watershed/sitemap"
)

// fewMaps is how many maps are asked one after the other.
const fewMaps = 16

// mapIndex tells which maps have a URL. Of more than a few maps it keeps 16 bytes for each URL of each.
type mapIndex struct {
	maps []*sitemap.Map
	rows []mapRow // by key; none for a few maps
}

type mapRow struct {
	key page.Key
	at  uint32 // in maps
}

func newMapIndex(maps []*sitemap.Map) *mapIndex {
	x := &mapIndex{maps: maps}
	if len(maps) <= fewMaps {
		return x
	}
	for i, m := range maps {
		from := len(x.rows)
		for key := range m.Keys() {
			x.rows = append(x.rows, mapRow{key, uint32(i)})
		}
		slices.SortFunc(x.rows[from:], compareRows)
		x.rows = x.rows[:from+len(slices.Compact(x.rows[from:]))]
	}
	slices.SortFunc(x.rows, compareRows)
	return x
}

func compareRows(a, b mapRow) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.at, b.at)) }

// of gives the maps that may have a URL, in their order. It costs O(log rows) and those maps.
func (x *mapIndex) of(u page.URL) []*sitemap.Map {
	if len(x.rows) == 0 {
		return x.maps
	}
	key := u.Key()
	at, _ := slices.BinarySearchFunc(x.rows, mapRow{key: key}, compareRows)
	var found []*sitemap.Map
	for ; at < len(x.rows) && x.rows[at].key == key; at++ {
		found = append(found, x.maps[x.rows[at].at])
	}
	return found
}

// any reports that a map which has a URL is as is asked for.
func (x *mapIndex) any(u page.URL, is func(*sitemap.Map) bool) bool {
	return slices.ContainsFunc(x.of(u), is)
}
