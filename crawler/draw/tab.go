package draw

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"watershed/page"
)

//go:embed behave.js
var behaviours string

//go:embed trees.js
var trees string

var behave = strings.Replace(behaviours, "DEEDS", deeds, 1)

var discard = log.New(io.Discard, "", 0)

// errSilent is the cause of a call that the browser did not answer in time.
var errSilent = errors.New("the browser was silent for too long, and was killed")

// Drawing is what a page shows when its scripts have run and a reader has looked at all of it.
type Drawing struct {
	Title string
	// Text is that of the page and its shadow trees, white space folded, at most a MiB; behind it stands
	// what the page showed before, and no more when a reader had looked at all of it. A second line is
	// what it showed when things were pressed that might have led elsewhere.
	Text string
	// Markup is the page as it stood then, without its scripts, in HTML, of some 4 million characters
	// at most.
	Markup string
	// View is a picture of what a window of 1,280 by 900 shows when the page has agreed to be looked
	// at, and Thumbnail a quarter of it, both as JPEG; nil for none.
	View, Thumbnail []byte
	Links           []page.Link
	Asked           []Asked // in the order in which it was asked for
	// Places are those behind a "#" that the page's own scripts show.
	Places []Place
	// Errors are what the page's scripts failed by, and what they told the console as errors: different
	// ones, 100 at most; the last is Unheard where there may be more.
	Errors []string
	// Cookies are those that the page had when its scripts wanted to load it once more, by themselves: a
	// server may have another page for who sends them. nil where no script did.
	Cookies []*http.Cookie
	Cut     string // why not all of it was looked at; "" where all was
	hasty   bool   // it gave up what it had asked for before the crawler came to ask for that
	Took    time.Duration
	Waited  time.Duration // for answers, of Took
}

// Place is what a page shows at an address that differs behind a "#" alone.
type Place struct {
	URL, Title, Text string
}

// Tab draws one page after the other. It belongs to one goroutine.
type Tab struct {
	b     *Browser
	proxy *proxy

	process *process // to which what follows belongs
	host    page.Host
	context string // of the browser: its cookies and caches, of one host's pages
	spoilt  bool   // what the last page asked for may still be on its way to the proxy
	window  window // of the context, which stands empty; the zero value for none
	followed
}

// Tab makes a tab. Close it.
func (b *Browser) Tab() (*Tab, error) {
	p, err := newProxy(b.ca, b.opt.Requests)
	if err != nil {
		return nil, err
	}
	return &Tab{b: b, proxy: p}, nil
}

// Close ends the tab.
func (t *Tab) Close() error { return t.proxy.close() }

// Draw draws a page. A browser that dies or falls silent is started anew, and the page tried once
// more in the time that is left of its own, if that is at least half of it. The error is of the context,
// of a browser that does not start, or of a page that no browser could draw; pages that ask for too much,
// or never end, are no error: see Drawing.Cut. An attempt that another tab's page has ended counts for
// nothing.
func (t *Tab) Draw(ctx context.Context, u page.URL, source Source) (d *Drawing, err error) {
	var spent time.Duration
	for tries, others := 0, 0; tries < 2 && spent <= t.b.opt.PageTime/2; {
		if d, spent, err = t.draw(ctx, u, source, spent); err == nil && d.hasty {
			return t.again(ctx, u, source, d), nil
		}
		if err == nil || ctx.Err() != nil {
			return d, err
		}
		p := t.process
		t.process = nil
		if p.endedFor(t) && others < mostOthers {
			others++
			continue
		}
		tries++
		t.kill(p)
	}
	return nil, fmt.Errorf("draw %s: %w", u, err)
}

// again draws a page that gave up what it had asked for: by now the archive has most of the answers.
// Where that fails the first drawing stands.
func (t *Tab) again(ctx context.Context, u page.URL, source Source, first *Drawing) *Drawing {
	d, _, err := t.draw(ctx, u, source, 0)
	if err != nil || d.Cut != "" {
		return first
	}
	d.Links = append(d.Links, first.Links...)
	slices.SortStableFunc(d.Links, byURL) // of two alike the later drawing's stands first
	d.Links = slices.CompactFunc(d.Links, func(a, b page.Link) bool { return a.URL == b.URL })
	d.Asked = append(first.Asked, d.Asked...)
	d.Places = append(d.Places, slices.DeleteFunc(first.Places, func(p Place) bool {
		return slices.ContainsFunc(d.Places, func(o Place) bool { return o.URL == p.URL })
	})...)
	d.Took, d.Waited = d.Took+first.Took, d.Waited+first.Waited
	return d
}

// mostOthers bounds how often a page is drawn anew since another tab's page has ended the browser.
const mostOthers = 20

// kill ends a browser, nil for none, for what the page of this tab does.
func (t *Tab) kill(p *process) {
	if p != nil {
		p.killer.CompareAndSwap(nil, t)
		t.b.kill(p)
	}
}

