package mcl

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"watershed/lab/kit/planted"
)

// Inflation 1.2 leaves one huge cluster, which 1.6 and then 2.0 must take apart (Senellart 2003,
// §4.2).
func TestRefine(t *testing.T) {
	pages, most := 700, 120
	if testing.Short() {
		pages, most = 280, 48
	}
	g, err := NewGraph(pages, planted.Links(pages, pages*40/7, 5), JoinEither)
	if err != nil {
		t.Fatal(err)
	}
	opts := Options{Inflation: 1.2, Floor: 1e-6} // coarse on purpose, and quick
	coarse := cluster(t, g, opts)
	limits := RefineOptions{MaxPages: most}
	fine, err := Refine(context.Background(), g, coarse, opts, limits)
	if err != nil {
		t.Fatal(err)
	}
	if err := partition(fine, g.Len()); err != nil {
		t.Error(err)
	}
	for _, c := range fine.Clusters {
		for _, v := range c {
			if coarse.Labels[v] != coarse.Labels[c[0]] {
				t.Fatalf("a cluster of the result has vertices of two: %v", c)
			}
		}
	}
	t.Logf("largest cluster %d, then %d; %d clusters, then %d", len(coarse.Clusters[0]),
		len(fine.Clusters[0]), len(coarse.Clusters), len(fine.Clusters))
	if len(coarse.Clusters[0]) <= most || len(fine.Clusters[0]) >= len(coarse.Clusters[0])/2 {
		t.Errorf("largest cluster was %d and is %d", len(coarse.Clusters[0]), len(fine.Clusters[0]))
	}
	same, err := Refine(context.Background(), g, coarse, Options{}, limits)
	if err != nil || len(same.Clusters) != len(coarse.Clusters) {
		t.Errorf("from inflation 2 nothing is left to do, but %d clusters became %d (%v)",
			len(coarse.Clusters), len(same.Clusters), err)
	}
}

// partition is nil if r puts each of n vertices into exactly one cluster; else an error wraps
// ErrGraph. O(n).
func partition(r Result, n int) error {
	if len(r.Labels) != n {
		return fmt.Errorf("%w: %d vertices and %d labels", ErrGraph, n, len(r.Labels))
	}
	members := 0
	for i, c := range r.Clusters {
		members += len(c)
		for _, v := range c {
			if int64(v) >= int64(n) || r.Labels[v] != int32(i) {
				return fmt.Errorf("%w: vertex %d of cluster %d is in another one too, or not in the graph",
					ErrGraph, v, i)
			}
		}
	}
	if members != n {
		return fmt.Errorf("%w: clusters hold %d vertices of %d", ErrGraph, members, n)
	}
	return nil
}

func TestOptionsOfRepairs(t *testing.T) {
	bad := []error{
		RefineOptions{MaxPages: -1}.Validate(), RefineOptions{MaxShare: 2}.Validate(),
		RefineOptions{Step: -1}.Validate(),
		RefineOptions{MaxInflation: 1}.Validate(),
	}
	for i, err := range bad {
		if !errors.Is(err, ErrOption) {
			t.Errorf("options %d: error %v", i, err)
		}
	}
}
