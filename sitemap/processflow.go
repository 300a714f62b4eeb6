package sitemap

import (
	"context"
	"fmt"

	"watershed/flow"
	"watershed/graph"
)

// search is step 5 of figure 9: the on-line preflow-push of flow.Paper, whose pages are fetched
// through the survey.
type search struct {
	c         *process
	paper     *flow.Paper
	addresses *flow.Addresses
	capacity  flow.Capacity
	vertex    map[uint32]graph.ID // by place
	places    []uint32            // by vertex
	seeds     []uint32
	awaited   graph.ID // the page that the flow cannot go on without, or None
	done      bool
}

// paperSigma is the σ that the paper measured (figure 6); it is used where there are no two URLs to
// measure σ on.
const paperSigma = 7.24

// newSearch begins a flow with some places as its seeds. σ is measured on the pages answered so
// far, or, where the seeds are all that was fetched, on those that they lead to.
func (c *process) newSearch(seeds []uint32) *search {
	b := c.b
	s := &search{
		c: c, addresses: flow.NewAddresses(c.opts.Distance, ""), vertex: make(map[uint32]graph.ID),
		seeds: seeds, awaited: graph.None,
	}
	var sampled []uint32
	for _, p := range b.order {
		if b.lives(p) && b.places[p].is(isAnswered) {
			sampled = append(sampled, p)
		}
	}
	if len(sampled) <= len(b.seeds) {
		for _, p := range sampled {
			sampled = append(sampled, c.links(p)...)
		}
	}
	o := c.opts.Flow
	if o.Sigma == 0 {
		o.Sigma = s.sigma(sampled)
	}
	if c.opts.Toll > 0 {
		o.Toll = c.opts.Toll * s.meanSimilarity(sampled, o.Sigma)
	}
	var err error
	if s.paper, err = flow.NewPaper(o); err == nil {
		s.capacity, err = o.Similarity(s.addresses)
	}
	if err != nil {
		panic(fmt.Sprintf("sitemap: %v", err)) // the options were validated
	}
	clear(s.vertex)
	s.places = s.places[:0]
	for _, p := range seeds {
		s.paper.Seed(s.at(p))
	}
	c.report.Sigma, c.report.Epsilon = o.Sigma, float64(o.Epsilon())/float64(flow.PaperUnit)
	return s
}

// number gives the vertex that a place has among the addresses.
func (s *search) number(p uint32) (v graph.ID, fresh bool) {
	v, known := s.vertex[p]
	if !known {
		v = graph.ID(len(s.places))
		s.vertex[p] = v
		s.places = append(s.places, p)
		s.addresses.Set(v, string(s.c.b.web.text(s.c.b.places[p].id)))
	}
	return v, !known
}

// at gives the vertex of a place, made if need be.
func (s *search) at(p uint32) graph.ID {
	v, fresh := s.number(p)
	if fresh {
		s.paper.AddVertex()
	}
	return v
}

// sigma is the root mean square distance over pairs of some pages.
func (s *search) sigma(pages []uint32) float64 {
	sample := flow.NewSample(0, 1)
	for _, p := range pages {
		v, _ := s.number(p)
		sample.Offer(v)
	}
	if sigma := sample.Sigma(s.addresses); sigma > 0 {
		return sigma
	}
	return paperSigma
}

// meanSimilarity is that of the links of some pages, 1 where there are none.
func (s *search) meanSimilarity(pages []uint32, sigma float64) float64 {
	capacity, err := flow.Similarity(s.addresses, sigma, flow.PaperUnit)
	if err != nil {
		return 1
	}
	sum, links := 0.0, 0
	for _, p := range pages {
		u, _ := s.number(p)
		for _, q := range s.c.links(p) {
			v, _ := s.number(q)
			sum += float64(capacity(u, v)) / float64(flow.PaperUnit)
			links++
		}
	}
	if sum == 0 {
		return 1
	}
	return sum / float64(links)
}

// answered reports whether the flow can go on.
func (s *search) answered() bool {
	return !s.done && s.awaited != graph.None && s.c.b.places[s.places[s.awaited]].is(isAnswered)
}

// run pushes until a page is needed that is not answered, or the search ends. A page that may not
// be asked for, because of a limit, ends it: the paper's timeout.
func (s *search) run() {
	for !s.done {
		b := s.c.b
		if s.awaited == graph.None {
			u, more := s.paper.Next(context.Background())
			if !more {
				s.finish(s.paper.Stopped())
				return
			}
			s.awaited = u
			s.ask()
		}
		p := s.places[s.awaited]
		switch pl := &b.places[p]; {
		case pl.is(isAnswered):
			s.reveal(p)
			s.awaited = graph.None
		case !pl.is(isAsked):
			s.finish(flow.Interrupted)
		default:
			return
		}
	}
}

// ask wants all pages that hold overflow, the page awaited among them.
func (s *search) ask() {
	for _, u := range s.paper.Waiting(nil) {
		s.c.b.ask(s.places[u], WhyFlow, max(1, s.paper.Overflow(u)/(flow.PaperUnit/graph.Unit)))
	}
}

// reveal tells the flow the links of an answered page: those of a page carry their similarity, a
// redirect carries 1.
func (s *search) reveal(p uint32) {
	b := s.c.b
	u := s.at(p)
	redirect := b.web.state[b.places[p].id] == moved
	var arcs []graph.Arc
	for _, q := range s.c.links(p) {
		v := s.at(q)
		capacity := flow.PaperUnit
		if !redirect {
			capacity = s.capacity(u, v)
		}
		arcs = append(arcs, graph.Arc{To: v, Capacity: capacity})
	}
	s.paper.Reveal(u, arcs)
}

// finish marks the source's side: the flow can only add pages to its seeds.
func (s *search) finish(why flow.StopReason) {
	s.done = true
	r, o := &s.c.report, &s.c.opts
	r.Stopped = map[flow.StopReason]string{
		flow.Converged: "converged", flow.BelowLimit: "threshold",
		flow.OutOfSteps: "steps", flow.Interrupted: "limit",
	}[why]
	stats := s.paper.Stats()
	r.Steps, r.Crawled = stats.Pushes+stats.Raises, stats.Crawled
	r.Disagree = make(map[string]int)
	for side, name := range sideNames {
		if side != o.Side {
			r.Disagree[name] = s.paper.Disagreement(o.Side, side)
		}
	}
	var inside []uint32
	for _, u := range s.paper.Side(o.Side) {
		if s.c.b.lives(s.places[u]) {
			inside = append(inside, s.places[u])
		}
	}
	s.c.mark(append(inside, s.seeds...))
}
