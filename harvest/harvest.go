package harvest

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"watershed/archive"
	"watershed/crawler"
	"watershed/crawler/extract"
	"watershed/crawler/fetch"
	"watershed/crawler/reading"
	"watershed/crawler/robots"
	"watershed/frontier"
	"watershed/harvest/control"
	"watershed/harvest/copies"
	"watershed/harvest/decision"
	"watershed/internal/disk"
	"watershed/page"
	"watershed/replica/novelty"
	"watershed/replica/soft404"
	"watershed/report"
	"watershed/sitemap"
	"watershed/store"
)

// Plan has the options of a harvest and of its parts; Open fills in their folders.
type Plan struct {
	Name   string
	Title  string // of the package; the name by default
	Config []byte // the effective configuration, kept with the run
	// a digest of what decides on the boundary and the seeds; a run does not go on with another one
	Changed string

	Sites    []sitemap.Site
	Survey   sitemap.Options
	Frontier frontier.Options
	Fetch    fetch.Options
	Robots   robots.Options
	Extract  extract.Options
	Archive  archive.Options
	Crawl    crawler.Options
	Store    store.Options

	Replicas Replicas
	Novelty  *novelty.Options // when places that bring nothing new are stopped; nil never stops one

	// a new run extends the last one: it asks for nothing that is in its archive. A run under way
	// goes on as it was
	Extend bool

	Begun func(Run) // called once the folder of the run is there, before it is opened; nil for none

	KeepOutside bool // captures that the boundary left out go to WARC files of their own
	WACZ        bool
	Key         *ecdsa.PrivateKey // that signs the package; nil for none
	Log         *slog.Logger
	Disk        disk.FS // on which the harvest's files are changed; nil is the machine's

	proof *proof // of a run that only tests mirrors: it has no sites, and keeps all that it fetches
}

// Harvest is an opened harvest with a run that is under way. It is not safe for concurrent use. It
// takes orders at Folder.Socket for as long as it is open; while it crawls they are carried out
// between its steps.
type Harvest struct {
	plan   Plan
	folder Folder
	run    Run
	record store.RunRecord
	log    *slog.Logger

	store    *store.Store
	survey   *sitemap.Survey
	frontier *frontier.Frontier
	fetcher  *fetch.Fetcher
	archive  *archive.Writer
	crawl    *crawler.Crawler
	visits   *archive.Log
	closed   bool
	copies   *copies.Room
	proof    *proof // nil where nothing is to be proved
	patch    *patch
	reading  *reading.Journal
	crashed  bool    // the process before ended by a fault of its own
	losses   *losses // nil for a run that has just begun

	decided *decision.List // by hand
	settled *decision.List // of that, what the run goes by
	noted   int            // orders
	step    sync.Mutex     // held by an order, and by what Crawl does between two crawls

	reception reception
	drawer    drawer
	idle      []report.Idle  // found with the maps
	maps      []*sitemap.Map // drawn and written by Deliver; the survey is empty then

	Paused   bool  // by an order that holds since the run was interrupted
	Resumed  bool  // the run had begun before
	Visits   int64 // that it already had
	Repaired []archive.Repaired
	Rebuilt  *Rebuilt      // nil where the state was good
	Suspects []page.URL    // that were being read when the process before died: each is read alone
	Unread   []page.URL    // that are not read any more
	Missing  []*page.Visit // whose captures are lost: their URLs are fetched again
}

// Open opens the folder and begins a run, or goes on with one that was not finished. After a crash
// it repairs WARC files that were being written, and has URLs fetched again whose record did not
// reach the disk. A state that cannot be used is rebuilt from the archives.
func Open(folder Folder, plan Plan) (*Harvest, error) {
	h, err := open(folder, plan, nil)
	if errors.Is(err, store.ErrCorrupt) && h.Rebuilt == nil { // damage that is seen only where it is met
		h, err = open(folder, plan, err)
	}
	return h, err
}

