package collection

import (
	"context"
	"fmt"
)

// Find searches a web for replicated collections. The result does not depend on the order of the
// input's pages, links and chunks, but for the indexes in it. It holds nothing of the input.
//
// Memory: about 100 bytes a page besides its URL, and 4 bytes a link between pages; what the sorter
// holds of 16 bytes a link, chunk, pair of pages that share a chunk, and vote. Time: that of the
// sorts, and for each collection replicas times pages, with a binary search each.
func Find(ctx context.Context, in Input, o Options) (*Result, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	w, err := newWeb(ctx, &in, o)
	if err != nil {
		return nil, err
	}
	f := &finder{
		web: w, options: o, resemblance: in.Resemblance,
		result: &Result{Replication: make([]uint32, len(w.urls))},
	}
	f.stats = &f.result.Stats
	f.stats.Pages, f.stats.Links = len(w.urls), len(w.to)
	if f.trivial, err = w.trivialClusters(ctx, &in, o, f.stats); err != nil {
		return nil, fmt.Errorf("trivial clusters: %w", err)
	}
	for v, i := range w.index {
		f.result.Replication[i] = uint32(f.trivial.size(f.trivial.of[v]))
	}
	cores, err := f.cores(ctx)
	if err != nil {
		return nil, err
	}
	var drafts []draft
	if !o.CoresOnly {
		if drafts, err = f.placed(ctx); err != nil {
			return nil, fmt.Errorf("align directories: %w", err)
		}
	}
	drafts = append(drafts, f.grown(cores, drafts)...)
	f.publish(drafts)
	return f.result, nil
}

// finder has the data that the phases of a search share.
type finder struct {
	*web
	options     Options
	trivial     *groups
	resemblance func(p, q uint32) float64
	result      *Result
	stats       *Stats
}

func (f *finder) cores(ctx context.Context) ([]core, error) {
	edges, err := f.summarize(ctx, f.trivial, f.options, f.stats)
	if err != nil {
		return nil, fmt.Errorf("link summary: %w", err)
	}
	cores := f.grow(f.trivial, edges, f.options, f.stats)
	if f.options.CoresOnly {
		return cores, nil
	}
	if cores, err = f.join(ctx, f.trivial, cores, f.options); err != nil {
		return nil, fmt.Errorf("join cores: %w", err)
	}
	return cores, nil
}
