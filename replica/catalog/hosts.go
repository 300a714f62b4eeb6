package catalog

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"watershed/internal/extsort"
	"watershed/page"
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

// pairTally is ⟨two hosts, clusters in common and how many of them by path⟩.
type pairTally [2]uint64

const pathUnit = 1 << 32

// Hosts are the pairs of hosts that have at least so many clusters in common, most first. Clusters
// on more than 64 hosts do not count. Memory: that of the catalog's Options, and the pairs that are
// given.
func (f *Finding) Hosts(ctx context.Context, least int) (_ []HostPair, err error) {
	names, number, pages := f.hosts()
	sorter, err := extsort.NewSorter(f.catalog.dir, extsort.Options[pairTally]{
		MemoryBytes: f.catalog.opts.Memory / 2, Key: 1, Combine: extsort.AddUp[pairTally],
	})
	if err != nil {
		return nil, fmt.Errorf("pair hosts: %w", err)
	}
	defer func() {
		if e := sorter.Close(); e != nil && err == nil {
			err = e
		}
	}()
	byCluster := f.byCluster()
	for len(byCluster) > 0 {
		n := 1
		for n < len(byCluster) && f.Pages[byCluster[n]].Cluster == f.Pages[byCluster[0]].Cluster {
			n++
		}
		if err := f.pairHosts(byCluster[:n], number, sorter); err != nil {
			return nil, err
		}
		byCluster = byCluster[n:]
	}
	c, err := sorter.Sort(ctx)
	if err != nil {
		return nil, err
	}
	var list []HostPair
	err = c.Each(ctx, func(t pairTally) error {
		if common := int(t[1] % pathUnit); common >= least {
			a, b := uint32(t[0]>>32), uint32(t[0])
			list = append(list, HostPair{
				names[a], names[b], pages[a], pages[b], common,
				int(t[1] / pathUnit),
			})
		}
		return nil
	})
	slices.SortFunc(list, func(a, b HostPair) int {
		return cmp.Or(cmp.Compare(b.Common, a.Common), cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
	})
	return list, err
}

// hosts numbers the hosts in their order.
func (f *Finding) hosts() (names []page.Host, number map[page.Host]uint32, pages []int) {
	number = map[page.Host]uint32{}
	for i := range f.Pages {
		number[f.Pages[i].URL.Host()] = 0
	}
	for h := range number {
		names = append(names, h)
	}
	slices.Sort(names)
	pages = make([]int, len(names))
	for i, h := range names {
		number[h] = uint32(i)
	}
	for i := range f.Pages {
		pages[number[f.Pages[i].URL.Host()]]++
	}
	return names, number, pages
}

// byCluster are the pages that are in clusters, cluster by cluster.
func (f *Finding) byCluster() []uint32 {
	var list []uint32
	for i := range f.Pages {
		if f.Pages[i].Cluster != 0 {
			list = append(list, uint32(i))
		}
	}
	slices.SortStableFunc(list, func(a, b uint32) int {
		return cmp.Compare(f.Pages[a].Cluster, f.Pages[b].Cluster)
	})
	return list
}

// pairHosts tallies one cluster.
func (f *Finding) pairHosts(members []uint32, number map[page.Host]uint32,
	to *extsort.Sorter[pairTally],
) error {
	paths := map[uint32][]string{}
	for _, i := range members {
		u := f.Pages[i].URL
		h := number[u.Host()]
		paths[h] = append(paths[h], u.PathQuery())
	}
	if len(paths) < 2 || len(paths) > maxHosts {
		return nil
	}
	hosts := make([]uint32, 0, len(paths))
	for h := range paths {
		hosts = append(hosts, h)
	}
	slices.Sort(hosts)
	for i, a := range hosts {
		for _, b := range hosts[i+1:] {
			t := pairTally{uint64(a)<<32 | uint64(b), 1}
			if slices.ContainsFunc(paths[a], func(p string) bool { return slices.Contains(paths[b], p) }) {
				t[1] += pathUnit
			}
			if err := to.Add(t); err != nil {
				return err
			}
		}
	}
	return nil
}