// open is Open; damage, if there is any, is why the state is to be rebuilt.
func open(folder Folder, plan Plan, damage error) (h *Harvest, err error) {
	if plan.Log == nil {
		plan.Log = slog.New(slog.DiscardHandler)
	}
	h = &Harvest{plan: plan, folder: folder, log: plan.Log, proof: plan.proof}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.Close())
		}
	}()
	if err := h.openState(damage); err != nil {
		return h, err
	}
	if err := folder.sweep(h.disk()); err != nil {
		return h, err
	}
	h.receive()
	if err := h.begin(); err != nil {
		return h, err
	}
	if h.crashed, err = h.run.keepCrash(time.Now()); err != nil {
		return h, err
	}
	if plan.Begun != nil {
		plan.Begun(h.run)
	}
	if err := h.recover(); err != nil {
		return h, err
	}
	if err := h.readDecisions(); err != nil {
		return h, err
	}
	if err := h.assemble(); err != nil {
		return h, err
	}
	if _, err := h.settle(); err != nil {
		return h, fmt.Errorf("settle what was decided since: %w", err)
	}
	if err := h.recall(); err != nil {
		return h, err
	}
	return h, h.catchUp()
}

// begin finds the run that is to go on, or starts one.
func (h *Harvest) begin() error {
	var last store.RunRecord
	var found bool
	err := h.store.View(func(tx *store.Tx) (err error) {
		last, found, err = tx.LastRun()
		return err
	})
	if err != nil {
		return err
	}
	if found && (last.State != store.RunFinished || h.folder.Run(int(last.Number)).spooled()) {
		err = h.goOn(last)
	} else {
		err = h.startRun(last, found)
	}
	if err != nil {
		return fmt.Errorf("begin run: %w", err)
	}
	h.run = h.folder.Run(int(h.record.Number))
	if err := h.run.make(h.disk()); err != nil {
		return err
	}
	if err := h.write(h.run.Config(), func(w io.Writer) error {
		_, err := w.Write(h.plan.Config)
		return err
	}); err != nil {
		return fmt.Errorf("keep the configuration: %w", err)
	}
	return nil
}

// goOn takes up a run that was not finished, or that was finished and still has its spool, because
// the process ended at that moment.
func (h *Harvest) goOn(last store.RunRecord) error {
	h.Resumed = true
	if last.Config != h.plan.Changed {
		h.log.Warn("the configuration has changed since the run began; what was decided before stays")
	}
	last.State = store.RunOpen
	h.record = last
	return h.store.Update(func(tx *store.Tx) error { tx.PutRun(last); return nil })
}

// startRun begins a run. Its number is one more than the highest that the state or the folder has.
func (h *Harvest) startRun(last store.RunRecord, found bool) error {
	if h.plan.Extend && !found {
		return fmt.Errorf("extend %s: %w", h.folder, ErrNoRun)
	}
	runs, err := h.folder.Runs()
	if err != nil {
		return err
	}
	h.record = store.RunRecord{Started: time.Now(), State: store.RunOpen, Config: h.plan.Changed}
	if len(runs) > 0 {
		h.record.Number = store.Run(runs[len(runs)-1].Number())
	}
	if h.plan.Extend {
		h.record.Extends = last.Number
	}
	if h.record.Number, err = h.store.StartRun(h.record); err != nil {
		return err
	}
	for _, r := range runs {
		if err := h.sweepLost(r); err != nil {
			return fmt.Errorf("take away what is left of a run without captures: %w", err)
		}
	}
	return nil
}

// sweepLost takes away the spool and the unfinished files of a run that a power cut ended before it
// captured anything, and that the state lost with it.
func (h *Harvest) sweepLost(r Run) error {
	if r.captured() {
		return nil
	}
	return errors.Join(h.disk().RemoveAll(r.Spool()), disk.Sweep(h.disk(), string(r)))
}

// recover repairs the files that a crash left behind.
func (h *Harvest) recover() (err error) {
	if !h.Resumed {
		return nil
	}
	if h.Repaired, err = archive.Repair(h.disk(), h.run.Spool()); err != nil {
		return fmt.Errorf("repair the WARC files of the run: %w", err)
	}
	return nil
}

