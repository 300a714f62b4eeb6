package mcltool

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"watershed/graph"
	"watershed/mcl"
)

// ReadClusters reads what WriteClusters and mcl --abc write. Every label must be one of labels, and
// every label must be in a cluster; a *syntaxError names the line that breaks this.
func ReadClusters(r io.Reader, labels []string) (mcl.Result, error) {
	ids := make(map[string]graph.ID, len(labels))
	for v, label := range labels {
		ids[label] = graph.ID(v)
	}
	var clusters [][]graph.ID
	err := eachLine(r, func(line []byte) error {
		if len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		var members []graph.ID
		for label := range bytes.SplitSeq(line, []byte{'\t'}) {
			v, ok := ids[string(bytes.TrimSpace(label))]
			if !ok {
				return fmt.Errorf("unknown label %q", label)
			}
			members = append(members, v)
		}
		clusters = append(clusters, members)
		return nil
	})
	if err != nil {
		return mcl.Result{}, err
	}
	if v := lone(len(labels), clusters); v >= 0 {
		return mcl.Result{}, fmt.Errorf("%w: %q is in no cluster", mcl.ErrGraph, labels[v])
	}
	return mcl.NewResult(len(labels), clusters), nil
}

// lone is the first of n vertices that is in no cluster, else -1.
func lone(n int, clusters [][]graph.ID) int {
	seen := make([]bool, n)
	for _, members := range clusters {
		for _, v := range members {
			seen[v] = true
		}
	}
	return slices.Index(seen, false)
}

// A Distance between two clusterings of the same n vertices is the number of vertices to move from
// one cluster to another to turn either into the largest clustering that both refine to, their
// intersection: Forward from the first, Backward from the second. (The manual of clmdist; van
// Dongen, Performance criteria for graph clustering, 2000.)
type Distance struct{ Forward, Backward int }

// Sum is the split/join distance d; d/(2n) lies in [0, 1).
func (d Distance) Sum() int { return d.Forward + d.Backward }

// Compare gives the split/join distance of two partitions, as clm dist does; an error wraps
// ErrGraph. O(n).
func Compare(a, b mcl.Result) (Distance, error) {
	if err := partition(a, len(b.Labels)); err != nil {
		return Distance{}, err
	}
	if err := partition(b, len(a.Labels)); err != nil {
		return Distance{}, err
	}
	return Distance{Forward: toMeet(a, b), Backward: toMeet(b, a)}, nil
}

// toMeet is n minus the largest part that each cluster of a shares with a cluster of b.
func toMeet(a, b mcl.Result) int {
	away := len(a.Labels)
	shared := make([]int, len(b.Clusters))
	for _, members := range a.Clusters {
		most := 0
		for _, v := range members {
			shared[b.Labels[v]]++
			most = max(most, shared[b.Labels[v]])
		}
		for _, v := range members {
			shared[b.Labels[v]] = 0
		}
		away -= most
	}
	return away
}
