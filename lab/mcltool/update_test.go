package mcltool

import (
	"context"
	"math/rand/v2"
	"testing"

	"watershed/graph"
	"watershed/lab/kit/planted"
	"watershed/mcl"
)

// On-line MCL against a full run: a graph loses pages anywhere, is clustered, and gets them back in
// ten steps.
func TestUpdateError(t *testing.T) {
	const pages, late = 1500, 50
	edges := planted.Links(pages, 10000, 6)
	shuffle := rand.New(rand.NewPCG(6, 1)).Perm(pages) // the late pages are anywhere
	for i := range edges {
		edges[i].From, edges[i].To = graph.ID(shuffle[edges[i].From]), graph.ID(shuffle[edges[i].To])
	}
	full, err := mcl.NewGraph(pages, edges, mcl.JoinSum)
	if err != nil {
		t.Fatal(err)
	}
	for _, inflation := range []float64{1.4, 2} {
		opts := mcl.Options{Inflation: inflation, Floor: 1e-6} // quick
		want := cluster(t, full, opts)
		got, region := grow(t, full, late, opts)
		d, err := Compare(got, want)
		if err != nil {
			t.Fatal(err)
		}
		away := float64(d.Sum()) / (2 * pages)
		q, _ := measure(full, got)
		p, _ := measure(full, want)
		t.Logf("inflation %v: %d pages in 10 steps: d/2n = %.4f, region %.2f of the graph a step, mass "+
			"fraction %.4f (full run %.4f)",
			inflation, late, away, region, q.MassFraction, p.MassFraction)
		if away > 0.03 || q.MassFraction < 0.99*p.MassFraction {
			t.Errorf("inflation %v: d/2n = %.4f, mass fraction %.4f against %.4f", inflation, away,
				q.MassFraction, p.MassFraction)
		}
	}
}

// grow clusters full without its last late vertices and then updates in ten steps; region is the
// mean share computed.
func grow(t *testing.T, full *mcl.Graph, late int, opts mcl.Options) (r mcl.Result, region float64) {
	n := full.Len()
	all := make([]graph.ID, n)
	for v := range all {
		all[v] = graph.ID(v)
	}
	r = cluster(t, full.Subgraph(all[:n-late]), opts)
	for step := range 10 {
		size := n - late + late*(step+1)/10
		g := full.Subgraph(all[:size])
		var err error
		if r, err = mcl.Update(context.Background(), g, r, nil, opts); err != nil {
			t.Fatal(err)
		}
		if err := r.Partition(size); err != nil {
			t.Fatal(err)
		}
		region += float64(r.Stats.Region) / float64(size) / 10
	}
	return r, region
}
