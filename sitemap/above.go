package sitemap

import (
	"slices"
	"strings"
)

// A place above others leads to what lies below it: the home page of a university to its
// departments, that of a service to those who rent a part of it. Who is named on each of its pages,
// and names it on each of their own, shares much with it, and is no more a part of it than it is of
// them. So a place above a block shares nothing with that block if it leads to more places beside
// the block that have no links with it than to such as have. The sections of one site lead to each
// other.

// aboves finds the blocks that lie above others: the pages right in a directory, or on the main
// host of a domain. It costs O(pairs of blocks × depth).
type aboves struct {
	b       *book
	h       *shares
	entered []dirID               // directories of seeds that are their index
	roots   map[dirID]bool        // of the hosts of these
	below   map[blockID]int       // by a block that lies above others: how many of those it leads to
	tied    map[blockID][]blockID // by block: those that have links with it
}

func newAboves(h *shares) aboves {
	x := aboves{
		h.b, h, h.b.entered(), make(map[dirID]bool), make(map[blockID]int), make(map[blockID][]blockID),
	}
	for _, d := range x.entered {
		x.roots[h.b.web.dirs.nodes[d].root] = true
	}
	for key := range h.flow {
		k, j := blockID(key>>32), blockID(key)
		if x.above(k, j) {
			x.below[k]++
		}
		if k < j || h.flow[pairKey(j, k)] == 0 {
			x.tied[k], x.tied[j] = append(x.tied[k], j), append(x.tied[j], k)
		}
	}
	return x
}

// above reports whether block k lies above block a.
func (x aboves) above(k, a blockID) bool {
	if k == prefixBlock || k == a {
		return false
	}
	if a == prefixBlock {
		return slices.ContainsFunc(x.entered, func(d dirID) bool { return x.over(k, d) })
	}
	d := x.h.blocks[a].dir
	root := x.b.web.dirs.nodes[d].root
	return (!x.b.onSeedHost(root) || x.roots[root]) && x.over(k, d)
}

// over reports whether a block lies above a directory. Hosts of the site's name are above none.
func (x aboves) over(k blockID, d dirID) bool {
	t, dir := &x.b.web.dirs, x.h.blocks[k].dir
	if t.nodes[dir].root == t.nodes[d].root {
		return dir != d && t.contains(dir, d)
	}
	return x.h.main[k] != "" && !x.h.family[k] && x.h.main[k] == t.host(d).Registrable()
}

// parts reports whether one of two blocks lies above the other and is no part of its site.
func (x aboves) parts(a, k blockID) bool { return x.isDoor(k, a) || x.isDoor(a, k) }

// isDoor reports whether block k lies above a and leads to others, strangers to a, besides.
func (x aboves) isDoor(k, a blockID) bool {
	if !x.above(k, a) {
		return false
	}
	strangers := x.below[k]
	if x.h.flow[pairKey(k, a)] != 0 {
		strangers--
	}
	for _, j := range x.tied[a] {
		if x.h.flow[pairKey(k, j)] != 0 && x.above(k, j) {
			strangers -= 2
		}
	}
	return strangers > 0
}

// entered are the directories of the prefix of which a seed is the index page. Any other seed may
// be a page from the middle of a site, whose entry page lies above it.
func (b *book) entered() (dirs []dirID) {
	for _, p := range b.seeds {
		id := b.places[p].id
		u := b.web.text(id)
		d, name := b.web.dirs.add(u)
		if b.stands[d] && isIndexName(name) {
			dirs = append(dirs, d)
		} else if b.isIndex(id) {
			for _, v := range directoriesOf(u) {
				if d, _ := b.web.dirs.add(v); b.stands[d] {
					dirs = append(dirs, d)
				}
			}
		}
	}
	return dirs
}

// isIndexName reports the name of a directory's index page: none, or index or default with any
// extension and query.
func isIndexName(name string) bool {
	name, _, _ = strings.Cut(strings.ToLower(name), "?")
	name, _, _ = strings.Cut(name, ".")
	return name == "" || name == "index" || name == "default"
}
