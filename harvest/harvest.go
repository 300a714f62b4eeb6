package harvest

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"watershed/archive"
	"watershed/crawler"
	"watershed/crawler/draw"
	"watershed/crawler/extract"
	"watershed/crawler/fetch"
	"watershed/crawler/login"
	"watershed/crawler/reading"
	"watershed/crawler/robots"
	"watershed/frontier"
	"watershed/harvest/control"
	"watershed/internal/disk"
	"watershed/page"
	"watershed/replica/novelty"
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

	Draw *draw.Options // of the browser that draws pages; nil for none

	Replicas Replicas
	Novelty  *novelty.Options // when places that bring nothing new are stopped; nil never stops one

	Former int // numbers of runs that are given, in folders that are elsewhere, too
	// a new run extends the last one: it asks for nothing that is in its archive. A run under way
	// goes on as it was
	Extend bool

	Begun func(Run) // called once the folder of the run is there, before it is opened; nil for none

	Logins *login.Logins // of the sites; nil for none
	// whose login a URL is asked for with, "" for none; nil where there are no logins. Unlike Logins
	// it is there where nothing is fetched, too
	LoginOf func(page.URL) string
	Apart   []string // the logins whose captures and package are kept apart, by their names

	KeepOutside bool // captures that the boundary left out go to WARC files of their own
	WACZ        bool
	PageText    bool              // the package's pages have their texts and icons
	Key         *ecdsa.PrivateKey // that signs the package; nil for none
	Log         *slog.Logger
	Disk        disk.FS // on which the harvest's files are changed; nil is the machine's

	proof *proof // of a run that only tests mirrors: it has no sites, and keeps all that it fetches
}

// Harvest is an opened harvest with a run that is under way. It is not safe for concurrent use. It
// takes orders at Folder.Socket for as long as it is open; while it crawls they are carried out
// between its steps.
type Harvest struct {
	*ground
	owned  []func() error // ends what Open began, in the order of opening
	closed bool

	frontier  *frontier.Frontier
	archive   *archive.Writer
	apart     *archive.Writer // of captures that are kept apart; nil where none are
	crawl     *crawler.Crawler
	losses    *losses
	copies    *room
	proof     *proof // nil where nothing is to be proved
	patch     *patch
	atlas     *atlas
	clerk     *clerk
	drawer    *drawer
	reception reception

	Paused   bool  // by an order that holds since the run was interrupted
	Resumed  bool  // the run had begun before
	Visits   int64 // that it already had
	Repaired []archive.Repaired
	Rebuilt  *Rebuilt      // nil where the state was good
	Suspects []page.URL    // that were being read when the process before died: each is read alone
	Unread   []page.URL    // that are not read any more
	Missing  []*page.Visit // whose captures are lost: their URLs are fetched again
	Undrawn  error         // why there is no browser although one was asked for; nil otherwise
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
	h = &Harvest{ground: newGround(folder, plan)}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.Close())
		}
	}()
	if err := h.disk().MkdirAll(string(folder), 0o777); err != nil {
		return h, fmt.Errorf("make the harvest's folder: %w", err)
	}
	release, err := store.Hold(folder.State())
	if err != nil {
		return h, err
	}
	h.own(release)
	if h.Rebuilt, err = openState(h.ground, damage); err != nil {
		return h, err
	}
	h.own(h.leave)
	if err := folder.sweep(h.disk()); err != nil {
		return h, err
	}
	h.reception.receive(folder.Socket(), h.log)
	if h.Resumed, err = h.begin(); err != nil {
		return h, err
	}
	if err := h.lookForFlaws(); err != nil {
		return h, fmt.Errorf("look for WARC files that are missing: %w", err)
	}
	crashed, err := h.run.keepCrash(time.Now())
	if err != nil {
		return h, err
	}
	if plan.Begun != nil {
		plan.Begun(h.run)
	}
	if h.Resumed {
		if h.Repaired, err = archive.Repair(h.disk(), h.run.Spool()); err != nil {
			return h, fmt.Errorf("repair the WARC files of the run: %w", err)
		}
	}
	rulings, err := readRulings(h.ground, h.Resumed)
	if err != nil {
		return h, err
	}
	if err := h.assemble(rulings, crashed); err != nil {
		return h, err
	}
	return h, h.resume()
}

// own has Close call a function that ends what was opened just now.
func (h *Harvest) own(end func() error) { h.owned = append(h.owned, end) }

