package collection

import (
	"cmp"
	"slices"
)

// unchaptered takes replicas out of collections that only share a chapter with them. Two works that
// are each copied as a whole may have a part in common, such as two manuals with nearly the same
// chapter on installing: all copies of both parts are then similar, and look like replicas of one.
// The larger collection of each work tells already which copies it has; so a replica that lies in a
// larger collection other than the one in which the representative lies is no replica of it, unless
// the pages are as alike as an edition's are (Options.ChapterResemblance). A collection of which
// nothing else is left says nothing new. Without Input.Resemblance nobody can tell, and all stay.
func (f *finder) unchaptered(drafts []draft) []draft {
	if f.resemblance == nil {
		return drafts
	}
	around := enclosing(drafts)
	kept := drafts[:0:0]
	for i, d := range drafts {
		own := around[i][0]
		strange := func(j int) bool {
			return own != nowhere && around[i][j] != nowhere && around[i][j] != own
		}
		if f.strangers(&d, strange) >= f.options.ChapterResemblance {
			kept = append(kept, d)
			continue
		}
		var rest []replica
		apart := false // some replica says more than the larger collection does
		for j, r := range d.replicas {
			if !strange(j) {
				rest = append(rest, r)
				apart = apart || around[i][j] == nowhere
			}
		}
		f.stats.Chapters++
		d.replicas = rest
		if d.represent(); apart && f.accept(d) {
			kept = append(kept, d)
		}
	}
	return kept
}

// strangers is the mean resemblance of the pages of some replicas to those of the representative; 1
// where there are none.
func (f *finder) strangers(d *draft, strange func(j int) bool) float64 {
	sum, n := 0., 0
	for j := range d.replicas {
		if !strange(j) {
			continue
		}
		for _, c := range d.replicas[j].pairs {
			sum += f.resemblance(f.index[c.page], f.index[c.original])
			n++
		}
	}
	if n == 0 {
		return 1
	}
	return sum / float64(n)
}

// nowhere says that no larger collection holds a replica.
const nowhere = -1

// enclosing gives, for each replica of each draft, the draft of the narrowest replica around it
// that maps nine tenths of its pages and belongs to a larger collection; else nowhere. It costs a
// sort of all replicas and, for each, a look at those around it.
func enclosing(drafts []draft) [][]int {
	type spot struct {
		place
		draft, replica int
	}
	var spots []spot
	list := make([][]int, len(drafts))
	for i, d := range drafts {
		list[i] = make([]int, len(d.replicas))
		for j, r := range d.replicas {
			list[i][j] = nowhere
			spots = append(spots, spot{r.place, i, j})
		}
	}
	slices.SortStableFunc(spots, func(a, b spot) int {
		return cmp.Or(cmp.Compare(a.span.lo, b.span.lo), cmp.Compare(b.span.hi, a.span.hi))
	})
	var around []spot // those that hold the one at hand, the narrowest last
	for _, s := range spots {
		for len(around) > 0 && !around[len(around)-1].span.contains(s.span) {
			around = around[:len(around)-1]
		}
		for _, o := range slices.Backward(around) {
			outer, inner := &drafts[o.draft], &drafts[s.draft]
			if o.draft != s.draft && outer.size > inner.size && mapped(outer.replicas[o.replica].pairs,
				inner.replicas[s.replica].pairs) {
				list[s.draft][s.replica] = o.draft
				break
			}
		}
		around = append(around, s)
	}
	return list
}

// mapped reports that nine tenths of the pages of inner are among those of outer. Both are in the
// order of pages.
func mapped(outer, inner []couple) bool {
	n := 0
	for _, c := range inner {
		if _, ok := slices.BinarySearchFunc(outer, c.page, func(o couple, p uint32) int {
			return cmp.Compare(o.page, p)
		}); ok {
			n++
		}
	}
	return ratio(n, len(inner)) >= bundled
}
