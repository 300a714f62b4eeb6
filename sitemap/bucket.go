package sitemap

import (
	"cmp"
	"slices"
	"strings"

	"watershed/graph"
	"watershed/page"
)

// Documents (PDF, data, archives, sound, pictures that a link opens) have no links, so no block of
// them ever links back. A document that the site alone leads to is of the site, wherever it lies:
// on storage that is rented, on a host for downloads, beside the site's directory. Documents of
// others that a site cites look the same but for two things, and both are looked for before any is
// taken: pages of others lead to them, too; and their host has pages of its own.
//
// The documents of a block that the site leads to are judged together. First the indices above them
// are asked for, from the root of their host on. A listing, as servers make them of a directory, is
// no page of anybody. Where the host has pages, few documents are a citation; of more, a sample of
// these pages is asked for. Then a sample of the documents, and then the others. Blocks in which
// others lead to too many, by what is known of their pages, are left alone, with all that they
// have.

// mostCited is how many documents on hosts with pages of their own, or of which there are few, a
// site takes in: what leads there might be a bibliography.
const mostCited = 1000

// isDocument reports a visit that brought a document: it has a type that neither pages nor lists
// have.
func isDocument(v *page.Visit, is state) bool {
	return is == alive && v.MIME != "" && !strings.Contains(v.MIME, "html") &&
		!strings.HasSuffix(v.MIME, "/xml") && (!strings.HasSuffix(v.MIME, "+xml") ||
		strings.HasPrefix(v.MIME, "image/"))
}

// bitset is a set of vertices, a bit each.
type bitset []uint64

func (x bitset) has(id graph.ID) bool { return int(id/64) < len(x) && x[id/64]>>(id%64)&1 != 0 }

// put adds a vertex or takes it out, and reports whether that changed anything.
func (x *bitset) put(id graph.ID, in bool) bool {
	if x.has(id) == in {
		return false
	}
	for int(id/64) >= len(*x) {
		*x = append(*x, 0)
	}
	(*x)[id/64] ^= 1 << (id % 64)
	return true
}

// buckets finds the documents that are a site's alone.
type buckets struct {
	scout
	verdicts map[dirID]verdict // by the directory of their block
	above    int               // indices above documents of which there are few, see mostCited
}

// verdict is what came of the documents of a block when they were looked at last.
type verdict struct {
	part float64 // of those that the site leads to, those that it alone leads to
	own  bool    // they are of the site
	why  string  // they are not; "" where that is not known yet
}

// bucket are the documents of a block to which the site leads.
type bucket struct {
	block  blockID
	all    []uint32
	alone  []uint32        // those that no other page is known to lead to
	rivals map[blockID]int // by block of others: those to which pages of it lead
	had    int             // that came
	none   int             // that failed, or that a page came in place of
	verdict
}

// few tells that there are so few that they may as well be cited.
func (k *bucket) few() bool { return len(k.all) < minKin }

// ask looks at the documents that the site leads to, wants the pages that tell whose they are, and
// marks and wants those that are the site's.
func (x *buckets) ask(b *boundary, at turn) {
	if at != sampling {
		return
	}
	s := b.last
	others, cited := x.others(s), 0
	own, wanted := make(map[uint32]bool), []uint32(nil)
	x.verdicts = make(map[dirID]verdict)
	list, blocks := x.gather(s), make(map[dirID]int) // with documents, by the root of their host
	for _, k := range list {
		blocks[b.web.dirs.nodes[s.blocks.list[k.block].dir].root]++
	}
	for _, k := range list {
		dir := s.blocks.list[k.block].dir
		root := b.web.dirs.nodes[dir].root
		strangers := others[root]
		if k.own = x.judge(b, k, strangers, blocks[root] > 1); k.own {
			if k.few() || len(strangers) > 0 {
				k.alone = k.alone[:min(len(k.alone), mostCited-cited)]
				cited += len(k.alone)
			}
			for _, p := range k.alone {
				own[p] = true
			}
			wanted = append(wanted, k.next(b)...)
		}
		x.verdicts[dir] = k.verdict
	}
	for p := range b.places {
		if pl := &b.places[p]; pl.is(isOwned) != own[uint32(p)] {
			pl.flags ^= isOwned
			b.recount(uint32(p))
			b.around.stale = true
		}
	}
	for _, p := range wanted {
		b.ask(p, WhyDocument, 0)
	}
}

