package delimit

import (
	"cmp"
	"slices"
	"strings"

	"watershed/graph"
)

// root is a part of a host that is taken for one site until links prove more: the pages below some
// directories, without those of other roots below them.
type root struct {
	dirs  []string // "host/path/", at least one
	apart []string // directories below them that are roots of their own, or hold some
	pages []graph.ID
}

// finder divides hosts into roots.
type finder struct {
	w     *Web
	opt   Options
	order []graph.ID // all pages, by host and path
	rank  []uint32   // place in order, by URL; none for what is no page
	roots []root
}

const none = 1<<32 - 1

// address is host, path and query of a page. http and https of a host are one.
func (w *Web) address(id graph.ID) string {
	u := string(w.text[id])
	return u[strings.Index(u, "://")+len("://"):]
}

// newFinder puts the pages of the web in order.
func (w *Web) newFinder(o Options) *finder {
	f := &finder{w: w, opt: o, rank: make([]uint32, len(w.text)), order: make([]graph.ID, 0, w.pages)}
	for id := range w.text {
		f.rank[id] = none
		if w.isPage(graph.ID(id)) {
			f.order = append(f.order, graph.ID(id))
		}
	}
	slices.SortFunc(f.order, func(a, b graph.ID) int {
		return cmp.Or(comparePaths(w.address(a), w.address(b)), cmp.Compare(w.text[a], w.text[b]))
	})
	for i, id := range f.order {
		f.rank[id] = uint32(i)
	}
	return f
}

// findRoots divides all hosts of the web. It costs O(pages·log pages + links·depth), depth being
// that of the directories that are looked into.
func (w *Web) findRoots(o Options) *finder {
	f := w.newFinder(o)
	for lo := 0; lo < len(f.order); {
		host := w.text[f.order[lo]].Host()
		hi := lo + 1
		for hi < len(f.order) && w.text[f.order[hi]].Host() == host {
			hi++
		}
		f.split(lo, hi, len(host)+1)
		lo = hi
	}
	return f
}

// comparePaths orders addresses so that the pages of a directory stand together: "/" comes before
// all else.
func comparePaths(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return cmp.Compare(place(a[i]), place(b[i]))
		}
	}
	return cmp.Compare(len(a), len(b))
}

func place(c byte) int {
	if c == '/' {
		return -1
	}
	return int(c)
}

// split divides the pages order[lo:hi], which lie in the directory whose text has depth bytes, or
// below.
func (f *finder) split(lo, hi, depth int) {
	d := f.divide(lo, hi, depth)
	if len(d.kids) == 2 && d.kids[0].pages == 0 { // nothing here but a way down
		f.split(lo, hi, depth+len(d.kids[1].name)+1)
		return
	}
	f.join(d)
	f.settle(d)
}

// settle makes roots of the parts of a level: of one that holds several children, or the
// directory's own pages, one root; a child on its own is divided further.
func (f *finder) settle(d *level) {
	parts := make([][]int, len(d.kids))
	count := 0
	for k := range d.kids {
		if d.kids[k].pages > 0 {
			l := d.part.Find(k)
			if parts[l] = append(parts[l], k); len(parts[l]) == 1 {
				count++
			}
		}
	}
	if count == 1 {
		f.roots = append(f.roots, root{dirs: []string{d.dir}, pages: f.order[d.lo:d.hi]})
		return
	}
	own, before := -1, len(f.roots)
	for l, list := range parts {
		switch {
		case len(list) == 0:
		case l > 0 && len(list) == 1:
			c := &d.kids[l]
			f.split(c.lo, c.hi, len(d.dir)+len(c.name)+1)
		default:
			if l == d.part.Find(0) {
				own = len(f.roots)
			}
			f.roots = append(f.roots, f.root(d, l, list))
		}
	}
	f.adopt(d, own, before)
}

// adopt gives the few pages of a directory to the one root below it, where there is but one.
func (f *finder) adopt(d *level, own, before int) {
	if own < 0 || len(f.roots) != before+2 || len(f.roots[own].pages) >= f.opt.MinPages {
		return
	}
	f.roots = append(f.roots[:before], root{dirs: []string{d.dir}, pages: f.order[d.lo:d.hi]})
}

// root makes one of a part of a level.
func (f *finder) root(d *level, leader int, list []int) root {
	r := root{}
	for i := d.lo; i < d.hi; i++ {
		if d.part.Find(int(d.of[i-d.lo])) == leader {
			r.pages = append(r.pages, f.order[i])
		}
	}
	if leader != d.part.Find(0) || d.kids[0].pages == 0 && leader > 0 {
		for _, k := range list {
			r.dirs = append(r.dirs, d.dir+d.kids[k].name+"/")
		}
		return r
	}
	r.dirs = []string{d.dir}
	for k := range d.kids {
		if d.part.Find(k) != leader {
			r.apart = append(r.apart, d.dir+d.kids[k].name+"/")
		}
	}
	return r
}
