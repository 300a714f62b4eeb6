package crawler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"watershed/archive"
	"watershed/crawler/ban"
	"watershed/crawler/cookie"
	"watershed/crawler/draw"
	"watershed/crawler/extract"
	"watershed/crawler/fetch"
	"watershed/crawler/login"
	"watershed/crawler/reading"
	"watershed/crawler/robots"
	"watershed/frontier"
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
	Logins   *login.Logins // nil for none
	// where what was had with a login is kept apart, by its name; the others go to Archive
	Apart   map[string]*archive.Writer
	Sites   []string         // names, in the order of the frontier's site indexes
	Aside   Aside            // nil for none
	Novelty *novelty.Monitor // of the places that pages come from; nil for none
	// against errors that look like pages; nil for none. It has learnt the run's visits, too
	Soft404  *soft404.Guard
	Bans     *ban.Watch    // of hosts that begin to refuse the crawler. It has learnt the run's visits, too
	Browser  *draw.Browser // that draws pages; nil for none
	Replayed Replayed      // what Replay found
	Extended []Extended    // runs whose captures answer the browser, too
	// Open opens the record of a capture, of this run or an earlier one
	Open    func(page.Location) (*archive.Record, error)
	Reading *reading.Journal // of the pages that are being read; nil for none
	// what no site may have, and nobody beside the sites either; the survey knows them as its
	// sites' rules
	Barred []page.Rule
}

// Aside asks for URLs beside the survey: samples of replicas that are left out, and tests of pairs
// that may be replicas. The crawler calls it from one goroutine at a time. Like the survey, it has
// learnt the visits that the run already has.
type Aside interface {
	// Learn takes over a visit, and takes it over once more when a browser has drawn its page.
	Learn(v *page.Visit)
	// Wants gives the URLs that came to be wanted since the last call.
	Wants() []frontier.Candidate
}

// Crawler runs one crawl. While Run goes on, the methods by which an archivist steps in (Pause,
// Resume, SetTime, Pin, Exclude, Readmit, Rescale, Between) may be called by any goroutine; the
// others are not safe for concurrent use.
type Crawler struct {
	*commits
	recorder *recorder
	permits  *permits
	browsing *browsing // nil where no page is drawn

	started  time.Time
	dull     bool                    // an earlier process left pages out; the commit lock guards it
	answered map[page.Host]time.Time // DNS answers that were archived; the commit lock guards it
	standing []SiteProgress
	sitesAt  time.Time
}

// New makes a crawler of its parts.
func New(p Parts, o Options) (*Crawler, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	t := &tools{Parts: p, opt: o.withDefaults()}
	t.Bans = cmp.Or(t.Bans, ban.New())
	t.hold.limit = t.opt.Time
	t.space.limit, t.space.paths = uint64(t.opt.FreeDisk), t.opt.Paths
	if !t.opt.NoCookies {
		t.needs = cookie.New()
	}
	m := newCommits(t)
	t.Frontier.OnDrop(m.drop, t.Bans.Refused)
	r := &recorder{tools: t}
	c := &Crawler{commits: m, recorder: r, answered: map[page.Host]time.Time{}}
	if t.Browser != nil {
		c.browsing = &browsing{
			commits: m, recorder: r, browser: t.Browser, asks: map[page.URL]*draw.Request{},
			queue: slices.Clone(t.Replayed.Undrawn), Doubts: t.Replayed.Doubted,
		}
	}
	c.permits = &permits{
		commits: m, recorder: r, robots: map[string]*robots.Fetching{}, elsewhere: elsewhere{},
		browsing: c.browsing,
	}
	return c, r.texts.begin(t.opt.Sketch, t.Novelty != nil)
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
	drawers, drawing := errgroup.WithContext(ctx)
	drawing, undraw := context.WithCancel(drawing)
	defer undraw()
	if c.browsing != nil {
		for range c.opt.Tabs {
			drawers.Go(func() error {
				err := c.browsing.work(drawing)
				if err != nil {
					cancel(err) // workers wait for what is being drawn
				}
				return err
			})
		}
	}
	kept := make(chan error, 1)
	keeping, stop := context.WithCancel(context.WithoutCancel(ctx))
	go func() { kept <- c.keep(keeping, cancel) }()
	err := crew.Wait()
	undraw()
	err = errors.Join(err, drawers.Wait())
	stop()
	err = errors.Join(err, <-kept)
	if saved := c.checkpoint(); !errors.Is(err, ErrNoSpace) || !isFull(saved) { // else it is told already
		err = errors.Join(err, saved)
	}
	c.report(0)
	if cause := context.Cause(ctx); cause != nil && (err == nil || errors.Is(err, context.Canceled)) {
		return cause
	}
	return err
}

// start asks the survey for its first wants, and for those that an earlier process could not put
// into the store before it died.
func (c *Crawler) start(ctx context.Context) error {
	if err := c.excludeAnew(); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dull = c.Frontier.Stats().Reasons[store.LowNovelty] > 0
	return c.commitWants(ctx)
}

