package harvest

import (
	"errors"
	"fmt"
	"time"

	"watershed/replica"
	"watershed/replica/prove"
	"watershed/store"
)

// leastCommon is how many similar pages at equal paths two hosts must have to be proposed: as many
// as a partial mirror must have.
const leastCommon = 3

// maxFound bounds the pairs that a run proposes by its captures.
const maxFound = 10000

// findMirrors proposes, when a run has ended, pairs of hosts of which the run has captured like
// pages at equal paths, and confirms those that its captures alone prove, where the plan wants
// that. Pages that were not captured leave a pair proposed.
func (h *Harvest) findMirrors() error {
	if !h.plan.Replicas.Find || h.plan.Crawl.Sketch == nil {
		return nil
	}
	var f prove.Finder
	for v, err := range h.store.Heads(h.record.Number, 0) {
		if err != nil {
			return fmt.Errorf("look for mirrors: %w", err)
		}
		f.Learn(v)
	}
	found := f.Candidates(leastCommon)
	found = found[:min(len(found), maxFound)]
	table := h.copies.table
	var pairs []prove.Pair
	common := map[prove.Pair]int{}
	for _, c := range found {
		_, a := table.Get(c.A)
		_, b := table.Get(c.B)
		if !a && !b { // else it is proposed, or somebody has decided
			pairs = append(pairs, c.Pair)
			common[c.Pair] = c.Common
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	o := h.plan.Replicas.Prove
	o.Probes = -1 // the harvest's own guard has marked errors that look like pages
	x, err := newProof(o, pairs, captures{h.store, []store.Run{h.record.Number}}, nil, table)
	if err != nil {
		return err
	}
	x.ownSeeds(h.plan.Sites)
	x.prover.Wants() // nothing is fetched: what these would tell stays open
	now := time.Now()
	decided := map[prove.Pair]bool{}
	for _, v := range x.prover.Verdicts() {
		decided[v.Pair] = true
		if !v.Class.Replicates() {
			continue
		}
		e, n := v.Entry(x.prefer), common[v.Pair]
		e.Method, e.Found = "captured", now
		if err := x.propose(e, n); err != nil {
			return err
		}
		if !h.plan.Replicas.Confirm {
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
		if decided[p] {
			continue
		}
		e := replica.Entry{From: p.B, To: p.A, Method: "captured", Found: now}
		if x.prefer(p.A, p.B) > 0 {
			e.From, e.To = p.A, p.B
		}
		if err := x.propose(e, common[p]); err != nil {
			return err
		}
	}
	return h.copies.save()
}

// propose adds what was found to the table, unless it would make a representative of a replica.
func (x *proof) propose(e replica.Entry, common int) error {
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
	e.Evidence.Pages = max(x.pages[e.From], common)
	e.Evidence.Common = common
	_, err := x.table.Propose(e)
	return err
}
