package prove

import (
	"watershed/page"
)

// trial is the test of one pair.
type trial struct {
	index int
	pair  Pair
	stage stage
	round int // how often it was put off, as it is tested now

	sides   [2]*place
	through string // what is tested in place of a side
	class   Class  // of the failure for which it was put off
	tried   map[string]bool
	tests   []test
	again   []page.URL // to be fetched once more when it comes up again
	failed  int        // the side that was out of reach, or -1
	verdict Verdict
	shared  int // paths that are known of both sides
}

type stage uint8

const (
	waiting stage = iota // for the verdicts of earlier pairs, from which it may follow
	active
	deferred
	done
)

// test is a path that is tried on both sides.
type test struct {
	path        string
	known       [2]bool // of which side it was drawn
	listed      bool    // known of both sides, drawn or not
	outcome     Outcome
	resemblance float64
}

// draw makes the tests of a pair: the root, then paths known at A and at B in alternation, each
// once.
func (t *trial) draw(o *Options) {
	n := o.Tests
	if o.Method == Mirroring {
		n = o.Paths
	}
	t.tests = append(t.tests[:0], test{known: [2]bool{true, true}})
	at := map[string]int{}
	for i := range n {
		for side, p := range t.sides {
			if i >= len(p.sample) {
				continue
			}
			path := p.sample[i]
			k, there := at[path]
			if !there {
				k = len(t.tests)
				at[path] = k
				t.tests = append(t.tests, test{path: path, listed: t.sides[1-side].has(path)})
			}
			t.tests[k].known[side] = true
		}
	}
	t.shared = len(t.sides[0].both(t.sides[1]))
}

// step goes on with a trial as far as what is known allows. Its report is a function of the pages
// that the trial looks at, not of the order in which they came.
func (p *Prover) step(t *trial) {
	if t.stage != active {
		return
	}
	root, ok := p.try(t, &t.tests[0])
	if !ok {
		return
	}
	if class, side := p.unreachable(root); class != Undetermined {
		p.fail(t, side, class, []page.URL{t.sides[side].url("")})
		return
	}
	if p.opts.Method == Mirroring {
		p.mirroring(t)
		return
	}
	p.classify(t)
}

// ends are where the addresses of a path lead on both sides.
type ends [2]end

// try looks at both pages of a test; ok is false where one is not known yet, and then it is wanted.
func (p *Prover) try(t *trial, x *test) (e ends, ok bool) {
	ok = true
	for side, place := range t.sides {
		var need page.URL
		var known bool
		if e[side], need, known = p.follow(place.url(x.path)); !known {
			p.want(t, need)
			ok = false
		}
	}
	return e, ok
}

// unreachable tells whether the root of a side could not be reached, and which side's.
func (p *evidence) unreachable(root ends) (Class, int) {
	for side := range root {
		switch root[side].state {
		case nameless:
			return DNSFailure, side
		case down:
			return ServerFailure, side
		case gone:
			// "if one of the root pages refuses to load we record a failure of the host"
			if p.opts.Method == Mirroring {
				return ServerFailure, side
			}
		}
	}
	return Undetermined, 0
}

// fail puts a trial off when a side is out of reach. Only Retry says that it is so for good, when all
// other trials of the round have come to their end: by then a mirror of that side may be known.
func (p *Prover) fail(t *trial, side int, class Class, again []page.URL) {
	t.failed, t.class = side, class
	p.deferTrial(t, again)
}

// classify runs stage II: all tests, then the criteria.
func (p *Prover) classify(t *trial) {
	if at, ok := p.tryAll(t, p.glance(t)); !ok {
		return
	} else if p.hopeless(t, at) {
		p.settle(t, Mismatch)
		return
	}
	at, ok := p.tryAll(t, len(t.tests))
	if !ok {
		return
	}
	var again []page.URL
	var out [2]int
	for i := range t.tests {
		for side := range at[i] {
			if s := at[i][side].state; s == down || s == nameless {
				out[side]++
				again = append(again, at[i][side].url)
			}
		}
	}
	for side, n := range out {
		if n >= p.opts.Several {
			p.fail(t, side, ServerFailure, again)
			return
		}
	}
	if len(again) > 0 && t.round == 0 {
		t.failed = -1
		p.deferTrial(t, again)
		return
	}
	for i := range t.tests {
		p.judge(&t.tests[i], at[i])
	}
	t.tally()
	p.resolve(t, t.verdict.Tally.class(p.opts))
}

