package flow

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"watershed/graph"
	"watershed/internal/heap"
)

// Order is which vertex with overflow is selected next. Figure 4 leaves it open; every order ends
// with the same flow value.
type Order int

const (
	MaxOverflow Order = iota // the greedy order of section 2.4.2
	OldestFirst              // the vertex that has had overflow longest
	NewestFirst              // the vertex that got overflow last
)

// PaperUnit is the capacity of 1 in the arithmetic of Paper: finer than graph.Unit, because the
// paper's ε with its σ = 7.24 is 4.4e-11. Sums up to 9.2 million fit.
const PaperUnit int64 = 1_000_000_000_000

// PaperOptions are the parameters of Senellart 2003; the zero value is the preset senellart2003 but
// for Sigma, which must be given: measured with Sample, as the paper did, and not copied from it.
type PaperOptions struct {
	// Sigma is the typical edit distance between two URLs of the crawl.
	Sigma float64
	// EpsilonDistance is the edit distance whose similarity is ε, the toll of every page; 0 means
	// the paper's 50. At least one PaperUnit-th is charged: with ε = 0 there would be no cut.
	EpsilonDistance float64
	// Toll, when positive, is ε itself in units of similarity, in place of the paper's formula,
	// whose value is far too small for a cut to mean anything: 0.001 to 0.01 of the mean similarity
	// keeps sites apart.
	Toll float64
	// SourceHeight is H, the lowered height of the source: overflow that has risen above it goes
	// back. That saves raises, a factor of 50 in steps on a generated web of 2,000 pages; it does
	// not bound the crawl, since pages start at height 0. The paper gives no value; 0 means 32. A
	// negative value leaves the source above all vertices, as in figure 4: exact.
	SourceHeight int
	// Threshold stops the search when no overflow exceeds it, in units of similarity; the paper
	// gives no value, and 0 is exact.
	Threshold float64
	// MaxSteps stops the search after so many pushes and raises, in the place of the paper's
	// timeout; 0 means no limit. The caller's context stops it too.
	MaxSteps int64
	// Order is the paper's greedy one by default.
	Order Order
}

// Validate reports options out of range.
func (o PaperOptions) Validate() error {
	switch {
	case !(o.Sigma > 0) || math.IsInf(o.Sigma, 0):
		return fmt.Errorf("σ of %v: must be positive", o.Sigma)
	case !(o.EpsilonDistance >= 0):
		return fmt.Errorf("distance %v for ε: negative", o.EpsilonDistance)
	case !(o.Toll >= 0 && o.Toll <= 1):
		return fmt.Errorf("toll of %v: not between 0 and 1", o.Toll)
	case !(o.Threshold >= 0):
		return fmt.Errorf("threshold of %v: negative", o.Threshold)
	case o.MaxSteps < 0:
		return fmt.Errorf("limit of %d steps: negative", o.MaxSteps)
	case o.Order < MaxOverflow || o.Order > NewestFirst:
		return fmt.Errorf("order %d: unknown", o.Order)
	}
	return nil
}

// Epsilon is the toll, ε = e^(−EpsilonDistance²/2σ²) unless Toll is set, in units of 1/PaperUnit
// and at least 1.
func (o PaperOptions) Epsilon() int64 {
	if o.Toll > 0 {
		return max(1, int64(math.Round(o.Toll*float64(PaperUnit))))
	}
	return max(1, gauss(cmp.Or(o.EpsilonDistance, 50), o.Sigma, PaperUnit))
}

// Similarity is the paper's capacity of a link, in units of 1/PaperUnit.
func (o PaperOptions) Similarity(a *Addresses) (Capacity, error) {
	return Similarity(a, o.Sigma, PaperUnit)
}

