package crawler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/zeebo/xxh3"
	"golang.org/x/sync/errgroup"

	"watershed/archive"
	"watershed/crawler/extract"
	"watershed/crawler/fetch"
	"watershed/crawler/reading"
	"watershed/crawler/robots"
	"watershed/frontier"
	"watershed/graph"
	"watershed/internal/guard"
	"watershed/page"
	"watershed/replica/novelty"
	"watershed/replica/soft404"
	"watershed/sitemap"
	"watershed/store"
)

// Parts are what a crawl works with. The caller opens and closes them; during Run they belong to
// the crawler.
type Parts struct {
	Store    *store.Store
	Number   store.Run // of the run
	Started  time.Time // of the run, whatever process began it
	Frontier *frontier.Frontier
	Survey   *sitemap.Survey // has learnt the visits that the run already has: see Replay
	Fetcher  *fetch.Fetcher
	Robots   *robots.Cache
	Extract  *extract.Extractor
	Archive  *archive.Writer
	Sites    []string         // names, in the order of the frontier's site indexes
	Missing  []sitemap.Want   // that Replay found missing from the store
	Visited  int64            // how many visits the run already has
	Aside    Aside            // nil for none
	Novelty  *novelty.Monitor // of the places that pages come from; nil for none
	// against errors that look like pages; nil for none. It has learnt the run's visits, too
	Soft404 *soft404.Guard
	Reading *reading.Journal // of the pages that are being read; nil for none
	// what no site may have, and nobody beside the sites either; the survey knows them as its
	// sites' rules
	Barred []page.Rule
}

// Aside asks for URLs beside the survey: samples of replicas that are left out, and tests of pairs
// that may be replicas. The crawler calls it from one goroutine at a time. Like the survey, it has
// learnt the visits that the run already has.
type Aside interface {
	// Learn takes over a visit.
	Learn(v *page.Visit)
	// Wants gives the URLs that came to be wanted since the last call.
	Wants() []frontier.Candidate
}

// Crawler runs one crawl. While Run goes on, the methods by which an archivist steps in (Pause,
// Resume, SetTime, Pin, Exclude, Readmit, Rescale, Between) may be called by any goroutine; the
// others are not safe for concurrent use.
type Crawler struct {
	Parts
	opt   Options
	sites map[string]uint32

	mu        sync.Mutex // commit: guards Survey, the order of writes to Store, and what follows
	wants     []sitemap.Want
	asides    []frontier.Candidate
	barred    []page.Rule
	visits    int64                       // of this process
	last      uint64                      // sequence number of the last visit
	answered  map[page.Host]time.Time     // DNS answers that were archived
	spells    spellings                   // of the page that was read last
	robots    map[string]*robots.Fetching // robots.txt under way, by origin
	elsewhere elsewhere                   // robots.txt that others redirect to
	excess    map[page.URL]int64          // of what the flow wants, in fixed point
	standing  []SiteProgress
	sitesAt   time.Time
	dropped   droppedURLs

	started time.Time
	space   space
	hold    hold
	texts   texts
}

// New makes a crawler of its parts.
func New(p Parts, o Options) (*Crawler, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	c := &Crawler{
		Parts: p, opt: o.withDefaults(), sites: map[string]uint32{},
		robots: map[string]*robots.Fetching{}, elsewhere: elsewhere{}, answered: map[page.Host]time.Time{},
		excess: map[page.URL]int64{},
	}
	c.wants = append(c.wants, p.Missing...)
	for i, name := range p.Sites {
		c.sites[name] = uint32(i)
	}
	c.hold.limit = c.opt.Time
	c.barred = append(c.barred, p.Barred...)
	c.space.limit, c.space.paths = uint64(c.opt.FreeDisk), c.opt.Paths
	c.Frontier.OnDrop(c.drop)
	return c, c.texts.begin(c.opt.Sketch, c.Novelty != nil)
}

