package collection

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"
)

// maxClique is the number of similar pages of one name of which all pairs are looked at. More are
// parted by the directory that they lie in, and so on upwards; across the parts each page is paired
// with its neighbours in URL order and with the first. Replicas of one collection come in the same
// order for each of its pages, so the same pairs of directories gather the votes.
const (
	maxClique  = 24
	neighbours = 8
)

// alignment says that two directories hold similar pages under the same relative paths: a + path ≈
// b + path, a < b.
type alignment struct {
	a, b    string
	similar int // pairs of similar pages
	common  int // relative paths that are pages on both sides
	inner   string
}

// root is the length of a URL's prefix up to the slash that ends the host.
func root(u string) int {
	i := strings.Index(u, "://")
	if i < 0 {
		return 0
	}
	j := strings.IndexByte(u[i+3:], '/')
	if j < 0 {
		return len(u)
	}
	return i + 3 + j + 1
}

// split cuts two URLs where their common relative path begins: u[:a] and v[:b] are directories,
// u[a:] equals v[b:], and this is the longest such path. It reports false where the last segments
// differ.
func split(u, v string) (a, b int, ok bool) {
	limit := min(len(u)-root(u), len(v)-root(v))
	same := 0
	for same < limit && u[len(u)-1-same] == v[len(v)-1-same] {
		same++
	}
	for j := same; j >= 0; j-- {
		if a, b := len(u)-j, len(v)-j; a > 0 && b > 0 && u[a-1] == '/' && v[b-1] == '/' {
			return a, b, true
		}
	}
	return 0, 0, false
}

// votes calls fn for pairs of similar pages with the directories that they align and the path below
// them.
func (w *web) votes(t *groups, fn func(dirA, dirB, path string) error) error {
	b := ballot{web: w, fn: fn}
	for k := range uint32(t.len()) {
		if t.size(k) < 2 {
			continue
		}
		b.list = b.list[:0]
		for _, v := range t.members(k) {
			b.list = append(b.list, voter{v: v, at: len(w.urls[v])})
		}
		if err := b.parts(b.list, false); err != nil {
			return err
		}
	}
	return nil
}

// ballot pairs the pages of a trivial cluster.
type ballot struct {
	*web
	fn   func(dirA, dirB, path string) error
	list []voter
}

// voter is a page, and how much of its URL has not been looked at: the part has url[at:] in common.
type voter struct {
	v    uint32
	at   int
	part uint64 // of the segment before at
}

// segment gives where the last segment of u begins, without the slash that ends it.
func segment(u string) int { return strings.LastIndexByte(strings.TrimSuffix(u, "/"), '/') + 1 }

// parts divides pages by the segment before at, and pairs the pages of each part. Of the outermost
// part, whose segments are the names of the pages, no pair crosses the parts. A list that is small
// enough is paired as it is.
func (b *ballot) parts(list []voter, paired bool) error {
	for i := range list {
		x := &list[i]
		u := string(b.urls[x.v])[:x.at]
		cut := len(u)
		switch {
		case len(u) <= root(u): // the host ends it: a part of its own
			x.part = uint64(x.v)
			continue
		case paired || u[len(u)-1] != '/':
			cut = segment(u)
		}
		x.part, x.at = xxh3.HashString(u[cut:]), cut
	}
	if paired {
		if err := b.across(list); err != nil {
			return err
		}
	}
	slices.SortFunc(list, func(a, b voter) int {
		return cmp.Or(cmp.Compare(a.part, b.part), cmp.Compare(a.v, b.v))
	})
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].part == list[0].part {
			n++
		}
		part := list[:n]
		list = list[n:]
		var err error
		switch {
		case n == 1:
		case n <= maxClique:
			err = b.clique(part)
		default:
			err = b.parts(part, true)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *ballot) clique(part []voter) error {
	for i := range part {
		for _, x := range part[i+1:] {
			if err := b.pair(part[i].v, x.v); err != nil {
				return err
			}
		}
	}
	return nil
}

// across pairs pages of different parts of a list in URL order.
func (b *ballot) across(list []voter) error {
	for i, x := range list {
		for _, y := range list[i+1 : min(len(list), i+1+neighbours)] {
			if x.part != y.part {
				if err := b.pair(x.v, y.v); err != nil {
					return err
				}
			}
		}
		if i > neighbours && list[0].part != x.part {
			if err := b.pair(list[0].v, x.v); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *ballot) pair(v, u uint32) error {
	x, y := string(b.urls[v]), string(b.urls[u])
	i, j, ok := split(x, y)
	switch {
	case !ok:
		return nil
	case x[:i] > y[:j]:
		return b.fn(y[:j], x[:i], x[i:])
	}
	return b.fn(x[:i], y[:j], x[i:])
}

// align finds the pairs of directories that hold enough similar pages under the same paths, and
// tightens them to the directories that hold all of those pages.
func (w *web) align(ctx context.Context, t *groups, o Options) ([]*alignment, error) {
	key := func(a, b string) record { return record{xxh3.HashString(a), xxh3.HashString(b)} }
	kept := make(map[record]*alignment)
	fill := func(add func(record) error) error {
		return w.votes(t, func(a, b, _ string) error {
			return add(key(a, b))
		})
	}
	err := sorted(ctx, o, fill, func(run []record, times []uint32) error {
		for i, r := range run {
			if int(times[i]) >= o.MinSimilar {
				kept[r] = &alignment{}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = w.votes(t, func(a, b, path string) error {
		x := kept[key(a, b)]
		if x == nil {
			return nil
		}
		dir := path[:strings.LastIndexByte(path, '/')+1]
		if x.similar == 0 {
			x.a, x.b, x.inner = a, b, dir
		}
		x.similar++
		x.inner = commonDirectory(x.inner, dir)
		return nil
	})
	if err != nil {
		return nil, err
	}
	list := make([]*alignment, 0, len(kept))
	for _, x := range kept {
		x.a, x.b = strings.Clone(x.a+x.inner), strings.Clone(x.b+x.inner)
		if w.credible(x, o) {
			list = append(list, x)
		}
	}
	slices.SortFunc(list, func(x, y *alignment) int {
		return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	return list, nil
}

// commonDirectory is the longest directory that both begin with.
func commonDirectory(a, b string) string {
	n := 0
	for i := 0; i < min(len(a), len(b)) && a[i] == b[i]; i++ {
		if a[i] == '/' {
			n = i + 1
		}
	}
	return a[:n]
}

// credible counts the paths in common, and asks that enough of them are similar, and that they are
// enough of the smaller side.
func (w *web) credible(x *alignment, o Options) bool {
	a, b := w.under(x.a), w.under(x.b)
	small, prefix, other := a, x.a, x.b
	if b.len() < a.len() {
		small, prefix, other = b, x.b, x.a
	}
	buffer := []byte(other)
	for v := small.lo; v < small.hi; v++ {
		buffer = append(buffer[:len(other)], w.urls[v][len(prefix):]...)
		if _, ok := w.find(string(buffer)); ok {
			x.common++
		}
	}
	return float64(x.common) >= o.CommonShare*float64(small.len()) &&
		float64(x.similar) >= o.SimilarShare*float64(x.common)
}
