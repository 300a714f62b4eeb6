package sitemap

import "slices"

// A host of the site's domain that the portal names in its navigation, and that leads back, is the
// site's, though hardly more than its home page may lead back: an archive, a shop, a manual, a help desk.
// A host that the portal lists on a page or two, as that of a team or a tenant, is judged by its links
// alone. So are all of a portal that names more than namedHosts, as a university does, hosts of users, and
// hosts of another owner, whom they name on their pages.

// claims proves hosts by the pages of a portal that name them.
type claims struct{ witness }

func (c claims) evidence(s *settlement) []float64 {
	b := s.book
	proof, named := make([]float64, len(s.blocks.list)), 0
	for k, x := range s.blocks.list {
		if x.dir != noDir && b.isRoot(x.dir) && s.names(prefixBlock, blockID(k)) && b.isBelowSeed(x.dir) {
			proof[k] = 1
			named++
		}
	}
	if named > namedHosts {
		clear(proof)
	}
	users := c.userHosts(s, proof)
	for key := range s.shares.flow {
		k, m := blockID(key>>32), blockID(key)
		if proof[k] > 0 && (users[k] || c.anothers(s, k, m)) {
			proof[k] = 0
		}
	}
	for k, is := range s.shares.bar {
		if is && s.shares.sampled(blockID(k)) {
			proof[k] = 1
		}
	}
	return proof
}

const (
	// mostInBar is how many hosts of one name may have each other in their navigation and be one site.
	mostInBar = 12
	// inBar is the part of pages that name what is in the navigation. Of a few tried pages one does.
	inBar = 0.25
)

// navigation tells by block which hosts of the site's name have their navigation in common with it: of
// the pages of each a quarter name the other, and two more of these hosts. So do the regions of a
// newspaper; tenants and departments name the portal, and seldom each other. Where the seed is the root
// page of a part of a house, those are the other parts.
func (s *settlement) navigation() []bool {
	b, h := s.book, &s.shares
	bar, called := make([]bool, len(s.blocks.list)), []blockID(nil)
	for k, x := range s.blocks.list {
		if x.dir == noDir || !h.family[k] || !h.names(prefixBlock, blockID(k), inBar) {
			continue
		}
		if b.isPortal(b.web.dirs.host(x.dir)) && b.namesPart() {
			return bar
		}
		called = append(called, blockID(k))
	}
	if len(called) < 2 || len(called) >= mostInBar {
		return bar
	}
	for _, k := range called {
		others := 0
		for _, m := range called {
			others += b2i(m != k && h.names(k, m, inBar))
		}
		bar[k] = h.names(k, prefixBlock, inBar) && others >= min(2, len(called)-1)
	}
	return bar
}

// anothers reports a host that names on half of its pages a place of another domain, with a stranger's
// name, which names it on half of its own, of some that were tried, and shares more with that than with
// the site, with which the place shares nothing. A software vendor lists the host on a page or two.
func (claims) anothers(s *settlement, k, m blockID) bool {
	h := &s.shares
	return m != prefixBlock && h.stranger(prefixBlock, m) && h.sampled(m) && s.names(k, m) && s.names(m, k) &&
		!s.book.isBelowSeed(s.blocks.list[m].dir) && h.share(prefixBlock, m) == 0 &&
		h.share(k, m) > h.share(prefixBlock, k)
}

// userHosts finds the hosts with homes of users: ~ann, or two directories or more of which less than half
// of the pages lead out of them, to the host or to the site. A language, a version or a year is no user.
func (claims) userHosts(s *settlement, proof []float64) []bool {
	b, t := s.book, &s.book.web.dirs
	users := make([]bool, len(proof))
	homes := make([]map[dirID]int, len(proof)) // by directory: pages that stay, less others
	for p, k := range s.blocks.of {
		if k == noBlock || proof[k] == 0 {
			continue
		}
		own := t.top(b.web.dir[b.places[p].id])
		users[k] = users[k] || t.isHome(own)
		links := s.links(uint32(p))
		if len(links) == 0 || b.isRoot(own) || workOf(t.path(own)).name != "" {
			continue
		}
		if homes[k] == nil {
			homes[k] = make(map[dirID]int)
		}
		homes[k][own] += 1 - 2*b2i(slices.ContainsFunc(links, func(v uint32) bool {
			d := b.web.dir[b.places[v].id]
			return s.blocks.of[v] == prefixBlock || t.nodes[d].root == t.nodes[own].root && t.top(d) != own
		}))
	}
	for k, stay := range homes {
		several := 0
		for _, n := range stay {
			several += b2i(n > 1)
		}
		users[k] = users[k] || several >= otherRooms
	}
	return users
}

func (c claims) explain(s *settlement, k blockID, x *Block) string {
	if x.Inside > 0 && x.Share < s.book.opts.Midpoint && s.shares.proof(c, k) > 0 {
		return "of the site's name, in its navigation, and leads back"
	}
	return ""
}