// learn goes once through the visits of the run, for the survey, the guard and the comparison of
// the state with the WARC files. It gives the pages that are wanted and missing, and finds out
// which captures of the run are lost.
func (h *Harvest) learn(guard *soft404.Guard) (missing []sitemap.Want, err error) {
	all := claims{}
	missing, err = h.replay(func(v *page.Visit) {
		all.add(v)
		if guard != nil {
			guard.Learn(v)
		}
	})
	if err == nil && h.Resumed {
		h.Missing, err = h.search(all)
	}
	return missing, err
}

// assemble opens the parts of the crawl.
func (h *Harvest) assemble() (err error) {
	p := &h.plan
	if h.survey, err = sitemap.NewSurvey(p.Sites, p.Survey); err != nil {
		return err
	}
	if err := h.instruct(h.survey); err != nil {
		return err
	}
	guard, err := h.newGuard()
	if err != nil {
		return err
	}
	missing, err := h.learn(guard)
	if err != nil {
		return err
	}
	monitor, err := h.openFrontier()
	if err != nil {
		return err
	}
	if err := h.openCopies(); err != nil {
		return err
	}
	p.Fetch.SpoolDir = h.run.Spool()
	if h.fetcher, err = fetch.New(p.Fetch); err != nil {
		return err
	}
	cache, err := robots.New(p.Robots)
	if err != nil {
		return err
	}
	extractor, err := extract.New(p.Extract)
	if err != nil {
		return err
	}
	p.Archive.Dir = h.run.Spool()
	p.Archive.Register = true
	h.decisionsInfo(&p.Archive.Info)
	if h.archive, err = archive.NewWriter(h.archiving()); err != nil {
		return err
	}
	if h.reading, err = reading.Open(filepath.Join(h.run.Spool(), "reading"), h.crashed); err != nil {
		return err
	}
	h.Suspects, h.Unread = h.reading.Suspects(), h.reading.Condemned()
	names := make([]string, len(p.Sites))
	for i, s := range p.Sites {
		names[i] = s.Name
	}
	if p.proof != nil {
		names = []string{p.Name}
	}
	if err := h.openProof(); err != nil {
		return err
	}
	if err := h.openPatch(); err != nil {
		return err
	}
	aside := asides{h.copies, h.patch}
	if h.proof != nil {
		aside = append(aside, h.proof)
	}
	if h.visits, err = archive.OpenLog(h.disk(), h.run.path("logs", "crawl.log")); err != nil {
		return err
	}
	p.Crawl.Visited = func(v *page.Visit) error {
		l := line(v, time.Now())
		if err := h.visits.Fetched(&l); err != nil {
			return err
		}
		if h.proof == nil {
			return errors.Join(h.judge(), h.patch.err)
		}
		return errors.Join(h.judge(), h.patch.err, h.proof.judge())
	}
	p.Crawl.Held = (&holder{h: h, sizes: map[string]int64{}}).held
	p.Crawl.FreeDisk = max(p.Crawl.FreeDisk, store.DefaultMinFreeBytes+marginBytes)
	p.Crawl.Paths = []string{h.run.Spool(), h.folder.State()}
	h.crawl, err = crawler.New(crawler.Parts{
		Store: h.store, Number: h.record.Number, Started: h.record.Started, Frontier: h.frontier,
		Survey: h.survey, Fetcher: h.fetcher,
		Robots: cache, Extract: extractor, Archive: h.archive, Sites: names, Missing: missing,
		Visited: h.Visits,
		Aside:   aside, Novelty: monitor, Soft404: guard, Reading: h.reading, Barred: h.decided.Barred(),
	}, p.Crawl)
	return err
}