// assemble opens the parts of the crawl, each from those that it needs.
func (h *Harvest) assemble(rulings *rulings, crashed bool) error {
	p := &h.plan
	past, err := relearn(rulings, h.Resumed)
	if err != nil {
		return err
	}
	h.losses, h.Missing, h.Visits = past.losses, past.lost, past.Visits
	var monitor *novelty.Monitor
	if p.Novelty != nil {
		monitor = novelty.New(*p.Novelty)
	}
	if err := h.openQueue(past, monitor); err != nil {
		return err
	}
	tools, err := h.openTools(rulings, crashed)
	if err != nil {
		return err
	}
	if h.proof, err = openProof(h.ground, h.frontier, h.copies); err != nil {
		return err
	}
	if h.patch, err = openPatch(h.ground); err != nil {
		return err
	}
	if err := h.openCrawl(past, tools, monitor, rulings.decided.Barred()); err != nil {
		return err
	}
	h.atlas = &atlas{ground: h.ground, survey: past.survey}
	h.drawer = &drawer{ground: h.ground, frontier: h.frontier, crawl: h.crawl, atlas: h.atlas}
	h.clerk = &clerk{
		crawl: h.crawl, archive: h.archive,
		view: &view{survey: past.survey, frontier: h.frontier, rulings: rulings},
	}
	return nil
}

// hadBefore reports a page that an earlier run captured, or of which that cannot be read. A recrawl asks
// for such a page although its place brings nothing new: the order in which pages come is another one in
// each run, and what was had once is not to be missing for that.
func hadBefore(g *ground, u page.URL) (had bool) {
	if g.record.Number == 1 {
		return false
	}
	err := g.store.View(func(tx *store.Tx) error {
		last, found, err := tx.Capture(u)
		had = found && last.URL == u && last.Run != g.record.Number
		return err
	})
	return had || err != nil
}

// openQueue opens the room of copies and the frontier, which asks it for stands, and wants the
// captures that are lost again.
func (h *Harvest) openQueue(past *past, monitor *novelty.Monitor) (err error) {
	if h.copies, err = readRoom(h.ground, h.record.Number); err != nil {
		return err
	}
	o := h.plan.Frontier
	o.Waiting, o.Past, o.Hasty.Priority = past.Waiting, past.taken, crawler.DrawnPriority
	o.Stand, o.Late = h.copies.Stand, h.copies.Late
	if h.plan.proof == nil {
		o.Stranger = h.strangers()
	}
	if monitor != nil {
		o.Novelty = func(u page.URL) string {
			if by, no := monitor.Refuses(u); no && !hadBefore(h.ground, u) {
				return by.String()
			}
			return ""
		}
	}
	if h.frontier, err = frontier.Open(h.store, h.record.Number, o); err != nil {
		return err
	}
	if err := h.losses.want(h.frontier, h.Missing); err != nil {
		return err
	}
	h.copies.Use(h.frontier, past.survey.Belongs)
	if err := errors.Join(h.copies.Open(), h.copies.save()); err != nil {
		return err
	}
	return h.costs().foretell()
}

// tools are what pages are fetched, read and recorded with.
type tools struct {
	fetcher *fetch.Fetcher
	robots  *robots.Cache
	extract *extract.Extractor
	reading *reading.Journal
	visits  *archive.Log
	browser *draw.Browser // nil for none
}

// openTools opens what pages are fetched and recorded with.
func (h *Harvest) openTools(rulings *rulings, crashed bool) (t tools, err error) {
	p := &h.plan
	wire := p.Fetch
	wire.SpoolDir = h.run.Spool()
	if t.fetcher, err = fetch.New(wire); err != nil {
		return t, err
	}
	h.own(t.fetcher.Close)
	if t.robots, err = robots.New(p.Robots); err != nil {
		return t, err
	}
	if t.extract, err = extract.New(p.Extract); err != nil {
		return t, err
	}
	if t.reading, err = reading.Open(filepath.Join(h.run.Spool(), "reading"), crashed); err != nil {
		return t, err
	}
	h.own(t.reading.Close)
	h.Suspects, h.Unread = t.reading.Suspects(), t.reading.Condemned()
	if t.visits, err = archive.OpenLog(h.disk(), h.run.path("logs", "crawl.log")); err != nil {
		return t, err
	}
	h.own(t.visits.Close)
	if p.Draw != nil {
		switch t.browser, err = draw.New(*p.Draw); {
		case errors.Is(err, draw.ErrNoBrowser):
			h.log.Warn("no page is drawn", "cause", err)
			h.Undrawn = err
		case err != nil:
			return t, err
		default:
			h.own(t.browser.Close)
		}
	}
	spool := h.archiving()
	spool.Dir, spool.Register = h.run.Spool(), true
	rulings.tell(&spool.Info)
	if h.archive, err = archive.NewWriter(spool); err != nil {
		return t, err
	}
	h.own(h.archive.Close)
	if len(p.Apart) == 0 {
		return t, nil
	}
	spool.Prefix = apartPrefix(spool.Prefix)
	if h.apart, err = archive.NewWriter(spool); err != nil {
		return t, err
	}
	h.own(h.apart.Close)
	return t, nil
}