// tryAll looks at the first n tests; ok is false where something is not known yet.
func (p *Prover) tryAll(t *trial, n int) (at []ends, ok bool) {
	ok = true
	for i := range t.tests[:n] {
		e, known := p.try(t, &t.tests[i])
		at, ok = append(at, e), ok && known
	}
	return at, ok
}

// glance is the number of tests that come before the others.
func (p *evidence) glance(t *trial) int {
	if p.opts.Criteria == Printed || p.opts.Glance == 0 {
		return len(t.tests)
	}
	return min(1+2*p.opts.Glance, len(t.tests))
}

// hopeless reports that the first tests have all failed or shown nothing in common, though there
// are others.
func (p *evidence) hopeless(t *trial, at []ends) bool {
	if len(at) == len(t.tests) {
		return false
	}
	for i, e := range at {
		p.judge(&t.tests[i], e)
		if o := t.tests[i].outcome; o != TF && o != NS {
			return false
		}
	}
	return true
}

// judge gives a test its outcome.
func (p *evidence) judge(x *test, e ends) {
	source, target := 0, 1
	if !x.known[0] {
		source, target = 1, 0
	}
	s := [2]state{e[0].state, e[1].state}
	lost := func(s state) bool {
		return s == gone || p.opts.Criteria == Printed && (s == down || s == nameless)
	}
	switch {
	case s[0] == fine && s[1] == fine:
		x.outcome, x.resemblance = p.compare(e[0], e[1])
	case lost(s[source]):
		x.outcome = SF
	case s[source] == fine && lost(s[target]):
		x.outcome = TF
	default:
		x.outcome = NT
	}
	if x.known[0] && x.known[1] && x.outcome == SF && s[target] == fine {
		x.outcome = TF // known on both sides, and one of them has it
	}
}

// tally counts the outcomes of a trial.
func (t *trial) tally() {
	n := &t.verdict.Tally
	*n = Tally{Root: t.tests[0].outcome, RootLikeness: t.tests[0].resemblance}
	for side, p := range t.sides {
		if len(p.paths) > 0 {
			n.From[side].Listed = float64(t.shared) / float64(len(p.paths))
		}
	}
	for i, x := range t.tests {
		n.Count[x.outcome]++
		n.Sum += x.resemblance
		if i == 0 || x.outcome == SF || x.outcome == NT || x.outcome == Open {
			continue
		}
		for side := range n.From {
			if x.known[side] {
				n.From[side].add(x.outcome, x.listed)
			}
		}
	}
}

// mirroring runs the mirroring test: path after path, until enough agree or one does not. The paper
// takes a page that is missing for a mismatch, too. Here the other pages are tested then: where
// enough of them agree it is a partial copy, of level 4.
func (p *Prover) mirroring(t *trial) {
	agreed, missing := 0, 0
	for i := range t.tests {
		x := &t.tests[i]
		e, ok := p.try(t, x)
		if !ok {
			return
		}
		p.judge(x, e)
		switch x.outcome {
		case FM, FS, HS:
			if i > 0 {
				agreed++
			}
		case TS, NS:
			p.settle(t, Mismatch)
			return
		case SF, NT:
			// Failing on both hosts it is ignored; failing at the source alone, it works on the
			// other side.
			if !oneFails(e) {
				break
			}
			fallthrough
		case TF:
			if t.round == 0 {
				t.failed = -1
				p.deferTrial(t, []page.URL{e[0].url, e[1].url})
				return
			}
			missing++
		}
		if agreed >= p.opts.Agree && missing == 0 {
			p.settle(t, Mirror)
			return
		}
	}
	switch {
	case missing > 0 && agreed >= p.opts.Partial:
		p.settle(t, Level4)
		return
	case missing > agreed:
		p.settle(t, Mismatch)
		return
	case missing > 0:
		p.settle(t, Undetermined)
		return
	}
	if p.opts.Least > 0 && agreed >= p.opts.Least {
		p.settle(t, Mirror)
		return
	}
	p.settle(t, Undetermined)
}

// oneFails reports a path that fails on one side only, which is not that it may not be fetched.
func oneFails(e ends) bool {
	fails := func(s state) bool { return s == gone || s == down || s == nameless }
	return fails(e[0].state) && e[1].state == fine || fails(e[1].state) && e[0].state == fine
}

// settle resolves a trial with what was tested so far.
func (p *Prover) settle(t *trial, class Class) {
	t.tally()
	p.resolve(t, class)
}
