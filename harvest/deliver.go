package harvest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"watershed/archive"
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
}

// Deliver makes what the run was for out of what was crawled: site maps, WARC files of what belongs, index, logs, reports,
// package. finished ends the run; otherwise the spool stays, and a later Open goes on with it. It may be interrupted and
// called again.
func (h *Harvest) Deliver(finished bool) (*Delivered, error) {
	if err := h.archive.Close(); err != nil {
		return nil, err
	}
	d := &Delivered{Run: h.run, Complete: finished}
	maps, err := h.Maps()
	if err != nil {
		return nil, err
	}
	d.Maps = maps
	if err := h.writeMaps(d.Maps); err != nil {
		return nil, fmt.Errorf("write site maps: %w", err)
	}
	keep, err := h.selection(d.Maps)
	if err != nil {
		return nil, fmt.Errorf("select captures: %w", err)
	}
	if err := h.compact(d, keep); err != nil {
		return nil, err
	}
	if err := h.writeLogs(d.Maps); err != nil {
		return nil, fmt.Errorf("write logs: %w", err)
	}
	if err := h.writeReports(d); err != nil {
		return nil, fmt.Errorf("write reports: %w", err)
	}
	if h.plan.WACZ && len(d.Files) > 0 {
		if err := h.pack(d); err != nil {
			return nil, err
		}
	}
	if finished {
		return d, h.finish()
	}
	return d, nil
}

// compact promotes the captures that are kept, and indexes them on the way.
func (h *Harvest) compact(d *Delivered, keep *selection) (err error) {
	sorter := archive.NewSorter(h.run.Spool(), 0)
	defer func() { err = errors.Join(err, sorter.Close()) }()
	outside := ""
	if h.plan.KeepOutside {
		outside = h.run.Outside()
	}
	if err := clear(h.run.Archive()); err != nil {
		return err
	}
	moved := moves{}
	done, err := archive.Compact(archive.Compaction{
		From: h.run.Spool(), To: h.run.Archive(), Outside: outside, Keep: keep.has,
		Index:   func(e archive.Entry) error { return sorter.Add(&e) },
		Moved:   func(m []archive.Move) error { moved.add(m); return nil },
		Options: h.plan.Archive,
	})
	if err != nil {
		return err
	}
	for _, damage := range done.Damaged {
		h.log.Error("a WARC file could be read only in part", "cause", damage)
	}
	d.Kept, d.Left, d.Bytes = done.Kept, done.Left, done.Bytes
	if d.Files, err = h.run.archived(); err != nil {
		return err
	}
	if err := writeFile(h.run.Index(), func(w io.Writer) error { _, err := sorter.WriteTo(w); return err }); err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	if !d.Complete {
		return nil // the run goes on in its spool
	}
	if err := h.relocate(moved); err != nil {
		return fmt.Errorf("update the places of captures: %w", err)
	}
	return nil
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

// relocateBatch is how many visits one transaction of relocate updates.
const relocateBatch = 512

// relocate has the store refer to captures where they lie now, and forget those that were dropped. Doing it again changes
// nothing: visits keep the places they were committed with.
func (h *Harvest) relocate(m moves) error {
	var batch []*page.Visit
	flush := func() error {
		err := h.store.Update(func(tx *store.Tx) error {
			for _, v := range batch {
				if err := h.relocateVisit(tx, m, v); err != nil {
					return err
				}
			}
			return nil
		})
		batch = batch[:0]
		return err
	}
	for v, err := range h.store.Visits(h.record.Number, 0) {
		if err != nil {
			return err
		}
		if v.Record.IsZero() {
			continue
		}
		if batch = append(batch, v); len(batch) == relocateBatch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
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
	return nil
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