// Run crawls until the survey wants nothing more (nil), the context ends (its error), a limit is
// reached (ErrTime, ErrNoSpace) or an error occurs that is not the fault of a page. In each case
// all fetched pages are in archive and store, and a later Run goes on.
func (c *Crawler) Run(ctx context.Context) error {
	c.started = time.Now()
	if err := c.start(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	crew, crewCtx := errgroup.WithContext(ctx)
	for range c.opt.Workers {
		crew.Go(func() error { return c.work(crewCtx) })
	}
	kept := make(chan error, 1)
	keeping, stop := context.WithCancel(context.WithoutCancel(ctx))
	go func() { kept <- c.keep(keeping, cancel) }()
	err := crew.Wait()
	stop()
	err = errors.Join(err, <-kept, c.checkpoint())
	c.report(0)
	if cause := context.Cause(ctx); cause != nil && (err == nil || errors.Is(err, context.Canceled)) {
		return cause
	}
	return err
}

// start asks the survey for its first wants, and for those that an earlier process could not put
// into the store before it died.
func (c *Crawler) start(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.commitWants(ctx)
}

// work is the life of a worker: one page after the other, until nothing is left.
func (c *Crawler) work(ctx context.Context) error {
	w := c.Fetcher.Worker()
	for {
		l, err := c.Frontier.Lease(ctx)
		switch {
		case errors.Is(err, frontier.ErrDone):
			if more, err := c.more(ctx); err != nil || !more {
				return err
			}
		case err != nil:
			return err
		default:
			if err := c.page(ctx, w, l); err != nil {
				return err
			}
		}
	}
}

// Once nothing is left to fetch, more tells the survey which URLs the frontier gave up, and asks it
// which it wants then.
func (c *Crawler) more(ctx context.Context) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.commitWants(ctx); err != nil {
		return false, err
	}
	s := c.Frontier.Stats()
	return s.States[store.Pending] > 0 || s.Leased > 0, nil
}

// page is the life of one page. The error is one that ends the crawl.
func (c *Crawler) page(ctx context.Context, w *fetch.Worker, l *frontier.Lease) error {
	touched := false
	ended, err := c.pageSteps(ctx, w, l, &touched)
	if !ended {
		c.Frontier.Release(l, touched)
	}
	return err
}

// pageSteps reports whether the lease has ended, and whether anything was sent to the host.
func (c *Crawler) pageSteps(ctx context.Context, w *fetch.Worker, l *frontier.Lease,
	touched *bool,
) (ended bool, err error) {
	if ended, err = c.address(ctx, l); ended || err != nil {
		return ended, err
	}
	if ended, err = c.permit(ctx, w, l, touched); ended || err != nil {
		return ended, err
	}
	awaited := c.awaits(l.URL)
	prior, err := c.prior(l.URL)
	if err != nil {
		return false, err
	}
	if awaited { // by a robots.txt, which has to be read
		prior.ETag, prior.LastModified = "", ""
	}
	*touched = true
	q := fetch.Request{
		URL: l.URL, Spelled: l.Spelled, Address: l.Address, ETag: prior.ETag,
		LastModified: prior.LastModified,
	}
	if c.probes(l.URL) {
		q.MaxBody = maxProbe
	}
	x := w.Fetch(ctx, q)
	defer x.Close() // frees a temporary file; what was needed of it is in the archive by now
	if ended, err := c.spoiled(ctx, x); ended {
		return false, err
	}
	v, o := visitOf(l, x), outcomeOf(x)
	v.Site = c.Sites[l.Site]
	if retry := o; errors.Is(x.Err, fetch.ErrStalled) { // the last attempt counts, whatever it brought
		if retry.Status = page.StatusTimeout; c.Frontier.Foretell(l, retry).State == store.Pending {
			o = retry
		}
	}
	if fate := c.Frontier.Foretell(l, o); fate.State == store.Pending {
		c.opt.Log.Info("to be tried again", "url", l.URL, "status", o.Status, "cause", v.Cause,
			"tries", l.Tries+1)
		return true, c.conclude(ctx, l, o)
	}
	c.read(x, v, prior)
	if o.Spelled, o.Respelled = v.Itself(); o.Respelled {
		v.SoftError = c.Frontier.Foretell(l, o).State == store.Failed
	}
	if err := c.record(ctx, x, v, prior, l); err != nil {
		return false, err
	}
	if v.Unread {
		o.Unread = v.Cause
	}
	if awaited {
		c.heard(x)
	}
	o.File = !v.Page()
	err = c.commit(ctx, v, func(tx *store.Tx) error {
		o.Visit = v.Seq
		_, err := c.Frontier.Finish(tx, l, o)
		return err
	})
	return err == nil, err
}