// next are the documents to be asked for: a sample, and all once one of it was answered.
func (k *bucket) next(b *boundary) []uint32 {
	if slices.ContainsFunc(k.alone, func(p uint32) bool { return b.places[p].is(isAnswered) }) {
		return k.alone
	}
	return evenly(k.alone, max(1, b.opts.Probes))
}

// judge reports whether the documents of a block that the site alone leads to are its own, as far
// as is known; it wants the pages that would tell. others are pages of their host that are not the
// site's; beside tells that the site leads to documents in other blocks of the host, too, so that
// several may keep theirs there.
func (x *buckets) judge(b *boundary, k *bucket, others []uint32, beside bool) bool {
	left := len(k.all) // whole numbers, of which sums do not depend on their order
	for r, n := range k.rivals {
		left -= int(float64(n) * b.last.shares.extrapolation(r))
	}
	k.part = float64(max(0, min(left, len(k.alone)))) / float64(len(k.all))
	switch {
	case len(k.alone) == 0 || k.part < b.opts.Documents:
		k.why = "pages of others lead to its documents, too"
	case k.had == 0 && k.none >= max(1, b.opts.Probes):
		k.why = "the documents tried there failed, or are pages"
	case beside && k.few():
		k.why = "few documents, on a host that has those of others, too"
	case x.askAbove(b, k):
	case len(others) > 0 && k.few():
		k.why = "few documents, on a host that has pages of its own"
	case x.askOthers(b, others):
	default:
		return true
	}
	return false
}

// gather finds the documents outside to which pages of the site lead, by block: first those of
// which some came, then in the order of the names of blocks, and of keys. It costs a pass over
// places and links.
func (x *buckets) gather(s *settlement) (list []*bucket) {
	b := s.book
	b.arrange()
	met, byBlock := make([]bool, len(b.places)), make(map[blockID]*bucket)
	for _, u := range s.joined {
		if !b.belongs(u) {
			continue
		}
		for _, v := range s.links(u) {
			if k := s.blocks.of[v]; !met[v] && k != noBlock && k != prefixBlock && byBlock[k] == nil {
				byBlock[k] = &bucket{block: k, rivals: make(map[blockID]int)}
			}
			met[v] = true
		}
	}
	of := make(map[uint32]*bucket) // by document
	for _, p := range b.order {
		if !met[p] || !x.candidate(b, p) || byBlock[s.blocks.of[p]] == nil {
			continue
		}
		k := byBlock[s.blocks.of[p]]
		id := b.places[p].id
		came := b.places[p].is(isAnswered) && b.web.state[id] == alive
		switch named := b.web.text(id).NamesDocument(); {
		case !b.lives(p):
			k.none += b2i(named && b.web.state[id] == dead)
			continue
		case came && b.web.documents.has(id):
			k.had++
		case came:
			k.none += b2i(named)
			continue
		case !named && !s.documentsOnly(k.block):
			continue
		}
		k.all, of[p] = append(k.all, p), k
	}
	theirs := x.rivals(s, of)
	for _, k := range byBlock {
		for _, p := range k.all {
			if !theirs[p] {
				k.alone = append(k.alone, p)
			}
		}
		if len(k.all) > 0 {
			list = append(list, k)
		}
	}
	slices.SortFunc(list, func(a, k *bucket) int {
		return cmp.Or(b2i(k.had > 0)-b2i(a.had > 0),
			cmp.Compare(s.blockName(a.block), s.blockName(k.block)))
	})
	return list
}

// candidate reports whether a place may be a document outside, by all but its name and answer.
func (x *buckets) candidate(b *book, p uint32) bool {
	pl := &b.places[p]
	return b.counts(p) && !pl.is(inPrefix|isSeed|isStray|isInside) && pl.pin == unpinned
}

// documentsOnly reports a block of which all that came, a sample at least, were documents.
func (s *settlement) documentsOnly(k blockID) bool {
	x := &s.blocks.list[k]
	return x.came > 0 && x.documents == x.came && s.shares.sampled(k)
}

// rivals counts the documents to which pages of others lead, and marks them.
func (x *buckets) rivals(s *settlement, of map[uint32]*bucket) map[uint32]bool {
	b, theirs := s.book, make(map[uint32]bool)
	counted := make(map[uint64]bool) // by document and block
	for _, u := range s.joined {
		if b.belongs(u) || b.web.documents.has(b.places[u].id) {
			continue
		}
		a, listing := s.blocks.of[u], -1
		for _, v := range s.links(u) {
			k := of[v]
			if k == nil || listing == 1 {
				continue
			}
			if listing < 0 {
				if listing = b2i(b.isListing(u)); listing == 1 {
					continue
				}
			}
			theirs[v] = true
			if key := uint64(v)<<32 | uint64(a); !counted[key] {
				counted[key] = true
				k.rivals[a]++
			}
		}
	}
	return theirs
}