// draw draws a page that has spent some of its time before, and tells how much it has spent then.
func (t *Tab) draw(ctx context.Context, u page.URL, source Source, before time.Duration,
) (_ *Drawing, spent time.Duration, err error) {
	if err := t.ready(ctx, u.Host()); err != nil {
		return nil, before, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	start := time.Now()
	s := &sight{
		ctx: ctx, source: source, last: start, seen: map[string]int{}, noted: map[string]bool{},
		posts: map[string]bool{},
	}
	defer t.proxy.show(nil)
	v := &view{
		Drawing: Drawing{Errors: []string{}}, begins: func() { t.proxy.show(s) },
		process: t.process, opt: &t.b.opt, sight: s, page: u, host: &t.followed,
		window: t.window, loaded: make(chan struct{}),
		crashed: make(chan struct{}), links: map[page.URL]page.Link{}, calls: map[string]call{},
		known: map[[sha256.Size]byte]bool{},
	}
	s.linked = linker(v)
	t.window = window{}
	if err := v.open(ctx, t.context); err != nil {
		return nil, before, err
	}
	v.renew() // that a busy machine took long to open the page is no time of the page
	v.start = v.start.Add(-before)
	if err = v.look(ctx); err == nil || errors.Is(err, errEnough) {
		err = cmp.Or(v.cookies(ctx), err)
	}
	spent = v.spent(time.Now())
	if err == nil && v.Cut == "" && t.b.opt.Follow > 0 {
		err = v.follow(ctx)
	}
	t.proxy.show(nil)
	s.mu.Lock()
	v.Asked = slices.Clone(s.asked) // before the page is closed, which ends what it awaits
	s.mu.Unlock()
	if broken := err != nil && !errors.Is(err, errEnough); broken && ctx.Err() == nil {
		if t.process.swollen.Load() {
			err = fmt.Errorf("the browser took more than %d MiB of memory, and was killed",
				t.b.opt.Memory>>20)
		}
		if t.process.endedFor(t) {
			return nil, before, err
		}
		if !v.readOnce {
			return nil, spent, err
		}
		v.Cut = err.Error() // what was read before counts
		t.kill(t.process)
		t.process = nil
	}
	v.list()
	if s.exceeded() && v.Cut == "" {
		v.Cut = fmt.Sprintf("it asks for more than %d things", t.b.opt.Requests)
	}
	if t.process != nil {
		if t.window, err = v.end(ctx); err != nil && ctx.Err() == nil { // it does not answer
			t.kill(t.process)
			t.process = nil
		}
	}
	if ctx.Err() != nil {
		return nil, spent, context.Cause(ctx)
	}
	v.Took, v.Waited = time.Since(start), s.waited(time.Now())
	t.spoilt = v.Cut != ""
	v.mu.Lock()
	defer v.mu.Unlock()
	v.hasty = v.gave && v.Cut == ""
	return &v.Drawing, spent, nil
}

// ready has a browser run, with a context of its own for the host: no page sees the cookies, the
// caches and the workers of another host's.
func (t *Tab) ready(ctx context.Context, host page.Host) error {
	p, err := t.b.process(ctx)
	if err != nil {
		return err
	}
	if t.spoilt = t.spoilt || t.proxy.strayed(); t.process == p && t.host == host && !t.spoilt {
		return nil
	}
	call, cancel := context.WithTimeoutCause(ctx, t.b.opt.Patience, errSilent)
	defer cancel()
	if t.process == p {
		// an error here is met again by the next call
		_ = p.call(call, "", "Target.disposeBrowserContext",
			map[string]any{"browserContextId": t.context}, nil)
	}
	if t.process != p || t.host != host {
		t.followed = newFollowed()
	}
	t.process, t.host, t.window = p, host, window{}
	if t.spoilt {
		old := t.proxy
		if t.proxy, err = newProxy(t.b.ca, t.b.opt.Requests); err != nil {
			t.proxy, t.host = old, ""
			return err
		}
		_ = old.close() // what comes there has no answer
		t.spoilt = false
	}
	var made struct{ BrowserContextID string }
	err = p.call(call, "", "Target.createBrowserContext", map[string]any{
		"disposeOnDetach": true, "proxyServer": "http://" + t.proxy.address(),
		"proxyBypassList": "<-loopback>",
	}, &made)
	if err != nil {
		t.host = ""
		return err
	}
	t.context = made.BrowserContextID
	return p.call(call, "", "Browser.setDownloadBehavior", map[string]any{
		"behavior": "deny", "browserContextId": t.context,
	}, nil)
}

// view is a page that is open in the browser.
type view struct {
	*process
	opt    *Options
	sight  *sight
	page   page.URL
	host   *followed
	start  time.Time     // of the page, or of the place on it
	waited time.Duration // for answers, until start
	served time.Duration // of waited, since the requests were made
	acted  time.Time     // when something was done to the page
	late   time.Duration // how late it answered the last times
	enough time.Time     // when its time was over; zero before
	Drawing

	window
	walk            *walk    // to the places behind a "#"; nil before, and where none are visited
	strays          []string // where scripts put another page in its place
	readOnce        bool     // what the page shows was read
	shows           int      // characters, when Markup was read
	news            int      // pieces of text and links that were met until the last step
	loaded, crashed chan struct{}
	// begins is called when the page's own document is asked for: all that the browser asks for before is
	// of a page that it has closed
	begins func()
	told   int // messages of the console, which the browser's events count
	goes   int // how often a script went elsewhere by itself, or opened a window, likewise

	mu    sync.Mutex                 // guards what follows, which events change
	calls map[string]call            // of scripts, whose end is not told yet, by their ids
	known map[[sha256.Size]byte]bool // what they asked for: sums of method, address and body
	heard time.Time                  // when the end of a call for something new was told
	world int                        // of our scripts, apart from the page's; 0 before
	begun bool                       // the page's own document was asked for
	over  bool                       // crashed is closed
	done  bool                       // loaded is closed
	links map[page.URL]page.Link
	many  bool   // there are more of them than mostLinks
	anew  bool   // its scripts want to load it once more
	gave  bool   // one of them was given up while it waited for its turn
	blank string // the address of the empty document that ends the page; "" before

	frames []frame  // of other origins, and others that have no script of ours
	inner  []string // sessions of frames that are listened to
	deaf   bool     // none is listened to any more
}

// command is one that is sent to the browser.
type command struct {
	method string
	params map[string]any
}

// open opens the page, in a window of a context where it has none yet, and waits until the page has come.
func (v *view) open(ctx context.Context, within string) error {
	if v.target == "" {
		var err error
		if v.window, err = newWindow(ctx, v.process, within, v.opt.Patience); err != nil {
			return err
		}
	}
	v.shown++
	v.hear(v.session, v.event)
	var went struct{ ErrorText string }
	if err := v.navigate(ctx, &went); err != nil {
		return err
	}
	switch {
	case went.ErrorText == "":
	case v.killer.Load() != nil: // a browser that ends breaks off what it loads
		return errGone
	default:
		v.Cut = "the browser does not show it: " + went.ErrorText
	}
	return nil
}

// navigate goes to the page. The answer comes with the document, which may have to be fetched: the
// browser is silent from when nothing is awaited any more.
func (v *view) navigate(ctx context.Context, went any) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	begun := time.Now()
	go func() {
		for rest := v.opt.Patience; pause(ctx, rest) == nil; {
			now := time.Now()
			if rest = v.opt.Patience - min(v.sight.idle(now), now.Sub(begun)); rest <= 0 {
				cancel(errSilent)
				return
			}
		}
	}()
	return v.call(ctx, v.session, "Page.navigate", map[string]any{"url": string(v.page)}, went)
}

