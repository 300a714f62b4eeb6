package sitemap

import (
	"slices"

	"watershed/page"
)

// A host of the site's domain that the portal names in its navigation, and that leads back, is the
// site's, though hardly more than its home page may lead back: an archive, a shop, a manual, a help desk.
// A host that the portal lists on a page or two, as that of a team or a tenant, is judged by its links
// alone. So are all of a portal that names more than namedHosts, as a university does, and hosts of users.

// claims proves hosts by the pages of a portal that name them.
type claims struct{ witness }

func (claims) evidence(s *settlement) []float64 {
	b := s.book
	hosts := b.wholeHosts()
	if len(hosts) == 0 {
		return nil
	}
	proof, named := make([]float64, len(s.blocks.list)), 0
	for k, x := range s.blocks.list {
		if x.dir != noDir && b.isRoot(x.dir) && s.names(prefixBlock, blockID(k)) &&
			slices.ContainsFunc(hosts, func(h page.Host) bool { return isBelow(b.web.dirs.host(x.dir), h) }) {
			proof[k] = 1
			named++
		}
	}
	if named == 0 || named > namedHosts {
		return nil
	}
	t := &b.web.dirs
	for p, k := range s.blocks.of {
		if k != noBlock && proof[k] > 0 && t.isHome(t.top(b.web.dir[b.places[p].id])) {
			proof[k] = 0
		}
	}
	return proof
}

func (c claims) explain(s *settlement, k blockID, x *Block) string {
	if x.Inside > 0 && x.Share < s.book.opts.Midpoint && s.shares.proof(c, k) > 0 {
		return "of the site's domain, named on at least half of its pages, and leads back"
	}
	return ""
}
