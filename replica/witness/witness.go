package witness

import (
	"encoding/binary"
	"slices"
	"strings"

	"watershed/internal/disjoint"
	"watershed/page"
	"watershed/replica/mirror"
	"watershed/replica/sketch"
)

// Witness gathers from visits which pages are alike, and what hosts declare of each other. It is
// not safe for concurrent use. It takes some 150 bytes a page, and 700 where its text has super
// shingles.
type Witness struct {
	alike   map[uint64]uint32     // a sign of a page's text, and the first page that has it
	of      disjoint.Sets[uint32] // of pages: those that are alike
	urls    map[page.URL]uint32
	least   []mirror.Least // of each page's last text
	answers map[page.Host]int
	hosts   hosts
	says    map[mirror.Declaration]int // how many pages of a host; Pages is 0
	scratch sketch.Sketch
}

// New makes a witness who has seen nothing.
func New() *Witness {
	return &Witness{
		alike: map[uint64]uint32{}, urls: map[page.URL]uint32{}, answers: map[page.Host]int{},
		hosts: hosts{}, says: map[mirror.Declaration]int{},
	}
}

// hosts has hosts in memory of their own: what is learnt of may be lent (store.Tx.Lent).
type hosts map[page.Host]page.Host

func (m hosts) own(h page.Host) page.Host {
	own, known := m[h]
	if !known {
		own = page.Host(strings.Clone(string(h)))
		m[own] = own
	}
	return own
}

// Learn takes over a visit, of which it keeps no memory. Of a page that was visited often, each text
// counts.
func (w *Witness) Learn(v *page.Visit) {
	if v.Status > 0 {
		w.answers[w.hosts.own(v.URL.Host())]++
	}
	w.declares(v)
	if !v.OK() && v.Status != 304 || v.SoftError {
		return
	}
	if v.URL.PathQuery() == "/robots.txt" {
		if v.Size > 0 && !v.Digest.IsZero() {
			w.says[mirror.Declaration{
				Kind: mirror.Robots, Host: string(w.hosts.own(v.URL.Host())),
				Target: v.Digest.String(),
			}]++
		}
		return
	}
	if payload, text := v.Shown(); len(text) > 0 {
		w.likens(v.URL, payload, text)
	}
}

// likens joins a page to those of equal text, of nearly equal text, and, where it has none, of
// equal bytes.
func (w *Witness) likens(u page.URL, payload page.Digest, text []byte) {
	n := w.number(u)
	s := &w.scratch
	if s.Decode(text) != nil {
		return
	}
	w.least[n] = leastOf(s)
	switch {
	case s.HasSuper:
		w.nearly(n, &s.Super)
	case s.Lexical == 0:
		if !payload.IsZero() {
			w.sign(n, binary.BigEndian.Uint64(payload[:]))
		}
		return
	}
	w.sign(n, s.Lexical)
}

func (w *Witness) number(u page.URL) uint32 {
	n, known := w.urls[u]
	if !known {
		n = w.of.Add()
		w.urls[page.URL(strings.Clone(string(u)))] = n
		w.least = append(w.least, mirror.Least{})
	}
	return n
}

// leastOf are the least fingerprints of a sketch, as 32 bits: the upper ones, which keep their
// order.
func leastOf(s *sketch.Sketch) (l mirror.Least) {
	for i, v := range s.Values[:min(len(s.Values), len(l))] {
		l[i] = max(1, uint32(v>>(s.Scheme.Bits-32)))
	}
	return l
}

// nearly joins a page to those with which it has two of the six super shingles in common (Broder,
// Identifying and filtering near-duplicate documents, 2000): each two of them are a sign.
func (w *Witness) nearly(n uint32, super *[sketch.SuperCount]uint64) {
	const spread = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	for i, x := range super {
		for j, y := range super[:i] {
			h := (x ^ uint64(i)) * spread
			h = ((h ^ h>>32) + (y ^ uint64(j))) * spread
			w.sign(n, h^h>>32)
		}
	}
}

// sign joins a page to the one that had the sign before.
func (w *Witness) sign(n uint32, sign uint64) {
	other, there := w.alike[sign]
	if !there {
		w.alike[sign] = n
		return
	}
	w.of.Union(n, other)
}

// kindOf is what links say of the same path on another host; an entry of a site map says so of
// whatever path.
var kindOf = map[page.LinkKind]mirror.Kind{
	page.Redirect: mirror.Redirect, page.Canonical: mirror.Canonical, page.Alternate: mirror.Hreflang,
	page.Sitemap: mirror.Sitemap,
}

// declares counts links that say that the same path on another host is this page: lasting
// redirects, canonical names, siblings in other languages; and the pages of other hosts in site
// maps. A page counts once for a host.
func (w *Witness) declares(v *page.Visit) {
	from, path := v.URL.Host(), v.URL.PathQuery()
	var said []mirror.Declaration
	for _, l := range v.Links {
		kind, is := kindOf[l.Kind]
		switch {
		case !is, l.Kind == page.Redirect && v.Status != 301 && v.Status != 308,
			kind != mirror.Sitemap && l.URL.PathQuery() != path:
			continue
		}
		if to := l.URL.Host(); to != from {
			d := mirror.Declaration{
				Kind: kind, Host: string(w.hosts.own(from)), Target: string(w.hosts.own(to)),
			}
			if kind == mirror.Sitemap {
				w.says[d]++
			} else if !slices.Contains(said, d) {
				said = append(said, d)
				w.says[d]++
			}
		}
	}
}

// Alias says that somebody, or a table, holds a host for a mirror of another.
func (w *Witness) Alias(host, target string) {
	w.says[mirror.Declaration{Kind: mirror.Alias, Host: host, Target: target}] = 0
}

// Pages gives the pages whose content is known with their clusters, in no order.
func (w *Witness) Pages(yield func(mirror.Page, error) bool) {
	size := make([]uint32, len(w.of))
	for n := range w.of {
		size[w.of.Find(uint32(n))]++
	}
	for u, n := range w.urls {
		p := mirror.Page{URL: []byte(u), Least: w.least[n]}
		if r := w.of.Find(n); size[r] > 1 {
			p.Cluster = uint64(r) + 1
		}
		if !yield(p, nil) {
			return
		}
	}
}

// Declared gives what hosts declare. A host of which every answer says the same declares it as a
// whole.
func (w *Witness) Declared(yield func(mirror.Declaration, error) bool) {
	for d, n := range w.says {
		if n < w.answers[page.Host(d.Host)] && d.Kind != mirror.Robots {
			d.Pages = n
		}
		if !yield(d, nil) {
			return
		}
	}
}
