package hostweb

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"watershed/replica/mirror"
)

// mix spreads a number over all bits: the finaliser of splitmix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func draw(x ...uint64) uint64 {
	h := uint64(0)
	for _, v := range x {
		h = mix(h ^ v)
	}
	return h
}

// chance is true with probability p, always the same for the same x.
func chance(p float64, x ...uint64) bool { return part(x...) < p }

// purposes of draws, so that they do not depend on each other
const (
	forDir = iota + 1
	forPage
	forKnown
	forCover
	forRead
	forDrift
	forTarget
	forLink
	forGuest
	forDeclared
	forText
	forEdit
	forDate
)

// known is a page that a crawler knows of a host: its path, its number, and the tree it is of.
type known struct {
	from, to int
	tree     uint64
	page     int
}

// listing is what a crawler knows of one host, sorted by path.
type listing struct {
	text  []byte
	pages []known
	dirs  []string
}

func (l *listing) path(k known) []byte { return l.text[k.from:k.to] }

// list fills in what is known of host i.
func (w *Web) list(l *listing, i int) {
	h := &w.hosts[i]
	l.text, l.pages = l.text[:0], l.pages[:0]
	own := h.pages
	if h.program >= 0 {
		// Half the pages, four of five, or all have names that the program gave, the same on all
		// its sites.
		tree := w.made(h.program)
		made := h.pages * []int{5, 8, 10, 10}[tree%4] / 10
		w.tree(l, i, tree, made, "/")
		own = h.pages - made
	}
	if h.guest >= 0 {
		tree := draw(w.o.Seed, forGuest, uint64(h.guest))
		at := "/"
		if draw(h.site, forGuest)%2 == 0 { // half of them lie elsewhere
			at = "/" + w.word(draw(h.site, forGuest, 1)) + "/"
		}
		w.tree(l, i, tree, 40+int(tree%400), at)
	}
	w.tree(l, i, h.site, own, "/")
	slices.SortFunc(l.pages, func(a, b known) int { return bytes.Compare(l.path(a), l.path(b)) })
	l.pages = slices.CompactFunc(l.pages, func(a, b known) bool { return bytes.Equal(l.path(a), l.path(b)) })
}

// tree adds n pages of a tree that host i shows and a crawler knows.
func (w *Web) tree(l *listing, i int, tree uint64, n int, at string) {
	h := &w.hosts[i]
	dated := h.program >= 0 && tree == w.made(h.program) && chance(w.o.Dated, tree, forDate)
	if dated {
		w.months(l, tree, n, at)
	} else {
		w.directories(l, tree, max(1, n/12), at)
	}
	extension := []string{".html", ".html", ".htm", ".html", ".asp", "/", ".txt"}[draw(tree, forPage)%7]
	for p := range n {
		x := draw(tree, forPage, uint64(p))
		u := float64(x>>40) / (1 << 24)
		d := int(u * u * float64(len(l.dirs))) // early directories hold more
		if dated {
			d = p / perMonth
		}
		if h.level == 4 && !chance(h.cover, tree, forCover, uint64(d)) {
			continue
		}
		if !chance(h.known, h.site, forKnown, uint64(i), uint64(p), tree) {
			continue
		}
		from := len(l.text)
		l.text = append(l.text, l.dirs[d]...)
		if dated {
			l.text = strconv.AppendInt(l.text, int64(1+p%perMonth), 10)
		} else {
			l.text = append(l.text, w.word(mix(x))...)
			if x&3 != 0 {
				l.text = strconv.AppendUint(l.text, x>>8&1023, 10)
			}
		}
		l.text = append(l.text, extension...)
		l.pages = append(l.pages, known{from, len(l.text), tree, p})
	}
}

// perMonth is how many pages a program that names pages by date puts into a month.
const perMonth = 10

// months names the directories of n pages that are named by date: those of one program begin with
// the same month.
func (w *Web) months(l *listing, tree uint64, n int, at string) {
	l.dirs = l.dirs[:0]
	at += w.word(draw(tree, forDate)) + "/"
	first := int(draw(tree, forDate, 1) % 60)
	for m := first; m <= first+n/perMonth; m++ {
		l.dirs = append(l.dirs, fmt.Sprintf("%s%d/%02d/", at, 1994+m/12, 1+m%12))
	}
}

// made is the tree that a program makes on all its sites.
func (w *Web) made(program int) uint64 { return draw(w.o.Seed, forDir, uint64(program)) }

