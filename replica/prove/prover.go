package prove

import (
	"cmp"
	"slices"

	"watershed/page"
	"watershed/replica"
)

// Prover tests pairs. It is not safe for concurrent use.
//
// Invariants:
//
//  1. A pair is tested only when nothing that earlier pairs may yet come to could make the test
//     superfluous; so its verdict does not depend on the order in which visits arrive.
//  2. A verdict that follows from others never stands where the pair itself was tested.
//  3. A page is wanted once, and once more for each time that its trial was put off.
type Prover struct {
	evidence
	trials []*trial
	added  map[Pair]bool // sorted
	direct map[Pair]Class
	sets   *clusters

	wants     []Want
	verdicts  []*trial
	conflicts []Conflict
	stale     bool // a verdict has come since the trials were looked at
}

// evidence is what is known of places and their pages, and judges what was tested by it.
type evidence struct {
	opts   Options
	lookup func(page.URL) *page.Visit

	known  map[string][]page.URL // until the place is drawn
	places map[string]*place
	pages  map[page.URL]*seen
	stats  Stats
}

// Want is a page that is to be fetched.
type Want struct {
	URL   page.URL
	Again bool // it was fetched before, and failed
}

// Conflict is a verdict that contradicts what follows from others. The verdict stands, and nothing
// is inferred any more from the set of mirrors that it concerns.
type Conflict struct {
	Pair
	Class Class `json:"class"`
}

// Stats count what the tests took.
type Stats struct {
	Pairs    int `json:"pairs"`    // added
	Tested   int `json:"tested"`   // with a verdict by test
	Inferred int `json:"inferred"` // with a verdict that follows from others
	Mirrors  int `json:"mirrors"`  // verdicts of level 5 or better, inferred ones too
	Wanted   int `json:"wanted"`   // requests asked for
	Held     int `json:"held"`     // pages that were captured already
}

// PerMirror is the number of requests for each mirror found, 0 where there is none.
func (s Stats) PerMirror() float64 {
	if s.Mirrors == 0 {
		return 0
	}
	return float64(s.Wanted) / float64(s.Mirrors)
}

// New makes a Prover without pairs. lookup gives the last visit of a page that was fetched already,
// or nil; it must give the same for a page at any time. Visits that it gives of pages out of reach
// are passed over. It may be nil.
func New(o Options, lookup func(page.URL) *page.Visit) (*Prover, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if lookup == nil {
		lookup = func(page.URL) *page.Visit { return nil }
	}
	return &Prover{
		evidence: evidence{
			opts: o.WithDefaults(), lookup: lookup, known: map[string][]page.URL{},
			places: map[string]*place{}, pages: map[page.URL]*seen{},
		},
		added: map[Pair]bool{}, direct: map[Pair]Class{}, sets: newClusters(),
	}, nil
}

// Paths tells the Prover pages that are known of a host or directory. Pages told after the first
// pair with that place was tested are passed over.
func (p *Prover) Paths(name string, pages []page.URL) {
	if p.places[name] == nil {
		p.known[name] = append(p.known[name], pages...)
	}
}

// Know takes over a verdict of an earlier test. It is inferred from like others.
func (p *Prover) Know(pair Pair, class Class) {
	p.record(pair, class)
}

// Add gives a pair to be tested, behind those added before. Pairs that were added already, and
// pairs of a name with itself, are passed over.
func (p *Prover) Add(pair Pair) {
	if pair.A == pair.B {
		return
	}
	if _, there := p.direct[pair.sorted()]; there || p.added[pair.sorted()] {
		return
	}
	p.added[pair.sorted()] = true
	p.trials = append(p.trials,
		&trial{index: len(p.trials), pair: pair, failed: -1, verdict: Verdict{Pair: pair}})
	p.stats.Pairs++
	p.stale = true
}

// Wants gives the pages that are to be fetched and were not given before.
func (p *Prover) Wants() []Want {
	p.advance()
	wants := p.wants
	p.wants = nil
	return wants
}

// Learn takes over a visit; one of a page that nothing waits for costs a look into a table.
func (p *Prover) Learn(v *page.Visit) {
	s := p.pages[v.URL]
	if s == nil || s.state != unknown {
		return
	}
	s.look(v)
	p.wake(s)
}

// wake goes on with what waits for a page.
func (p *Prover) wake(s *seen) {
	cases := s.cases
	s.cases = nil
	for _, t := range cases {
		p.step(t)
	}
}

// Missing gives the pages that were wanted and neither learned nor given up, in order.
func (p *Prover) Missing() []page.URL {
	p.advance()
	var list []page.URL
	for u, s := range p.pages {
		if s.wanted && s.state == unknown {
			list = append(list, u)
		}
	}
	slices.Sort(list)
	return list
}

