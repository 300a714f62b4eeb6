package collection

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"watershed/page"
)

// NoCluster says in Input.Clusters that a page is like no other.
const NoCluster = ^uint32(0)

// Page is one page of the web that is searched.
type Page struct {
	URL   page.URL
	Whole uint64 // a fingerprint of the text: pages of the same one are similar; 0 for none
	// when the page was first seen or last said to be changed, in seconds of any one clock; 0 for
	// unknown
	First int64
}

// Input is a web: its pages, their links, and the evidence by which pages are similar. Pages are
// named by their index in Pages.
type Input struct {
	Pages []Page // of distinct URLs

	// Links hands every link between two of the pages to add, in any order, any number of times;
	// nil for none. An error of add is to be returned.
	Links func(add func(from, to uint32) error) error

	// Chunks hands every chunk of every page to add, in any order; nil for none.
	Chunks func(add func(p uint32, chunk uint64) error) error

	// Clusters has for each page the number of the cluster that another engine put it in, or
	// NoCluster; nil for none. Whole, Chunks and Clusters may be given together: any of them makes
	// two pages similar (Definition 4).
	Clusters []uint32

	// Resemblance estimates how much of two pages' text is the same, from 0 to 1; nil where nobody
	// knows. It is asked about pages that only their path maps (Nearby), and called by one
	// goroutine.
	Resemblance func(p, q uint32) float64
}

// web is an Input in the order of its URLs. Vertices are places in that order.
type web struct {
	urls  []page.URL
	host  []uint32 // dense
	whole []uint64
	first []int64
	index []uint32 // of a vertex in Input.Pages
	rank  []uint32 // of an index: its vertex

	start  []uint32 // links of v, ascending: to[start[v]:start[v+1]]
	to     []uint32
	inward []uint32 // links to v from other sites
}

func newWeb(ctx context.Context, in *Input, o Options) (*web, error) {
	n := len(in.Pages)
	if uint64(n) >= uint64(NoCluster) {
		return nil, fmt.Errorf("%w: %d pages are more than 32 bits can number", errInput, n)
	}
	if in.Clusters != nil && len(in.Clusters) != n {
		return nil, fmt.Errorf("%w: %d clusters for %d pages", errInput, len(in.Clusters), n)
	}
	w := &web{
		urls: make([]page.URL, n), host: make([]uint32, n), whole: make([]uint64, n), first: make([]int64, n),
		index: make([]uint32, n), rank: make([]uint32, n), inward: make([]uint32, n),
	}
	for i := range w.index {
		w.index[i] = uint32(i)
	}
	slices.SortFunc(w.index, func(a, b uint32) int { return cmp.Compare(in.Pages[a].URL, in.Pages[b].URL) })
	hosts := make(map[page.Host]uint32)
	for v, i := range w.index {
		p := in.Pages[i]
		w.rank[i] = uint32(v)
		w.urls[v], w.whole[v], w.first[v] = p.URL, p.Whole, p.First
		if v > 0 && w.urls[v-1] == p.URL {
			return nil, fmt.Errorf("%w: page %s is there twice", errInput, p.URL)
		}
		h := p.URL.Host()
		if _, ok := hosts[h]; !ok {
			hosts[h] = uint32(len(hosts))
		}
		w.host[v] = hosts[h]
	}
	if err := w.link(ctx, in, o); err != nil {
		return nil, fmt.Errorf("sort links: %w", err)
	}
	return w, nil
}

// link makes the table of links: each once, none from a page to itself.
func (w *web) link(ctx context.Context, in *Input, o Options) error {
	n := len(w.urls)
	w.start = make([]uint32, n+1)
	if in.Links == nil {
		return nil
	}
	fill := func(add func(record) error) error {
		return in.Links(func(from, to uint32) error {
			if int(from) >= n || int(to) >= n {
				return fmt.Errorf("%w: link %d to %d, of %d pages", errInput, from, to, n)
			}
			if from == to {
				return nil
			}
			return add(record{uint64(w.rank[from]), uint64(w.rank[to])})
		})
	}
	err := sorted(ctx, o, fill, func(run []record, _ []uint32) error {
		v := run[0][0]
		for _, r := range run {
			w.to = append(w.to, uint32(r[1]))
			if w.host[v] != w.host[r[1]] {
				w.inward[r[1]]++
			}
		}
		if uint64(len(w.to)) >= uint64(NoCluster) {
			return fmt.Errorf("%w: more links than 32 bits can number", errInput)
		}
		w.start[v+1] = uint32(len(w.to))
		return nil
	})
	for v := range n {
		w.start[v+1] = max(w.start[v+1], w.start[v])
	}
	return err
}

func (w *web) links(v uint32) []uint32 { return w.to[w.start[v]:w.start[v+1]] }

func (w *web) linked(v, u uint32) bool {
	_, ok := slices.BinarySearch(w.links(v), u)
	return ok
}

// find gives the vertex of a URL.
func (w *web) find(u string) (uint32, bool) {
	v, ok := slices.BinarySearchFunc(w.urls, u, func(a page.URL, b string) int {
		return cmp.Compare(string(a), b)
	})
	return uint32(v), ok
}

// span is the pages whose URLs begin with a prefix: vertices lo … hi-1.
type span struct{ lo, hi uint32 }

func (s span) len() int             { return int(s.hi - s.lo) }
func (s span) has(v uint32) bool    { return s.lo <= v && v < s.hi }
func (s span) contains(t span) bool { return s.lo <= t.lo && t.hi <= s.hi }

func (w *web) under(prefix string) span {
	lo, _ := w.find(prefix)
	// URLs with the prefix are one run, so the first one without it ends the run.
	n, _ := slices.BinarySearchFunc(w.urls[lo:], prefix, func(a page.URL, b string) int {
		if strings.HasPrefix(string(a), b) {
			return -1
		}
		return 1
	})
	return span{lo, lo + uint32(n)}
}