// directories names n directories of a tree, each within an earlier one or at the top.
func (w *Web) directories(l *listing, tree uint64, n int, at string) {
	l.dirs = append(l.dirs[:0], at)
	for d := 1; d < n; d++ {
		x := draw(tree, forDir, uint64(d))
		parent := 0
		if x&3 != 0 {
			parent = int((x >> 8) % uint64(d))
		}
		for len(l.dirs[parent]) > 60 {
			parent /= 2
		}
		name := w.word(mix(x))
		if x>>4&7 == 0 {
			name += strconv.Itoa(int(x >> 32 % 100))
		}
		l.dirs = append(l.dirs, l.dirs[parent]+name+"/")
	}
}

// each calls f with each host and what is known of it, until it is false.
func (w *Web) each(f func(i int, l *listing) bool) {
	var l listing
	for i := range w.hosts {
		w.list(&l, i)
		if !f(i, &l) {
			return
		}
	}
}

// URLs are those that a crawler knows, by host and path.
func (w *Web) URLs() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var url []byte
		for i, l := range w.each {
			for _, k := range l.pages {
				url = w.url(url[:0], i, l.path(k))
				if !yield(url, nil) {
					return
				}
			}
		}
	}
}

func (w *Web) url(into []byte, i int, path []byte) []byte {
	into = append(into, "http://"...)
	into = append(into, w.hosts[i].name...)
	return append(into, path...)
}

// links are those of the pages that the crawler has read: some to pages of the host, some to other
// hosts, most of them to those that many link to.
func (w *Web) links() iter.Seq2[mirror.Link, error] {
	return func(yield func(mirror.Link, error) bool) {
		var from, to []byte
		for i, l := range w.each {
			for n, k := range l.pages {
				if !w.read(i, k) {
					continue
				}
				from = w.url(from[:0], i, l.path(k))
				for j := range 2 + draw(k.tree, forLink, uint64(k.page))%6 {
					to = w.target(to[:0], i, k, n, j, l)
					if !yield(mirror.Link{From: from, To: to}, nil) {
						return
					}
				}
			}
		}
	}
}

// target is link j of a page: of the site, or, Outward of them, to another host.
func (w *Web) target(to []byte, i int, k known, n int, j uint64, l *listing) []byte {
	h := &w.hosts[i]
	content := w.content(i, k.tree)
	x := draw(content, forTarget, uint64(k.page), j)
	if chance(h.links, uint64(i), forDrift, uint64(k.page), j) {
		x = draw(uint64(i), forTarget, uint64(k.page), j)
	}
	if float64(x%3000)/3000 >= w.o.Outward {
		to = w.url(to, i, l.dirsPath(n))
		return strconv.AppendUint(append(to, "page"...), x>>32%50, 10)
	}
	// A site has some hosts that it links to; which depends on the site or, in a ring, on its
	// program, and favours those that many link to.
	of := content
	if content != k.tree && chance(w.o.Rings, k.tree, forTarget) {
		of = k.tree
	}
	y := draw(of, forTarget, x>>8%uint64(5+of%40))
	u := float64(y>>11) / (1 << 53)
	return w.url(to, int(u*u*u*float64(len(w.hosts))), []byte("/"))
}

// dirsPath is the directory of the n-th page.
func (l *listing) dirsPath(n int) []byte {
	path := l.path(l.pages[n])
	return path[:bytes.LastIndexByte(bytes.TrimSuffix(path, []byte("/")), '/')+1]
}

// content tells the content of a tree on a host: a program's pages hold what the site puts there.
func (w *Web) content(i int, tree uint64) uint64 {
	h := &w.hosts[i]
	if h.program >= 0 && tree == w.made(h.program) {
		return draw(h.site, tree)
	}
	return tree
}

func (w *Web) read(i int, k known) bool {
	return !w.hosts[i].misspelt && chance(w.o.Read, uint64(i), forRead, uint64(k.page), k.tree)
}

// Addresses are those of the hosts that exist.
func (w *Web) Addresses() iter.Seq2[mirror.Address, error] {
	return func(yield func(mirror.Address, error) bool) {
		for _, h := range w.hosts {
			if h.ip.IsValid() && !yield(mirror.Address{Host: h.name, IP: h.ip}, nil) {
				return
			}
		}
	}
}

