package collection

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"watershed/internal/disjoint"
)

// trivialClusters finds the trivial clusters (section 3.2): the iceberg query for pairs of pages
// that share more than T chunks, by two sorts, and union-find over the pairs. TRIVIAL(rid, pid) is
// the partition returned; a rid is numbered by its first page's URL.
//
// Pages of the same text are joined first and only one of them takes part in the query, so that its
// cost does not grow with exact copies. Cost: a sort of the chunks and a sort of the pairs; a chunk
// of k pages, at most MaxCommon, makes k(k-1)/2.
func (w *web) trivialClusters(ctx context.Context, in *Input, o Options, stats *Stats) (*groups, error) {
	s := disjoint.New[uint32](len(w.urls))
	joinEqual(s, len(w.urls), func(v uint32) (uint64, bool) { return w.whole[v], w.whole[v] != 0 })
	if in.Clusters != nil {
		joinEqual(s, len(w.urls), func(v uint32) (uint64, bool) {
			c := in.Clusters[w.index[v]]
			return uint64(c), c != NoCluster
		})
	}
	if in.Chunks != nil {
		if o.Threshold == 0 {
			return nil, errors.New("option Threshold: chunks are given, but not how many similar pages share")
		}
		same := slices.Clone(s)
		for v := range same {
			same[v] = s.Find(uint32(v))
		}
		if err := w.iceberg(ctx, in, o, s, same); err != nil {
			return nil, err
		}
	}
	g := groupsOf(s)
	for k := range g.len() {
		if g.size(uint32(k)) > 1 {
			stats.Trivial++
			stats.SimilarPages += g.size(uint32(k))
		}
	}
	return g, nil
}

// joinEqual unites the vertices of equal keys.
func joinEqual(s disjoint.Sets[uint32], n int, key func(v uint32) (uint64, bool)) {
	type keyed struct {
		key uint64
		v   uint32
	}
	var list []keyed
	for v := range n {
		if k, ok := key(uint32(v)); ok {
			list = append(list, keyed{k, uint32(v)})
		}
	}
	slices.SortFunc(list, func(a, b keyed) int {
		return record{a.key, uint64(a.v)}.compare(record{b.key, uint64(b.v)})
	})
	for i := 1; i < len(list); i++ {
		if list[i-1].key == list[i].key {
			s.Union(list[i-1].v, list[i].v)
		}
	}
}

// iceberg unites pages that share more than Threshold chunks. same tells the page that stands for a
// page of equal text.
func (w *web) iceberg(
	ctx context.Context, in *Input, o Options, s disjoint.Sets[uint32], same []uint32,
) error {
	pairs := func(add func(record) error) error {
		chunks := func(add func(record) error) error {
			return in.Chunks(func(p uint32, chunk uint64) error {
				if int(p) >= len(w.rank) {
					return fmt.Errorf("%w: chunk of page %d, of %d pages", errInput, p, len(w.rank))
				}
				v := w.rank[p]
				if same[v] != v {
					return nil
				}
				return add(record{chunk, uint64(v)})
			})
		}
		return sorted(ctx, o, chunks, func(run []record, _ []uint32) error {
			if o.MaxCommon > 0 && len(run) > o.MaxCommon {
				return nil
			}
			for i, a := range run {
				for _, b := range run[i+1:] {
					if err := add(record{a[1], b[1]}); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
	err := sorted(ctx, o, pairs, func(run []record, times []uint32) error {
		for i, r := range run {
			if int(times[i]) > o.Threshold {
				s.Union(uint32(r[0]), uint32(r[1]))
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("count shared chunks: %w", err)
	}
	return nil
}
