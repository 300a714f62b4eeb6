package harvest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"watershed/archive"
	"watershed/harvest/control"
	"watershed/page"
	"watershed/sitemap"
	"watershed/store"
)

// Delivered sums up what a finished run left.
type Delivered struct {
	Run      Run
	Maps     []*sitemap.Map
	Kept     int   // captures in the archive
	Left     int   // captures dropped, or kept outside
	Bytes    int64 // of the WARC files
	Files    []string
	Package  string // path of the WACZ, "" for none
	Complete bool   // nothing was left to fetch
	Found    *Found // what was found of replicas; nil where they were not looked for
}

// Deliver makes what the run was for out of what was crawled: site maps, WARC files of what belongs, index, logs, reports,
// package. finished ends the run; otherwise the spool stays, and a later Open goes on with it. It may be interrupted, by ctx or by
// an order (ErrStopped), and called again.
func (h *Harvest) Deliver(ctx context.Context, finished bool) (*Delivered, error) {
	ctx, leave := h.reception.enter(ctx, control.Delivering)
	defer leave()
	d, err := h.deliver(ctx, finished)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return d, err
}

func (h *Harvest) deliver(ctx context.Context, finished bool) (*Delivered, error) {
	if err := h.archive.Close(); err != nil {
		return nil, err
	}
	d := &Delivered{Run: h.run, Complete: finished}
	var err error
	if d.Maps, err = h.drawMaps(ctx); err != nil {
		return nil, fmt.Errorf("write site maps: %w", err)
	}
	keep, err := h.selection(d.Maps)
	if err != nil {
		return nil, fmt.Errorf("select captures: %w", err)
	}
	moved, err := h.compact(ctx, d, keep)
	if err != nil {
		return nil, err
	}
	if err := h.tell(ctx, d, moved); err != nil {
		return nil, err
	}
	if err := errors.Join(h.patch.tell(), h.run.undraw()); err != nil {
		return nil, err
	}
	if finished && h.plan.proof == nil {
		if err := h.conclude(ctx, d); err != nil {
			return nil, err
		}
	}
	if h.plan.WACZ && len(d.Files) > 0 {
		if err := h.pack(d); err != nil {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if finished {
		return d, h.finish()
	}
	return d, nil
}

// conclude finds out what only the end of a run can tell: mirrors, what has changed since the last run, what the forecast was worth,
// copies.
func (h *Harvest) conclude(ctx context.Context, d *Delivered) (err error) {
	for _, step := range []func() error{
		h.findMirrors, func() error { return h.tellChanges(d.Maps) }, h.tellOutcome,
		func() error {
			if h.plan.Replicas.Find {
				d.Found, err = h.findReplicas(ctx)
			}
			return err
		},
	} {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// compact promotes the captures that are kept, and indexes them on the way.
func (h *Harvest) compact(ctx context.Context, d *Delivered, keep *selection) (moved moves, err error) {
	sorter := archive.NewSorter(h.run.Spool(), 0)
	defer func() { err = errors.Join(err, sorter.Close()) }()
	outside := ""
	if h.plan.KeepOutside {
		outside = h.run.Outside()
	}
	if err := clear(h.run.Archive()); err != nil {
		return nil, err
	}
	moved, around := moves{}, surroundingsOf(d.Maps)
	done, err := archive.Compact(archive.Compaction{
		From: h.run.Spool(), To: h.run.Archive(), Outside: outside, Keep: keep.has,
		Index: func(e archive.Entry) error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			around.mark(&e)
			return sorter.Add(&e)
		},
		Moved:   func(m []archive.Move) error { moved.add(m); return nil },
		Options: h.plan.Archive,
	})
	if err != nil {
		return nil, err
	}
	for _, damage := range done.Damaged {
		h.log.Error("a WARC file could be read only in part", "cause", damage)
	}
	d.Kept, d.Left, d.Bytes = done.Kept, done.Left, done.Bytes
	if err := h.noteReplicas(); err != nil {
		return nil, err
	}
	if d.Files, err = h.run.archived(); err != nil {
		return nil, err
	}
	if err := writeFile(h.run.Index(), func(w io.Writer) error { _, err := sorter.WriteTo(w); return err }); err != nil {
		return nil, fmt.Errorf("write the index: %w", err)
	}
	return moved, nil
}

// tell goes once through the visits of the run, writes crawl.log out of them, counts them for the reports, and has the store
// refer to captures where they lie now.
func (h *Harvest) tell(ctx context.Context, d *Delivered, moved moves) error {
	r := h.newReport()
	place, around := relocation{h: h, moves: moved}, surroundingsOf(d.Maps)
	err := writeFile(h.run.path("logs", "crawl.log"), func(w io.Writer) error {
		var text []byte
		for v, err := range h.store.Visits(h.record.Number, 0) {
			if err = errors.Join(err, ctx.Err()); err != nil {
				return err
			}
			r.learn(v)
			if d.Complete { // else the run goes on in its spool
				if err := place.add(v); err != nil {
					return err
				}
			}
			l := line(v, v.Time.Add(v.Duration))
			l.Record, _ = moved.place(v.Record)
			around.annotate(&l)
			text = l.Append(text[:0])
			if _, err := w.Write(text); err != nil {
				return err
			}
		}
		return place.flush()
	})
	if err != nil {
		return err
	}
	return r.write(ctx, h.run, d.Maps, false)
}

// clear takes away what an earlier delivery of the run left in a folder.
func clear(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("clear %s: %w", dir, err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("make %s: %w", dir, err)
	}
	return nil
}

// moves tells where captures went, by where they were; those that stayed in place are not in it. It takes some 100 bytes for
// each capture that moved or was dropped.
type moves map[page.Location]page.Location

func (m moves) add(list []archive.Move) {
	for _, x := range list {
		to := x.To
		if x.Outside {
			to = page.Location{}
		}
		if to != x.From {
			m[x.From] = to
		}
	}
}

// place is where a capture of this run lies now; ok is false for one that is not in the archive.
func (m moves) place(from page.Location) (to page.Location, ok bool) {
	to, moved := m[from]
	if !moved {
		return from, true
	}
	return to, !to.IsZero()
}

// relocation has the store refer to captures where they lie now, and forget those that were dropped. Doing it again changes
// nothing: visits keep the places they were committed with.
type relocation struct {
	h     *Harvest
	moves moves
	batch []*page.Visit
}

// relocateBatch is how many visits one transaction of a relocation updates.
const relocateBatch = 512

func (r *relocation) add(v *page.Visit) error {
	if to, here := r.moves.place(v.Record); v.Record.IsZero() || here && to == v.Record {
		return nil
	}
	r.batch = append(r.batch, v)
	if len(r.batch) < relocateBatch {
		return nil
	}
	return r.flush()
}

func (r *relocation) flush() error {
	err := r.h.store.Update(func(tx *store.Tx) error {
		for _, v := range r.batch {
			if err := r.h.relocateVisit(tx, r.moves, v); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("update the places of captures: %w", err)
	}
	r.batch = r.batch[:0]
	return nil
}

func (h *Harvest) relocateVisit(tx *store.Tx, m moves, v *page.Visit) error {
	to, here := m.place(v.Record)
	c, found, err := tx.Capture(v.URL)
	if err != nil {
		return err
	}
	if found && c.Run == h.record.Number && c.Visit == v.Seq {
		if !here {
			tx.DeleteCapture(v.URL)
		} else if !v.Revisit {
			c.Record = to
			tx.PutCapture(&c)
		}
	}
	o, found, err := tx.Original(v.Digest)
	if err != nil || !found || o.Run != h.record.Number || o.Visit != v.Seq {
		return err
	}
	if !here {
		tx.DeleteOriginal(v.Digest)
		return nil
	}
	o.Record = to
	tx.PutOriginal(v.Digest, &o)
	return nil
}

// finish marks the run as done and takes the spool away.
func (h *Harvest) finish() error {
	h.record.State, h.record.Finished = store.RunFinished, time.Now()
	if err := h.store.Update(func(tx *store.Tx) error { tx.PutRun(h.record); return nil }); err != nil {
		return fmt.Errorf("end the run: %w", err)
	}
	if err := os.RemoveAll(h.run.Spool()); err != nil {
		return fmt.Errorf("take away the spool: %w", err)
	}
	return h.patch.done()
}

// writeFile makes a file that appears under its name only when it is whole.
func writeFile(path string, fill func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name()) // the error before matters more
		}
	}()
	w := bufio.NewWriterSize(f, 256<<10)
	if err := errors.Join(fill(w), w.Flush(), f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	return os.Rename(f.Name(), path)
}