// work is the life of a worker: one page after the other, until nothing is left.
func (c *Crawler) work(ctx context.Context) error {
	w := c.Fetcher.Worker()
	for {
		l, err := c.Frontier.Lease(ctx)
		switch {
		case errors.Is(err, frontier.ErrDone), errors.Is(err, frontier.ErrDropped):
			more, err := c.more(ctx)
			if err != nil || !more && !c.browsing.unfinished(ctx) && c.settled() {
				return err
			}
		case errors.Is(err, store.ErrNoSpace): // to record what is not to be fetched
			if err := c.awaitSpace(ctx, err); err != nil {
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

// Once nothing is left to fetch, or many URLs were given up, more tells the survey which URLs the
// frontier gave up, and asks it which it wants then. If nothing is left after that either, pages are
// fetched that were left out in a place without end, and lead to what brings something, as is known by then;
// and hosts are asked whose last pages were refused, perhaps.
func (c *Crawler) more(ctx context.Context) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.commitWants(ctx); err != nil {
		return false, err
	}
	waits := func() bool {
		s := c.Frontier.Stats()
		return s.States[store.Pending] > 0 || s.Leased > 0
	}
	if waits() {
		return true, nil
	}
	if !c.browsing.drawing() { // else what is drawn may lead elsewhere still
		if err := c.followStands(ctx); err != nil || waits() {
			return err == nil, err
		}
	}
	if some, err := c.reconsidered(ctx); some || err != nil {
		return some, err
	}
	missed := c.Bans.NotFound()
	last, err := c.askable(c.Bans.Last())
	lost := c.Bans.Lost()
	if err == nil {
		err = c.update(ctx, func(tx *store.Tx) error {
			for status, pages := range missed {
				if err := frontier.Restore(c.Frontier, tx, pages, status); err != nil {
					return err
				}
			}
			return errors.Join(frontier.Lose(c.Frontier, tx, lost, ban.InPlace), c.Frontier.Again(tx, last))
		})
	}
	if err != nil {
		return false, fmt.Errorf("ask hosts that may refuse the crawler: %w", err)
	}
	return waits(), nil
}

// reconsidered has pages be fetched that were left out in a place without end, where more is known of it by
// now; and once where an earlier process left some out, as what that knew is lost. The caller holds the
// commit lock.
func (c *Crawler) reconsidered(ctx context.Context) (some bool, err error) {
	if c.Novelty == nil || !c.Novelty.Reconsiders() && !c.dull {
		return false, nil
	}
	c.dull = false
	for {
		n, err := c.Frontier.Reopen(func(u *store.URL) bool {
			if u.Reason != store.LowNovelty {
				return false
			}
			_, no := c.Novelty.Refuses(u.URL)
			return !no
		})
		if some = some || n > 0; !errors.Is(err, store.ErrNoSpace) {
			return some && err == nil, err
		}
		if err := c.awaitSpace(ctx, err); err != nil {
			return false, err
		}
	}
}

// page is the life of one page. The error is one that ends the crawl.
func (c *Crawler) page(ctx context.Context, w *fetch.Worker, l *frontier.Lease) error {
	touched := false
	ended, err := c.pageSteps(ctx, w, l, &touched)
	if !ended {
		c.Frontier.Release(l, touched)
	}
	if errors.Is(err, frontier.ErrLease) { // its URL is leased again, or was
		c.opt.Log.Warn("a page took longer than its lease lasts", "url", l.URL)
		return nil
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
	if ended, err = c.permits.first(ctx, w, l, touched); ended || err != nil {
		return ended, err
	}
	awaited := c.permits.awaits(l.URL)
	prior, err := c.recorder.prior(l.URL)
	if err != nil {
		return false, err
	}
	if awaited || l.Tries > 0 { // by a robots.txt, which has to be read; or the condition was the fault
		prior.visit, prior.ETag, prior.LastModified = nil, "", ""
	}
	*touched = true
	q := fetch.Request{
		URL: l.URL, Spelled: l.Spelled, Address: l.Address, ETag: prior.ETag,
		LastModified: prior.LastModified, Referer: refererOf(l),
	}
	probe := c.probes(l.URL)
	if probe {
		q.MaxBody = maxProbe
	}
	session := c.Logins.Session(l.URL)
	if session != nil {
		q.Login = session
	}
	if ended, err := c.browsing.request(ctx, l, &q); ended || err != nil {
		return ended, err
	}
	if session == nil {
		q.Header = c.needs.Fields(q.Header, l.URL, l.Via)
	}
	if q.Method == http.MethodPost {
		prior.visit, prior.ETag, prior.LastModified = nil, "", ""
	}
	x := fetchUnder(ctx, w, l, q)
	defer x.Close() // frees a temporary file; what was needed of it is in the archive by now
	if ended, err := c.spoiled(ctx, l, x); ended {
		return false, err
	}
	if session != nil {
		if ended, err := c.permits.judged(ctx, session, l, x); ended || err != nil {
			return ended, err
		}
	}
	v, o := c.answer(l, x, probe)
	o.Broken = o.Broken || misheard(x, prior.visit != nil)
	switch fate := c.Frontier.Foretell(l, o); {
	case fate.State == store.Pending:
		return true, c.tryAgain(ctx, l, v, o)
	case (fate.State == store.Failed || o.Status >= http.StatusInternalServerError) && c.Bans.Missed(l.URL):
		return true, c.conclude(ctx, l, o) // as it was answered before: see more
	}
	c.recorder.read(x, v, prior)
	c.recorder.learnFile(v)
	if o.Empty {
		v.Unread, v.Cause = true, cmp.Or(v.Cause, "the server sent an empty page")
	}
	if err := c.recorder.record(ctx, x, v, prior, l); err != nil {
		return false, err
	}
	if v.Unread {
		o.Unread = v.Cause
	}
	if awaited {
		c.permits.heard(x)
	}
	if (l.Part || probe) && !extract.IsScript(v.MIME) {
		v.Drawing = page.NotDrawn
	}
	if err := c.browsing.anew(v); err != nil {
		return false, err
	}
	o.File = v.File()
	if session == nil {
		c.afresh(l, x, v, &o)
	}
	if err = c.finish(ctx, l, v, o); err == nil {
		c.browsing.add(v)
	}
	return err == nil, err
}

// refererOf is what browsers tell of the page that leads to a URL: all of its address to its own origin, and
// to others theirs alone. Some servers give pages and images to nobody else.
func refererOf(l *frontier.Lease) page.URL {
	if l.Via == "" || l.Via.Root() == l.URL.Root() {
		return l.Via
	}
	return l.Via.Root()
}

// misheard reports an answer of servers that take a condition for a fault, or find one where none was made,
// or send a part of a page that was asked for as a whole.
func misheard(x *page.Exchange, conditional bool) bool {
	switch x.Status {
	case http.StatusPartialContent:
		return !wholeRange(x.Header.Get("Content-Range"))
	case http.StatusBadRequest, http.StatusPreconditionFailed:
		return conditional
	case http.StatusNotModified:
		return !conditional
	}
	return false
}

// answer gives what came of a request, as visit and as outcome.
func (c *Crawler) answer(l *frontier.Lease, x *page.Exchange, probe bool) (*page.Visit, frontier.Outcome) {
	v, o := visitOf(l, x), outcomeOf(x)
	v.Site, o.Broken = c.Sites[l.Site], errors.Is(x.Err, fetch.ErrCutShort) && !probe
	o.Empty, o.Final = !l.Part && emptyPage(x), probe   // servers may not answer what nobody links to
	if retry := o; errors.Is(x.Err, fetch.ErrStalled) { // the last attempt counts, whatever it brought
		if retry.Status = page.StatusTimeout; c.Frontier.Foretell(l, retry).State == store.Pending {
			o = retry
		}
	}
	return v, o
}

// tryAgain ends a lease whose URL is tried again.
func (c *Crawler) tryAgain(ctx context.Context, l *frontier.Lease, v *page.Visit, o frontier.Outcome) error {
	c.opt.Log.Info("to be tried again", "url", l.URL, "status", o.Status, "cause", v.Cause,
		"tries", l.Tries+1)
	if o.Empty || o.Status == http.StatusInternalServerError {
		c.Bans.Learn(v) // a host may refuse the crawler so
	}
	return c.conclude(ctx, l, o)
}

// afresh has a page asked for once more whose answer is of a session that nobody goes on with: see
// cookie.Needs.
func (c *Crawler) afresh(l *frontier.Lease, x *page.Exchange, v *page.Visit, o *frontier.Outcome) {
	if x.Header.Get("Set-Cookie") != "" {
		c.Bans.SetsCookies(l.URL)
	}
	again := *o
	again.Respelled, again.Spelled = true, l.Spelled
	if c.needs.Answered(v, c.Bans.Like(v), http.Header(x.Header), func() bool {
		return c.Frontier.Foretell(l, again).State == store.Pending
	}) {
		*o, v.Drawing = again, page.NotDrawn // the next answer is drawn
	}
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

// emptyPage reports an answer with success that has nothing, where a page would be, and leads nowhere.
func emptyPage(x *page.Exchange) bool {
	of, b := x.Header.Get("Content-Type"), x.Body
	return x.Status == http.StatusOK && x.Truncated == page.Whole &&
		len(b.Bytes) == 0 && b.Err == nil && !b.Cut &&
		(of == "" || strings.HasPrefix(of, "text/html")) && x.Header.Get("Refresh") == ""
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
	o.RetryAfter = x.Header.Get("Retry-After")
	return o
}

// visitOf begins the visit that an exchange makes.
func visitOf(l *frontier.Lease, x *page.Exchange) *page.Visit {
	v := &page.Visit{
		URL: l.URL, Spelled: l.Spelled, Time: x.Start, Status: statusOf(x), Duration: x.Duration,
		Truncated: page.CutOf(x.Truncated, x.Header), Via: l.Via, Hops: l.Hops, Login: x.Login,
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
