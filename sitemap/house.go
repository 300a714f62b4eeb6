package sitemap

import (
	"math"
	"slices"
	"strings"

	"watershed/graph"
	"watershed/page"
)

// A house is the host of a seed's directory where a page above that directory names it and at least
// otherRooms places beside it, its rooms, all of which lead back, and half of the seed's pages name such
// places: the sections of a newspaper, the departments of a university. Each room shares as much with
// the others as with the seed's, and they would come in together. But who gives a directory of a house
// as a seed, and not its entry page, means that room. So a place of the house shares with the prefix only
// by how much more it does than with another room. A wiki of the seed's project, which no other project
// has links with, shares all, and so does another language of the seed's directory, but another
// version or year nothing: who names one means that. The hosts of a domain are rooms, too, where
// its portal names them, and a seed is the root page of one.
//
// A place of two pages or more above, or a host above that names the seed on half of its pages, is
// the whole of which the seed is a part, and shares nothing with it, whatever else it names; nor
// does another directory that a place above names on half of its pages. Where the seed's directory
// is a language or version, the place above is its door.
const (
	otherRooms = 2

	domain = noDir - 1 // stands for the root of a house whose rooms are hosts
)

// rivals gives by block of a house the most that it shares with a room beside the seed's.
func (s *settlement) rivals() []float64 {
	h, b := &s.shares, s.book
	rivals := make([]float64, len(s.blocks.list))
	if !b.computed() || !b.namesDirectories() {
		return rivals
	}
	above, root := make([]bool, len(rivals)), make([]dirID, len(rivals))
	apart := make([]bool, len(rivals)) // the wholes, and other versions of the seed's directory
	t := &b.web.dirs
	works := make(map[string]bool)
	for _, p := range b.prefix {
		works[workOf(t.path(p)).name] = true
	}
	delete(works, "") // of what is no variant
	part := b.namesPart()
	for k := range root {
		d := s.blocks.list[k].dir
		root[k] = noDir
		if d != noDir && part && h.family[k] {
			root[k], above[k] = domain, b.isPortal(t.host(d))
		}
		if d == noDir || !b.onSeedHost(t.nodes[d].root) {
			continue
		}
		switch {
		case !works[workOf(t.path(d)).name]:
			root[k] = t.nodes[d].root
			above[k] = slices.ContainsFunc(b.prefix, func(p dirID) bool {
				return t.nodes[p].root == root[k] && t.contains(d, p)
			})
		case !isTongue(t.name(&t.nodes[d])):
			apart[k] = true
		}
	}
	if !slices.Contains(above, true) && !slices.Contains(apart, true) {
		return rivals
	}
	// by root
	names, calls, rooms := make(map[dirID]bool), make(map[dirID]int64), make(map[dirID]map[blockID]bool)
	for key := range h.flow {
		a, k := blockID(key>>32), blockID(key)
		switch back := h.flow[pairKey(k, a)] != 0; {
		case !back || root[a] == noDir:
		case k == prefixBlock:
			names[root[a]] = names[root[a]] || above[a]
			calls[root[a]] += h.flow[pairKey(k, a)]
		case root[k] != root[a] || above[k]:
		default:
			if above[a] {
				if rooms[root[a]] == nil {
					rooms[root[a]] = make(map[blockID]bool)
				}
				rooms[root[a]][k] = true
			}
			rivals[a] = max(rivals[a], h.share(a, k))
		}
	}
	var wholes []blockID
	for k := range above {
		page := s.blocks.list[k].fetched == 1 && root[k] != domain // which lists what the host has
		if above[k] && !page && len(works) == 0 && (root[k] != domain || s.names(blockID(k), prefixBlock)) {
			wholes = append(wholes, blockID(k))
			apart[k] = true
		}
	}
	pages := float64(s.blocks.list[prefixBlock].fetched) * float64(graph.Unit)
	own := float64(len(b.prefix) + len(b.Include)) // rooms, which share with others what each does alone
	for k, r := range root {
		rivals[k] *= own
		if !names[r] || len(rooms[r]) < otherRooms || float64(calls[r]) < navigation*pages {
			rivals[k] = 0
		}
		if apart[k] || slices.ContainsFunc(wholes, func(a blockID) bool {
			return root[a] == r && r != domain && s.names(a, blockID(k))
		}) {
			rivals[k] = math.Inf(1)
		}
	}
	return rivals
}

// names reports that at least half of the pages of a block link to another, which links back.
func (s *settlement) names(a, k blockID) bool {
	return s.shares.names(a, k, navigation)
}

// namesDirectories reports that each seed names a directory: by a slash at its end, its index page, or
// its name. A page from the middle names none.
func (b *book) namesDirectories() bool {
	return !slices.ContainsFunc(b.seeds, func(p uint32) bool {
		id := b.places[p].id
		u := b.web.text(id)
		_, name := cutName(u)
		if b.characteristic(id) || isIndexName(name) && !strings.Contains(name, "?") {
			return false
		}
		for _, dir := range directoriesOf(u) {
			if d, _ := b.web.dirs.add(dir); b.stands[d] {
				return false
			}
		}
		return true
	})
}

// namesPart reports that the seeds are the root pages of hosts, none of which tells a language or a year.
func (b *book) namesPart() bool {
	return !slices.ContainsFunc(b.wholeHosts(), func(h page.Host) bool {
		label, _, _ := strings.Cut(h.Name(), ".")
		return isTongue(label) || year.MatchString(label)
	})
}

// isPortal reports a host above that of a seed: www.example.org or example.org above docs.example.org.
func (b *book) isPortal(h page.Host) bool {
	return slices.ContainsFunc(b.wholeHosts(), func(own page.Host) bool { return isBelow(own, h) })
}

// isBelowSeed reports a directory on a host below that of a seed.
func (b *book) isBelowSeed(d dirID) bool {
	return slices.ContainsFunc(b.wholeHosts(), func(own page.Host) bool {
		return isBelow(b.web.dirs.host(d), own)
	})
}

// isBelow reports a host whose name is below that of another, www at the front apart.
func isBelow(h, above page.Host) bool {
	own := strings.TrimPrefix(h.Name(), "www.")
	return strings.HasSuffix(own, "."+strings.TrimPrefix(above.Name(), "www."))
}