// world is the name of the world in which our scripts run: they see the page's elements, and the
// page's scripts do not see them.
const world = "watershed"

// spent is how much of its time the page has spent, of which none passes while it awaits answers.
func (v *view) spent(now time.Time) time.Duration {
	return now.Sub(v.start) - (v.sight.waited(now) - v.waited)
}

// leastPatience is how long the browser may be silent at least.
const leastPatience = 2 * time.Second

// patience is how long the browser may be silent by now. All that is done when the time of a page is over,
// to read it once more and to close it, has the patience for a single call.
func (v *view) patience() time.Duration {
	if v.enough.IsZero() {
		return v.opt.Patience
	}
	return max(v.opt.Patience-time.Since(v.enough), leastPatience)
}

// ask is call with a bound: a browser that does not answer is killed.
func (v *view) ask(ctx context.Context, session, method string, params, result any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, v.patience(), errSilent)
	defer cancel()
	return v.call(ctx, session, method, params, result)
}

// event takes an event of the page. It does not wait.
func (v *view) event(method string, params json.RawMessage) {
	switch method {
	case "Page.loadEventFired":
		v.mu.Lock()
		defer v.mu.Unlock()
		if !v.done {
			v.done = true
			close(v.loaded)
		}
	case "Inspector.targetCrashed":
		v.mu.Lock()
		defer v.mu.Unlock()
		if !v.over {
			v.over = true
			close(v.crashed)
		}
	case "Page.javascriptDialogOpening":
		var dialog struct{ Type string }
		_ = json.Unmarshal(params, &dialog) // "" is like any other
		v.tell("Page.handleJavaScriptDialog", map[string]any{"accept": dialog.Type == "beforeunload"})
	case "Page.windowOpen":
		var opened struct{ URL string }
		if json.Unmarshal(params, &opened) == nil {
			goesTo(v, opened.URL, byWindow, byWindow)
		}
	case "Fetch.requestPaused":
		v.paused(params)
	case "Network.requestWillBeSent", "Network.loadingFailed", "Network.loadingFinished":
		v.called(method, params)
	case "Runtime.exceptionThrown", "Runtime.consoleAPICalled":
		v.fails(params)
	default:
		v.inFrames(v.session, method, params)
	}
}

// Bounds of the calls of scripts: how long one that is given up has waited at least, and the page for
// turns of the crawler; and how many are known.
const (
	leastWait = time.Second
	mostCalls = 1000
)

// call is one of a script.
type call struct {
	made  time.Time
	fresh bool // nothing like it was asked for before
}