// Paper is the on-line preflow-push of Senellart, Website Identification (2003), section 2.4.2, as
// printed: step by step, selecting the page of most overflow, crawling a page when it is first
// selected, with a lowered source and early stops. It keeps flow only for arcs that carry some. It
// is not safe for concurrent use.
//
// As the paper says of its modifications, the result is no minimum cut once the source is lowered
// or the search stops early; and with its ε the exact minimum cut is everything reachable. A page
// that receives anything is crawled, even less than its toll, so the bound of MostFetches does not
// hold. Use Network for a well-posed boundary, and this to repeat the paper. Departures, each an
// error of the print:
//
//   - E1 (2.2): residual arcs are those with f < c, including reverse arcs of capacity 0 that carry
//     flow back.
//   - E2 (2.2): the arcs of a minimum cut are among the saturated ones, which are not all of them.
//   - E3 (figure 4, step 3): the capacity from s is not infinite but one more than all that can
//     leave the seed, which the seed shows when it is crawled; and the overflow of the seed is set
//     with it.
//   - E4 (figure 4, steps 4 to 6): a vertex is selected for positive overflow, f(v,u) changes with
//     f(u,v), an arc is admissible if h(v) = h(u) − 1 (the minus is lost in print), and raising
//     looks at residual arcs.
//
// Invariants, between any two calls: no flow exceeds its capacity; every overflow is at least 0 and
// equals what came in less what went out; no residual arc leads down by more than one height.
type Paper struct {
	o          PaperOptions
	epsilon    int64
	threshold  int64
	height     int  // h(s)
	grows      bool // the source is to be as high as there are vertices
	pages      []paperPage
	halves     []paperHalf
	candidates heap.Heap[graph.ID, byKey] // those with overflow
	// pages that came to be selectable before they were crawled, since Waiting was last called
	waiting []graph.ID
	clock   int64 // counts activations, for the orders by age
	stats   PaperStats
	stop    StopReason
}

// paperPage is a vertex: what section 2.4.2 says must be maintained.
type paperPage struct {
	overflow int64
	room     int64 // ε less the flow to t
	supplied int64 // flow from s
	returned int64 // of what s offered, not flowing (any more)
	height   int
	first    int32 // its halves
	current  int32 // no half before it is admissible
	crawled  bool
	seed     bool

	key   int64 // the largest comes first among the candidates
	place int32 // among them
}

// byKey orders candidates: the largest key comes first, among equals the smaller vertex.
type byKey struct{ pages *[]paperPage }

func (o byKey) Before(u, v graph.ID) bool {
	x, y := &(*o.pages)[u], &(*o.pages)[v]
	return x.key > y.key || x.key == y.key && u < v
}

func (o byKey) At(u graph.ID) *int32 { return &(*o.pages)[u].place }

// paperHalf is one direction of an arc. The reverse of a link comes into being with the first flow.
type paperHalf struct {
	to       graph.ID
	next     int32
	twin     int32 // or none
	residual int64
}

const none = int32(-1)

// StopReason is why a search ended.
type StopReason int

const (
	Running     StopReason = iota
	Converged              // no vertex has overflow
	BelowLimit             // no overflow exceeds the threshold
	OutOfSteps             // MaxSteps
	Interrupted            // the context ended
)

// PaperStats counts the work of a search.
type PaperStats struct {
	Pushes, Raises int64
	Crawled        int64
}

// NewPaper returns a search without pages.
func NewPaper(o PaperOptions) (*Paper, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("paper preset: %w", err)
	}
	p := &Paper{
		o: o, epsilon: o.Epsilon(), threshold: int64(o.Threshold * float64(PaperUnit)),
		height: o.SourceHeight,
	}
	if o.SourceHeight == 0 {
		p.height = 32
	} else if o.SourceHeight < 0 {
		p.grows, p.height = true, 2
	}
	p.candidates.By = byKey{&p.pages}
	return p, nil
}

