package harvest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"watershed/archive"
	"watershed/harvest/control"
	"watershed/internal/disk"
	"watershed/page"
	"watershed/report"
	"watershed/sitemap"
	"watershed/store"
)

// Delivered sums up the delivery of a run.
type Delivered struct {
	Run      Run
	Maps     []*sitemap.Map
	Kept     int   // captures in the archive
	Left     int   // captures dropped, or kept outside
	Bytes    int64 // of the WARC files
	Files    []string
	Package  string // path of the WACZ, "" for none
	Complete bool   // nothing was left to fetch
	Ending   *report.Ending
	Missing  []*page.Visit // of captures that are lost, and were not made again
	Found    *Found        // what was found of replicas; nil where they were not looked for
}

// Deliver makes the results of the run from its captures: site maps, WARC files of the pages that
// belong, index, logs, reports, package. stop is the error that ended the crawl; nil, for nothing
// was left to fetch, ends the run; otherwise the spool stays, and a later Open goes on with it. It
// may be interrupted, by ctx or by an order (ErrStopped), and called again.
func (h *Harvest) Deliver(ctx context.Context, stop error) (*Delivered, error) {
	ctx, leave := h.reception.enter(ctx, control.Delivering)
	defer leave()
	d, err := h.deliver(ctx, stop)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return d, err
}

func (h *Harvest) deliver(ctx context.Context, stop error) (*Delivered, error) {
	finished := stop == nil
	if err := h.archive.Close(); err != nil {
		return nil, err
	}
	d := &Delivered{Run: h.run, Complete: finished}
	var err error
	if d.Maps, err = h.drawMaps(ctx); err != nil {
		return nil, fmt.Errorf("write site maps: %w", err)
	}
	if d.Missing, err = h.missing(); err != nil {
		return nil, fmt.Errorf("look for captures that are lost: %w", err)
	}
	keep, err := h.selection(d.Maps, d.Missing)
	if err != nil {
		return nil, fmt.Errorf("select captures: %w", err)
	}
	moved, err := h.compact(ctx, d, keep)
	if err != nil {
		return nil, err
	}
	if err := h.tell(ctx, d, keep, moved, stop); err != nil {
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

// conclude does what is possible only at the end of a run: it looks for mirrors and copies,
// compares the run with the last one, and the costs with the forecast.
func (h *Harvest) conclude(ctx context.Context, d *Delivered) (err error) {
	for _, step := range []func() error{
		func() error { return h.findMirrors(ctx) }, func() error { return h.tellChanges(d.Maps) }, h.tellOutcome,
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
	// what a delivery that was killed had begun
	for _, dir := range []string{h.run.Archive(), h.run.Outside()} {
		if _, err := archive.Repair(h.disk(), dir); err != nil {
			return nil, err
		}
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
		Options: h.archiving(),
	})
	if err != nil {
		return nil, err
	}
	for _, damage := range done.Damaged {
		h.log.Error("a WARC file could be read only in part", "cause", damage)
	}
	if d.Missing, err = h.recheck(d.Missing, len(done.Damaged) > 0); err != nil {
		return nil, err
	}
	d.Kept, d.Left, d.Bytes = done.Kept, done.Left, done.Bytes
	if err := h.noteReplicas(); err != nil {
		return nil, err
	}
	if d.Files, err = h.run.archived(); err != nil {
		return nil, err
	}
	return moved, h.writeIndex(sorter)
}

// tell goes once through the visits of the run, writes crawl.log out of them, counts them for the
// reports, and has the store refer to captures where they lie now. stop is what ended the crawl.
func (h *Harvest) tell(ctx context.Context, d *Delivered, keep *selection, moved moves, stop error) error {
	r, t := h.newReport(), &tally{maps: d.Maps}
	place, around := relocation{h: h, moves: moved}, surroundingsOf(d.Maps)
	err := h.write(h.run.path("logs", "crawl.log"), func(w io.Writer) error {
		var text []byte
		for v, err := range h.store.Visits(h.record.Number, 0) {
			if err = errors.Join(err, ctx.Err()); err != nil {
				return err
			}
			r.learn(v)
			t.learn(v, keep.has(v.Record))
			if d.Complete { // else the run goes on in its spool
				if err := place.add(v); err != nil {
					return err
				}
			}
			l := line(v, v.Time.Add(v.Duration))
			if l.Record, _ = moved.place(v.Record); h.losses.has(v.Record) {
				l.Record = page.Location{}
			}
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
	for _, v := range d.Missing {
		r.Missing = append(r.Missing, report.Missing{
			URL: v.URL, Status: v.Status, File: v.Record.File,
			Offset: v.Record.Offset,
		})
	}
	t.miss(d.Missing)
	if d.Ending, err = h.end(ctx, t, stop); err != nil {
		return err
	}
	r.Ending = d.Ending
	return r.write(ctx, h.run, d.Maps, false)
}

// clear removes the files that an earlier delivery of the run left in a folder.
func clear(d disk.FS, dir string) error {
	if err := d.RemoveAll(dir); err != nil {
		return fmt.Errorf("clear %s: %w", dir, err)
	}
	if err := d.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("make %s: %w", dir, err)
	}
	return nil
}

// moves tells where captures went, by where they were; those that stayed in place are not in it. It
// takes some 100 bytes for each capture that moved or was dropped.
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

// relocation has the store refer to captures where they lie now, and forget those that were
// dropped. Doing it again changes nothing: visits keep the places they were committed with.
type relocation struct {
	h     *Harvest
	moves moves
	batch []*page.Visit
}

// relocateBatch is how many visits one transaction of a relocation updates.
const relocateBatch = 512

func (r *relocation) add(v *page.Visit) error {
	if to, here := r.moves.place(v.Record); v.Record.IsZero() || here && to == v.Record ||
		r.h.losses.has(v.Record) {
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

// finish marks the run as done and takes the spool away. See the order of durability in the
// package's documentation.
func (h *Harvest) finish() error {
	for _, dir := range []string{h.run.Sites(), string(h.run), string(h.folder)} {
		if err := h.disk().SyncDir(dir); err != nil {
			return fmt.Errorf("make the run's folder durable: %w", err)
		}
	}
	h.record.State, h.record.Finished = store.RunFinished, time.Now()
	err := h.store.Update(func(tx *store.Tx) error { tx.PutRun(h.record); return nil })
	if err == nil {
		err = h.store.Sync()
	}
	if err != nil {
		return fmt.Errorf("end the run: %w", err)
	}
	return errors.Join(h.run.dropSpool(h.disk()), h.patch.done())
}

// dropSpool takes the spool of a finished run away: its name first, so that there is a whole spool
// or none.
func (r Run) dropSpool(d disk.FS) error {
	err := d.Rename(r.Spool(), r.spent())
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err = errors.Join(err, d.SyncDir(string(r)), d.RemoveAll(r.spent())); err != nil {
		return fmt.Errorf("take away the spool: %w", err)
	}
	return nil
}

// spent is the spool of a finished run while it is being removed.
func (r Run) spent() string { return r.path("spool.spent") }

// archiving says how WARC files are written.
func (h *Harvest) archiving() archive.Options {
	o := h.plan.Archive
	o.Disk = h.disk()
	return o
}

// disk is where the harvest's files are changed.
func (h *Harvest) disk() disk.FS { return disk.Or(h.plan.Disk) }

// write makes a file that appears under its name only when it is whole and on disk.
func (h *Harvest) write(path string, fill func(io.Writer) error) error {
	return disk.WriteFile(h.disk(), path, 0o644, fill)
}