// called notes the call of a script, or that one has ended. Scripts often give an answer up after some
// seconds, in which the crawler may not have come to ask for it.
func (v *view) called(method string, params json.RawMessage) {
	var p struct {
		RequestID, Type, ErrorText string
		Request                    struct{ Method, URL, PostData string }
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	now := time.Now()
	if method == "Network.requestWillBeSent" {
		asks := strings.HasPrefix(p.Request.URL, "http") // and reads no data of its own, data: or blob:
		if asks && (p.Type == "Fetch" || p.Type == "XHR") && len(v.calls) < mostCalls {
			key := sha256.Sum256([]byte(p.Request.Method + " " + p.Request.URL + " " + p.Request.PostData))
			fresh := len(v.known) < mostCalls && !v.known[key]
			if v.calls[p.RequestID] = (call{now, fresh}); fresh {
				v.known[key] = true
			}
		}
		return
	}
	c, ok := v.calls[p.RequestID]
	if !ok {
		return
	}
	delete(v.calls, p.RequestID)
	if c.fresh {
		v.heard = now
	}
	aborted := p.ErrorText == "net::ERR_ABORTED" || p.ErrorText == "net::ERR_TIMED_OUT"
	if aborted && now.Sub(c.made) >= leastWait && v.sight.waited(now)-v.sight.served(now) >= leastWait {
		v.gave = true
	}
}

// mostUntold is how long a busy machine may take to bring a call to the crawler, or its answer to the page.
const mostUntold = 2 * time.Second

// idleOf tells for how long nothing was done to a page, nothing new was asked for and no answer to that came
// to the page; 0 while one is awaited, or on its way.
func idleOf(v *view, now time.Time) time.Duration {
	idle := v.sight.idle(now)
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, c := range v.calls {
		if c.fresh && min(idle, now.Sub(c.made)) < mostUntold {
			return 0
		}
	}
	return min(idle, now.Sub(v.acted), now.Sub(v.heard))
}

// fails notes an exception that nothing caught, or what was told to the console as an error. It hears no
// more than mostTold messages of a page.
func (v *view) fails(params json.RawMessage) {
	if v.told++; v.told == mostTold {
		v.tell("Runtime.disable", map[string]any{})
		v.failed(Unheard)
	}
	if v.told >= mostTold {
		return
	}
	type value struct {
		Value       any
		Description string
	}
	var p struct {
		Type             string
		Args             []value
		ExceptionDetails struct {
			Text      string
			Exception value
		}
	}
	if json.Unmarshal(params, &p) != nil || p.Type != "" && p.Type != "error" {
		return
	}
	var words []string
	for _, x := range append(p.Args, p.ExceptionDetails.Exception) {
		if word := x.Description; word != "" || x.Value != nil {
			if word == "" {
				word = fmt.Sprint(x.Value)
			}
			word, _, _ = strings.Cut(word, "\n") // of an error its stack follows
			words = append(words, word)
		}
	}
	text := strings.TrimSpace(p.ExceptionDetails.Text + " " + strings.Join(words, " "))
	v.failed(fmt.Sprintf("%.300s", strings.ToValidUTF8(text, "\uFFFD")))
}

// failed keeps an error of the page.
func (v *view) failed(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if text == "" || slices.Contains(v.Errors, text) || slices.Contains(v.Errors, Unheard) {
		return
	}
	if len(v.Errors) == mostErrors-1 {
		text = Unheard
	}
	v.Errors = append(v.Errors, text)
}

// Unheard stands behind the errors of a page that told so much that the rest was not listened to.
const Unheard = "the page told more than was listened to"

// Bounds of the errors of a page that are kept, and of what it tells the console.
const (
	mostErrors = 100
	mostTold   = 1000
)

// tell sends a command whose answer is of no account.
func (v *view) tell(method string, params map[string]any) {
	_, _ = v.send(v.session, method, params) // a browser that has gone is met by the next call
}

// paused lets a document be asked for, or not: the page's own, and those of its frames.
func (v *view) paused(params json.RawMessage) {
	var p struct {
		RequestID, FrameID string
		Request            struct{ URL, Method string }
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	v.mu.Lock()
	own := p.FrameID == v.target
	ends := own && v.blank != "" && p.Request.URL == v.blank
	goes := !own || !v.begun
	if own && !v.begun {
		v.begun = true
		v.begins()
	}
	v.mu.Unlock()
	if ends {
		v.tell("Fetch.fulfillRequest", map[string]any{
			"requestId": p.RequestID, "responseCode": http.StatusOK,
			"responseHeaders": []map[string]any{{"name": "Content-Type", "value": "text/html"}},
			"body":            []byte(`<link rel=icon href=data:,>`), // else the browser asks for one
		})
		return
	}
	if goes && (own || p.Request.Method == "GET") {
		v.tell("Fetch.continueRequest", map[string]any{"requestId": p.RequestID})
		return
	}
	v.tell("Fetch.failRequest", map[string]any{"requestId": p.RequestID, "errorReason": "Aborted"})
	u := p.Request.URL
	if !own || p.Request.Method != "GET" {
		return
	}
	if !v.sight.wasPressed() && v.isItself(u) {
		v.mu.Lock()
		v.anew = true
		v.mu.Unlock()
	}
	goesTo(v, u, byPress, byItself)
}

// goesTo notes, with the context of either, where a script goes as something was pressed, or by itself. A
// script that did so again and again goes on to, whatever is pressed.
func goesTo(v *view, address, pressed, alone string) {
	context := pressed
	if !v.sight.wasPressed() {
		v.goes++
		context = alone
	} else if changes(address) {
		return
	}
	if v.goes > MostGoings {
		context = byItself
	}
	v.leads(address, context, "")
}

// mostWait is how long a request waits at most until a page that works has said whether it links to that.
const mostWait = time.Second

// linker reports, while a page is looked at, whether it links to another one of its host.
func linker(v *view) func(ctx context.Context, u page.URL, address string) bool {
	return func(ctx context.Context, u page.URL, address string) bool {
		v.mu.Lock()
		link, known := v.links[u]
		world := v.world
		v.mu.Unlock()
		if known || world == 0 || u == v.page || u.Host() != v.page.Host() {
			return known && link.Kind == page.Navigation
		}
		ctx, cancel := context.WithTimeout(ctx, mostWait)
		defer cancel()
		var answer struct{ Result struct{ Value bool } }
		err := v.call(ctx, v.session, "Runtime.evaluate", map[string]any{
			"expression": "__watershed.linksTo(" + quoted(address) + ")", "contextId": world,
			"returnByValue": true, "silent": true,
		}, &answer)
		return err == nil && answer.Result.Value
	}
}

// isItself reports the address of the page, whatever its query.
func (v *view) isItself(address string) bool {
	u, err := page.ParseURL(address)
	return err == nil && u.Scheme() == v.page.Scheme() && u.Host() == v.page.Host() &&
		u.Path() == v.page.Path()
}

// cookies reads those that the browser would send for the page.
func (v *view) cookies(ctx context.Context) error {
	v.mu.Lock()
	anew := v.anew
	v.mu.Unlock()
	if !anew {
		return nil
	}
	var has struct {
		Cookies []struct {
			Name, Value, Domain, Path string
			Secure                    bool
		}
	}
	err := v.ask(ctx, v.session, "Network.getCookies", map[string]any{"urls": []string{string(v.page)}}, &has)
	for _, c := range has.Cookies {
		domain := "" // of the page's host alone
		if strings.HasPrefix(c.Domain, ".") {
			domain = c.Domain
		}
		v.Cookies = append(v.Cookies, &http.Cookie{
			Name: c.Name, Value: c.Value, Domain: domain, Path: c.Path, Secure: c.Secure,
		})
	}
	return err
}

// mostLinks bounds the links of a page, as in behave.js, which gives one more for that to be known.
const mostLinks = 20_000

// Contexts of the address that a script has given the page, of where it goes by itself and as something was
// pressed, and of a window that it opens.
const (
	byHistory = page.DrawnContext + "history"
	byItself  = page.DrawnContext + "location"
	byPress   = page.DrawnContext + "press"
	byWindow  = page.DrawnContext + "window.open"
)

// leads notes a link. Where a script goes to a place of the page, that is none.
func (v *view) leads(address, context, text string) {
	if here, _, _ := strings.Cut(address, "#"); context == byHistory && here == string(v.page) {
		return
	}
	u, err := page.ParseURL(address)
	if err != nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, known := v.links[u]; known || u == v.page {
		return
	}
	if len(v.links) >= mostLinks {
		v.many = true
		return
	}
	v.links[u] = page.Link{
		URL: u, Kind: KindOf(context), Context: context, Text: text, Spelled: u.Spelling(address),
	}
}

// MostGoings is to how many addresses the scripts of a page may go by themselves: others are of one that
// does so again and again.
const MostGoings = 3

// KindOf is the kind of a link that a drawn page has, by its context: a picture of another size, and what
// rules of scripts name, belong to the page; a script that goes elsewhere by itself redirects.
func KindOf(context string) page.LinkKind {
	switch {
	case strings.HasSuffix(context, "srcset") || strings.HasSuffix(context, "/style"):
		return page.Embed
	case context == byItself:
		return page.Refresh
	}
	return page.Navigation
}

// end ends the page, and waits until it is gone: what it asks for until then would be taken for the next
// page's, and would take that one's turns. The window is left for that, unless more is to be feared of it.
func (v *view) end(ctx context.Context) (left window, err error) {
	defer func() {
		v.hear(v.session, nil)
		v.mu.Lock()
		defer v.mu.Unlock()
		v.deaf = true
		for _, session := range v.inner {
			v.hear(session, nil)
		}
	}()
	v.mu.Lock()
	v.blank = string(v.page.Root()) + rand.Text()
	whole := v.Cut == "" && !v.over && v.shown < mostShown && !slices.Contains(v.Errors, Unheard)
	v.mu.Unlock()
	if whole && v.evaluate(ctx, "leave()", nil) == nil && v.empty(ctx, v.process, v.blank) == nil {
		return v.window, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, v.patience(), errSilent)
	defer cancel()
	return window{}, v.close(ctx, v.process)
}

func byURL(a, b page.Link) int { return cmp.Compare(a.URL, b.URL) }

// list makes the links of the page those of its drawing.
func (v *view) list() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.many && v.Cut == "" {
		v.Cut = fmt.Sprintf("it has more than %d links", mostLinks)
	}
	v.Links = slices.SortedFunc(maps.Values(v.links), byURL)
}

// errEnough ends the looking at a page whose time is over; what was seen of it counts.
var errEnough = errors.New("enough")

// run calls an expression of behave.js in the page.
func (v *view) run(ctx context.Context, expression string, result any) error {
	select {
	case <-v.crashed:
		return errors.New("the page ended its process in the browser")
	default:
	}
	now := time.Now()
	switch {
	case v.spent(now) > v.opt.PageTime:
		v.Cut = fmt.Sprintf("it was not quiet after %s", v.opt.PageTime)
	case v.sight.served(now)-v.served > v.opt.PageTime: // it polls a server that is in no hurry
		v.Cut = fmt.Sprintf("servers took %s to answer it, and it was not quiet then", v.opt.PageTime)
	default:
		return v.evaluate(ctx, expression, result)
	}
	v.enough = now
	return errEnough
}

// evaluate calls an expression of behave.js.
func (v *view) evaluate(ctx context.Context, expression string, result any) error {
	err := v.evaluateIn(ctx, frame{v.session, v.world}, expression, result)
	for n := 0; isReplaced(err) && n < mostReplaced && !v.readOnce; n++ {
		if err = enter(ctx, v); err == nil {
			err = v.evaluateIn(ctx, frame{v.session, v.world}, expression, result)
		}
	}
	if isReplaced(err) && v.readOnce {
		v.Cut = cmp.Or(v.Cut, displaced)
		return errEnough
	}
	return err
}

func (v *view) evaluateIn(ctx context.Context, f frame, expression string, result any) error {
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct{ Text string }
	}
	err := v.ask(ctx, f.session, "Runtime.evaluate", map[string]any{
		"expression": "__watershed." + expression, "contextId": f.context, "returnByValue": true,
		"silent": true,
	}, &answer)
	switch {
	case err != nil:
		return err
	case answer.ExceptionDetails != nil:
		return fmt.Errorf("%s: %.200s", expression, answer.ExceptionDetails.Text)
	case result == nil || answer.Result.Value == nil:
		return nil
	}
	return json.Unmarshal(answer.Result.Value, result)
}

