package prove

import (
	"cmp"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"watershed/page"
	"watershed/replica"
)

// place is a host or a directory whose paths are known.
type place struct {
	name   string
	base   string   // what a path is put behind: "http://a.example/" or the directory
	paths  []string // all that are known, sorted; "" is the root, and not among them
	sample []string // those drawn, permuted
}

// url is the address of a path.
func (p *place) url(path string) page.URL { return page.URL(p.base + path) }

// newPlace draws the sample of a name out of its known pages: n paths at equal intervals of the
// sorted list, the i-th being number floor(i·N/n), permuted by their hashes. Pages outside of it
// are passed over. Where a host is known by several schemes, the most frequent one is taken.
func newPlace(name string, pages []page.URL, o *Options) *place {
	p := &place{name: name}
	p.base = baseOf(name, pages)
	var paths []string
	for _, u := range pages {
		if path, ok := below(name, u); ok && path != "" {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	p.paths = paths
	n := min(o.Paths, len(paths))
	for i := range n {
		p.sample = append(p.sample, paths[i*len(paths)/n])
	}
	draw := func(path string) uint64 { return xxh3.HashStringSeed(path, o.Seed) }
	slices.SortFunc(p.sample, func(a, b string) int {
		return cmp.Or(cmp.Compare(draw(a), draw(b)), cmp.Compare(a, b))
	})
	return p
}

// has reports a path that is known.
func (p *place) has(path string) bool {
	_, there := slices.BinarySearch(p.paths, path)
	return there
}

// both gives the paths that are known of both places.
func (p *place) both(q *place) (list []string) {
	a, b := p.paths, q.paths
	for len(a) > 0 && len(b) > 0 {
		c := strings.Compare(a[0], b[0])
		if c == 0 {
			list = append(list, a[0])
		}
		if c <= 0 {
			a = a[1:]
		}
		if c >= 0 {
			b = b[1:]
		}
	}
	return list
}

// under gives the known paths in a directory, "" or ending with "/".
func (p *place) under(dir string) []string {
	lo, _ := slices.BinarySearch(p.paths, dir)
	hi := lo
	for hi < len(p.paths) && strings.HasPrefix(p.paths[hi], dir) {
		hi++
	}
	return p.paths[lo:hi]
}

// leastShared is how many paths must be known of both for a directory to be the one that they have
// in common.
const leastShared = 10

// common is the deepest directory that holds that part of the paths that are known of both; "" is
// the root.
func (p *place) common(q *place, part float64) (dir string) {
	both := p.both(q)
	for len(both) >= leastShared {
		counts := map[string]int{}
		for _, path := range both {
			path, _, _ = strings.Cut(path, "?")
			rest, ok := strings.CutPrefix(path, dir)
			if k := strings.IndexByte(rest, '/'); ok && k >= 0 {
				counts[dir+rest[:k+1]]++
			}
		}
		next := ""
		for d, n := range counts { // one at most, where more than half is asked for
			if float64(n) >= part*float64(len(both)) {
				next = d
			}
		}
		if next == "" {
			return dir
		}
		dir = next
	}
	return ""
}

// below is the path of a page relative to a host or directory.
func below(name string, u page.URL) (string, bool) {
	if replica.IsHost(name) {
		return strings.TrimPrefix(u.PathQuery(), "/"), string(u.Host()) == name
	}
	return strings.CutPrefix(string(u), name)
}

// baseOf is the beginning of all addresses of a name.
func baseOf(name string, pages []page.URL) string {
	if !replica.IsHost(name) {
		return name
	}
	secure := 0
	for _, u := range pages {
		if string(u.Host()) != name {
			continue
		}
		if u.Scheme() == "https" {
			secure++
		} else {
			secure--
		}
	}
	if secure > 0 {
		return "https://" + name + "/"
	}
	return "http://" + name + "/"
}
