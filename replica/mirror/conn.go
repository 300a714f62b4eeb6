package mirror

import (
	"cmp"
	"context"
	"slices"

	"watershed/internal/extsort"
)

// connResult is what the test of links says of a pair (section 3.3).
type connResult struct {
	tested, equivalent int
	shared             float64 // of each path tested, the part of the united links that are common, added up
}

func (c connResult) share() float64 { return float64(c.equivalent) / float64(max(1, c.tested)) }

// tests tests the links of common paths of the pairs that the paths ranking found.
//
// A page without known links is taken for one that was not read, and tests nothing: lists of URLs
// hold many that were never fetched.
type tests struct {
	e     *engine
	pairs []Pair
	of    [][]partner // for each host, the pairs in which it is the lesser number
	best  [][2][]trial
}

// partner is a pair seen from one of its hosts.
type partner struct {
	other HostID
	pair  int
}

// trial is a common path: its hash, the links of the host whose list it is in, and whether the path
// is equivalent.
type trial struct {
	path       uint64
	out        int
	shared     float64
	equivalent bool
}

func byLinks(a, b trial) int {
	return cmp.Or(cmp.Compare(b.out, a.out), cmp.Compare(a.path, b.path))
}

func newTests(e *engine) *tests {
	t := &tests{e: e, pairs: e.pairs[Paths], of: make([][]partner, len(e.hosts.list))}
	t.best = make([][2][]trial, len(t.pairs))
	for i, p := range t.pairs {
		a, b := min(p.A, p.B), max(p.A, p.B)
		t.of[a] = append(t.of[a], partner{b, i})
		if t.of[b] == nil {
			t.of[b] = []partner{}
		}
	}
	return t
}

// host is the links of one page.
type hostLinks struct {
	host  HostID
	links []uint64
}

// run goes through all links by path, and filters the paths ranking.
func (t *tests) run(ctx context.Context, links *extsort.Sorter[linkOf]) error {
	c, err := links.Sort(ctx)
	if err != nil {
		return err
	}
	var group []hostLinks
	var path uint64
	err = c.Each(ctx, func(l linkOf) error {
		if l[0] != path {
			t.group(path, group)
			path, group = l[0], group[:0]
		}
		if n := len(group); n == 0 || group[n-1].host != HostID(l[1]) {
			group = append(group, hostLinks{host: HostID(l[1])})
		}
		last := &group[len(group)-1]
		last.links = append(last.links, l[2])
		return nil
	})
	if err != nil {
		return err
	}
	t.group(path, group)
	t.finish()
	return nil
}

// group tests one path on all pairs of hosts that have it. Hosts come in order.
func (t *tests) group(path uint64, hosts []hostLinks) {
	if len(hosts) < 2 {
		return
	}
	for _, a := range hosts {
		for _, p := range t.of[a.host] {
			i, ok := slices.BinarySearchFunc(hosts, p.other, func(h hostLinks, id HostID) int {
				return cmp.Compare(h.host, id)
			})
			if !ok {
				continue
			}
			b := hosts[i]
			common := commonLinks(a.links, b.links)
			union := len(a.links) + len(b.links) - common
			same := float64(common) >= t.e.o.Conn.Common*float64(union)
			shared := float64(common) / float64(union)
			t.note(&t.best[p.pair][0], trial{path, len(a.links), shared, same})
			t.note(&t.best[p.pair][1], trial{path, len(b.links), shared, same})
		}
	}
}

// note keeps the paths with the most links.
func (t *tests) note(list *[]trial, x trial) {
	n := t.e.o.Conn.Paths
	if len(*list) == n && byLinks((*list)[n-1], x) < 0 {
		return
	}
	i, _ := slices.BinarySearchFunc(*list, x, byLinks)
	*list = slices.Insert(*list, i, x)
	*list = (*list)[:min(len(*list), n)]
}

// commonLinks counts what two sorted lists have in common.
func commonLinks(a, b []uint64) (n int) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			n++
			a, b = a[1:], b[1:]
		}
	}
	return n
}

// finish keeps the pairs that passed, in the order of the paths ranking.
func (t *tests) finish() {
	t.e.conn = make(map[uint64]connResult, len(t.pairs))
	var kept []Pair
	for i, p := range t.pairs {
		r := t.result(i)
		if r.tested > 0 {
			t.e.conn[p.key()] = r
		}
		if r.share() >= t.e.o.Conn.Equivalent || r.tested == 0 && t.e.o.Conn.KeepUntested {
			kept = append(kept, p)
		}
	}
	t.e.pairs[Conn] = kept
}

// result counts distinct paths.
func (t *tests) result(pair int) (r connResult) {
	seen := make(map[uint64]bool)
	for _, list := range t.best[pair] {
		for _, x := range list {
			if seen[x.path] {
				continue
			}
			seen[x.path] = true
			r.tested++
			r.shared += x.shared
			if x.equivalent {
				r.equivalent++
			}
		}
	}
	return r
}