// Miss says that a page will not be visited: the harvest may not, or will not, fetch it.
func (p *Prover) Miss(u page.URL) { p.end(u, barred) }

// Fail says that a page could not be had because its host was out of reach.
func (p *Prover) Fail(u page.URL) { p.end(u, down) }

func (p *Prover) end(u page.URL, s state) {
	if x := p.pages[u]; x != nil && x.state == unknown {
		x.state = s
		p.wake(x)
	}
}

// Verdicts gives those found since the last call, in the order of the pairs.
func (p *Prover) Verdicts() []Verdict {
	p.advance()
	slices.SortFunc(p.verdicts, func(a, b *trial) int { return cmp.Compare(a.index, b.index) })
	list := make([]Verdict, 0, len(p.verdicts))
	for _, t := range p.verdicts {
		list = append(list, t.verdict)
	}
	p.verdicts = nil
	return list
}

// Open is the number of pairs without a verdict.
func (p *Prover) Open() int {
	n := 0
	for _, t := range p.trials {
		if t.stage != done {
			n++
		}
	}
	return n
}

// Conflicts gives the verdicts that contradict what follows from others, in the order in which they
// were found.
func (p *Prover) Conflicts() []Conflict { return slices.Clone(p.conflicts) }

// Stats gives the counts so far.
func (p *Prover) Stats() Stats { return p.stats }

// Retry takes up again the pairs that were put off: tentative mismatches, and those of which a side
// was out of reach. It is to be called when all that was wanted before is learned or missed, and
// some time later, for a server to recover. It reports how many there were.
//
// Where a host is out of reach and one that mirrors it is known, that is tested in its place.
func (p *Prover) Retry() int {
	p.advance()
	var list []*trial
	for _, t := range p.trials {
		if t.stage == deferred {
			list = append(list, t)
		}
	}
	reset := map[page.URL]bool{}
	for _, t := range list { // all of them change before one goes on
		p.prepare(t, reset)
	}
	for _, t := range list {
		if t.stage == active {
			p.step(t)
		}
	}
	return len(list)
}

// prepare readies a trial that was put off.
func (p *Prover) prepare(t *trial, reset map[page.URL]bool) {
	t.stage = active
	t.round++
	if t.failed >= 0 {
		if stands := p.substitutes(t, t.failed); len(stands) > 0 {
			t.through, t.round = stands[0], 0
			t.tried[t.through] = true
			t.sides[t.failed] = p.place(t.through)
			t.draw(&p.opts)
			return
		}
		if t.round > 1 {
			p.resolve(t, t.class)
			return
		}
	}
	for _, u := range t.again {
		if s := p.page(u); !reset[u] && s.state != unknown {
			reset[u] = true
			s.state, s.to, s.wanted = unknown, "", true
			p.wants = append(p.wants, Want{u, true})
			p.stats.Wanted++
		}
	}
	t.again = nil
}

// mostTried is how many mirrors of a side are tried in its place: each that is down, too, takes a round.
const mostTried = 2

// substitutes are the mirrors of a side that may be tested in its place.
func (p *Prover) substitutes(t *trial, side int) []string {
	name := t.sides[side].name
	if t.tried == nil {
		t.tried = map[string]bool{}
	}
	t.tried[name] = true
	other := p.sets.find(t.sides[1-side].name)
	if len(t.tried) > mostTried || p.sets.find(name) == other || p.sets.conflict[p.sets.find(name)] {
		return nil
	}
	return slices.DeleteFunc(p.sets.of(name), func(n string) bool { return t.tried[n] })
}

// deferTrial puts a trial off until Retry; again are the pages to be fetched once more then.
func (p *Prover) deferTrial(t *trial, again []page.URL) {
	t.stage = deferred
	for _, u := range again {
		if s := p.page(u).state; s == down || s == nameless || s == gone {
			t.again = append(t.again, u)
		}
	}
}

// want asks for a page on behalf of a trial.
func (p *Prover) want(t *trial, u page.URL) {
	s := p.page(u)
	if !slices.Contains(s.cases, t) {
		s.cases = append(s.cases, t)
	}
	if !s.wanted {
		s.wanted = true
		p.wants = append(p.wants, Want{URL: u})
		p.stats.Wanted++
	}
}

// page gives what is known of an address; a page that was captured already is looked up.
func (p *evidence) page(u page.URL) *seen {
	s := p.pages[u]
	if s != nil {
		return s
	}
	s = new(seen)
	p.pages[u] = s
	if v := p.lookup(u); v != nil {
		if now := stateOf(v); now == fine || now == gone {
			s.look(v)
			p.stats.Held++
		}
	}
	return s
}

// place draws the sample of a name.
func (p *evidence) place(name string) *place {
	x := p.places[name]
	if x == nil {
		x = newPlace(name, p.known[name], &p.opts)
		p.places[name] = x
		delete(p.known, name)
	}
	return x
}