// displaced is why a page is not looked at any more that scripts have left, and not come back to.
const displaced = "its scripts put another page in its place"

// stepped is how much a step of behave.js did, and how many pieces of text and links were met until then, at
// which address. Failed is the exception that ended it. Nothing was done where the page is away: its scripts
// have put another one in its place, from which it may be on its way back.
type stepped struct {
	Did, News    int
	Here, Failed string
	Away, Back   bool
}

// step does a step of behave.js and says how much it did.
func (v *view) step(ctx context.Context, name string) (n int, err error) {
	presses := slices.Contains(
		[]string{"consent", "back", "more", "turn", "open", "closer", "farther", "hover"}, name)
	before := v.sight.wasPressed()
	if presses {
		v.sight.press(true)
	}
	var sum stepped
	call := "step('" + name + "')"
	err = v.run(ctx, call, &sum)
	for err == nil && sum.Away {
		if !changes(sum.Here) {
			v.leads(sum.Here, byHistory, "")
			v.strays = append(v.strays, sum.Here)
		}
		if !sum.Back {
			v.Cut = displaced
			return 0, errEnough
		}
		if err = v.quiet(ctx, v.opt.Still); err == nil {
			sum = stepped{}
			err = v.run(ctx, call, &sum)
		}
	}
	if err == nil {
		err = inFrame(ctx, v, call, func(in *stepped) {
			sum.Did, sum.News = sum.Did+in.Did, sum.News+in.News
		})
	}
	if presses && err == nil && sum.Did == 0 {
		v.sight.press(before)
	}
	if sum.Failed != "" {
		v.Cut = cmp.Or(v.Cut, fmt.Sprintf("%s: %.200s", call, sum.Failed))
	}
	if name == "scroll" { // article after article
		v.leads(sum.Here, byHistory, "")
	}
	v.acted, v.news = time.Now(), sum.News
	return sum.Did, err
}

