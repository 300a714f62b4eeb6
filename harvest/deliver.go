package harvest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"watershed/archive"
	"watershed/frontier"
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
	Sites    []*report.Site // what was had of each, as the report has it
	Kept     int            // captures in the archive
	Bytes    int64          // of the WARC files
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
	if err := h.archive.Close(); err != nil {
		return nil, err
	}
	if h.apart != nil {
		if err := h.apart.Close(); err != nil {
			return nil, err
		}
	}
	d := &delivery{
		ground: h.ground, atlas: h.atlas, frontier: h.frontier, losses: h.losses, copies: h.copies,
		patch: h.patch, undrawn: h.Undrawn, Delivered: &Delivered{Run: h.run, Complete: stop == nil},
	}
	err := d.deliver(ctx, stop)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, err
	}
	return d.Delivered, nil
}

// delivery makes the results of a run: WARC files of what belongs, index, logs, reports, package.
type delivery struct {
	*ground
	atlas    *atlas
	frontier *frontier.Frontier
	losses   *losses
	copies   *room
	patch    *patch
	undrawn  error         // see Harvest.Undrawn
	sizes    []report.File // of the WARC files
	*Delivered
}

// deliver is Harvest.Deliver of a run whose WARC files are closed.
func (d *delivery) deliver(ctx context.Context, stop error) (err error) {
	if stop != nil {
		if err := d.copies.Stop(); err != nil {
			return err
		}
	}
	if d.Maps, err = d.atlas.deliver(ctx); err != nil {
		return fmt.Errorf("write site maps: %w", err)
	}
	if d.Missing, err = d.losses.missing(); err != nil {
		return fmt.Errorf("look for captures that are lost: %w", err)
	}
	ledger := &ledger{ground: d.ground, frontier: d.frontier, copies: d.copies}
	keep, err := d.selection(ledger)
	if err != nil {
		return fmt.Errorf("select captures: %w", err)
	}
	moved, err := d.compact(ctx, keep, ledger)
	if err != nil {
		return err
	}
	if err := d.tell(ctx, keep, moved, ledger.left, stop); err != nil {
		return err
	}
	if err := d.run.undraw(); err != nil {
		return err
	}
	if d.Complete && d.plan.proof == nil {
		if err := d.conclude(ctx, ledger); err != nil {
			return err
		}
	}
	if d.plan.WACZ && len(d.Files) > 0 {
		p := packer{ground: d.ground, losses: d.losses}
		if err := p.pack(d.Delivered); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if d.Complete {
		return d.finish()
	}
	return nil
}

// conclude does what is possible only at the end of a run: it looks for mirrors and copies,
// compares the run with the last one, and the costs with the forecast.
func (d *delivery) conclude(ctx context.Context, ledger *ledger) (err error) {
	finder := &finder{ground: d.ground, copies: d.copies}
	costs := &forecaster{ground: d.ground, copies: d.copies}
	for _, step := range []func() error{
		func() error { return finder.findMirrors(ctx) },
		func() error { return history{d.ground}.tellChanges(d.Maps) },
		func() error { return costs.tellOutcome(ledger) },
		func() error {
			if d.plan.Replicas.Find {
				d.Found, err = finder.findReplicas(ctx)
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
func (d *delivery) compact(ctx context.Context, keep *selection, ledger *ledger) (moved moves, err error) {
	sorter := archive.NewSorter(d.run.Spool(), 0)
	defer func() { err = errors.Join(err, sorter.Close()) }()
	outside := ""
	if d.plan.KeepOutside || exists(d.run.Outside()) { // a run that has begun to keep them goes on
		outside = d.run.Outside()
	}
	// what a delivery that was killed had begun, and what a writer had given up
	for _, dir := range []string{d.run.Archive(), d.run.Outside(), d.run.Spool()} {
		if _, err := archive.Repair(d.disk(), dir); err != nil {
			return nil, err
		}
	}
	others, err := d.spelt(ctx, func(int) bool { return true })
	if err != nil {
		return nil, fmt.Errorf("look for other spellings of what was captured: %w", err)
	}
	claims, err := d.losses.claims()
	if err != nil {
		return nil, fmt.Errorf("look for captures that are lost: %w", err)
	}
	moved, around := moves{}, surroundingsOf(d.Maps)
	done, err := archive.Compact(archive.Compaction{
		From: d.run.Spool(), To: d.run.Archive(), Outside: outside, Keep: keep.has,
		Index: func(e archive.Entry) error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			around.mark(&e)
			return others.add(sorter, &e)
		},
		Moved: func(m []archive.Move) error {
			moved.add(m)
			claims.delivered(m)
			return nil
		},
		Options: d.archiving(),
	})
	if err != nil {
		return nil, err
	}
	for _, damage := range done.Damaged {
		d.log.Error("a WARC file could be read only in part", "cause", damage)
	}
	if d.Missing, err = d.losses.search(claims, true); err != nil {
		return nil, err
	}
	d.Kept = done.Kept
	if err := ledger.note(); err != nil {
		return nil, err
	}
	if d.Files, err = d.run.archived(); err != nil {
		return nil, err
	}
	for _, file := range d.Files { // with those of the ledger
		info, err := os.Stat(file)
		if err != nil {
			return nil, err
		}
		d.Bytes += info.Size()
		d.sizes = append(d.sizes, report.File{Name: filepath.Base(file), Bytes: info.Size()})
	}
	return moved, writeIndex(d.ground, sorter)
}

// tell goes once through the visits of the run, writes crawl.log out of them, counts them for the
// reports, and has the store refer to captures where they lie now. left counts the pages of each site
// that were left out as copies; stop is what ended the crawl.
func (d *delivery) tell(ctx context.Context, keep *selection, moved moves, left map[uint32]int,
	stop error,
) (err error) {
	r, t := newReport(d.ground, d.frontier), &tally{
		ground: d.ground, frontier: d.frontier, maps: d.Maps, browser: d.undrawn,
	}
	t.Idle, t.Left, t.Shrunk = d.atlas.idle, Left(d.Maps...), shrunk(d.run, d.Maps, left)
	place, around := relocation{ground: d.ground, losses: d.losses, moves: moved}, surroundingsOf(d.Maps)
	err = d.write(d.run.path("logs", "crawl.log"), func(w io.Writer) error {
		var text []byte
		for v, err := range d.store.Visits(d.record.Number, 0) {
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
			if l.Record, _ = moved.place(v.Record); d.losses.has(v.Record) {
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
	if d.Ending, err = t.end(ctx, stop); err != nil {
		return err
	}
	d.Ending.Files = d.sizes
	r.Ending, r.dropped = d.Ending, t.dropped
	err = r.writeTo(ctx, d.run, d.Maps, false)
	d.Sites = r.Sites
	return err
}

// makeEmpty makes a folder, and removes the files that an earlier delivery of the run left in it.
func makeEmpty(d disk.FS, dir string) error {
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
		if x.To != x.From {
			m[x.From] = x.To
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
	*ground
	losses *losses
	moves  moves
	batch  []*page.Visit
}

// relocateBatch is how many visits one transaction of a relocation updates.
const relocateBatch = 512

func (r *relocation) add(v *page.Visit) error {
	to, here := r.moves.place(v.Record)
	whole, _ := r.moves.place(v.Origin.Record)
	if v.Record.IsZero() || here && to == v.Record && whole == v.Origin.Record || r.losses.has(v.Record) {
		return nil
	}
	moved := *v
	moved.Links = nil // pages of 100,000 links are some 20 MB each
	r.batch = append(r.batch, &moved)
	if len(r.batch) < relocateBatch {
		return nil
	}
	return r.flush()
}

func (r *relocation) flush() error {
	if err := commitEach(r.store, &r.batch, r.relocate); err != nil {
		return fmt.Errorf("update the places of captures: %w", err)
	}
	return nil
}

func (r *relocation) relocate(tx *store.Tx, v *page.Visit) error {
	to, here := r.moves.place(v.Record)
	c, found, err := tx.Capture(v.URL)
	if err != nil {
		return err
	}
	if found && c.Run == r.record.Number && c.Visit == v.Seq {
		if c.Record = to; v.Revisit {
			c.Record, _ = r.moves.place(v.Origin.Record) // an original stays with what refers to it
		}
		if here {
			tx.PutCapture(&c)
		} else {
			tx.DeleteCapture(v.URL)
		}
	}
	payload := v.Digest.Within(v.Login)
	o, found, err := tx.Original(payload)
	if err != nil || !found || o.Run != r.record.Number || o.Visit != v.Seq {
		return err
	}
	if !here {
		tx.DeleteOriginal(payload)
		return nil
	}
	o.Record = to
	tx.PutOriginal(payload, &o)
	return nil
}

// finish marks the run as done and takes the spool away. See the order of durability in the
// package's documentation.
func (d *delivery) finish() error {
	for _, dir := range []string{d.run.Sites(), string(d.run), string(d.folder)} {
		if err := d.disk().SyncDir(dir); err != nil {
			return fmt.Errorf("make the run's folder durable: %w", err)
		}
	}
	d.record.State, d.record.Finished = store.RunFinished, time.Now()
	err := d.store.Update(func(tx *store.Tx) error { tx.PutRun(d.record); return nil })
	if err == nil {
		err = d.store.Sync()
	}
	if err != nil {
		return fmt.Errorf("end the run: %w", err)
	}
	if err := d.keepDamaged(); err != nil {
		return err // the spool with them stays
	}
	return errors.Join(d.run.dropSpool(d.disk()), d.patch.done())
}

// keepDamaged takes those files out of the spool in which captures were that no WARC file has now: a
// specialist may read more of them.
func (d *delivery) keepDamaged() error {
	dir := d.run.path("damaged")
	for _, v := range d.Missing {
		path := filepath.Join(d.run.Spool(), v.Record.File)
		if !exists(path) {
			continue
		}
		kept := filepath.Join(dir, v.Record.File)
		err := d.disk().MkdirAll(dir, 0o777)
		if err == nil {
			err = errors.Join(d.disk().Rename(path, kept), d.disk().SyncDir(dir))
		}
		if err != nil {
			return fmt.Errorf("keep a damaged file of the spool: %w", err)
		}
		d.log.Error("captures were lost with this WARC file, which is kept", "file", kept)
	}
	return nil
}