// maxProbe bounds the answer to a random sibling, in bytes: as much is read of any page, and there
// is no reason to keep more of a page to which nobody links.
const maxProbe = 16 << 20

// probes reports a URL that was made up to see how the server says that there is no such page.
func (c *Crawler) probes(u page.URL) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.Soft404 != nil && c.Soft404.Asked(u)
}

// spoiled reports an exchange that says nothing of the page, because the crawl was stopped during
// it, or the disk was full; in that case it waits for room. The URL is due again.
func (c *Crawler) spoiled(ctx context.Context, x *page.Exchange) (ended bool, err error) {
	switch {
	case x.Err != nil && ctx.Err() != nil:
		return true, context.Cause(ctx)
	case errors.Is(x.Err, fetch.ErrSpool):
		return true, c.awaitSpace(ctx, x.Err)
	}
	return false, nil
}

// conclude ends a lease without a visit.
func (c *Crawler) conclude(ctx context.Context, l *frontier.Lease, o frontier.Outcome) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.update(ctx, func(tx *store.Tx) error {
		_, err := c.Frontier.Finish(tx, l, o)
		return err
	})
}

// outcomeOf is the outcome of an exchange as the frontier is told it.
func outcomeOf(x *page.Exchange) frontier.Outcome {
	o := frontier.Outcome{Status: statusOf(x), ResponseTime: x.Duration}
	if o.Status <= 0 && x.Err != nil {
		o.Evidence = x.Err.Error()
	}
	if x.Response != nil {
		o.Bytes = x.Response.Size()
	}
	if x.Status == 429 || x.Status == 503 {
		o.RetryAfter = x.Header.Get("Retry-After")
	}
	return o
}

// visitOf begins the visit that an exchange makes.
func visitOf(l *frontier.Lease, x *page.Exchange) *page.Visit {
	v := &page.Visit{
		URL: l.URL, Spelled: l.Spelled, Time: x.Start, Status: statusOf(x), Duration: x.Duration,
		Truncated: x.Truncated, Via: l.Via, Hops: l.Hops,
	}
	if x.Remote.IsValid() && !x.Proxied {
		v.Remote = x.Remote.String()
	}
	if x.Err != nil {
		v.Cause = x.Err.Error()
	}
	return v
}

// statusOf is the status under which an exchange is recorded. A body whose time ran out counts as
// an answer that was cut off, like a body that is too long. To ask again would not help: an endless
// stream, such as a radio station, would be recorded for twenty minutes each time. Where the time
// ran out before the first byte of the body, the exchange has failed.
func statusOf(x *page.Exchange) int {
	s := fetch.StatusOf(x.Err)
	if s == 0 || s == page.StatusTimeout && x.Truncated == page.CutTime && x.Response != nil &&
		x.Response.Size() > x.Head {
		return x.Status
	}
	return s
}

// read fills the visit from the response.
func (c *Crawler) read(x *page.Exchange, v *page.Visit, prior prior) {
	if v.Status <= 0 {
		return
	}
	v.ETag, v.LastModified = x.Header.Get("ETag"), x.Header.Get("Last-Modified")
	if v.Status == 304 && prior.visit != nil {
		old := prior.visit
		v.MIME, v.Charset, v.Language, v.Title, v.NoIndex = old.MIME, old.Charset, old.Language,
			old.Title, old.NoIndex
		v.Digest, v.Content, v.Links, v.Sketch = old.Digest, old.Content, old.Links, old.Sketch
		if v.Unread = old.Unread; v.Unread {
			v.Cause = old.Cause
		}
		return
	}
	v.Content = contentOf(x)
	if x.Status >= 400 {
		c.readBody(x, v, false) // an error page's links are the server's, not the site's
		return
	}
	done, err := c.Reading.Read(v.URL, func() {
		if c.opt.Reads != nil {
			c.opt.Reads(v.URL)
		}
		c.readBody(x, v, true)
	})
	if err != nil {
		c.opt.Log.Error("a page that ends the process would not be known by the next", "cause", err)
	}
	if !done {
		c.readBody(x, v, false)
		v.Unread, v.Cause = true, reading.Cause
	}
}

