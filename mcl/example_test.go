package mcl_test

import (
	"context"
	"fmt"

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
	fmt.Println("cluster of vertex 4:", result.Clusters[result.Labels[4]])
	// Output:
	// clusters: [[0 1 2] [3 4 5]]
	// cluster of vertex 4: [3 4 5]
}
