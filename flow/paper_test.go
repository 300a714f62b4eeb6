package flow_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"watershed/flow"
	"watershed/graph"
)

// coarse has a toll of a million PaperUnits, so that drawn capacities can be set in proportion to
// it.
var coarse = flow.PaperOptions{Sigma: 1, Toll: 1e-6, SourceHeight: -1}

// paperWeb gives every page the toll ε and scales the links to it.
func paperWeb(t *rapid.T, o flow.PaperOptions) web {
	w := drawWeb(t, 16)
	for u := range w.out {
		w.toll[u] = o.Epsilon()
		for i := range w.out[u] {
			w.out[u][i].Capacity *= o.Epsilon() / 10
		}
	}
	return w
}

// found is a search and which page of the web each of its vertices is.
type found struct {
	*flow.Paper
	pages []graph.ID
}

// side is the source side by number of page.
func (f found) side(meaning flow.PaperSide) []graph.ID {
	var side []graph.ID
	for _, u := range f.Side(meaning) {
		side = append(side, f.pages[u])
	}
	slices.Sort(side)
	return side
}

// search runs the paper's method on a web until it stops. Pages become vertices when a link to them
// is first seen.
func search(t *rapid.T, o flow.PaperOptions, w web) found {
	p, err := flow.NewPaper(o)
	if err != nil {
		t.Fatal(err)
	}
	f := found{Paper: p}
	vertices := make(map[graph.ID]graph.ID)
	vertex := func(page graph.ID) graph.ID {
		u, ok := vertices[page]
		if !ok {
			u = p.AddVertex()
			vertices[page] = u
			f.pages = append(f.pages, page)
		}
		return u
	}
	for _, page := range w.seeds {
		p.Seed(vertex(page))
	}
	told := make(map[graph.ID]bool) // by Waiting: each page that is crawled, once, before its turn
	for {
		u, crawl := p.Next(context.Background())
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		for _, v := range p.Waiting(nil) {
			if told[v] || p.Overflow(v) <= int64(o.Threshold*float64(flow.PaperUnit)) {
				t.Fatalf("page %d waits again, or for nothing", v)
			}
			told[v] = true
		}
		if !crawl {
			if p.Stopped() == flow.Converged && len(told) != int(p.Stats().Crawled) {
				t.Fatalf("%d pages waited, %d were crawled", len(told), p.Stats().Crawled)
			}
			return f
		}
		if !told[u] {
			t.Fatalf("page %d is crawled and did not wait", u)
		}
		var out []graph.Arc
		for _, a := range w.out[f.pages[u]] {
			out = append(out, graph.Arc{To: vertex(a.To), Capacity: a.Capacity})
		}
		p.Reveal(u, out)
	}
}

// TestPaperExact: with a source that is not lowered and no early stop, every order of selection
// ends with the flow value and the minimal cut of the whole web (Senellart 2003, section 2.3:
// whatever the strategy).
func TestPaperExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := paperWeb(t, coarse)
		whole := w.network()
		whole.Solve()
		for _, order := range []flow.Order{flow.MaxOverflow, flow.OldestFirst, flow.NewestFirst} {
			o := coarse
			o.Order = order
			p := search(t, o, w)
			if p.Stopped() != flow.Converged {
				t.Fatalf("order %d: stopped for reason %d", order, p.Stopped())
			}
			if p.Value() != whole.Value() {
				t.Fatalf("order %d: value %d, want %d", order, p.Value(), whole.Value())
			}
			if d := cmp.Diff(whole.Side(), p.side(flow.FromSource)); d != "" {
				t.Fatalf("order %d: side (-minimal cut +paper):\n%s", order, d)
			}
			for _, u := range whole.Side() {
				if !slices.Contains(p.side(flow.NoPathToSink), u) {
					t.Fatalf("order %d: vertex %d has a path to t", order, u)
				}
			}
		}
	})
}