// readBody reads the head of an answer, and its body if body is set.
func (c *Crawler) readBody(x *page.Exchange, v *page.Visit, body bool) {
	in := extract.InputOf(x)
	in.Sitemap = strings.HasSuffix(v.Hops, string(page.Sitemap.Hop()))
	if !body {
		in.Body = nil
	}
	text := c.texts.get()
	in.Text = text.reader()
	r := c.Extract.Extract(in)
	if body {
		if cause := unread(x, &r); cause != "" {
			v.Unread, v.Cause = true, cause
		}
	}
	// the capture is kept, and nothing is known of what it says; text may be half done
	if errors.Is(r.Err, guard.ErrPanic) {
		v.MIME = r.Declared
		return
	}
	defer c.texts.put(text)
	v.Sketch = text.sketch()
	if r.Format == extract.HTML && v.OK() {
		c.learnPlace(v.URL, text, r.Links)
	}
	v.MIME, v.Charset, v.Language, v.Title = cmp.Or(r.Declared, r.Sniffed), r.Charset, r.Language, r.Title
	v.NoIndex, v.Links = r.NoIndex, r.Links
}

// unread says why an answer was not read whole; "" where it was, or where its media type is never
// read.
func unread(x *page.Exchange, r *extract.Result) string {
	switch b := x.Body; {
	case errors.Is(r.Err, guard.ErrPanic):
		return "not read: " + r.Err.Error()
	case r.Err != nil:
		return "read in part: " + r.Err.Error()
	case r.LinksCut:
		return "read in part: it has more links than are read of a page"
	case !r.Read:
		return ""
	case b.Err != nil:
		return "read in part: its content coding is broken: " + b.Err.Error()
	case b.Cut:
		return fmt.Sprintf("read in part: it is longer than the %d bytes that are read of a page", len(b.Bytes))
	case x.Truncated != page.Whole:
		return "read in part: the answer is cut (" + string(x.Truncated) + ")"
	}
	return ""
}

// contentOf is a digest of the whole payload as it is read, 0 where not all of it is known.
func contentOf(x *page.Exchange) uint64 {
	if b := x.Body; x.Truncated == page.Whole && !b.Cut && b.Err == nil && len(b.Bytes) > 0 {
		return xxh3.Hash(b.Bytes)
	}
	return 0
}

// record writes the capture of an exchange, as a revisit where its payload is held already.
func (c *Crawler) record(ctx context.Context, x *page.Exchange, v *page.Visit, prior prior,
	l *frontier.Lease,
) error {
	if x.Response == nil {
		return nil
	}
	asks, err := c.asks(l)
	if err != nil {
		return err
	}
	sum, err := archive.SumPayload(x, archive.SHA256)
	if err != nil {
		return fmt.Errorf("digest %s: %w", v.URL, err)
	}
	v.Size = sum.Size
	var origin page.Origin
	if x.Status == 304 && prior.visit != nil {
		origin = prior.origin
	} else {
		v.Digest = sum.SHA256
		if origin, err = c.original(x, &sum); err != nil {
			return err
		}
	}
	m := archive.Meta{
		Via: v.Via, Hops: v.Hops, Charset: v.Charset, Site: v.Site,
		Excess:   float64(l.Priority) / float64(graph.Unit),
		Page:     asks,
		Outlinks: v.Links, Payload: &sum,
	}
	drafts, err := archive.Capture(x, m, origin)
	if err != nil || len(drafts) == 0 {
		return err
	}
	locs, err := c.write(ctx, drafts...)
	if err != nil {
		return fmt.Errorf("archive %s: %w", v.URL, err)
	}
	v.Record = locs[0]
	if origin.URL != "" {
		v.Revisit, v.Origin = true, origin
	}
	return nil
}

