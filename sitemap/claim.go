package sitemap

import "watershed/graph"

// A host of the site's domain that the portal names in its navigation, and that leads back, is the
// site's, though hardly more than its home page may lead back: an archive, a shop, a manual, a help desk.
// A host that the portal lists on a page or two, as that of a team or a tenant, is judged by its links
// alone. So are all of a portal that names more than namedHosts, as a university does, and hosts of users.

// claims proves hosts by the pages of a portal that name them.
type claims struct{ witness }

func (claims) evidence(s *settlement) []float64 {
	b, h := s.book, &s.shares
	domains := make(map[string]bool)
	for _, host := range b.wholeHosts() {
		domains[host.Registrable()] = domains[host.Registrable()] || isPortal(host)
	}
	if len(domains) == 0 {
		return nil
	}
	proof, named := make([]float64, len(s.blocks.list)), 0
	pages := float64(s.blocks.list[prefixBlock].fetched) * float64(graph.Unit)
	for k, x := range s.blocks.list {
		there, back := h.flow[pairKey(prefixBlock, blockID(k))], h.flow[pairKey(blockID(k), prefixBlock)]
		if back > 0 && float64(there) >= navigation*pages && x.dir != noDir && b.isRoot(x.dir) &&
			domains[b.web.dirs.host(x.dir).Registrable()] {
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
