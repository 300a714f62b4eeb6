package replica

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/zeebo/xxh3"

	"watershed/page"
)

// Draw draws the pages of a replica that a harvest fetches nevertheless: Options.Sample of those known, at least MinSample. What follows
// them, up to MaxSample in all, is the reserve: to be fetched if some of the sample do not agree.
// The draw depends on the pages and the harvest's number alone, and each harvest draws others. It costs O(n log n).
func (o Options) Draw(pages []page.URL, harvest uint64) (sample, reserve []page.URL) {
	o = o.WithDefaults()
	n := max(int(math.Ceil(o.Sample*float64(len(pages)))), o.MinSample, 0)
	draw := func(u page.URL) uint64 {
		var b [16]byte
		binary.BigEndian.PutUint64(b[:8], uint64(u.Key()))
		binary.BigEndian.PutUint64(b[8:], harvest)
		return xxh3.Hash(b[:])
	}
	list := slices.Clone(pages)
	slices.SortFunc(list, func(a, b page.URL) int { return cmp.Or(cmp.Compare(draw(a), draw(b)), cmp.Compare(a, b)) })
	n = min(n, len(list))
	return list[:n:n], list[n:max(n, min(o.MaxSample, len(list)))]
}