func (h *Harvest) openCrawl(past *past, t tools, monitor *novelty.Monitor, barred []page.Rule) (err error) {
	o := h.plan.Crawl
	o.Visited = func(v *page.Visit) error {
		l := line(v, time.Now())
		if err := t.visits.Fetched(&l); err != nil {
			return err
		}
		return h.judge()
	}
	o.Held = newHolder(h.ground).held
	o.FreeDisk = max(o.FreeDisk, store.DefaultMinFreeBytes+marginBytes)
	o.Paths = []string{h.run.Spool(), h.folder.State()}
	aside := asides{h.copies, h.patch}
	if h.proof != nil {
		aside = append(aside, h.proof)
	}
	apart := map[string]*archive.Writer{}
	for _, name := range h.plan.Apart {
		apart[name] = h.apart
	}
	h.crawl, err = crawler.New(crawler.Parts{
		Logins: h.plan.Logins, Apart: apart,
		Store: h.store, Number: h.record.Number, Started: h.record.Started, Frontier: h.frontier,
		Survey: past.survey, Fetcher: t.fetcher, Robots: t.robots, Extract: t.extract, Archive: h.archive,
		Sites: h.siteNames(), Replayed: past.Replayed, Aside: aside, Novelty: monitor,
		Soft404: past.guard, Bans: past.bans, Reading: t.reading, Barred: barred,
		Browser: t.browser, Extended: past.extended, Open: h.openRecord,
	}, o)
	return err
}

// judge takes up what the parts beside the survey have learnt of a visit.
func (h *Harvest) judge() error {
	err := errors.Join(h.copies.judge(), h.patch.err)
	if h.proof != nil {
		err = errors.Join(err, h.proof.judge())
	}
	return err
}

// resume settles what was decided and ordered while nothing crawled, and begins to take orders.
func (h *Harvest) resume() (err error) {
	ordered, err := ReadOrders(h.run)
	if err != nil {
		return err
	}
	h.clerk.noted = len(ordered)
	if _, err = h.clerk.settle(); err != nil {
		return fmt.Errorf("settle what was decided since: %w", err)
	}
	if err = errors.Join(h.clerk.recall(ordered), h.clerk.obeyKept(ordered)); err != nil {
		return err
	}
	h.Paused = h.crawl.Held()
	return h.reception.open(h.clerk.carryOut, h.drawer.present)
}

// marginBytes is the room beyond what the store refuses to use at which the crawl pauses.
const marginBytes = 16 << 20

// Crawl fetches until nothing more is wanted, ctx ends, or a limit is reached: see crawler.Run.
// ErrStopped says that an order ended it.
func (h *Harvest) Crawl(ctx context.Context) error {
	ctx, leave := h.reception.enter(ctx, control.Crawling)
	defer leave()
	return h.drawer.during(ctx, func(ctx context.Context) error {
		for {
			if err := h.crawl.Run(ctx); err != nil {
				return err
			}
			if more, err := h.more(ctx); err != nil || !more {
				return errors.Join(err, context.Cause(ctx))
			}
		}
	})
}

// more is asked once the survey wants no more: copies, other spellings of what was not found, and
// tests of mirrors may have more to fetch.
func (h *Harvest) more(ctx context.Context) (bool, error) {
	h.clerk.step.Lock()
	defer h.clerk.step.Unlock()
	n, err := h.copies.Settle()
	if err == nil && n == 0 {
		n, err = h.respell(ctx)
	}
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
	h.reception.hangUp()
	var errs []error
	for _, end := range slices.Backward(h.owned) {
		errs = append(errs, end())
	}
	return errors.Join(errs...)
}

// leave closes the state, which says from now on that the run was interrupted, unless it is
// finished.
func (h *Harvest) leave() error {
	var err error
	if h.record.State == store.RunOpen && h.record.Number > 0 {
		h.record.State, h.record.Finished = store.RunInterrupted, time.Now()
		err = h.store.Update(func(tx *store.Tx) error { tx.PutRun(h.record); return nil })
	}
	return errors.Join(err, h.store.Close())
}

// Maps draws the map of each site from the present knowledge. After Deliver it gives the delivered
// maps.
func (h *Harvest) Maps() ([]*sitemap.Map, error) { return h.atlas.present() }

// Forecast gives the forecast of the run under way, as it was made when the run began; nil for a run
// that is no recrawl.
func (h *Harvest) Forecast() (*Forecast, error) { return h.costs().read() }

func (h *Harvest) costs() *forecaster { return &forecaster{ground: h.ground, copies: h.copies} }
