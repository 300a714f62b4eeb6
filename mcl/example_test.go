package mcl_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"watershed/graph"
	"watershed/mcl"
)

// Two triangles joined by one link.
func ExampleCluster() {
	edges := []graph.Edge{
		{From: 0, To: 1, Weight: 1},
		{From: 1, To: 2, Weight: 1},
		{From: 2, To: 0, Weight: 1},
		{From: 3, To: 4, Weight: 1},
		{From: 4, To: 5, Weight: 1},
		{From: 5, To: 3, Weight: 1},
		{From: 2, To: 3, Weight: 1},
	}
	result, err := mcl.Cluster(context.Background(), 6, edges, mcl.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("clusters:", result.Clusters)
	fmt.Println("cluster of vertex 4:", result.Of(4))
	// Output:
	// clusters: [[0 1 2] [3 4 5]]
	// cluster of vertex 4: [3 4 5]
}

// As the command mcl does with --abc: labels in, labels out.
func ExampleReadABC() {
	text := `# the cat and the hat example, mcxio(5)
cat hat  0.2
hat bat  0.16
bat cat  1.0
bat bit  0.125
bit fit  0.25
fit hit  0.5
hit bit  0.16
`
	g, labels, err := mcl.ReadABC(strings.NewReader(text))
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := g.Cluster(context.Background(), mcl.Options{Inflation: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := mcl.WriteClusters(os.Stdout, result, labels); err != nil {
		fmt.Println(err)
	}
	// Output:
	// cat	hat	bat
	// bit	fit	hit
}

// An index page and its reports, which do not link to each other, came out in pieces; a page that
// hardly belongs is in.
func ExampleMerge() {
	g, err := mcl.NewGraph(8, []graph.Edge{
		{From: 0, To: 1, Weight: 1},
		{From: 0, To: 2, Weight: 1},
		{From: 0, To: 3, Weight: 1},
		{From: 0, To: 4, Weight: 1},
		{From: 4, To: 5, Weight: 1},
		{From: 5, To: 6, Weight: 1},
		{From: 6, To: 7, Weight: 1},
		{From: 5, To: 7, Weight: 1},
	}, mcl.JoinSum)
	if err != nil {
		fmt.Println(err)
		return
	}
	pieces := mcl.Result{
		Clusters: [][]graph.ID{{0, 1}, {2}, {3}, {4, 5, 6, 7}},
		Labels:   []int32{0, 0, 1, 2, 3, 3, 3, 3},
	}
	merged, err := mcl.Merge(g, pieces, mcl.MergeOptions{Anchor: []graph.ID{0, 2, 3}})
	if err != nil {
		fmt.Println(err)
		return
	}
	kept, removed, err := mcl.Trim(g, merged.Of(5), mcl.TrimOptions{MinShare: 0.6})
	fmt.Println("merged:", merged.Clusters)
	fmt.Println("kept:", kept, "removed:", removed, err)
	// Output:
	// merged: [[0 1 2 3] [4 5 6 7]]
	// kept: [5 6 7] removed: [4] <nil>
}
