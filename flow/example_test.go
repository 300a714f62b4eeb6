package flow_test

import (
	"context"
	"fmt"

	"watershed/flow"
	"watershed/graph"
)

// Two groups of pages that link to each other in all ways, and a single link from one group to the
// other.
func twoSites() (links [][]graph.ID) {
	return [][]graph.ID{{1, 2}, {0, 2}, {0, 1, 3}, {4, 5}, {3, 5}, {3, 4}}
}

// A site is found by asking for nothing but the pages that are inside the present cut. Page 3 is
// asked for, as the link to it carries more than one toll, and turns out to lead elsewhere.
func ExampleNetwork_Wanted() {
	links := twoSites()
	n := flow.New()
	n.AddVertices(len(links))
	for page := range links {
		n.SetSink(graph.ID(page), graph.Fixed(0.4)) // the toll, α
	}
	n.SetSource(0, flow.Infinite) // the seed

	n.Solve()
	for wanted := n.Wanted(); len(wanted) > 0; wanted = n.Wanted() {
		fmt.Println("fetch", wanted)
		for _, page := range wanted {
			n.Reveal(page, constant(graph.Unit).Arcs(nil, page, links[page]))
		}
		n.Solve()
	}
	fmt.Println("site", n.Side(), "certificate:", n.Certify())
	fmt.Printf("%+v\n", n.Cut())
	// Output:
	// fetch [0]
	// fetch [1 2]
	// fetch [3]
	// site [0 1 2] certificate: <nil>
	// {Crossing:[{From:2 To:3 Capacity:1000000}] Arcs:1000000 Sources:0 Sinks:1200000}
}

// The archivist's rules are pins. To set one, or to take back a must-out, is a warm start.
func ExampleNetwork_pins() {
	n := flow.New()
	n.AddVertices(6)
	for page, out := range twoSites() {
		n.SetSink(graph.ID(page), graph.Fixed(0.4))
		n.Reveal(graph.ID(page), constant(graph.Unit).Arcs(nil, graph.ID(page), out))
	}
	n.SetSource(0, flow.Infinite)
	n.Solve()
	fmt.Println("as found:", n.Side())

	n.SetSource(3, flow.Infinite)
	n.Solve()
	fmt.Println("3 must be in:", n.Side())

	n.SetSink(4, flow.Infinite)
	n.Solve()
	fmt.Println("4 must be out:", n.Side())

	n.SetSink(4, graph.Fixed(0.4))
	n.Solve()
	fmt.Println("4 may be in:", n.Side(), "cold starts:", n.Stats().ColdStarts)

	n.SetSource(3, graph.Fixed(0.1)) // soft: it may be refused
	n.Solve()
	fmt.Println("3 is likely:", n.Side(), "refused:", n.Cut().Sources)
	// Output:
	// as found: [0 1 2]
	// 3 must be in: [0 1 2 3 4 5]
	// 4 must be out: [0 1 2 3]
	// 4 may be in: [0 1 2 3 4 5] cold starts: 0
	// 3 is likely: [0 1 2] refused: 100000
}

// A single family holds the sites of all tolls.
func ExampleFindScales() {
	n := flow.New()
	n.AddVertices(6)
	for page, out := range twoSites() {
		n.Reveal(graph.ID(page), constant(graph.Unit).Arcs(nil, graph.ID(page), out))
	}
	n.SetSource(0, flow.Infinite)
	scales, err := flow.FindScales(n, []int64{1, 1, 1, 1, 1, 1}, flow.ScaleOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, s := range scales {
		fmt.Printf("α from %.6f: %v, cut %d\n", float64(s.Least)/float64(graph.Unit), scales.Side(i), s.Cut)
	}
	// Output:
	// α from 0.500000: [0], cut 2000000
	// α from 0.333334: [0 1 2], cut 1000000
	// α from 0.000100: [0 1 2 3 4 5], cut 0
}

// The capacity of a link by the paper: the nearer the URLs, the wider the link.
func ExampleSimilarity() {
	a := flow.NewAddresses(flow.Tokens, flow.PaperSeparators)
	a.Set(0, "http://osage.inria.fr/verso/Gemo/PUBLI/index.php")
	a.Set(1, "http://www-rocq.inria.fr/verso/Gemo/Projects/index.html")
	a.Set(2, "http://www.example.org/")
	sample := flow.NewSample(0, 1)
	for page := range graph.ID(3) {
		sample.Offer(page)
	}
	sigma := sample.Sigma(a)
	similar, err := flow.Similarity(a, sigma, graph.Unit)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("σ %.2f, to a sister server %d, abroad %d\n", sigma, similar(0, 1), similar(0, 2))
	// Output: σ 4.43, to a sister server 795477, abroad 529621
}

// The paper's own method: which page to crawl next, until it stops.
func ExamplePaper() {
	links := twoSites()
	p, err := flow.NewPaper(flow.PaperOptions{Sigma: 7.24, MaxSteps: 12})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range links {
		p.AddVertex()
	}
	p.Seed(0)
	ctx := context.Background()
	for page, crawl := p.Next(ctx); crawl; page, crawl = p.Next(ctx) {
		p.Reveal(page, constant(flow.PaperUnit).Arcs(nil, page, links[page]))
	}
	fmt.Println("stopped early:", p.Stopped() == flow.OutOfSteps, "crawled:", p.Stats().Crawled)
	fmt.Println("no path to t:", p.Side(flow.NoPathToSink), "reached from s:", p.Side(flow.FromSource))
	// Output:
	// stopped early: true crawled: 4
	// no path to t: [0 1 2] reached from s: [0 1 2 3]
}

// constant gives every link the same capacity. Alone it makes the cut around the seeds minimal
// (Senellart 2003, section 2.4.1).
func constant(capacity int64) flow.Capacity {
	return func(graph.ID, graph.ID) int64 { return capacity }
}
