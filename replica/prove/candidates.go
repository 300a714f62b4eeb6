package prove

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/zeebo/xxh3"

	"watershed/page"
	"watershed/replica/sketch"
)

// Finder finds pairs of hosts of which captured pages show that they may mirror each other: equal
// text, or a common super shingle, at equal paths. It keeps some 50 bytes for each page. It is not
// safe for concurrent use.
type Finder struct {
	hosts   map[page.Host]uint32
	names   []page.Host
	pages   []int
	signs   []sign
	scratch sketch.Sketch
}

// sign is a fact that a host shares with its mirrors.
type sign struct {
	value uint64
	path  uint32 // a hash, so that a path counts once
	host  uint32
}

// Candidate is a pair of hosts and what speaks for it.
type Candidate struct {
	Pair
	Common int     // paths at which both have the same, or nearly the same
	Share  float64 // of the pages of the smaller host
}

// maxHosts is in how many hosts a sign may be; what more have, an error page or an icon, is the
// mark of none (Bharat, Broder 1999, section 3.1).
const maxHosts = 20

// Learn takes over a captured page. Front pages are passed over: where hosts are parked they are
// all alike.
func (f *Finder) Learn(v *page.Visit) {
	path := v.URL.PathQuery()
	if !v.OK() && v.Status != 304 || v.SoftError || path == "/" || len(v.Sketch) == 0 {
		return
	}
	if f.hosts == nil {
		f.hosts = map[page.Host]uint32{}
	}
	name := v.URL.Host()
	h, there := f.hosts[name]
	if !there {
		h = uint32(len(f.names))
		f.hosts[name] = h
		f.names, f.pages = append(f.names, name), append(f.pages, 0)
	}
	f.pages[h]++
	at := xxh3.HashString(path)
	add := func(what uint64) {
		var b [16]byte
		binary.BigEndian.PutUint64(b[:8], at)
		binary.BigEndian.PutUint64(b[8:], what)
		f.signs = append(f.signs, sign{xxh3.Hash(b[:]), uint32(at), h})
	}
	if s := &f.scratch; s.Decode(v.Sketch) == nil {
		if s.Lexical != 0 {
			add(s.Lexical)
		}
		if s.HasSuper { // at equal paths one of the six is enough to ask
			for _, x := range s.Super {
				add(x)
			}
		} else if len(s.Values) > 0 {
			add(s.Values[0])
		}
	}
}

// Candidates gives the pairs with at least that many paths in common, those with the most first. It
// sorts the signs, and takes time in the number of pairs of hosts for each, at most 190.
func (f *Finder) Candidates(least int) []Candidate {
	slices.SortFunc(f.signs, func(a, b sign) int {
		return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.host, b.host))
	})
	f.signs = slices.Compact(f.signs)
	type meeting struct{ a, b, path uint32 }
	var all []meeting
	for i := 0; i < len(f.signs); {
		k := i
		for k < len(f.signs) && f.signs[k].value == f.signs[i].value {
			k++
		}
		if group := f.signs[i:k]; len(group) <= maxHosts {
			for x := range group {
				for y := range x {
					all = append(all, meeting{group[y].host, group[x].host, group[x].path})
				}
			}
		}
		i = k
	}
	slices.SortFunc(all, func(x, y meeting) int {
		return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b), cmp.Compare(x.path, y.path))
	})
	all = slices.Compact(all)
	var list []Candidate
	for i := 0; i < len(all); {
		k := i
		for k < len(all) && all[k].a == all[i].a && all[k].b == all[i].b {
			k++
		}
		if a, b, n := all[i].a, all[i].b, k-i; n >= least && a != b {
			pair := Pair{string(f.names[a]), string(f.names[b])}.sorted()
			list = append(list, Candidate{pair, n, float64(n) / float64(max(min(f.pages[a], f.pages[b]), n))})
		}
		i = k
	}
	slices.SortFunc(list, func(x, y Candidate) int {
		return cmp.Or(cmp.Compare(y.Share, x.Share), cmp.Compare(y.Common, x.Common), cmp.Compare(x.A, y.A),
			cmp.Compare(x.B, y.B))
	})
	return list
}