// restless is how many times as long nothing new must be asked for by a page that goes on to change
// what it shows, such as a clock.
const restless = 4

// latest is how many times as late as answers of the page what it does may come to be seen: on a busy machine
// each of the processes that take part in it waits for its turn.
const latest = 3

// quiet waits until the page has loaded, nothing new was asked for, and nothing was drawn for a
// while: three times as long at most where the page is late to answer.
func (v *view) quiet(ctx context.Context, least time.Duration) error {
	for {
		var unchanged float64 // milliseconds
		asked := time.Now()
		if err := v.run(ctx, "still()", &unchanged); err != nil {
			return err
		}
		now := time.Now()
		v.late = max(now.Sub(asked), v.late*3/4)
		still := least + min(latest*v.late, 2*least)
		idle := idleOf(v, now)
		idle = max(min(idle, time.Duration(unchanged*float64(time.Millisecond))), idle/restless)
		if idle >= still && v.hasLoaded(now) {
			return nil
		}
		if err := pause(ctx, max(min(still-idle, still), 20*time.Millisecond)); err != nil {
			return err
		}
	}
}

// pause waits.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// patientLoad is how long a page may do nothing before its load event counts as come: a picture that
// never ends keeps it back.
const patientLoad = 2 * time.Second

func (v *view) hasLoaded(now time.Time) bool {
	select {
	case <-v.loaded:
		return true
	default:
		return v.sight.idle(now) > patientLoad
	}
}

// Bounds of what is done on a page.
const (
	mostScrolls = 200
	mostPresses = 50
	mostVain    = 5  // presses in a row after which nothing new was asked for, as in a slide show
	mostStill   = 12 // such presses of arrows, of which a page may have many that turn what is there
	mostPlaying = 30 * time.Second
	unasked     = 4 * time.Second // after which a film is taken to have all of itself
)

// look does what a reader does, and reads what is shown then.
func (v *view) look(ctx context.Context) error {
	if v.Cut != "" {
		return nil
	}
	err := enter(ctx, v)
	if err == nil {
		err = v.quiet(ctx, v.opt.Still)
	}
	if err == nil {
		err = v.read(ctx) // what is shown first counts, whatever comes of the rest
	} else {
		err = v.last(ctx, err)
	}
	if err == nil {
		err = v.behave(ctx)
	}
	if err == nil {
		err = v.routes(ctx)
	}
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	return nil
}

// enter has our script run in the document that the page shows.
func enter(ctx context.Context, v *view) error {
	var made struct{ ExecutionContextID int }
	err := v.ask(ctx, v.session, "Page.createIsolatedWorld",
		map[string]any{"frameId": v.target, "worldName": world}, &made)
	if err != nil {
		return err
	}
	v.mu.Lock()
	v.world = made.ExecutionContextID
	v.mu.Unlock()
	// a document without scripts has not run it by itself
	err = v.ask(ctx, v.session, "Runtime.evaluate", map[string]any{
		"expression": behave, "contextId": v.world, "silent": true,
	}, nil)
	if isReplaced(err) { // the next call enters the other one
		return nil
	}
	return err
}

// mostReplaced is how often a document may be put in the place of another one before a call is
// answered.
const mostReplaced = 3

// isReplaced reports the error of a call to a document that is shown no more: a style sheet in XSLT
// puts another one in its place.
func isReplaced(err error) bool {
	return err != nil && strings.Contains(err.Error(), "Cannot find context")
}

// stir moves the mouse at the left edge of the page, and turns its wheel a little: many pages put off their
// scripts until a reader does something.
func (v *view) stir(ctx context.Context) error {
	for _, event := range []map[string]any{
		{"type": "mouseMoved", "x": 3, "y": 450},
		{"type": "mouseMoved", "x": 4, "y": 451},
		{"type": "mouseWheel", "x": 4, "y": 451, "deltaX": 0, "deltaY": 1},
	} {
		if err := v.ask(ctx, v.session, "Input.dispatchMouseEvent", event, nil); err != nil {
			return err
		}
	}
	v.acted = time.Now()
	return v.quiet(ctx, v.opt.Still/3)
}

// behave does the steps, and reads the page again.
func (v *view) behave(ctx context.Context) error {
	err := steps(ctx, v)
	if err == nil {
		_, err = v.step(ctx, "leave") // and be it to come back from where scripts have gone
	}
	if err != nil {
		return v.last(ctx, err)
	}
	return v.read(ctx)
}

// steps does each step until it does nothing more.
func steps(ctx context.Context, v *view) error {
	if err := v.stir(ctx); err != nil {
		return err
	}
	for i, n := 0, 1; i < 3 && n > 0; i++ {
		var err error
		if n, err = act(ctx, v, "consent"); err == nil && n > 0 {
			err = v.read(ctx) // without the words of the banner
		}
		if err != nil {
			return err
		}
	}
	if err := v.picture(ctx); err != nil {
		return err
	}
	if _, err := act(ctx, v, "back"); err != nil {
		return err
	}
	presses, vain, ended := 0, 0, 0
	for range mostScrolls {
		for ; presses < mostPresses && vain < mostVain; presses++ {
			before := v.sight.different()
			n, err := act(ctx, v, "more")
			if err != nil {
				return err
			}
			if n == 0 {
				break
			}
			if vain++; v.sight.different() > before {
				vain = 0
			}
		}
		n, err := v.step(ctx, "scroll")
		wait := v.opt.Still // more may come of itself at the end of a page
		if ended++; n > 0 {
			wait, ended = v.opt.Still/3, 0
		}
		if err == nil {
			err = v.quiet(ctx, wait)
		}
		if err != nil {
			return err
		}
		if ended > 1 {
			break
		}
	}
	for _, name := range []string{"turn", "top", "open", "closer", "farther", "hover", "leave", "play"} {
		before, asked := v.sight.wasPressed(), v.sight.different()
		v.sight.hover(name == "hover")
		rests := false
		n, err := v.step(ctx, name)
		switch {
		case err != nil || n == 0:
		case name == "turn" || name == "open" || name == "hover":
			rests, err = v.goOn(ctx, name, asked)
		case name == "play":
			err = v.play(ctx)
		}
		if err == nil && n > 0 && !rests {
			err = v.quiet(ctx, v.opt.Still)
		}
		if err != nil {
			return err
		}
		if name == "hover" { // nothing comes of it any more
			v.sight.press(before)
		}
	}
	return outlast(ctx, v)
}

