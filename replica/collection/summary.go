package collection

import (
	"context"
	"slices"
)

// Summary is a row of the paper's LinkSummary table: of two trivial clusters, the pages of From
// that link into To, and the pages of To that From links to.
type Summary struct {
	From, To           uint32 // rid
	Sources, Targets   int    // s and d
	FromPages, ToPages int    // |Ri| and |Rj|
}

// fits reports whether the sizes alone allow a merge.
func (o Options) fits(from, to int) bool { return from == to || o.Condition == Extended && from > to }

func (o Options) merges(s Summary) bool {
	return o.fits(s.FromPages, s.ToPages) && s.Sources == s.FromPages && s.Targets == s.ToPages
}

// edge of the trivial cluster graph: a merge that is allowed.
type edge struct {
	from, to uint32
	local    bool // pages of one site suffice to match the clusters
}

// summarize joins LINK with TRIVIAL on both sides, sorts the result by (Ri, Rj), and tests each
// group. TRIVIAL is a dense table by page, so the two joins are look-ups; the sort is what the
// paper's sort-merge joins need it for. Pairs whose sizes can never merge are left out before it.
func (w *web) summarize(ctx context.Context, t *groups, o Options, stats *Stats) ([]edge, error) {
	fill := func(add func(record) error) error {
		for v := range uint32(len(w.urls)) {
			ri := t.of[v]
			if t.size(ri) < 2 {
				continue
			}
			for _, u := range w.links(v) {
				rj := t.of[u]
				if ri == rj || t.size(rj) < 2 || !o.fits(t.size(ri), t.size(rj)) {
					continue
				}
				if err := add(record{uint64(ri)<<32 | uint64(rj), uint64(v)<<32 | uint64(u)}); err != nil {
					return err
				}
			}
		}
		return nil
	}
	var edges []edge
	var targets []uint32
	err := sorted(ctx, o, fill, func(run []record, _ []uint32) error {
		s := Summary{From: uint32(run[0][0] >> 32), To: uint32(run[0][0])}
		s.FromPages, s.ToPages = t.size(s.From), t.size(s.To)
		targets = targets[:0]
		last := none
		for _, r := range run {
			if v := uint32(r[1] >> 32); v != last {
				s.Sources++
				last = v
			}
			targets = append(targets, uint32(r[1]))
		}
		slices.Sort(targets)
		s.Targets = len(slices.Compact(targets))
		if !o.merges(s) {
			return nil
		}
		m, local := w.match(t, s.From, s.To, o)
		if m == nil && !o.Faithful {
			stats.Rejected = append(stats.Rejected, s)
			return nil
		}
		edges = append(edges, edge{s.From, s.To, local})
		return nil
	})
	return edges, err
}

// match pairs every page of Rj with a page of Ri that links to it, each of them with another one;
// links within a site go first. The result has for each member of Ri the page of Rj, or none. It is
// nil where no such pairing exists: the sizes alone do not make one (1→a, 1→b, 2→c, 3→c has s = d =
// 3). With one site a replica, only links within a site count.
func (w *web) match(t *groups, ri, rj uint32, o Options) (partner []uint32, local bool) {
	from, to := t.members(ri), t.members(rj)
	m := newMatching(len(from), len(to))
	add := func(within bool) {
		for i, v := range from {
			w.between(v, to, func(j int) {
				if (w.host[v] == w.host[to[j]]) == within {
					m.edge(uint32(i), uint32(j))
				}
			})
		}
	}
	add(true)
	size := m.run()
	local = size == len(to)
	if !local && (o.AcrossSites || o.Faithful) {
		add(false)
		size = m.run()
	}
	if size < len(to) && !o.Faithful {
		return nil, false
	}
	partner = slices.Repeat([]uint32{none}, len(from))
	for i, r := range m.left {
		if r != none {
			partner[i] = to[r]
		}
	}
	return partner, local
}

// between calls fn with the place in pages, which ascend, of each page that v links to.
func (w *web) between(v uint32, pages []uint32, fn func(j int)) {
	links := w.links(v)
	if len(links) > 8*len(pages) {
		for j, u := range pages {
			if _, ok := slices.BinarySearch(links, u); ok {
				fn(j)
			}
		}
		return
	}
	for _, u := range links {
		if j, ok := slices.BinarySearch(pages, u); ok {
			fn(j)
		}
	}
}
