package harvest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"watershed/internal/extsort"
	"watershed/replica"
	"watershed/replica/mirror"
	"watershed/replica/prove"
	"watershed/store"
)

// Of the ranking of hosts, as many pairs at most are tested by the captures, from that probability
// on. The probabilities hold for webs like those that the weights were fitted to; so pairs are
// tested that are less likely than not, and proposed only where the captures prove them.
const (
	maxFound      = 10000
	leastProbable = .01
	moreThanNot   = .5
)

// unlike is how many pages besides the front page the captures must have of both hosts, none of them
// similar, for the pair to be none, as of those that prove.Options.Glance looks at first.
const unlike = 5

// findMirrors proposes, when a run has ended, the pairs of hosts that the fused ranking of all that
// the harvest knows puts first, and confirms those that the captures of the run alone prove, where
// the plan wants that. Pages that were not captured leave a likely pair proposed, unless those that were
// have nothing in common.
func (f *finder) findMirrors(ctx context.Context) error {
	if !f.plan.Replicas.Find || f.plan.Crawl.Sketch == nil {
		return nil
	}
	found, err := f.likeliest(ctx)
	if err != nil {
		return fmt.Errorf("look for mirrors: %w", err)
	}
	table := f.copies.Table
	var pairs []prove.Pair
	likely, settled := map[prove.Pair]bool{}, settledBelow(table)
	for _, c := range found {
		_, a := table.Get(c.To)
		_, b := table.Get(c.From)
		p := prove.Pair{A: c.To, B: c.From}
		if !a && !b && !settled(c.To, c.From) { // else it is proposed, or somebody has decided
			pairs = append(pairs, p)
			likely[p] = c.Score >= moreThanNot
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	x, err := newProof(pairs, captures{f.store, []store.Run{f.record.Number}}, table, f.seeds())
	if err != nil {
		return err
	}
	x.prover.Wants() // nothing is fetched: what these would tell stays open
	now := time.Now()
	decided := map[prove.Pair]bool{}
	verdicts := x.prover.Verdicts()
	for _, v := range verdicts {
		decided[v.Pair] = true
	}
	// captures that have nothing in common are enough against a pair, whatever else is open
	for open := x.prover.Missing(); len(open) > 0; open = x.prover.Missing() {
		for _, u := range open {
			x.prover.Miss(u)
		}
	}
	for _, v := range x.prover.Verdicts() {
		a, b := v.Tally.From[0], v.Tally.From[1] // without the front page
		decided[v.Pair] = v.Class == prove.Mismatch &&
			(v.Inferred || max(a.Held, b.Held) >= unlike && a.Alike+b.Alike == 0)
	}
	verdicts = slices.DeleteFunc(verdicts, func(v prove.Verdict) bool { return !v.Class.Replicates() })
	entry := func(v *prove.Verdict) replica.Entry { return v.Entry(x.prefer) }
	slices.SortStableFunc(verdicts, func(a, b prove.Verdict) int { // the originals of many first
		return x.prefer(entry(&a).To, entry(&b).To)
	})
	for _, v := range verdicts {
		e := entry(&v)
		e.Method, e.Found = "captured", now
		if err := x.propose(e); err != nil {
			return err
		}
		if !f.plan.Replicas.Confirm {
			continue
		}
		if e, there := x.entryOf(&v); there && e.State == replica.Proposed {
			if err := x.decide(&v, &e, e.Evidence, now); err != nil &&
				!errors.As(err, new(*replica.EntryError)) {
				return err
			}
		}
	}
	for _, p := range pairs {
		if decided[p] || !likely[p] {
			continue
		}
		e := replica.Entry{From: p.B, To: p.A, Method: "ranking", Found: now}
		if x.prefer(p.A, p.B) > 0 {
			e.From, e.To = p.A, p.B
		}
		if err := x.propose(e); err != nil {
			return err
		}
	}
	return f.copies.save()
}

// settledBelow reports two hosts of which a directory is left out as a copy of one of the other, or of
// the same third host, or was found to mirror it by a test. A test of the hosts would fetch what these
// directories leave out, and would do so in each run, for its verdict is on directories and leaves no
// entry of the hosts in the table.
func settledBelow(table *replica.Table) func(a, b string) bool {
	of := map[string][]string{}
	for _, e := range table.All() {
		if e.Level > 0 || e.State.InForce() {
			from := string(replica.HostOf(e.From))
			of[from] = append(of[from], string(replica.HostOf(e.To)))
		}
	}
	return func(a, b string) bool {
		return slices.ContainsFunc(append(slices.Clone(of[a]), a), func(o string) bool {
			return o == b || slices.Contains(of[b], o)
		})
	}
}

// propose adds what was found to the table, unless it would make a representative of a replica.
func (x *proof) propose(e replica.Entry) error {
	if _, taken := x.table.Get(e.From); taken {
		return nil // it has a representative already, of an earlier pair, which is more alike
	}
	if old, there := x.table.Get(e.To); there {
		if old.To == e.From {
			return nil
		}
		e.To = old.To // both stand behind the same
	}
	if e.From == e.To {
		return nil
	}
	e.Evidence.Pages = x.pages[e.From]
	_, err := x.table.Propose(e)
	return err
}

// likeliest ranks the pairs of hosts of the harvest's runs, in a folder of its own.
func (f *finder) likeliest(ctx context.Context) (list []mirror.Candidate, err error) {
	path := filepath.Join(string(f.folder), "ranking")
	if err := f.disk().RemoveAll(path); err != nil { // of a run that was killed
		return nil, err
	}
	spill, err := extsort.OpenDirOn(f.disk(), path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, spill.Close(), f.disk().RemoveAll(path)) }()
	r, err := rank(ctx, knowledge{folder: f.folder, plan: f.plan, store: f.store}, spill)
	if err != nil {
		return nil, err
	}
	return r.Candidates(mirror.Fused, leastProbable, maxFound), nil
}
