package sitemap

import "slices"

// Where URLs say nothing, as flat or hashed names on a host that many share, the prefix of a seed
// is the whole host. Then the Markov clusters of its pages do what directories do elsewhere: the
// clusters of the seeds are the site, with every cluster that leans on them or that they lean on.
// The others are strays: out of the prefix, and in a block that nothing joins to it.
//
// A cluster leans on another by the part of all its links that lead there, its inner links among
// them, where k links to one page weigh log₂(1+k). That is one-sided on purpose: an entry page lies
// at the border of its site (Senellart 2003, figure 9), and its cluster, a few pages to which no
// page links back, leans on the rest. Tenants of one host hardly lean on each other.
//
// Names that do say something weigh the links that are clustered, by their edit distance, and the
// leaning (lean).
//
// Where the root page of the host is a seed, or a sitemap in its root, the whole host was named, and
// nothing of it is a stray: languages of one manual, which only that page joins, or examples that one
// page leads to, look like tenants to any count of links.
//
// The pages of such a host are asked for in waves, so that the first pages can tell whose the next
// ones are.

// flatPart is the part of a prefix's pages that lie in its directory itself, for it to say nothing.
const flatPart = 0.9

// flatInflation of the clusters: coarser than siteInflation. A cluster that is too large does
// harm only where it joins tenants, and one that is too small is mended by leaning.
const flatInflation = 1.4

// flatHost says when a flat prefix was last divided, and which of its pages wait.
type flatHost struct {
	scout
	b         *boundary
	clustered int    // by b.learned: all of it, by clusters
	followed  int    // by b.learned: the pages that came since, by their links
	has       []bool // by place: it was among those clustered

	below, right int  // pages that were admitted to the prefix; of these, those right in the root of a host
	held         bool // some of them had to wait
}

// whole reports whether a seed is the root page of the host that has that root, or its sitemap, or the
// host is a sister of a seed's.
func (f *flatHost) whole(root dirID) bool {
	return f.b.sisters.joined[root] || slices.ContainsFunc(f.b.seeds, func(p uint32) bool {
		id := f.b.places[p].id
		if f.b.web.dir[id] != root {
			return false
		}
		u := f.b.web.text(id)
		return u == u.Root() && !f.b.characteristic(id) || f.b.web.lists(id)
	})
}

// ask divides the host while nothing is open, and then wants the next wave.
func (f *flatHost) ask(b *boundary, at turn) {
	if at != resting {
		return
	}
	if f.split(b.last) {
		b.again()
	}
	if b.idle() && f.next(b.last) {
		b.again()
	}
}

// split draws the prefix anew where it is a whole host without directories, and reports whether
// it changed. Unless the pages have grown by more than Growth since they were last clustered, only
// the new ones are looked at: so all the clusterings of a site cost no more than 1 + 1/Growth of
// the last one.
func (f *flatHost) split(s *settlement) (changed bool) {
	b := f.b
	if f.followed == b.learned {
		return false
	}
	f.followed = b.learned
	pages := f.pages()
	if len(pages) == 0 || len(pages) > b.opts.ClusterPages {
		return false
	}
	var own []bool
	if float64(b.learned) >= (1+b.opts.Growth)*float64(f.clustered) {
		own = f.leaning(s, pages)
		f.clustered = b.learned
		f.has = make([]bool, len(b.places))
		for _, p := range pages {
			f.has[p] = true
		}
	} else {
		own = f.following(s, pages)
	}
	for i, p := range pages {
		pl := &b.places[p]
		was := pl.flags
		pl.flags = pl.flags&^isStray | inPrefix
		if !own[i] && !pl.is(isSeed) && !b.includes(pl.id) {
			pl.flags = pl.flags&^inPrefix | isStray
		}
		changed = changed || pl.flags != was
		b.recount(p)
	}
	return changed
}

// pages are the fetched pages of the prefix if that is a host of which nearly all lie in the
// root, else none.
func (f *flatHost) pages() []uint32 {
	b := f.b
	if len(b.foreign) > 0 {
		return nil // they are directories that say something
	}
	b.arrange()
	var pages []uint32
	flat := 0
	for _, p := range b.order {
		pl := &b.places[p]
		if !b.counts(p) || !pl.is(inPrefix|isStray) || !pl.is(isAnswered) || b.web.state[pl.id] != alive {
			continue
		}
		d := b.web.dir[pl.id]
		home := b.prefixOf(d)
		if home == noDir || b.web.dirs.nodes[home].depth > 0 || f.whole(home) {
			continue // a rule's, or of a prefix that says something
		}
		pages = append(pages, p)
		flat += b2i(b.web.dirs.nodes[d].depth == 0)
	}
	if float64(flat) < flatPart*float64(len(pages)) {
		return nil
	}
	return pages
}

// leaning tells of some pages which are in a cluster of a seed or in one joined to these by
// leaning.
func (f *flatHost) leaning(s *settlement, pages []uint32) []bool {
	b := f.b
	edges := among(pages, s.links, alike)
	var names nameList
	if !b.opts.NoEditDistance {
		names = b.namesOf(pages)
		names.weigh(edges)
	}
	r := cluster(len(pages), edges, flatInflation)
	l := newLean(r, edges, names)
	for i, p := range pages {
		if b.places[p].is(isSeed) {
			l.join(r.Labels[i])
		}
	}
	l.grow(b.opts.Lean)
	own := make([]bool, len(pages))
	for i := range pages {
		own[i] = l.in[r.Labels[i]] || l.joined == 0
	}
	return own
}

// following reports which of some pages are of the site: a clustered page by its cluster; another
// page unless it links to more clustered strays than clustered pages of the site.
func (f *flatHost) following(s *settlement, pages []uint32) []bool {
	b := f.b
	own := make([]bool, len(pages))
	for i, p := range pages {
		if f.divided(p) {
			own[i] = !b.places[p].is(isStray)
			continue
		}
		votes := 0
		for _, q := range s.links(p) {
			if f.divided(q) {
				votes += 1 - 2*b2i(b.places[q].is(isStray))
			}
		}
		own[i] = votes >= 0
	}
	return own
}

// divided reports whether a place was among those of which a flat prefix was last divided.
func (f *flatHost) divided(p uint32) bool { return int(p) < len(f.has) && f.has[p] }
