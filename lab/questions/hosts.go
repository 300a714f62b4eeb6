package questions

import (
	"cmp"
	"slices"

	"watershed/page"
	"watershed/replica/catalog"
)

// maxHosts is the number of hosts from which on a cluster says nothing of any two of them: a
// notice, a licence. Pairs would grow with its square.
const maxHosts = 64

// HostPair is two hosts with similar pages.
type HostPair struct {
	A, B           page.Host // A is less
	PagesA, PagesB int       // current pages
	Common         int       // clusters with pages of both
	Paths          int       // of these, with pages of the same path
}

// Share is the part of the pages of the host with fewer that has a similar one on the other.
func (p *HostPair) Share() float64 {
	return min(float64(p.Common)/float64(max(min(p.PagesA, p.PagesB), 1)), 1)
}

// Hosts are the pairs of hosts that have clusters in common, most first. Clusters on more than 64
// hosts do not count.
func Hosts(f *catalog.Finding) []HostPair {
	pages := map[page.Host]int{}
	clusters := map[uint32]map[page.Host][]string{} // the paths of each host
	for i := range f.Pages {
		p := &f.Pages[i]
		host := p.URL.Host()
		pages[host]++
		if p.Cluster == 0 {
			continue
		}
		if clusters[p.Cluster] == nil {
			clusters[p.Cluster] = map[page.Host][]string{}
		}
		clusters[p.Cluster][host] = append(clusters[p.Cluster][host], p.URL.PathQuery())
	}
	found := map[[2]page.Host]*HostPair{}
	for _, paths := range clusters {
		if len(paths) > maxHosts {
			continue
		}
		for a := range paths {
			for b := range paths {
				if a >= b {
					continue
				}
				p := found[[2]page.Host{a, b}]
				if p == nil {
					p = &HostPair{A: a, B: b, PagesA: pages[a], PagesB: pages[b]}
					found[[2]page.Host{a, b}] = p
				}
				p.Common++
				also := func(path string) bool { return slices.Contains(paths[b], path) }
				if slices.ContainsFunc(paths[a], also) {
					p.Paths++
				}
			}
		}
	}
	list := make([]HostPair, 0, len(found))
	for _, p := range found {
		list = append(list, *p)
	}
	slices.SortFunc(list, func(a, b HostPair) int {
		return cmp.Or(cmp.Compare(b.Common, a.Common), cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
	})
	return list
}