// others gives the pages outside that came, by the root of their host. Listings are none.
func (x *buckets) others(s *settlement) map[dirID][]uint32 {
	b, pages := s.book, make(map[dirID][]uint32)
	for _, p := range b.order {
		if b.isOther(p) {
			root := b.web.root(b.places[p].id)
			pages[root] = append(pages[root], p)
		}
	}
	return pages
}

// isOther reports a page that came, that is not the site's, and no listing.
func (b *book) isOther(p uint32) bool {
	id := b.places[p].id
	return b.lives(p) && b.places[p].is(isAnswered) && b.web.state[id] == alive && !b.belongs(p) &&
		!b.web.documents.has(id) && !b.web.files.has(id) && !b.isListing(p)
}

// isListing reports a page that links to nothing, or only to documents and directories below it, to
// the directory above, and to itself in another order: what a server makes of a directory.
func (b *book) isListing(p uint32) bool {
	w := b.web
	dir := w.dir[b.places[p].id]
	documents, links := 0, w.links.pages(b.places[p].id)
	for _, to := range links {
		u, d := w.text(to), w.dir[to]
		switch slash := strings.HasSuffix(u.Path(), "/"); {
		case u.NamesDocument() && w.dirs.contains(dir, d):
			documents++
		case !slash, !w.dirs.contains(dir, d) && d != w.dirs.nodes[dir].parent:
			return false
		}
	}
	return len(links) == 0 || documents > 0
}

// askAbove wants the next of the indices above the documents of a block, from the root of their
// host on, and reports whether there was one, or are more than may be asked for. Where one
// redirects on its host, the target is looked at in its place.
func (x *buckets) askAbove(b *boundary, k *bucket) bool {
	first := b.web.text(b.places[k.alone[0]].id)
	scheme, _, _ := strings.Cut(string(first), "://")
	var above []dirID
	for d := b.last.blocks.list[k.block].dir; d != noDir; d = b.web.dirs.nodes[d].parent {
		above = append(above, d)
	}
	for _, d := range slices.Backward(above) {
		u, err := page.ParseURL(scheme + "://" + b.web.dirs.path(d))
		if err != nil {
			continue // a directory that no URL names
		}
		p := b.know(b.web.intern(u, b.places[k.alone[0]].id, page.Inferred))
		if d == above[len(above)-1] && k.few() && !b.places[p].is(isAsked) {
			indices := strings.Count(first.Path(), "/")
			if x.above+indices > mostCited {
				k.why = "few documents, as on too many other hosts"
				return true
			}
			x.above += indices
		}
		if to := b.resolve(b.places[p].id); to != none && b.sameHost(p, to) {
			p = to
		}
		if b.ask(p, WhyProbe, 0) {
			return true
		}
		if b.isOther(p) {
			break
		}
	}
	return false
}

// askOthers wants pages of a host to which other pages of it lead, until a sample came, and reports
// whether there were any.
func (x *buckets) askOthers(b *boundary, others []uint32) (asked bool) {
	if len(others) == 0 || len(others) > b.opts.Probes {
		return false
	}
	var list []uint32
	for _, u := range others {
		for _, v := range b.last.links(u) {
			if b.sameHost(u, v) && b.lives(v) && !b.places[v].is(isAsked) &&
				!b.web.text(b.places[v].id).NamesDocument() {
				list = append(list, v)
			}
		}
	}
	slices.SortFunc(list, func(p, q uint32) int { return cmp.Compare(b.key(p), b.key(q)) })
	for _, p := range evenly(slices.Compact(list), 1+b.opts.Probes-len(others)) {
		asked = b.ask(p, WhyProbe, 0) || asked
	}
	return asked
}

func (x *buckets) explain(s *settlement, k blockID, to *Block) string {
	v := x.verdicts[s.blocks.list[k].dir]
	to.Owned = v.part
	switch {
	case to.Inside > 0 && v.own && to.Links < bound:
		return "documents that the site alone leads to"
	case to.Inside == 0:
		return v.why
	}
	return ""
}