// TestPaperLowered: whatever the modifications of section 2.4.2, what is left is a preflow with
// valid heights (search checks it at every crawl), and no more than the maximum flows.
func TestPaperLowered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := coarse
		o.SourceHeight = rapid.IntRange(1, 6).Draw(t, "H")
		o.MaxSteps = rapid.Int64Range(0, 60).Draw(t, "steps")
		o.Threshold = rapid.SampledFrom([]float64{0, 1e-6, 1e-5}).Draw(t, "threshold")
		o.Order = flow.Order(rapid.IntRange(0, 2).Draw(t, "order"))
		w := paperWeb(t, o)
		whole := w.network()
		whole.Solve()
		p := search(t, o, w)
		if p.Value() > whole.Value() {
			t.Fatalf("value %d above the maximum %d", p.Value(), whole.Value())
		}
		if s := p.Stats(); o.MaxSteps > 0 && s.Pushes+s.Raises > o.MaxSteps {
			t.Fatalf("%+v after a limit of %d steps", s, o.MaxSteps)
		}
		if p.Stopped() == flow.BelowLimit {
			for u := range p.pages {
				if got := p.Overflow(graph.ID(u)); float64(got) > o.Threshold*float64(flow.PaperUnit) {
					t.Fatalf("vertex %d: overflow %d", u, got)
				}
			}
		}
		for _, a := range []flow.PaperSide{flow.NoPathToSink, flow.FromSource, flow.SourceHigh} {
			if d := p.Disagreement(a, a); d != 0 {
				t.Fatalf("side %d differs from itself by %d", a, d)
			}
		}
	})
}

// TestPaperIsDegenerate repeats finding F1: with the printed ε the exact minimum cut is everything
// reachable. Lowering the source saves steps and changes nothing here; what makes the paper's sites
// small is that the search stops.
func TestPaperIsDegenerate(t *testing.T) {
	const pages = 500
	a := flow.NewAddresses(flow.Tokens, "")
	for u := range pages {
		a.Set(graph.ID(u), fmt.Sprintf("http://host%d/%d/%d", u/100, u/10, u))
	}
	run := func(o flow.PaperOptions) (side int, steps int64) {
		o.Sigma = 7.24
		similar, err := o.Similarity(a)
		if err != nil {
			t.Fatal(err)
		}
		p, err := flow.NewPaper(o)
		if err != nil {
			t.Fatal(err)
		}
		for range pages {
			p.AddVertex()
		}
		p.Seed(0)
		for {
			u, crawl := p.Next(context.Background())
			if !crawl {
				return len(p.Side(flow.FromSource)), p.Stats().Pushes + p.Stats().Raises
			}
			p.Reveal(u, similar.Arcs(nil, u, []graph.ID{(u + 1) % pages, (u + 7) % pages}))
		}
	}
	if got := (flow.PaperOptions{Sigma: 7.24}).Epsilon(); got != 44 {
		t.Errorf("ε is %d units of 1e-12, want 44 (4.4e-11, Senellart 2003, section 2.4.1)", got)
	}
	exact, long := run(flow.PaperOptions{SourceHeight: -1})
	lowered, short := run(flow.PaperOptions{})
	if exact != pages || lowered != pages {
		t.Errorf("exact: %d pages, lowered: %d pages, want all %d", exact, lowered, pages)
	}
	if short > long/4 {
		t.Errorf("lowered source: %d steps, want far fewer than %d", short, long)
	}
	if stopped, _ := run(flow.PaperOptions{MaxSteps: 500}); stopped >= pages/2 {
		t.Errorf("stopped early: %d pages, want less than half of %d", stopped, pages)
	}
}

func TestPaperInterrupted(t *testing.T) {
	p, err := flow.NewPaper(flow.PaperOptions{Sigma: 3})
	if err != nil {
		t.Fatal(err)
	}
	p.Seed(p.AddVertex())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, crawl := p.Next(ctx); crawl || p.Stopped() != flow.Interrupted {
		t.Errorf("crawl %v, reason %d, want an interruption", crawl, p.Stopped())
	}
	if u, crawl := p.Next(context.Background()); !crawl || u != 0 {
		t.Errorf("after the interruption: page %d, %v", u, crawl)
	}
	p.Reveal(0, nil)
	if _, crawl := p.Next(context.Background()); crawl || p.Stopped() != flow.Converged {
		t.Errorf("at the end: crawl %v, reason %d", crawl, p.Stopped())
	}
}

func TestPaperOptions(t *testing.T) {
	for _, o := range []flow.PaperOptions{
		{},
		{Sigma: -1},
		{Sigma: 1, EpsilonDistance: -1},
		{Sigma: 1, Toll: 2},
		{Sigma: 1, Threshold: -1},
		{Sigma: 1, MaxSteps: -1},
		{Sigma: 1, Order: 3},
	} {
		if _, err := flow.NewPaper(o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}
