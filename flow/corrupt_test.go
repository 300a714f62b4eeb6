package flow

import (
	"context"
	"testing"

	"watershed/graph"
)

// TestChecksFindFaults breaks a solved network in every way that a check must notice.
func TestChecksFindFaults(t *testing.T) {
	for _, test := range []struct {
		name  string
		fault func(n *Network)
		check func(n *Network) error
	}{
		{"more than fits an arc", func(n *Network) { n.halves[0].residual = -1 }, (*Network).CheckCapacities},
		{"residuals do not sum", func(n *Network) { n.halves[0].residual++ }, (*Network).CheckCapacities},
		{"halves crossed", func(n *Network) { n.halves[0].twin++ }, (*Network).CheckCapacities},
		{"more than fits t", func(n *Network) { n.room[1] = -1 }, (*Network).CheckCapacities},
		{"room beyond the sink", func(n *Network) { n.room[1] = n.sink[1] + 1 }, (*Network).CheckCapacities},
		{"weak must-in", func(n *Network) { n.supply[0] = 5 }, (*Network).CheckCapacities},
		{"weak must-out", func(n *Network) { n.sink[3], n.room[3] = 2, 0 }, (*Network).CheckCapacities},
		{"flow from nowhere", func(n *Network) { n.excess[2]++ }, (*Network).CheckConservation},
		{
			"negative excess", func(n *Network) { n.supply[1], n.excess[1] = -9, -9 },
			(*Network).CheckConservation,
		},
		{"a cut that is not one", func(n *Network) { n.traits[1] &^= inside }, (*Network).CheckValue},
		{"another value", func(n *Network) { n.value++ }, (*Network).CheckValue},
		{"a larger side", func(n *Network) { n.traits[3] |= inside }, (*Network).CheckMinimal},
		{"a smaller side", func(n *Network) { n.traits[1] &^= inside }, (*Network).CheckMinimal},
	} {
		n := New()
		n.AddVertices(4)
		n.SetSource(0, Infinite)
		n.SetSink(3, Infinite)
		for u := range graph.ID(3) {
			n.SetSink(u, 2)
			n.AddArc(u, graph.Arc{To: u + 1, Capacity: 10 - 3*int64(u), Reverse: 1})
		}
		n.Solve()
		if err := n.Certify(); err != nil {
			t.Fatalf("%s: before: %v", test.name, err)
		}
		test.fault(n)
		if err := test.check(n); err == nil {
			t.Errorf("%s: not found", test.name)
		}
	}
}

// TestPaperCheckFindsFaults does the same for a search that has converged.
func TestPaperCheckFindsFaults(t *testing.T) {
	for _, test := range []struct {
		name  string
		fault func(p *Paper)
	}{
		{"more than fits a link", func(p *Paper) { p.halves[0].residual = -1 }},
		{"overflow from nowhere", func(p *Paper) { p.pages[1].overflow++ }},
		{"more than fits t", func(p *Paper) { p.pages[1].room = -1 }},
		{"too high above s", func(p *Paper) { p.pages[0].height = p.height + 2 }},
		{"too high above a neighbour", func(p *Paper) { p.pages[1].height += 2 }},
	} {
		p, err := NewPaper(PaperOptions{Sigma: 1, Toll: 0.1, SourceHeight: -1})
		if err != nil {
			t.Fatal(err)
		}
		p.AddVertex()
		p.AddVertex()
		p.Seed(0)
		for u, crawl := p.Next(context.Background()); crawl; u, crawl = p.Next(context.Background()) {
			p.Reveal(u, []graph.Arc{{To: 1 - u, Capacity: PaperUnit}})
		}
		if err := p.Check(); err != nil {
			t.Fatalf("%s: before: %v", test.name, err)
		}
		test.fault(p)
		if err := p.Check(); err == nil {
			t.Errorf("%s: not found", test.name)
		}
	}
}