// AddVertex adds a page that is not crawled yet.
func (p *Paper) AddVertex() graph.ID {
	p.pages = append(p.pages, paperPage{room: p.epsilon, first: none, current: none, place: -1})
	if p.grows && p.height < len(p.pages)+2 {
		p.raiseSource(2 * (len(p.pages) + 2))
	}
	return graph.ID(len(p.pages) - 1)
}

// Seed says that u belongs to the site. Until it is crawled the source gives it enough to be
// selected.
func (p *Paper) Seed(u graph.ID) {
	x := &p.pages[u]
	x.seed = true
	p.supply(u, p.offer(u))
}

// offer is what c(s,u) should be: one more than all capacities out of u.
func (p *Paper) offer(u graph.ID) int64 {
	sum := 1 + p.epsilon
	for i := p.pages[u].first; i != none; i = p.halves[i].next {
		sum += p.halves[i].residual
		if t := p.halves[i].twin; t != none {
			sum += p.halves[t].residual
		}
	}
	return sum
}

// supply raises the capacity c(s,u) to the given amount and fills it.
func (p *Paper) supply(u graph.ID, capacity int64) {
	x := &p.pages[u]
	if more := capacity - x.supplied - x.returned; more > 0 {
		x.supplied += more
		p.receive(u, more)
	}
}

// raiseSource lifts s and saturates its arcs again: s is now above the vertices that gave flow
// back.
func (p *Paper) raiseSource(height int) {
	p.height = height
	for u := range p.pages {
		if x := &p.pages[u]; x.returned > 0 {
			back := x.returned
			x.supplied, x.returned = x.supplied+back, 0
			p.receive(graph.ID(u), back)
		}
	}
}

// Reveal gives the links of a page that Next returned: nil if it could not be had. Targets are
// vertices added before.
func (p *Paper) Reveal(u graph.ID, out []graph.Arc) {
	x := &p.pages[u]
	if x.crawled {
		panic(fmt.Sprintf("flow: vertex %d is revealed twice", u))
	}
	x.crawled = true
	p.stats.Crawled++
	for _, a := range out {
		mustNotBeNegative(a.Capacity)
		if a.To != u && a.Capacity > 0 {
			p.halves = append(p.halves, paperHalf{to: a.To, next: x.first, twin: none, residual: a.Capacity})
			x.first = int32(len(p.halves) - 1)
		}
	}
	x.current = x.first
	if x.seed {
		p.supply(u, p.offer(u))
	}
}

// Next pushes and raises until a page must be crawled, which it returns with true; the caller then
// calls Reveal and Next again. It returns false when the search has ended: Stopped says why. After
// an interruption it may be called again.
func (p *Paper) Next(ctx context.Context) (graph.ID, bool) {
	const between = 1 << 10 // steps, about 0.1 ms, between two looks at the context
	p.stop = Running
	for step := 0; ; step++ {
		u, overflow := p.selected()
		switch {
		case u == graph.None:
			p.stop = Converged
		case overflow <= p.threshold:
			p.stop = BelowLimit
		case p.o.MaxSteps > 0 && p.stats.Pushes+p.stats.Raises >= p.o.MaxSteps:
			p.stop = OutOfSteps
		case step%between == 0 && ctx.Err() != nil:
			p.stop = Interrupted
		case !p.pages[u].crawled:
			return u, true
		default:
			p.step(u)
			continue
		}
		return graph.None, false
	}
}

// Waiting appends the pages that came to hold more overflow than the threshold since the last call
// and are not crawled. Each of them will be selected unless the search stops early, so a caller may
// fetch them at once and reveal them when Next asks: the result is the same as if they were fetched
// one after the other.
func (p *Paper) Waiting(list []graph.ID) []graph.ID {
	for _, u := range p.waiting {
		if !p.pages[u].crawled {
			list = append(list, u)
		}
	}
	p.waiting = p.waiting[:0]
	return list
}

// Stopped is why Next returned false.
func (p *Paper) Stopped() StopReason { return p.stop }

// Stats tells what the search did so far.
func (p *Paper) Stats() PaperStats { return p.stats }

