package sitemap

// A block is a set of pages that lie together: the prefix of the seeds with what rules include, or a directory. On a host of
// the seeds, a page outside the prefix is in the directory where the path to it leaves that to the prefix, so that
// /docs/2.4/fr/ is another block than /docs/2.4/en/ and each ~user has one. On a foreign host, the block is the anchor (the
// deepest directory that receives most of the site's links to the host) or the directory where the path leaves that to it.

// blockID numbers the blocks of one settlement.
type blockID uint32

// prefixBlock is the block of the pages inside the prefix.
const prefixBlock blockID = 0

type blocks struct {
	of   []blockID // by place; what does not count is in no block and has noBlock
	list []block
}

const noBlock blockID = 1<<32 - 1

type block struct {
	dir     dirID // noDir for the prefix
	known   int
	fetched int // attempts, failed ones too
	stray   bool
}

// divide assigns every place that counts to its block.
func (b *boundary) divide() blocks {
	bl := blocks{of: make([]blockID, len(b.places)), list: []block{{dir: noDir}}}
	byDir, ofPage := &b.web.tables[0], &b.web.tables[1] // 1 + block, by the directory that names it and by that of a page
	defer byDir.empty()
	defer ofPage.empty()
	for _, p := range b.order {
		pl := &b.places[p]
		if !b.counts(p) {
			bl.of[p] = noBlock
			continue
		}
		k := prefixBlock
		if !pl.is(inPrefix) {
			d := b.web.dir[pl.id]
			if ofPage.get(d) == 0 {
				dir := b.blockDir(d)
				if byDir.get(dir) == 0 {
					bl.list = append(bl.list, block{dir: dir})
					byDir.set(dir, uint32(len(bl.list)))
				}
				ofPage.set(d, byDir.get(dir))
			}
			k = blockID(ofPage.get(d) - 1)
		}
		bl.of[p] = k
		bl.list[k].known++
		bl.list[k].stray = bl.list[k].stray || pl.is(isStray)
		if pl.is(isAnswered) {
			bl.list[k].fetched++
		}
	}
	return bl
}

// blockDir gives the directory that names the block of a page outside the prefix, by the page's directory.
func (b *boundary) blockDir(d dirID) dirID {
	t := &b.web.dirs
	root := t.nodes[d].root
	anchor, deepest := root, -1
	if a, ok := b.anchors[root]; ok {
		anchor = a
	}
	for _, p := range b.prefix {
		if t.nodes[p].root == root {
			if common := t.common(p, d); common > deepest {
				anchor, deepest = p, common
			}
		}
	}
	if t.contains(anchor, d) {
		return anchor
	}
	return t.beside(anchor, d)
}

// onSeedHost reports whether a host, by its root, holds a prefix.
func (b *boundary) onSeedHost(root dirID) bool {
	for _, p := range b.prefix {
		if b.web.dirs.nodes[p].root == root {
			return true
		}
	}
	return false
}

// drawAnchors gives the anchor of every foreign host: the deepest directory that receives AnchorMass of the links from pages
// inside to that host.
func (s *settlement) drawAnchors() map[dirID]dirID {
	b := s.b
	t := &b.web.dirs
	mass, below := &b.web.tables[0], &b.web.tables[1]
	defer mass.empty()
	defer below.empty()
	for u := range b.places {
		if !b.places[u].is(isInside | isSeed) {
			continue
		}
		for _, v := range s.links(uint32(u)) {
			d := b.web.dir[b.places[v].id]
			if !b.onSeedHost(t.nodes[d].root) {
				mass.set(d, mass.get(d)+1)
			}
		}
	}
	for _, d := range mass.used {
		for m := mass.get(d); d != noDir; d = t.nodes[d].parent {
			below.set(d, below.get(d)+m)
		}
	}
	anchors := make(map[dirID]dirID)
	for _, d := range below.used {
		root := t.nodes[d].root
		if float64(below.get(d)) < b.opts.AnchorMass*float64(below.get(root)) {
			continue
		}
		if a, ok := anchors[root]; !ok || t.nodes[d].depth > t.nodes[a].depth {
			anchors[root] = d
		}
	}
	return anchors
}