// openFrontier opens the frontier, with the monitor of places that it asks; nil where none are
// stopped.
func (h *Harvest) openFrontier() (monitor *novelty.Monitor, err error) {
	p := &h.plan
	p.Frontier.Dropped = func(u page.URL, reason store.Reason) {
		if h.crawl != nil {
			h.crawl.Dropped(u, reason)
		}
	}
	if p.Novelty != nil {
		if monitor, err = novelty.New(*p.Novelty); err != nil {
			return nil, err
		}
		p.Frontier.Novelty = func(u page.URL) string {
			if by, no := monitor.Refuses(u); no {
				return by.String()
			}
			return ""
		}
	}
	p.Frontier.Stand = func(tx *store.Tx, u page.URL) (frontier.Stand, error) {
		if h.copies == nil {
			return frontier.Stand{}, nil // nothing is wanted before the copies are read
		}
		return h.copies.Stand(tx, u)
	}
	h.frontier, err = frontier.Open(h.store, h.record.Number, p.Frontier)
	p.Frontier.Waiting = nil
	if err != nil || len(h.Missing) == 0 {
		return monitor, err
	}
	return monitor, h.wantMissing(h.Missing)
}

// newGuard makes the guard against soft errors, which learns what the run has visited; nil where
// pages are not sketched.
func (h *Harvest) newGuard() (*soft404.Guard, error) {
	if h.plan.Crawl.Sketch == nil {
		return nil, nil
	}
	return soft404.New(soft404.Options{Seed: uint64(h.record.Number)})
}

// marginBytes is the room beyond what the store refuses to use at which the crawl pauses.
const marginBytes = 16 << 20

// Run is the folder of the run under way.
func (h *Harvest) Run() Run { return h.run }

// Extends is the number of the run that this one extends, 0 for none.
func (h *Harvest) Extends() int { return int(h.record.Extends) }

// Number counts the harvest's runs, from 1; the second and later ones are recrawls, or extensions.
func (h *Harvest) Number() int { return int(h.record.Number) }

// Crawl fetches until nothing more is wanted, ctx ends, or a limit is reached: see crawler.Run.
// ErrStopped says that an order ended it.
func (h *Harvest) Crawl(ctx context.Context) error {
	ctx, leave := h.reception.enter(ctx, control.Crawling)
	defer leave()
	return h.drawn(ctx, func(ctx context.Context) error {
		for {
			if err := h.crawl.Run(ctx); err != nil {
				return err
			}
			if more, err := h.more(); err != nil || !more {
				return errors.Join(err, context.Cause(ctx))
			}
		}
	})
}

// more is asked once the survey wants no more: copies, and tests of mirrors, may have more to fetch.
func (h *Harvest) more() (bool, error) {
	h.step.Lock()
	defer h.step.Unlock()
	n, err := h.copies.Settle()
	if err != nil || h.proof == nil {
		return n > 0, err
	}
	more, err := h.proof.goOn()
	return n > 0 || more, err
}

// Close closes what Open opened. A run that was not delivered goes on at the next Open. It may be
// called twice.
func (h *Harvest) Close() error {
	if h.closed {
		return nil
	}
	h.closed = true
	h.hangUp()
	var errs []error
	if h.archive != nil {
		errs = append(errs, h.archive.Close())
	}
	if h.visits != nil {
		errs = append(errs, h.visits.Close())
	}
	if h.fetcher != nil {
		errs = append(errs, h.fetcher.Close())
	}
	errs = append(errs, h.reading.Close())
	if h.store != nil {
		if h.record.State == store.RunOpen && h.record.Number > 0 {
			h.record.State, h.record.Finished = store.RunInterrupted, time.Now()
			errs = append(errs, h.store.Update(func(tx *store.Tx) error { tx.PutRun(h.record); return nil }))
		}
		errs = append(errs, h.store.Close())
	}
	return errors.Join(errs...)
}

// archived are the WARC files of the finished run, outside ones not among them.
func (r Run) archived() ([]string, error) {
	files, err := filepath.Glob(filepath.Join(r.Archive(), "*.warc.gz"))
	if err != nil {
		return nil, fmt.Errorf("list WARC files: %w", err)
	}
	return files, nil
}