// Overflow is what u has received and could not pass on, in units of 1/PaperUnit.
func (p *Paper) Overflow(u graph.ID) int64 { return p.pages[u].overflow }

// selected is the vertex of step 4. With a threshold, vertices of little overflow are passed over
// whatever the order.
func (p *Paper) selected() (u graph.ID, overflow int64) {
	for {
		if p.candidates.Len() == 0 {
			return graph.None, 0
		}
		u = p.candidates.Top()
		overflow = p.pages[u].overflow
		if overflow > p.threshold || p.o.Order == MaxOverflow {
			return u, overflow
		}
		p.candidates.Remove(u) // it comes back when it receives more
	}
}

// step is one push (step 5) or one raise (step 6) at u. To t is tried first, to s last; in between
// links as they come.
func (p *Paper) step(u graph.ID) {
	x := &p.pages[u]
	if x.height == 1 && x.room > 0 {
		d := min(x.room, x.overflow)
		x.room -= d
		p.pushed(u, d)
		return
	}
	for ; x.current != none; x.current = p.halves[x.current].next {
		h := &p.halves[x.current]
		if h.residual == 0 || p.pages[h.to].height != x.height-1 {
			continue
		}
		d, to := min(h.residual, x.overflow), h.to
		p.along(x.current, u, d)
		p.pushed(u, d)
		p.receive(to, d)
		return
	}
	if x.supplied > 0 && p.height == x.height-1 {
		d := min(x.supplied, x.overflow)
		x.supplied, x.returned = x.supplied-d, x.returned+d
		p.pushed(u, d)
		return
	}
	p.raise(u)
}

// along moves d of the residual of a half to its twin, which it makes if there was none.
func (p *Paper) along(half int32, from graph.ID, d int64) {
	h := &p.halves[half]
	h.residual -= d
	if h.twin != none {
		p.halves[h.twin].residual += d
		return
	}
	h.twin = int32(len(p.halves))
	y := &p.pages[h.to]
	p.halves = append(p.halves, paperHalf{to: from, next: y.first, twin: half, residual: d})
	y.first = int32(len(p.halves) - 1)
}

// raise lifts u to one above its lowest residual neighbour. There is one: what came in can go back.
func (p *Paper) raise(u graph.ID) {
	x := &p.pages[u]
	lowest := math.MaxInt
	if x.room > 0 {
		lowest = 0
	}
	if x.supplied > 0 {
		lowest = min(lowest, p.height)
	}
	for i := x.first; i != none; i = p.halves[i].next {
		if h := &p.halves[i]; h.residual > 0 {
			lowest = min(lowest, p.pages[h.to].height)
		}
	}
	x.height, x.current = lowest+1, x.first
	p.stats.Raises++
}

// pushed takes d from the overflow of u.
func (p *Paper) pushed(u graph.ID, d int64) {
	x := &p.pages[u]
	x.overflow -= d
	p.stats.Pushes++
	if x.overflow == 0 {
		p.candidates.Remove(u)
	} else if p.o.Order == MaxOverflow {
		p.put(u, x.overflow)
	}
}

// put makes u a candidate, or changes its key.
func (p *Paper) put(u graph.ID, key int64) {
	p.pages[u].key = key
	p.candidates.Fix(u)
}

// receive adds d to the overflow of u.
func (p *Paper) receive(u graph.ID, d int64) {
	x := &p.pages[u]
	if x.overflow += d; !x.crawled && x.overflow > p.threshold && x.overflow-d <= p.threshold {
		p.waiting = append(p.waiting, u)
	}
	switch {
	case p.o.Order == MaxOverflow:
		p.put(u, p.pages[u].overflow)
	case p.pages[u].place < 0:
		p.clock++
		if p.o.Order == OldestFirst {
			p.put(u, -p.clock)
		} else {
			p.put(u, p.clock)
		}
	}
}
