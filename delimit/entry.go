package delimit

import (
	"slices"
	"strings"

	"watershed/graph"
	"watershed/page"
)

// entries gives the page by which each directory of a root is entered: the one that an archive
// calls a seed, else the one that stands for the directory by its name, else the one that most
// pages lead to, those outside the root first. A directory in which itself no page lies is entered
// by its own URL.
func (f *finder) entries(r *root, seeds map[graph.ID]bool,
	in func(graph.ID) (outside, inside int),
) []page.URL {
	var list []page.URL
	for _, dir := range r.dirs {
		best, score := graph.None, [3]int{}
		for _, id := range r.pages {
			name, ok := strings.CutPrefix(f.w.address(id), dir)
			if path, _, _ := strings.Cut(name, "?"); !ok || strings.Contains(path, "/") {
				continue
			}
			var s [3]int
			switch {
			case seeds[id]:
				s[0] = 3
			case name == "":
				s[0] = 2
			case isIndex(f.w.text[id]) && !strings.Contains(name, "?"):
				s[0] = 1
			}
			s[1], s[2] = in(id)
			if best == graph.None || slices.Compare(s[:], score[:]) > 0 {
				best, score = id, s
			}
		}
		if best != graph.None {
			list = append(list, f.w.text[best])
			continue
		}
		if u, err := page.ParseURL(f.w.text[r.pages[0]].Scheme() + "://" + dir); err == nil {
			list = append(list, u)
		}
	}
	return list
}
