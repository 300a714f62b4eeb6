package sitemap

import (
	"cmp"
	"slices"
	"strings"

	"watershed/graph"
	"watershed/page"
)

// A bucket is a block of documents (PDF, data, archives): they have no links, so no block of them
// ever links back. A bucket that this site alone leads to is of the site, as its requisites are,
// wherever it lies: documents on storage that is rented, downloads, scans. Documents of others that
// a site cites look the same but for two things. The others have a site of their own there: some
// directory above the documents, up to the host's root, has an index that is a page. And where
// other sites lead to the documents, too, they are not this site's alone. Anything else on the host
// of a bucket is not known, and stays so.
//
// A block is looked into if it has minKin pages that look like documents by their names: first the
// indices above it are asked for, and only where none of them is a page, a sample of the documents.

// extensions of documents, without the dot, as they have no links that a crawler reads.
var extensions = map[string]bool{
	"7z": true, "bz2": true, "csv": true, "deb": true, "djvu": true, "doc": true, "docx": true, "dmg": true,
	"epub": true, "exe": true,
	"gz": true, "iso": true, "jar": true, "json": true, "mobi": true, "mp3": true, "mp4": true, "msi": true,
	"odp": true, "ods": true,
	"odt": true, "ogg": true, "pdf": true, "ppt": true, "pptx": true, "ps": true, "rar": true, "rpm": true,
	"rtf": true, "tar": true,
	"tgz": true, "tif": true, "tiff": true, "txt": true, "wav": true, "webm": true, "xls": true, "xlsx": true,
	"xz": true, "zip": true,
}

// looksLikeDocument tells by its name whether a URL leads to a document.
func looksLikeDocument(u page.URL) bool {
	name := lastSegment(u)
	i := strings.LastIndexByte(name, '.')
	return i > 0 && extensions[strings.ToLower(name[i+1:])]
}

// isDocument reports a visit that brought a document: it has a type that pages do not have, and no
// links to pages.
func isDocument(v *page.Visit, is state) bool {
	return is == alive && v.MIME != "" && !strings.Contains(v.MIME, "html") &&
		!strings.Contains(v.MIME, "xml")
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

// bucketCount are the pages of a block by which it is known for a bucket.
type bucketCount struct {
	living    int  // that did not fail
	documents int  // of these, answered as documents
	exclusive int  // that the prefix links to, and no stranger
	page      bool // one was answered as a page, or its name does not look like a document's
	one       uint32
}

// buckets finds the blocks of documents that are a site's.
type buckets struct{}

// counts counts them, by block. It is one pass over the places; of a block that has a page
// the rest is skipped.
func (x buckets) counts(s *settlement) []bucketCount {
	b := s.book
	counts := make([]bucketCount, len(s.blocks.list))
	for p, k := range s.blocks.of {
		if k == noBlock || k == prefixBlock || counts[k].page || !b.lives(uint32(p)) {
			continue
		}
		c, id := &counts[k], b.places[p].id
		answered := b.places[p].is(isAnswered) && b.web.state[id] == alive
		if answered && !b.web.documents.has(id) || !answered && !looksLikeDocument(b.web.text(id)) {
			c.page = true
			continue
		}
		if c.living++; c.living == 1 || b.key(uint32(p)) < b.key(c.one) {
			c.one = uint32(p)
		}
		c.documents += b2i(answered)
		c.exclusive += b2i(s.exclusive(uint32(p)))
	}
	return counts
}

// exclusive reports whether the prefix links to a place, and no block but such as link to the
// prefix and it to them.
func (s *settlement) exclusive(p uint32) bool {
	h, ours := &s.shares, false
	alone := func(f fromBlock) bool {
		ours = ours || f.pages > 0 && f.block == prefixBlock
		return f.pages == 0 || f.block == prefixBlock || h.flow[pairKey(prefixBlock, f.block)] != 0 &&
			h.flow[pairKey(f.block, prefixBlock)] != 0
	}
	if !alone(h.count.first[p]) {
		return false
	}
	for _, f := range h.count.more[p] {
		if !alone(f) {
			return false
		}
	}
	return ours
}

// candidate reports whether a block may be a bucket of the site.
func (x buckets) candidate(s *settlement, c bucketCount) bool {
	return c.living >= minKin && !c.page && float64(c.exclusive) >= s.book.opts.Documents*float64(c.living)
}

// evidence gives, by block, the part of its documents that the site alone leads to, 0 for other
// blocks.
func (x buckets) evidence(s *settlement) []float64 {
	part := make([]float64, len(s.blocks.list))
	for k, c := range x.counts(s) {
		if c.documents == 0 || !x.candidate(s, c) || !s.shares.probed(blockID(k)) {
			continue
		}
		if up := x.above(s, blockID(k), c.one); len(up.open) == 0 && !up.waiting && !up.page {
			part[k] = float64(c.exclusive) / float64(c.living)
		}
	}
	return part
}

// indices of the directories of a block, from its own up to its host's root.
type indices struct {
	open    []page.URL // nobody has asked for
	waiting bool       // for the answer of one
	page    bool       // one is a page
}

// above looks at the indices of a block with a page of it, whose scheme they have. Where one
// redirects on its host, the target is looked at in its place.
func (x buckets) above(s *settlement, k blockID, one uint32) (up indices) {
	b := s.book
	scheme, _, _ := strings.Cut(string(b.web.text(b.places[one].id)), "://")
	for d := s.blocks.list[k].dir; d != noDir; d = b.web.dirs.nodes[d].parent {
		u, err := page.ParseURL(scheme + "://" + b.web.dirs.path(d))
		if err != nil {
			continue // a directory that no URL names
		}
		p := uint32(none)
		if id := b.web.find(u); id != graph.None {
			p = b.resolve(id)
		}
		switch {
		case p == none:
			up.open = append(up.open, u)
		case b.web.text(b.places[p].id).Host() != u.Host():
		case !b.places[p].is(isAsked):
			up.open = append(up.open, b.web.text(b.places[p].id))
		case !b.places[p].is(isAnswered):
			up.waiting = true
		case b.web.state[b.places[p].id] == alive && !b.web.documents.has(b.places[p].id):
			up.page = true
		}
	}
	return up
}

// ask wants the pages that tell whether blocks of documents are the site's.
func (x buckets) ask(b *boundary, at turn) {
	if at != sampling {
		return
	}
	s := b.last
	counts := x.counts(s)
	var list []blockID
	for k, c := range counts {
		if x.candidate(s, c) {
			list = append(list, blockID(k))
		}
	}
	slices.SortFunc(list, func(a, k blockID) int { return cmp.Compare(s.blockName(a), s.blockName(k)) })
	sample := make(map[blockID]int)
	for _, k := range list {
		up := x.above(s, k, counts[k].one)
		if up.page {
			continue
		}
		for _, u := range up.open {
			b.ask(b.know(b.web.intern(u, b.places[counts[k].one].id, page.Navigation)), WhyProbe, 0)
		}
		if n := b.opts.Probes - s.blocks.list[k].fetched; len(up.open) == 0 && !up.waiting && n > 0 &&
			!s.shares.probed(k) {
			sample[k] = n
		}
	}
	if len(sample) > 0 {
		b.askSamples(s, sample)
	}
}

func (x buckets) explain(s *settlement, k blockID, to *Block) string {
	if to.Owned = s.shares.proof(x, k); to.Inside > 0 && to.Owned > to.Share && to.Owned == to.Kin {
		return "documents that the site alone leads to, on a host without pages"
	}
	return ""
}