// act does a step, and waits where it did something.
func act(ctx context.Context, v *view, name string) (n int, err error) {
	if n, err = v.step(ctx, name); err == nil && n > 0 {
		err = v.quiet(ctx, v.opt.Still)
	}
	return n, err
}

// mostLate is how many pages of a host in a row may ask for nothing after their scripts have waited
// for some seconds; others are not waited for.
const mostLate = 3

// outlast waits for scripts that wait by themselves, as a reader who stays does.
func outlast(ctx context.Context, v *view) error {
	before := v.sight.different()
	ms, err := v.step(ctx, "later")
	wait := time.Duration(ms) * time.Millisecond
	if err != nil || ms == 0 || v.host.late >= mostLate || v.spent(time.Now())+wait > v.opt.PageTime/2 {
		return err
	}
	if err = pause(ctx, wait); err == nil {
		err = v.quiet(ctx, v.opt.Still)
	}
	if v.host.late++; v.sight.different() > before {
		v.host.late = 0
	}
	return err
}

// goOn goes on with a step, before whose first time so many different requests were seen, as some things
// are open for as long as no other is, until it does nothing or the last times have brought nothing; where
// the first of several alike bring nothing by the mouse that goes over them, others hardly do. It reports
// that nothing was done since the page was quiet.
func (v *view) goOn(ctx context.Context, name string, asked int) (rests bool, err error) {
	most, wait := mostVain, v.opt.Still/3
	switch name {
	case "turn":
		most = mostStill
	case "hover":
		most, wait = 1, v.opt.Still
	}
	news := v.news
	for presses, vain := 1, 0; presses < mostPresses && vain < most; presses++ {
		err := v.quiet(ctx, wait)
		if err == nil && v.sight.different() > asked { // a busy machine shows it a while after it came
			err = v.quiet(ctx, v.opt.Still)
		}
		if err != nil {
			return false, err
		}
		now := v.sight.different()
		n, err := v.step(ctx, name)
		if err != nil || n == 0 {
			return wait == v.opt.Still, err
		}
		if vain++; now > asked || v.news > news {
			vain = 0
		}
		asked, news = now, v.news
	}
	return false, nil
}

// last reads the page although its time is over. The page failed where that fails and nothing was read of it
// before.
func (v *view) last(ctx context.Context, err error) error {
	if !errors.Is(err, errEnough) {
		return err
	}
	failed := v.read(ctx)
	if failed != nil && !v.readOnce {
		return failed
	}
	return errors.Join(err, failed)
}

// picture takes a picture of the page. A page that the browser cannot show has none.
func (v *view) picture(ctx context.Context) (err error) {
	if !v.opt.Pictures {
		return nil
	}
	var taken struct{ Data []byte }
	err = v.ask(ctx, v.session, "Page.captureScreenshot",
		map[string]any{"format": "jpeg", "quality": 80, "optimizeForSpeed": true}, &taken)
	if err != nil || len(taken.Data) > maxPicture {
		if errors.Is(err, errSilent) || errors.Is(err, errGone) || ctx.Err() != nil {
			return err
		}
		return nil
	}
	if v.Thumbnail, err = thumbnail(taken.Data); err == nil {
		v.View = taken.Data
	}
	return nil
}

