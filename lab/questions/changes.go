package questions

import (
	"cmp"
	"slices"

	"watershed/page"
)

// ChangeKind is what became of a page between two sweeps.
type ChangeKind uint8

// The kinds.
const (
	Unchanged    ChangeKind = iota // the same bytes, or the same words where bytes were not digested
	Reformatted                    // other bytes, the same words
	Edited                         // other words; resemblance at the threshold of clusters or above
	Rewritten                      // resemblance below the threshold
	MovedWithin                    // gone from its URL, found under another one of the same server
	MovedBetween                   // found on another server
	Died                           // gone, and nothing like it is new
	Born                           // new, and like nothing that is gone
)

// String is the kind in words.
func (k ChangeKind) String() string {
	return [...]string{
		"unchanged", "reformatted", "edited", "rewritten", "moved within its server",
		"moved between servers", "died", "born",
	}[k]
}

// Change is what became of one page.
type Change struct {
	Kind        ChangeKind
	From, To    *Document // nil for a page that was born, or that died
	Resemblance float64   // of the two; 0 where there is one only
}

// URLs are those before and after, "" for a page that was born, or that died.
func (c *Change) URLs() (from, to page.URL) {
	if c.From != nil {
		from = c.From.URL
	}
	if c.To != nil {
		to = c.To.URL
	}
	return from, to
}

// maxMoves bounds, in one cluster, the pages gone and the pages new that are compared with each
// other, after those that are equal were paired.
const maxMoves = 64

// Changes are those of each page from one sweep to another: first the pages that both have, then
// the moves by cluster, then deaths and births. A page that is gone has moved to a page that is
// new, is in its cluster, and equals it or resembles it at the threshold; each page moves once, the
// closest pairs first, a page's own server before others. Parts of pages are left out. Source:
// section 6.5.
func (c *Collection) Changes(from, to uint32) []Change {
	x := changes{threshold: cmp.Or(c.o.Threshold, .5), left: map[*Document]bool{}, from: from}
	old := map[uint64]*Document{}
	for _, d := range c.docs {
		switch {
		case d.Gone || d.Part:
		case d.Sweep == from:
			old[d.Page] = d
			x.left[d] = true
		case d.Sweep == to && old[d.Page] != nil: // sweeps of a page ascend
			delete(x.left, old[d.Page])
			x.stayed(old[d.Page], d)
		case d.Sweep == to:
			x.left[d] = true
		}
	}
	for _, members := range c.clusters {
		x.moved(members)
	}
	for _, d := range c.docs {
		switch {
		case !x.left[d]:
		case d.Sweep == from:
			x.list = append(x.list, Change{Kind: Died, From: d})
		default:
			x.list = append(x.list, Change{Kind: Born, To: d})
		}
	}
	return x.list
}

// changes is the comparison of two sweeps.
type changes struct {
	threshold float64
	from      uint32
	left      map[*Document]bool // of pages that one of the sweeps has not, and that did not move
	list      []Change
}

// stayed tells of a page that both sweeps have.
func (x *changes) stayed(old, now *Document) {
	p := between(old, now)
	kind := Rewritten
	switch {
	case p.Relation == Identical,
		p.Relation == LexicallyEquivalent && (old.Digest == 0 || now.Digest == 0):
		kind = Unchanged
	case p.Relation == LexicallyEquivalent:
		kind = Reformatted
	case p.Relation == ShingleEquivalent, p.Resemblance.Value >= x.threshold:
		kind = Edited
	}
	x.list = append(x.list, Change{kind, old, now, certain(p)})
}

// certain is the resemblance of a pair, which is 1 where words are the same.
func certain(p pair) float64 {
	if p.Relation <= LexicallyEquivalent {
		return 1
	}
	return p.Resemblance.Value
}

// moved tells of the moves in a cluster: by equal bytes, words and sketches, then by resemblance.
func (x *changes) moved(members []*Document) {
	for _, print := range []func(*Document) uint64{
		func(d *Document) uint64 { return d.Digest },
		func(d *Document) uint64 { return d.Lexical },
		func(d *Document) uint64 { return d.set },
	} {
		x.moveEqual(members, func(d *Document) [2]uint64 { return [2]uint64{print(d), d.Host} })
		x.moveEqual(members, func(d *Document) [2]uint64 { return [2]uint64{print(d)} })
	}
	type candidate struct {
		from, to *Document
		pair     pair
	}
	var all []candidate
	gone, fresh := x.sides(members)
	for _, a := range gone[:min(len(gone), maxMoves)] {
		for _, b := range fresh[:min(len(fresh), maxMoves)] {
			if p := between(a, b); p.Common > 0 && p.Resemblance.Value >= x.threshold {
				all = append(all, candidate{a, b, p})
			}
		}
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.pair.Resemblance.Value, a.pair.Resemblance.Value),
			falseFirst(a.from.Host != a.to.Host, b.from.Host != b.to.Host),
			compareKeys(a.from.Key, b.from.Key), compareKeys(a.to.Key, b.to.Key))
	})
	for _, m := range all {
		if x.left[m.from] && x.left[m.to] {
			x.move(m.from, m.to, m.pair)
		}
	}
}

// moveEqual pairs the pages gone with the pages new of the same key; one that begins with 0 is
// none.
func (x *changes) moveEqual(members []*Document, key func(*Document) [2]uint64) {
	gone, fresh := x.sides(members)
	to := map[[2]uint64][]*Document{}
	for _, d := range fresh {
		to[key(d)] = append(to[key(d)], d)
	}
	for _, d := range gone {
		if k := key(d); k[0] != 0 && len(to[k]) > 0 {
			x.move(d, to[k][0], between(d, to[k][0]))
			to[k] = to[k][1:]
		}
	}
}

// sides are the documents of a cluster that are gone, and those that are new, by key.
func (x *changes) sides(members []*Document) (gone, fresh []*Document) {
	for _, d := range members {
		switch {
		case !x.left[d]:
		case d.Sweep == x.from:
			gone = append(gone, d)
		default:
			fresh = append(fresh, d)
		}
	}
	for _, list := range [][]*Document{gone, fresh} {
		slices.SortFunc(list, func(a, b *Document) int { return compareKeys(a.Key, b.Key) })
	}
	return gone, fresh
}

// move tells of a move.
func (x *changes) move(from, to *Document, p pair) {
	delete(x.left, from)
	delete(x.left, to)
	kind := MovedWithin
	if from.Host != to.Host {
		kind = MovedBetween
	}
	x.list = append(x.list, Change{kind, from, to, certain(p)})
}
