package replica

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/zeebo/xxh3"

	"watershed/page"
)

// Draw draws the pages of a replica that a harvest fetches nevertheless: Options.Sample of those
// known, at least MinSample. The pages drawn next, up to MaxSample in all, are the reserve: they
// are fetched if some of the sample do not agree. The draw depends on the harvest's number and on
// the pages that stand for these, as stand gives them; nil has them stand for themselves. So copies
// of one original that have the same of its pages draw the same ones, which are then fetched from
// the original once. Where a replica holds another one, a page that is drawn for the outer one is
// soon drawn for the inner one, too. Each harvest draws other pages. It costs O(n log n).
func (o Options) Draw(pages []page.URL, stand func(page.URL) page.URL,
	harvest uint64,
) (sample, reserve []page.URL) {
	o = o.WithDefaults()
	n := max(int(math.Ceil(o.Sample*float64(len(pages)))), o.MinSample, 0)
	type lot struct {
		page page.URL
		draw uint64
	}
	lots := make([]lot, len(pages))
	for i, u := range pages {
		by := u
		if stand != nil {
			by = stand(u)
		}
		var b [16]byte
		binary.BigEndian.PutUint64(b[:8], uint64(by.Key()))
		binary.BigEndian.PutUint64(b[8:], harvest)
		lots[i] = lot{u, xxh3.Hash(b[:])}
	}
	slices.SortFunc(lots, func(a, b lot) int {
		return cmp.Or(cmp.Compare(a.draw, b.draw), cmp.Compare(a.page, b.page))
	})
	list := make([]page.URL, len(lots))
	for i := range lots {
		list[i] = lots[i].page
	}
	n = min(n, len(list))
	return list[:n:n], list[n:max(n, min(o.MaxSample, len(list)))]
}
