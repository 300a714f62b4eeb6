package delimit

import (
	"slices"
	"strings"

	"watershed/graph"
	"watershed/internal/disjoint"
)

// level is a directory with its pages and the directories in it.
type level struct {
	dir    string // "host/path/"
	lo, hi int    // its pages, those below it too, in finder.order
	kids   []child
	of     []int32            // by place in order - lo: the kid
	part   disjoint.Sets[int] // of kids: those that are one site
}

// child is a directory in the level's directory; the first child of a level stands for the pages
// right in that directory.
type child struct {
	lo, hi int // in order; not of the first, whose pages lie between the others
	name   string
	pages  int
}

// isUser reports the home directory of a user, which is a root of its own.
func (c *child) isUser() bool { return strings.HasPrefix(c.name, "~") }

func (f *finder) divide(lo, hi, depth int) *level {
	d := &level{
		dir: f.w.address(f.order[lo])[:depth], lo: lo, hi: hi, of: make([]int32, hi-lo),
		kids: []child{{}},
	}
	for i := lo; i < hi; i++ {
		path, _, _ := strings.Cut(f.w.address(f.order[i])[depth:], "?")
		k := 0
		if name, _, below := strings.Cut(path, "/"); below {
			if k = len(d.kids) - 1; k == 0 || d.kids[k].name != name {
				k++
				d.kids = append(d.kids, child{lo: i, name: name})
			}
			d.kids[k].hi = i + 1
		}
		d.kids[k].pages++
		d.of[i-lo] = int32(k)
	}
	d.part = disjoint.New[int](len(d.kids))
	return d
}

// kid gives the child that a page lies in, or -1 for one outside the level.
func (f *finder) kid(d *level, id graph.ID) int {
	r := f.rank[id]
	if r == none || int(r) < d.lo || int(r) >= d.hi {
		return -1
	}
	return int(d.of[int(r)-d.lo])
}

// join finds out which children of a level are one site.
func (f *finder) join(d *level) {
	navigation := make([][]graph.ID, len(d.kids))
	for k := range d.kids {
		if k > 0 && !d.kids[k].isUser() {
			navigation[k] = f.navigation(d, k)
		}
	}
	f.joinVersions(d)
	for again := true; again; {
		again = false
		home := f.reach(d)
		for k, list := range navigation {
			again = f.joinByNavigation(d, k, list, home[k]) || again
		}
	}
	f.joinTiny(d)
}

// navigation gives the pages outside of a child to which so many of its pages link that the links
// must be part of their template.
func (f *finder) navigation(d *level, k int) (list []graph.ID) {
	c := &d.kids[k]
	count := make(map[graph.ID]int)
	for i := c.lo; i < c.hi; i++ {
		f.w.joins(f.order[i], func(to graph.ID) {
			if l := f.kid(d, to); l >= 0 && l != k && !d.kids[l].isUser() {
				count[to]++
			}
		})
	}
	for to, n := range count {
		if float64(n) >= navigation*float64(c.pages) {
			list = append(list, to)
		}
	}
	slices.Sort(list)
	return list
}

// joinByNavigation joins a child to the part that its template links to, where that part links
// back. Of the directory's own part any page may link back (home), for a section is entered from
// its index. Of another part the page itself must, for sections that cite a common source are not
// of one site with it.
func (f *finder) joinByNavigation(d *level, k int, navigation []graph.ID, home bool) (joined bool) {
	for _, to := range navigation {
		l := f.kid(d, to)
		if d.part.Find(l) == d.part.Find(k) {
			continue
		}
		back := home
		if d.part.Find(l) != d.part.Find(0) {
			back = false
			f.w.joins(to, func(v graph.ID) { back = back || f.kid(d, v) == k })
		}
		if back {
			d.part.Union(k, l)
			joined = true
		}
	}
	return joined
}

// reach tells to which children the directory's own part leads.
func (f *finder) reach(d *level) []bool {
	reached := make([]bool, len(d.kids))
	for i := d.lo; i < d.hi; i++ {
		if d.part.Find(int(d.of[i-d.lo])) == d.part.Find(0) {
			f.w.joins(f.order[i], func(to graph.ID) {
				if k := f.kid(d, to); k >= 0 {
					reached[k] = true
				}
			})
		}
	}
	return reached
}

// Bounds of joinVersions: a name that more children have is a custom, not a sign, and fewer names
// agree by chance.
const (
	mostNamesakes = 16
	minNamesakes  = 5
)

// joinVersions joins children, and the directory's own pages, whose pages have the same names:
// versions, languages, copies of one work.
func (f *finder) joinVersions(d *level) {
	names := make(map[string][]int32)
	for i := d.lo; i < d.hi; i++ {
		k := d.of[i-d.lo]
		name := f.w.address(f.order[i])[len(d.dir):]
		if k > 0 {
			name = name[len(d.kids[k].name)+1:]
		}
		if !d.kids[k].isUser() {
			names[name] = append(names[name], k)
		}
	}
	common := make(map[[2]int32]int)
	for _, list := range names {
		if len(list) > mostNamesakes {
			continue
		}
		for i, a := range list {
			for _, b := range list[:i] {
				common[[2]int32{min(a, b), max(a, b)}]++
			}
		}
	}
	for pair, n := range common {
		a, b := &d.kids[pair[0]], &d.kids[pair[1]]
		if n >= minNamesakes && float64(n) >= likeness*float64(max(a.pages, b.pages)) {
			d.part.Union(int(pair[0]), int(pair[1]))
		}
	}
}

// joinTiny joins parts that are too small to be sites to the directory's own part. On a shelf,
// where nothing was captured right in the directory and two parts or more are large enough, a small
// part is somebody else's, too, and stays apart.
func (f *finder) joinTiny(d *level) {
	size := make([]int, len(d.kids))
	for k := range d.kids {
		size[d.part.Find(k)] += d.kids[k].pages
	}
	large := 0
	for _, n := range size {
		if n >= f.opt.MinPages {
			large++
		}
	}
	if size[d.part.Find(0)] == 0 && large >= 2 {
		return
	}
	for k, n := range size {
		if n > 0 && n < f.opt.MinPages && !d.kids[k].isUser() {
			d.part.Union(k, 0)
		}
	}
}
