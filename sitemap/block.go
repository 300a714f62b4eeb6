package sitemap

// A block is a set of pages that lie together: the prefix of the seeds with what rules include, or
// a directory. On a host of the seeds, the block of a page outside the prefix is the first
// directory on the path to the page that is not on the path to the prefix, so that /docs/2.4/fr/ is
// another block than /docs/2.4/en/ and each ~user has one. On a foreign host, the block is the
// anchor (the deepest directory that receives most of the links from pages inside to the host, and
// pages between that and where most of those from other hosts lead), or the first directory on the
// path to the page that is not on the path to the anchor.

// blockID numbers the blocks of one settlement.
type blockID uint32

// prefixBlock is the block of the pages inside the prefix.
const prefixBlock blockID = 0

type blocks struct {
	of    []blockID // by place; what does not count is in no block and has noBlock
	list  []block
	byDir map[dirID]blockID
}

const noBlock blockID = 1<<32 - 1

// block has known pages, of which some were tried. A block that its pages have left for another has
// none.
type block struct {
	dir       dirID // noDir for the prefix
	known     int
	fetched   int // attempts, failed ones too
	came      int // of these, those that came: pages and documents
	heard     int // of these, pages that are copies of none
	documents int // of those that came
	led       int // pages that did not fail and that a page of the prefix links to
	stray     bool
}

// assign puts a place that counts into its block.
func (s *settlement) assign(p uint32) {
	b, bl := s.book, &s.blocks
	if b.places[p].is(inPrefix) {
		bl.of[p] = prefixBlock
	} else {
		dir := b.blockDir(b.web.dir[b.places[p].id])
		k, ok := bl.byDir[dir]
		if !ok {
			k = blockID(len(bl.list))
			bl.byDir[dir] = k
			bl.list = append(bl.list, block{dir: dir})
		}
		bl.of[p] = k
	}
}

// countPages counts the pages of the blocks: those known, tried, heard, and those that count for kin.
func (s *settlement) countPages() {
	b := s.book
	for k := range s.blocks.list {
		l := &s.blocks.list[k]
		*l = block{dir: l.dir}
	}
	for p, k := range s.blocks.of {
		if k == noBlock {
			continue
		}
		l := &s.blocks.list[k]
		l.known++
		l.stray = l.stray || b.places[p].is(isStray)
		lives, id := b.lives(uint32(p)), b.places[p].id
		if b.places[p].is(isAnswered) {
			l.fetched++
			came, document := b.web.state[id] == alive, b.web.documents.has(id)
			l.came += b2i(came)
			l.heard += b2i(came && lives && !document)
			l.documents += b2i(came && document)
		}
		l.led += b2i(lives && s.kinship.nearest[p].place != none)
	}
	s.shares.blocks, s.shares.akin = s.blocks.list, s.namesakes()
	s.shares.listen()
	s.shares.bar = s.navigation()
	s.shares.hear(s)
}
