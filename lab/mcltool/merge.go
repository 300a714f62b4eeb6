package mcltool

import (
	"cmp"
	"fmt"
	"slices"

	"watershed/graph"
	"watershed/mcl"
)

// mergeOptions say which clusters are related. The zero value is the documented default; both
// limits must be met.
type mergeOptions struct {
	// MinShare of the weight that leaves two clusters must run between them, as a geometric mean of
	// their shares: of two clusters that mainly cite a third one neither is merged with it, unless
	// it mainly cites them. Default 0.5.
	MinShare float64

	// MinTie is the weight between two clusters relative to all edge ends of the lighter one:
	// clusters that hardly anything leaves are not merged for the little that does. Default 0.2.
	MinTie float64

	// Anchor are vertices known to belong together, such as the pages below the seed's prefix.
	// Clusters that have at least AnchorShare of their vertices among them are merged, whatever
	// their edges. Default: none.
	Anchor      []graph.ID
	AnchorShare float64 // default 0.5
}

func (o mergeOptions) withDefaults() mergeOptions {
	o.MinShare = cmp.Or(o.MinShare, 0.5)
	o.MinTie = cmp.Or(o.MinTie, 0.2)
	o.AnchorShare = cmp.Or(o.AnchorShare, 0.5)
	return o
}

// Validate reports the first field that is out of range, as an error that wraps ErrOption.
func (o mergeOptions) Validate() error {
	o = o.withDefaults()
	for _, x := range []float64{o.MinShare, o.MinTie, o.AnchorShare} {
		if !(x > 0 && x <= 1) {
			return fmt.Errorf("%w: share %v is not above 0 and at most 1", mcl.ErrOption, x)
		}
	}
	return nil
}

// merge unites related clusters of r, a partition of the vertices of g: a problem that Senellart
// 2003, §4.2 leaves open (an index page whose reports do not link to each other falls apart). Pairs
// are united from the most related one down, each cluster at most once in a pass, and passes repeat
// until no pair is related enough; so the result depends on g, r and o alone. The stats are those
// of r. A pass is O(n + edges), and at least one cluster disappears with each.
func merge(g *mcl.Graph, r mcl.Result, o mergeOptions) (mcl.Result, error) {
	if err := o.Validate(); err != nil {
		return mcl.Result{}, err
	}
	if err := partition(r, g.Len()); err != nil {
		return mcl.Result{}, err
	}
	o = o.withDefaults()
	labels := slices.Clone(r.Labels)
	if err := anchor(labels, r, o); err != nil {
		return mcl.Result{}, err
	}
	for {
		pairs := related(g, labels, len(r.Clusters), o)
		if len(pairs) == 0 {
			return relabelled(labels, len(r.Clusters), r.Stats), nil
		}
		unite(labels, len(r.Clusters), pairs)
	}
}

// anchor gives one label to the clusters that belong to the anchor.
func anchor(labels []int32, r mcl.Result, o mergeOptions) error {
	hits := make([]int, len(r.Clusters))
	seen := make([]bool, len(labels))
	for _, v := range o.Anchor {
		if int64(v) >= int64(len(labels)) {
			return fmt.Errorf("%w: anchor %d of %d vertices", mcl.ErrGraph, v, len(labels))
		}
		if !seen[v] {
			seen[v] = true
			hits[labels[v]]++
		}
	}
	home := int32(-1)
	for c, members := range r.Clusters {
		if hits[c] == 0 || float64(hits[c]) < o.AnchorShare*float64(len(members)) {
			continue
		}
		if home < 0 {
			home = int32(c)
		}
		for _, v := range members {
			labels[v] = home
		}
	}
	return nil
}

// A pair of clusters, a < b, with the share that relates them.
type pair struct {
	a, b  int32
	share float64
}

// related gives the pairs of labels that o calls related, the most related first.
func related(g *mcl.Graph, labels []int32, count int, o mergeOptions) []pair {
	between := make(map[[2]int32]float64)
	leaving, all := make([]float64, count), make([]float64, count)
	for v := range g.Len() {
		a := labels[v]
		rows, weights := g.Neighbours(graph.ID(v))
		for i, u := range rows {
			w, b := float64(weights[i]), labels[u]
			all[a] += w
			if a != b {
				leaving[a] += w
			}
			if a < b {
				between[[2]int32{a, b}] += w
			}
		}
	}
	var pairs []pair
	for ab, w := range between {
		a, b := ab[0], ab[1]
		share2 := w / leaving[a] * w / leaving[b]
		if share2 >= o.MinShare*o.MinShare && w >= o.MinTie*min(all[a], all[b]) {
			pairs = append(pairs, pair{a, b, share2})
		}
	}
	slices.SortFunc(pairs, func(p, q pair) int {
		return cmp.Or(cmp.Compare(q.share, p.share), cmp.Compare(p.a, q.a), cmp.Compare(p.b, q.b))
	})
	return pairs
}

// unite gives the label of the first of a pair to the second, for each pair of which neither was in
// a pair before.
func unite(labels []int32, count int, pairs []pair) {
	to := make([]int32, count)
	taken := make([]bool, count)
	for c := range to {
		to[c] = int32(c)
	}
	for _, p := range pairs {
		if !taken[p.a] && !taken[p.b] {
			taken[p.a], taken[p.b] = true, true
			to[p.b] = p.a
		}
	}
	for v, c := range labels {
		labels[v] = to[c]
	}
}

// relabelled is the partition that labels below count make.
func relabelled(labels []int32, count int, stats mcl.Stats) mcl.Result {
	members := make([][]graph.ID, count)
	for v, c := range labels {
		members[c] = append(members[c], graph.ID(v))
	}
	clusters := slices.DeleteFunc(members, func(c []graph.ID) bool { return len(c) == 0 })
	r := mcl.NewResult(len(labels), clusters)
	r.Stats = stats
	return r
}