// resolve gives a trial its verdict by test.
func (p *Prover) resolve(t *trial, class Class) {
	t.verdict.Class, t.verdict.Through = class, t.through
	p.finish(t)
	p.stats.Tested++
	p.record(Pair{t.sides[0].name, t.sides[1].name}, class)
	if t.verdict.Trees.A != "" && class == Mismatch {
		p.record(t.pair, class)
	}
}

// record takes a verdict by test into what others are inferred from.
func (p *Prover) record(pair Pair, class Class) {
	if _, there := p.direct[pair.sorted()]; there {
		return
	}
	p.direct[pair.sorted()] = class
	if p.sets.learn(pair, class) {
		p.conflicts = append(p.conflicts, Conflict{pair, class})
	}
	p.stale = true
}

func (p *Prover) finish(t *trial) {
	t.stage = done
	if t.verdict.Class.Replicates() {
		p.stats.Mirrors++
	}
	p.verdicts = append(p.verdicts, t)
	p.stale = true
}

// advance starts the trials that can be started: those from whose outcome nothing else can follow
// any more.
func (p *Prover) advance() {
	for p.stale {
		p.stale = false
		p.start()
	}
}

// start looks at the first pairs without a verdict, in their order. A pair waits while earlier ones
// without a verdict, if they all turned out to be mirrors, would decide it.
func (p *Prover) start() {
	may := hopes{sets: p.sets, parent: map[string]string{}, differs: map[string][]string{}}
	var begun []*trial
	seen := 0
	for _, t := range p.trials {
		if t.stage == done {
			continue
		}
		if seen++; seen > p.opts.Window {
			break
		}
		if t.stage == waiting {
			if p.concluded(t) {
				continue
			}
			if !p.opts.Separate && may.decide(t.pair) {
				may.add(t.pair)
				continue
			}
			p.begin(t)
			begun = append(begun, t)
		}
		may.add(t.pair)
	}
	for _, t := range begun {
		p.step(t)
	}
}

// concluded gives a pair the verdict that follows from others, or was found already.
func (p *Prover) concluded(t *trial) bool {
	class, follows := p.direct[t.pair.sorted()]
	if !follows && !p.opts.Separate {
		class, follows = p.sets.infer(t.pair)
	}
	if follows {
		t.verdict.Class, t.verdict.Inferred = class, true
		p.stats.Inferred++
		p.finish(t)
	}
	return follows
}

func (p *Prover) begin(t *trial) {
	t.stage = active
	t.sides = [2]*place{p.place(t.pair.A), p.place(t.pair.B)}
	p.narrow(t)
	t.draw(&p.opts)
}

// narrow has the directory tested that a pair of hosts has in common, where the second one has more
// besides: a mirror of a manual is one, whatever else lies on the same host.
func (p *Prover) narrow(t *trial) {
	a, b := t.sides[0], t.sides[1]
	if p.opts.Method != Classify || p.opts.Criteria == Printed || !replica.IsHost(a.name) ||
		!replica.IsHost(b.name) {
		return
	}
	tree := a.common(b, p.opts.Structure)
	if tree == "" || len(b.under(tree)) == len(b.paths) {
		return
	}
	t.verdict.Trees = Pair{a.base + tree, b.base + tree}
	t.sides = [2]*place{p.directory(a, tree), p.directory(b, tree)}
}

// directory is a directory of a host as a place of its own.
func (p *evidence) directory(x *place, dir string) *place {
	name := x.base + dir
	if p.places[name] == nil && len(p.known[name]) == 0 {
		for _, path := range x.under(dir) {
			p.known[name] = append(p.known[name], x.url(path))
		}
	}
	return p.place(name)
}

// hopes are the sets as they would be if all pairs without a verdict were mirrors.
type hopes struct {
	sets    *clusters
	parent  map[string]string // over the sets' roots
	differs map[string][]string
}

func (h *hopes) find(name string) string {
	root := h.sets.find(name)
	for h.parent[root] != "" {
		root = h.parent[root]
	}
	return root
}

func (h *hopes) add(pair Pair) {
	a, b := h.find(pair.A), h.find(pair.B)
	if a != b {
		h.parent[a] = b
		h.differs[b] = append(append(h.differs[b], a), h.differs[a]...)
	}
}

// decide reports whether the pair's verdict could follow: both are in one set, or mirror what is
// known to differ.
func (h *hopes) decide(pair Pair) bool {
	a, b := h.find(pair.A), h.find(pair.B)
	if a == b {
		return true
	}
	for _, member := range append(h.differs[a], a) {
		for other := range h.sets.differs[member] {
			if h.find(other) == b {
				return true
			}
		}
	}
	return false
}
