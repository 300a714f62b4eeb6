package sitemap

import (
	"path"
	"strings"

	"watershed/graph"
	"watershed/page"
	"watershed/replica/sketch"
)

// A page with a canonical link says that it is another page under one more address: sorted
// otherwise, with a session, printed. It is folded into that page as a copy is (folds), where it
// may be believed: the other lies on the same host, "www." apart, was answered, names no third
// page, and is like it. Templates that name the home page on every page are common, and so are
// pages that name a page that is gone; each of these pages stays a page of its own. A canonical
// link to another host counts as a mere link, because only one side says so.
//
// Two pages are like each other if their addresses differ in query, case, extension or the name of
// an index alone, or if their texts resemble each other, where sketches of them are at hand.

// mostDifferent is how many bits of their similarity hashes two pages may differ in to be like each
// other. Texts of which half of the shingles agree differ in some 17 of 64, those that have a
// template in common in 24 or more.
const mostDifferent = 16

// canonicals tells which pages name which.
type canonicals struct {
	off     bool
	of      map[graph.ID]graph.ID // by page: the other page that it names
	named   map[graph.ID]uint32   // pages that are named: class
	simHash map[graph.ID]uint64   // of pages that name any page, themselves too
}

// canonicalClass marks classes of pages that name one page.
const canonicalClass = 1 << 31

// note takes over the canonical link of a visit, and reports whether that is new.
func (x *canonicals) note(w *web, id graph.ID, v *page.Visit, is state) (changed bool) {
	if x.off {
		return false
	}
	was, had := x.of[id]
	delete(x.of, id)
	delete(x.simHash, id)
	u, ok := canonicalOf(v)
	if is != alive || !ok {
		return had
	}
	_, text := v.Shown()
	if h := simHash(text); h != 0 {
		if x.simHash == nil {
			x.simHash = make(map[graph.ID]uint64)
		}
		x.simHash[id] = h
	}
	if u == v.URL || bareHost(u) != bareHost(v.URL) {
		return had
	}
	to := w.find(u)
	if x.of == nil {
		x.of, x.named = make(map[graph.ID]graph.ID), make(map[graph.ID]uint32)
	}
	x.of[id] = to
	if _, ok := x.named[to]; !ok {
		x.named[to] = canonicalClass | uint32(len(x.named))
	}
	return !had || was != to
}

// canonicalOf is the page that a visit names, where it names one and no other.
func canonicalOf(v *page.Visit) (u page.URL, ok bool) {
	for i := range v.Links {
		if l := &v.Links[i]; l.Kind == page.Canonical {
			if ok && l.URL != u {
				return "", false
			}
			u, ok = l.URL, true
		}
	}
	return u, ok
}

// class of a page that names another, or is named.
func (x *canonicals) class(id graph.ID) (class uint32, ok bool) {
	if to, names := x.of[id]; names {
		id = to
	}
	class, ok = x.named[id]
	return class, ok
}

// like reports whether a page may be believed to be the one that it names.
func (x *canonicals) like(w *web, id, to graph.ID) bool {
	if sameBut(w.text(id), w.text(to)) {
		return true
	}
	a, b := x.simHash[id], x.simHash[to]
	return a != 0 && b != 0 && sketch.SimHashDistance(a, b) <= mostDifferent
}

// simHash is the similarity hash of an encoded sketch, 0 for none.
func simHash(encoded []byte) uint64 {
	var s sketch.Sketch
	if len(encoded) == 0 || s.Decode(encoded) != nil {
		return 0
	}
	return s.SimHash
}

// sameBut reports two addresses of one host that differ in query, case, extension or the name of an
// index alone.
func sameBut(a, b page.URL) bool { return strings.EqualFold(barePath(a), barePath(b)) }

// barePath is the path of a page without the parts that tell little of the page.
func barePath(u page.URL) string {
	p := u.Path()
	dir, name := path.Split(p)
	if i := strings.LastIndexByte(name, '.'); i >= 0 && len(name)-i <= longestExtension {
		name = name[:i]
	}
	if strings.EqualFold(name, "index") || strings.EqualFold(name, "default") {
		name = ""
	}
	return strings.TrimSuffix(dir+name, "/")
}

// bareHost is a host without a leading "www.".
func bareHost(u page.URL) string { return strings.TrimPrefix(string(u.Host()), "www.") }