// collections are the replicated collections that a search of the pages that were read finds:
// document sets that lie on several hosts, and Found of the sites with their mirrors, but for those
// of level 5, whose pages are not similar.
func (w *Web) collections() iter.Seq2[mirror.Place, error] {
	return func(yield func(mirror.Place, error) bool) {
		for _, h := range w.hosts {
			if h.misspelt {
				continue
			}
			place := func(name string, pages float64) bool {
				return yield(mirror.Place{
					Collection: name, Host: h.name,
					Pages: int(pages * h.known * w.o.Read),
				}, nil)
			}
			if h.guest >= 0 {
				tree := draw(w.o.Seed, forGuest, uint64(h.guest))
				if !place("guest"+strconv.Itoa(h.guest), float64(40+tree%400)) {
					return
				}
			}
			if h.level == 5 || !chance(w.o.Found, h.site, forGuest, 2) {
				continue
			}
			shown := (1 - h.drift) * float64(h.pages)
			if h.level == 4 {
				shown *= h.cover
			}
			if !place("site"+strconv.FormatUint(h.site, 36), shown) {
				return
			}
		}
	}
}

// declared is what hosts declare. The parts are assumed: of the mirrors, 3 % redirect, 4 % name
// their original as canonical on a third of their pages, half of those in another language name
// their translation, 6 % are in somebody's list, 10 % have its site map, 5 % have its CNAME, 4 % a
// certificate with it, half its robots.txt; of all hosts, 1 % are in lists, name canonical hosts or
// have another's site map wrongly, a third has one of 40 common robots.txt.
func (w *Web) declared() iter.Seq2[mirror.Declaration, error] {
	return func(yield func(mirror.Declaration, error) bool) {
		originals := make(map[uint64]string)
		for _, h := range w.hosts {
			if h.level == 0 && !h.misspelt {
				originals[h.site] = h.name
			}
		}
		for i, h := range w.hosts {
			if h.misspelt {
				continue
			}
			for _, d := range w.declare(uint64(i), h, originals[h.site]) {
				if !yield(d, nil) {
					return
				}
			}
		}
	}
}

func (w *Web) declare(i uint64, h host, original string) (list []mirror.Declaration) {
	robots := "robots:" + strconv.FormatUint(h.site, 36)
	if chance(.33, i, forDeclared) {
		robots = "common:" + strconv.FormatUint(draw(i, forDeclared)%40, 10)
	} else if h.level > 0 && chance(.25, i, forDeclared, 1) {
		robots = "own:" + strconv.FormatUint(i, 36)
	}
	list = append(list, mirror.Declaration{Kind: mirror.Robots, Host: h.name, Target: robots})
	say := func(p float64, k mirror.Kind, target string, pages int) {
		if target != h.name && chance(p, i, forDeclared, 2+uint64(k)) {
			list = append(list, mirror.Declaration{Kind: k, Host: h.name, Target: target, Pages: pages})
		}
	}
	other := w.hosts[draw(i, forDeclared, 99)%uint64(len(w.hosts))].name
	if h.level == 0 || original == "" {
		say(.01, mirror.Alias, other, 0)
		say(.01, mirror.Sitemap, other, 0)
		say(.01, mirror.Canonical, other, h.pages/50)
		say(.004, mirror.Redirect, other, 0)
		say(.01, mirror.Hreflang, other, h.pages/50)
		return list
	}
	say(.03, mirror.Redirect, original, 0)
	say(.04, mirror.Canonical, original, h.pages/3)
	say(.06, mirror.Alias, original, 0)
	say(.10, mirror.Sitemap, original, 0)
	if h.level == 5 {
		say(.5, mirror.Hreflang, original, h.pages/2)
	}
	if chance(.05, i, forDeclared, 50) {
		list = append(list,
			mirror.Declaration{Kind: mirror.CNAME, Host: h.name, Target: original},
			mirror.Declaration{Kind: mirror.CNAME, Host: original, Target: original})
	}
	if chance(.04, i, forDeclared, 51) {
		list = append(list,
			mirror.Declaration{Kind: mirror.Certificate, Host: h.name, Target: original},
			mirror.Declaration{Kind: mirror.Certificate, Host: original, Target: original})
	}
	return list
}

// Input is all of the web as a crawler knows it.
func (w *Web) Input() mirror.Input {
	return mirror.Input{
		URLs: w.URLs(), Links: w.links(), Addresses: w.Addresses(), Pages: w.pages(),
		Collections: w.collections(), Declared: w.declared(),
	}
}