// asks is the page that asked for a URL: itself, or of a part the page that it was found on, perhaps
// through style sheets, frames and redirects; "" for a sitemap.
func (c *Crawler) asks(l *frontier.Lease) (page.URL, error) {
	if !l.Part {
		return l.URL, nil
	}
	trail := l.Hops[len(strings.TrimRight(l.Hops, "ER")):]
	first := strings.IndexByte(trail, page.Embed.Hop())
	if first < 0 {
		return "", nil
	}
	at := l.Via
	err := c.Store.View(func(tx *store.Tx) error {
		for range len(trail) - first - 1 {
			u, _, err := tx.URL(c.Number, at.Key())
			if err != nil || u.Via == 0 {
				return err
			}
			via, _, err := tx.URL(c.Number, u.Via)
			if err != nil {
				return err
			}
			at = via.URL
		}
		return nil
	})
	return at, err
}

// write appends drafts to the archive. A full disk pauses the crawl until there is room.
func (c *Crawler) write(ctx context.Context, drafts ...archive.Draft) ([]page.Location, error) {
	for {
		locs, err := c.Archive.Write(drafts...)
		if !errors.Is(err, archive.ErrNoSpace) {
			c.space.roomy()
			return locs, err
		}
		if err := c.awaitSpace(ctx, err); err != nil {
			return nil, err
		}
	}
}

// commit makes a visit known: to the survey, then, in one transaction with the end of its lease and
// what the survey now wants, to the store. If that fails, the survey's knowledge ends with the
// process, and is replayed without the visit.
func (c *Crawler) commit(ctx context.Context, v *page.Visit, finish func(*store.Tx) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Soft404 != nil {
		v.SoftError = c.Soft404.Learn(v) || v.SoftError
	}
	teach(c.Survey, v)
	if c.Aside != nil {
		c.Aside.Learn(v)
	}
	c.gatherWants()
	c.spells = spellingsOf(v)
	err := c.update(ctx, func(tx *store.Tx) error {
		if err := tx.PutVisit(c.Number, v); err != nil {
			return err
		}
		if err := Remember(tx, c.Number, v, c.opt.Dedupe); err != nil {
			return err
		}
		if err := finish(tx); err != nil {
			return err
		}
		return c.want(tx)
	})
	if err != nil {
		return fmt.Errorf("commit %s: %w", v.URL, err)
	}
	c.visits++
	delete(c.excess, v.URL)
	c.last = v.Seq
	if c.opt.Visited != nil {
		if err := c.opt.Visited(v); err != nil {
			return err
		}
	}
	return c.refused(ctx)
}

// Remember makes a whole capture the one that later ones may refer to.
func Remember(tx *store.Tx, run store.Run, v *page.Visit, d archive.Dedupe) error {
	if v.Record.IsZero() || v.Truncated != page.Whole {
		return nil
	}
	if v.Status == 200 || v.Status == 304 {
		record := v.Record
		if v.Revisit {
			record = v.Origin.Record
		}
		tx.PutCapture(&store.Capture{
			URL: v.URL, Time: v.Time, Status: v.Status, ETag: v.ETag, LastModified: v.LastModified,
			Digest: v.Digest, Size: v.Size, Record: record, Run: run, Visit: v.Seq,
		})
	}
	if v.Revisit || v.Status == 206 || v.Status == 304 || v.Size == 0 {
		return nil
	}
	if _, held, err := tx.Original(v.Digest); err != nil || held && d.MaxAge == 0 {
		return err
	}
	tx.PutOriginal(v.Digest, &store.Original{
		Origin: page.Origin{URL: v.URL, Spelled: v.Spelled, Time: v.Time, Record: v.Record},
		Run:    run, Visit: v.Seq,
	})
	return nil
}

// update is store.Update that pauses on a full disk, until the context ends.
func (c *Crawler) update(ctx context.Context, fn func(*store.Tx) error) error {
	for {
		err := c.Store.Update(fn)
		if !errors.Is(err, store.ErrNoSpace) {
			c.space.roomy()
			return err
		}
		if err := c.awaitSpace(ctx, err); err != nil {
			return err
		}
	}
}
