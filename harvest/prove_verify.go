package harvest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"watershed/internal/disk"
	"watershed/replica"
	"watershed/replica/prove"
	"watershed/replica/sketch"
	"watershed/store"
)

// Proofs is the folder of the runs that only test mirrors: a harvest folder of its own, so that the
// numbers and reports of the harvest's runs stay those of its recrawls.
func (f Folder) Proofs() Folder { return Folder(filepath.Join(string(f), "proofs")) }

// Verified is the result of Verify.
type Verified struct {
	Proved    []Proved         `json:"proved"` // in the order in which they were found
	Open      int              `json:"open"`   // pairs left without a verdict
	Conflicts []prove.Conflict `json:"conflicts"`
	Stats     prove.Stats      `json:"stats"`
	// the run whose archive has what was fetched; "" where nothing was
	Run  Run `json:"run,omitempty"`
	Kept int `json:"kept"` // captures in it
}

// Verify tests entries of a harvest's table, and writes its verdicts into the table: the copies of
// the given names or, without any, all that is proposed or expired. Pages that the harvest has
// captured are used first; the others are fetched in a run of its own, politely and archived as in
// any other run, in Folder.Proofs; opened, which may be nil, is called when that run has been
// opened. The harvest must not be under way. Where ctx ends or a limit is reached, the verdicts found
// by then are kept, and the error says so; the next call goes on.
func Verify(ctx context.Context, folder Folder, plan Plan, names []string, opened func(*Harvest)) (
	v *Verified, err error,
) {
	var st *store.Store
	source := captures{}
	if _, err := os.Stat(folder.State()); err == nil {
		opt := plan.Store
		opt.Dir, opt.Harvest = folder.State(), plan.Name
		if st, err = store.Open(opt); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, st.Close()) }()
		err := st.View(func(tx *store.Tx) error {
			last, found, err := tx.LastRun()
			if found {
				source = captures{st, []store.Run{last.Number}}
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	table, err := ReadTable(folder.Replicas())
	if err != nil {
		return nil, err
	}
	pairs, err := pairsOf(table, names)
	switch {
	case err != nil:
		return nil, err
	case len(pairs) == 0:
		return &Verified{}, nil
	}
	if err := disk.Or(plan.Disk).MkdirAll(string(folder), 0o777); err != nil {
		return nil, fmt.Errorf("make the harvest's folder: %w", err)
	}
	x, err := newProof(pairs, source, table, seedsOf(plan.Sites))
	if err != nil {
		return nil, err
	}
	v = &Verified{}
	if err := x.judge(); err != nil { // what needs no fetching
		return nil, err
	}
	var stop error
	if x.prover.Open() > 0 {
		v.Run, v.Kept, stop, err = x.fetch(ctx, folder.Proofs(), plan, opened)
	}
	v.Proved, v.Open, v.Conflicts, v.Stats = x.tested, x.prover.Open(), x.prover.Conflicts(), x.prover.Stats()
	return v, errors.Join(err, writeTable(disk.Or(plan.Disk), folder.Replicas(), table), stop)
}

// fetch runs the tests. stop is the error that ended the crawl early.
func (x *proof) fetch(ctx context.Context, folder Folder, plan Plan, opened func(*Harvest)) (run Run,
	kept int, stop, err error,
) {
	plan.Name += "-proofs"
	plan.Sites, plan.Frontier.Sites = nil, nil
	plan.Replicas, plan.Novelty = Replicas{}, nil
	plan.KeepOutside, plan.WACZ, plan.Changed = false, false, "proofs"
	plan.proof = x
	plan.Fetch.Header = plan.Fetch.Header.Clone()
	if plan.Fetch.Header == nil {
		plan.Fetch.Header = http.Header{}
	}
	plan.Fetch.Header.Set("Accept-Encoding", "identity") // two servers compress equal bytes to different ones
	if plan.Crawl.Sketch == nil {
		plan.Crawl.Sketch = new(sketch.Options)
	}
	h, err := Open(folder, plan)
	if err != nil {
		return "", 0, nil, err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	if opened != nil {
		opened(h)
	}
	stop = h.Crawl(ctx)
	if err := x.judge(); err != nil {
		return h.run, 0, stop, err
	}
	d, err := h.Deliver(context.WithoutCancel(ctx), stop) // what was tested is told, however it ended
	if err != nil {
		return h.run, 0, stop, err
	}
	return h.run, d.Kept, stop, nil
}

// pairsOf are the pairs to be tested.
func pairsOf(table *replica.Table, names []string) (list []prove.Pair, err error) {
	for _, name := range names {
		e, ok := table.Get(name)
		if !ok {
			return nil, fmt.Errorf("verify: %w", &replica.EntryError{From: name, Cause: replica.ErrUnknown})
		}
		list = append(list, prove.Pair{A: e.To, B: e.From})
	}
	if len(names) > 0 {
		return list, nil
	}
	for _, e := range table.All() {
		if e.State == replica.Proposed || e.State == replica.Expired {
			list = append(list, prove.Pair{A: e.To, B: e.From})
		}
	}
	return list, nil
}
