package catalog

import (
	"context"
	"slices"

	"watershed/page"
)

// Unreached are the pages that links lead to from some roots, and from pages that are left out, but
// to which no links within their host lead from a root without the left out pages: a crawl that
// leaves those out must ask for these by itself. Links from other hosts do not count, for a crawl
// follows them only where one site holds both hosts. Pages that are left out, and parts, are not
// among them. They come in the order of their URLs. Memory: 4 bytes a link and some 10 a page;
// time: two passes over all documents.
func (f *Finding) Unreached(ctx context.Context, roots []page.URL, left func(page.URL) bool) ([]page.URL,
	error,
) {
	start, to, err := f.linkTable(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]bool, len(f.Pages))
	var leave []uint32
	for i := range f.Pages {
		if out[i] = left(f.Pages[i].URL); out[i] {
			leave = append(leave, uint32(i))
		}
	}
	var from []uint32
	for _, u := range roots {
		if i, ok := f.Lookup(u); ok {
			from = append(from, i)
		}
	}
	always := func(_, _ uint32) bool { return true }
	within := func(a, b uint32) bool { return f.Pages[a].URL.Host() == f.Pages[b].URL.Host() }
	none := make([]bool, len(f.Pages))
	all := reach(from, start, to, none, always)
	below := reach(leave, start, to, none, always)
	kept := reach(from, start, to, out, within)
	var list []page.URL
	for i := range f.Pages {
		if all[i] && below[i] && !kept[i] && !out[i] && !f.Pages[i].Part {
			list = append(list, f.Pages[i].URL)
		}
	}
	return list, nil
}

// linkTable has the links of page i in to[start[i]:start[i+1]].
func (f *Finding) linkTable(ctx context.Context) (start, to []uint32, err error) {
	start = make([]uint32, len(f.Pages)+1)
	if err := f.links(ctx, func(from, _ uint32) error { start[from+1]++; return nil }); err != nil {
		return nil, nil, err
	}
	for i := range f.Pages {
		start[i+1] += start[i]
	}
	to = make([]uint32, start[len(f.Pages)])
	next := slices.Clone(start)
	err = f.links(ctx, func(from, page uint32) error {
		to[next[from]] = page
		next[from]++
		return nil
	})
	return start, to, err
}

// reach are the pages that links lead to from some pages, by way of pages that are not out and of
// links that count.
func reach(from, start, to []uint32, out []bool, counts func(a, b uint32) bool) []bool {
	seen := make([]bool, len(out))
	var open []uint32
	visit := func(i uint32) {
		if !seen[i] && !out[i] {
			seen[i] = true
			open = append(open, i)
		}
	}
	for _, i := range from {
		visit(i)
	}
	for len(open) > 0 {
		i := open[len(open)-1]
		open = open[:len(open)-1]
		for _, j := range to[start[i]:start[i+1]] {
			if counts(i, j) {
				visit(j)
			}
		}
	}
	return seen
}