// play waits until films have come to their end, or for as long as a film may take.
func (v *view) play(ctx context.Context) error {
	end := time.Now().Add(mostPlaying)
	for time.Now().Before(end) {
		n, err := v.step(ctx, "playing")
		if err != nil || n == 0 || v.sight.idle(time.Now()) > unasked {
			return err
		}
		if err := pause(ctx, 250*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// shown is what behave.js reads off a page.
type shown struct {
	Title, Text, Here string
	Shows             int // characters of Text that the page shows
	Links             []struct {
		URL, Text, Rel string
		At             string // as link contexts tell it
		Bare           bool   // it leads to a place of the page that is not there, or to a script
	}
}

// read reads links and text. Text that the page showed at an earlier reading and has taken away since
// counts; the markup is that of the reading that showed most.
func (v *view) read(ctx context.Context) error {
	var s shown
	if err := v.evaluate(ctx, "read(true)", &s); err != nil {
		return err
	}
	err := inFrame(ctx, v, "written()", func(in *shown) {
		s.Links = append(s.Links, in.Links...)
		if in.Text != "" && len(s.Text)+len(in.Text) < 1<<20 {
			s.Text += " " + in.Text
		}
	})
	if err != nil {
		return err
	}
	v.take(&s)
	v.readOnce, v.Text = true, s.Text
	if s.Shows < v.shows {
		return nil
	}
	v.Title, v.shows = s.Title, s.Shows
	return v.evaluate(ctx, "markup()", &v.Markup)
}

// take notes the links of what is shown.
func (v *view) take(s *shown) {
	for _, l := range s.Links {
		v.leads(l.URL, page.DrawnContext+l.At, l.Text)
	}
	v.leads(s.Here, byHistory, "")
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, l := range s.Links {
		if !strings.Contains(strings.ToLower(l.Rel), "nofollow") {
			continue
		}
		u, err := page.ParseURL(l.URL)
		if known, ok := v.links[u]; err == nil && ok {
			known.NoFollow = true
			v.links[u] = known
		}
	}
}

// routes visits the places of the page that only its scripts know: behind "#/" and "#!", and those that
// it links to and that are not there.
func (v *view) routes(ctx context.Context) error {
	if v.opt.Routes < 0 {
		return nil
	}
	var s shown
	if err := v.evaluate(ctx, "read()", &s); err != nil {
		return err
	}
	own, here, _ := strings.Cut(s.Here, "#")
	v.walk = &walk{
		own: own, host: v.host, seen: map[string]bool{here: true, "": true},
		texts: map[string]string{pathOf(here): s.Text}, start: s.Text, before: s.Text,
		end: time.Now().Add(v.opt.places),
	}
	if here != "" && v.walk.links(&s, here) { // a script went there of itself
		v.Places = append(v.Places, Place{URL: s.Here, Title: s.Title, Text: s.Text})
	}
	for _, stray := range v.strays {
		v.walk.meet(stray, false)
	}
	return v.visit(ctx, &s)
}

// visit visits the places that are linked to by what is shown, and by what they show.
func (v *view) visit(ctx context.Context, s *shown) error {
	for w := v.walk; ; w.visited++ {
		w.add(s)
		hash, more := w.next()
		switch {
		case !more:
			return nil
		case time.Now().After(w.end):
			v.Cut = fmt.Sprintf("its places behind \"#\" took %s", v.opt.places)
			return nil
		case w.visited >= v.opt.Routes:
			v.Cut = fmt.Sprintf("it has more than %d places behind \"#\"", v.opt.Routes)
			return nil
		}
		s = &shown{}
		before := v.sight.different()
		if err := v.goTo(ctx, hash, s); err != nil {
			return err
		}
		v.take(s)
		switch {
		case w.fresh(hash, s.Text):
			v.Places = append(v.Places, Place{URL: w.own + "#" + hash, Title: s.Title, Text: s.Text})
		case !isRoute(hash) && v.sight.different() > before: // pictures, as in an album
			w.same = 0
		}
	}
}

// renew gives what follows the time of a page.
func (v *view) renew() {
	v.start = time.Now()
	v.waited, v.served = v.sight.waited(v.start), v.sight.served(v.start)
}

// goTo goes to a place of the page, which has the time of a page, and reads it.
func (v *view) goTo(ctx context.Context, hash string, s *shown) error {
	v.renew()
	err := v.run(ctx, "goto("+quoted(hash)+")", nil)
	v.acted = time.Now()
	if err == nil {
		err = v.quiet(ctx, v.opt.Still)
	}
	if err == nil {
		err = v.evaluate(ctx, "read()", s)
	}
	return err
}

// quoted is a text as scripts write it.
func quoted(text string) string {
	b, _ := json.Marshal(text) // of a text it does not fail
	return string(b)
}

// walk goes from place to place of a page. Places that differ in what stands behind a "?", and those
// that are written otherwise than routes, each once on a host, are asked last, and no more of them once
// several have shown nothing else than the place without it, or than what stood there, and those
// that are not written as routes have asked for nothing either.
type walk struct {
	own    string // address of the page
	host   *followed
	seen   map[string]bool
	queue  [2][]string       // routes without a "?", and others
	texts  map[string]string // by what stands before the "?"
	start  string            // the text of the page
	before string            // the text of the last place
	same   int               // how many of the others showed nothing new

	visited int
	end     time.Time // after which none is visited
}

// mostSame is how many places that are no routes without a "?" may show nothing new.
const mostSame = 3

// isRoute reports that what stands behind a "#" is written as routes are.
func isRoute(hash string) bool { return strings.IndexAny(hash, "/!") == 0 }

func pathOf(hash string) string {
	path, _, _ := strings.Cut(hash, "?")
	return path
}

// place is what stands behind the "#" of a link to a place of the page; bare is that of a link to one that
// is not there.
func (w *walk) place(link string, bare bool) (hash string, ok bool) {
	to, hash, ok := strings.Cut(link, "#")
	return hash, ok && to == w.own && (isRoute(hash) || bare)
}

// links reports that the page links to a place.
func (w *walk) links(s *shown, hash string) bool {
	for _, l := range s.Links {
		if to, ok := w.place(l.URL, l.Bare); ok && to == hash {
			return true
		}
	}
	return false
}

// add takes up the places that the page links to.
func (w *walk) add(s *shown) {
	for _, l := range s.Links {
		w.meet(l.URL, l.Bare)
	}
}

// meet takes up the place that a link leads to: see place.
func (w *walk) meet(link string, bare bool) {
	hash, ok := w.place(link, bare)
	if !ok || w.seen[hash] {
		return
	}
	w.seen[hash] = true
	switch {
	case !isRoute(hash):
		if _, ok := w.host.next([]string{"#" + hash}); ok {
			w.queue[1] = append(w.queue[1], hash)
		}
	case pathOf(hash) != hash:
		w.queue[1] = append(w.queue[1], hash)
	default:
		w.queue[0] = append(w.queue[0], hash)
	}
}

func (w *walk) next() (hash string, more bool) {
	for i := range w.queue {
		if q := w.queue[i]; len(q) > 0 && (i == 0 || w.same < mostSame) {
			w.queue[i] = q[1:]
			return q[0], true
		}
	}
	return "", false
}

// fresh reports that a place shows a text of its own.
func (w *walk) fresh(hash, text string) bool {
	last := w.before
	w.before = text
	before, again := w.texts[pathOf(hash)]
	if !again {
		w.texts[pathOf(hash)] = text
		if isRoute(hash) {
			return true
		}
		before = w.start
	}
	if before == text || !again && last == text {
		w.same++
		return false
	}
	return true
}
