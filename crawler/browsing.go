package crawler

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"watershed/archive"
	"watershed/crawler/draw"
	"watershed/crawler/extract"
	"watershed/crawler/fetch"
	"watershed/frontier"
	"watershed/page"
	"watershed/store"

	"github.com/zeebo/xxh3"
)

// browsing has a browser draw the pages of the sites that scripts make.
//
// A page is fetched, recorded and committed like any other; whether it is to be drawn stands in its
// visit. When it belongs to a site, it is drawn: a request of the browser is answered by the capture
// of the run, and where there is none the URL is wanted before all others, and the answer waits
// until a worker has fetched and committed it. So a page holds no lease while it is drawn. Then its
// visit is amended: what it asked for are its requisites, and what it links to are its links.
//
// A POST is known by the address under which other programs look for its answer, too, with method
// and body as arguments: archive.AddressOf. Its body is known as long as its page waits for the
// answer; one whose turn comes later fails, and is wanted again when a page asks for it again.
type browsing struct {
	*commits
	recorder *recorder
	browser  *draw.Browser

	mu     sync.Mutex // guards what follows; it is taken after the commit lock
	queue  []page.URL // to be drawn, in the order of their visits
	Doubts            // on the pages that may be
	under  []page.URL // are being drawn
	asks   map[page.URL]*draw.Request
}

// add has a page drawn when it belongs.
func (b *browsing) add(v *page.Visit) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch v.Drawing {
	case page.ToBeDrawn:
		b.queue = append(b.queue, v.URL)
	default:
		b.Doubts.add(v)
	}
}

// anew has a page that was drawn, or is being drawn, drawn again when it is asked for once more,
// whatever the drawing of others of its place brings: no other page may need what it asked for.
func (b *browsing) anew(v *page.Visit) error {
	if b == nil || v.Drawing < page.DrawDoubted {
		return nil
	}
	was, err := b.visit(b.Number, v.URL)
	b.mu.Lock()
	defer b.mu.Unlock()
	if slices.Contains(b.under, v.URL) ||
		was != nil && (was.Drawing == page.Drawn || was.Drawing == page.ToBeDrawn) {
		v.Drawing = page.ToBeDrawn
	}
	return err
}

// next takes the first page of the queue that belongs by now.
func (b *browsing) next() (u page.URL, of *place, ok bool) {
	b.commits.mu.Lock()
	defer b.commits.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.IndexFunc(b.queue, b.Survey.Belongs); i >= 0 {
		u = b.queue[i]
		b.queue = slices.Delete(b.queue, i, i+1)
		b.under = append(b.under, u)
		return u, nil, true
	}
	if u, of, ok = b.places.next(b.Survey.Belongs); ok {
		b.under = append(b.under, u)
	}
	return u, of, ok
}

// back has a page, of a place where it is doubted, drawn before the others when a browser is there.
func (b *browsing) back(u page.URL, of *place) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if of == nil {
		b.queue = slices.Insert(b.queue, 0, u)
		return
	}
	of.waiting = slices.Insert(of.waiting, 0, u)
}

// done tells that a page which next gave is not being drawn any more, be it that it needed no drawing.
func (b *browsing) done(u page.URL, of *place) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.Index(b.under, u)
	b.under = slices.Delete(b.under, i, i+1)
	if of != nil {
		of.under--
	}
}

// due reports that a page is being drawn, or waits for it.
func (b *browsing) due() bool {
	b.commits.mu.Lock()
	defer b.commits.mu.Unlock()
	return b.drawing()
}

// drawing is due for a caller that holds the commit lock.
func (b *browsing) drawing() bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.under) > 0 || slices.ContainsFunc(b.queue, b.Survey.Belongs) ||
		b.places.due(b.Survey.Belongs)
}

// glance is how often the queue is looked through for pages that have come to belong.
const glance = time.Second

// unfinished waits, for a worker with nothing to fetch, until the drawing of pages has something to
// fetch again, and reports whether it has. It returns false when no page is being drawn any more.
func (b *browsing) unfinished(ctx context.Context) bool {
	if b == nil {
		return false
	}
	for ctx.Err() == nil {
		coming := b.news.coming()
		due := b.due()
		// what was wanted by a page that has been drawn just now is in the frontier by now
		if s := b.Frontier.Stats(); s.States[store.Pending] > 0 || s.Leased > 0 {
			return true
		}
		if !due {
			return false
		}
		b.wait(ctx, coming)
	}
	return false
}

// wait returns at the next change, or after a while.
func (b *browsing) wait(ctx context.Context, coming <-chan struct{}) {
	t := time.NewTimer(glance)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-coming:
	case <-t.C:
	}
}

// work draws one page after the other until the context ends.
func (b *browsing) work(ctx context.Context) (err error) {
	tab, err := b.browser.Tab()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tab.Close()) }()
	for ctx.Err() == nil {
		u, of, ok := b.next()
		if !ok {
			_ = sleep(ctx, glance/4) // the loop sees that the context has ended
			continue
		}
		err := b.page(ctx, tab, u, of)
		b.done(u, of)
		b.news.ring()
		if err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// page draws a page, of a place where it is doubted. The error is one that ends the crawl.
func (b *browsing) page(ctx context.Context, tab *draw.Tab, u page.URL, of *place) error {
	v, err := b.visit(b.Number, u)
	if err != nil || v == nil || v.Drawing == page.NotDrawn || v.Drawing == page.Drawn {
		return err
	}
	source, shows := &drawn{browsing: b, of: v}, b.recorder.shows(v)
	d, err := tab.Draw(ctx, u, source)
	if errors.Is(err, draw.ErrStart) && ctx.Err() == nil {
		if wait := b.browser.Waits(); wait > 0 {
			b.opt.Log.Warn("pages wait for a browser", "url", u, "cause", err, "for", wait)
			b.back(u, of)
			return sleep(ctx, wait)
		}
	}
	if of != nil && ctx.Err() == nil {
		if err := b.judge(v, of, d, source.fresh.Load()); err != nil {
			return err
		}
	}
	switch {
	case ctx.Err() != nil: // it will be drawn when the run goes on
		return nil
	case err != nil:
		b.opt.Log.Warn("not drawn", "url", u, "cause", err)
		v.Drawing, v.DrawnCut = page.DrawFailed, !v.Unread
		v.Unread, v.Cause = true, cmp.Or(v.Cause, "not drawn: "+err.Error())
		if shows { // it brings nothing, as far as is known
			text := b.recorder.texts.get(u)
			b.recorder.learnPlace(v, text)
			b.recorder.texts.put(text)
		}
		return b.amend(ctx, v, nil)
	}
	b.opt.Log.Info("drawn", "url", u, "requests", len(d.Asked), "links", len(d.Links), "took", d.Took,
		"waited", d.Waited, "cut", d.Cut)
	if v.Login == "" && b.needs.Gate(u, v.Time, d.Cookies) {
		v.Drawing = page.NotDrawn // the next answer is drawn
		return b.amend(ctx, v, func(tx *store.Tx) error { return b.Frontier.Again(tx, []page.URL{u}) })
	}
	told := toldOf(d, v.Hops)
	if err := b.keep(ctx, v, told); err != nil {
		return err
	}
	LearnDrawing(v, told)
	text := b.recorder.texts.get(u)
	if read := text.reader(); read != nil {
		read([]byte(told.Text))
		if s := text.sketch(); s != nil {
			v.Sketch = s
		}
	}
	if shows {
		b.recorder.learnPlace(v, text)
	}
	b.recorder.texts.put(text)
	return b.amend(ctx, v, nil)
}

// judge learns from the drawing of a page, nil where no browser could, whether more of its place are
// drawn.
func (b *browsing) judge(v *page.Visit, of *place, d *draw.Drawing, answers int64) error {
	link, words := page.URL(""), map[uint64]bool{}
	if d != nil {
		for w := range strings.FieldsSeq(d.Text) {
			words[xxh3.HashString(w)] = true
		}
		at := v.Record
		if v.Revisit {
			at = v.Origin.Record
		}
		b.recorder.captured(at, maxWords, extract.Input{URL: v.URL, Text: func(piece []byte) {
			for w := range bytes.FieldsSeq(piece) {
				delete(words, xxh3.Hash(w))
			}
		}})
		var err error
		if link, err = b.unheard(v, d); err != nil {
			return err
		}
	}
	b.mu.Lock()
	added := of.drew(answers > 0 || link != "", words)
	b.mu.Unlock()
	b.opt.Log.Info("drawn to see whether its scripts bring anything", "url", v.URL, "answers", answers,
		"words", added, "link", link)
	return nil
}

// unheard is a link on the host of a page of which the crawler had not heard before it drew the page,
// be it by the page's own markup; "" for none.
func (b *browsing) unheard(v *page.Visit, d *draw.Drawing) (link page.URL, err error) {
	known := map[page.URL]bool{v.URL: true}
	for i := range v.Links {
		known[v.Links[i].URL] = true
	}
	err = b.Store.View(func(tx *store.Tx) error {
		for i := range d.Links {
			u := d.Links[i].URL
			if known[u] || u.Host() != v.URL.Host() {
				continue
			}
			if _, found, err := tx.URL(b.Number, u.Key()); err != nil || !found {
				link = u
				return err
			}
		}
		return nil
	})
	return link, err
}

// visit is the last visit of a URL in a run; nil for none.
func (b *browsing) visit(run store.Run, u page.URL) (v *page.Visit, err error) {
	err = b.Store.View(func(tx *store.Tx) error {
		x, found, err := tx.URL(run, u.Key())
		if err != nil || !found || x.URL != u || x.Visit == 0 {
			return err
		}
		last, found, err := tx.Visit(run, x.Visit)
		if found {
			v = &last
		}
		return err
	})
	return v, err
}

// LearnDrawing adds to a visit what the records of a drawing tell of its page, all but the sketch of
// its text: so a state that is made anew from archives has the same visit.
func LearnDrawing(v *page.Visit, d *archive.Drawing) {
	v.Drawing = page.Drawn
	v.Title = cmp.Or(d.Title, v.Title)
	if d.Cut != "" {
		v.Unread, v.DrawnCut, v.Cause = true, true, "drawn in part: "+d.Cut
	}
	v.Links = slices.DeleteFunc(v.Links, func(l page.Link) bool { // of an earlier drawing
		return strings.HasPrefix(l.Context, page.DrawnContext)
	})
	type end struct {
		url  page.URL
		kind page.LinkKind
	}
	known := map[end]bool{}
	for i := range v.Links {
		known[end{v.Links[i].URL, v.Links[i].Kind}] = true
	}
	add := func(address string, l page.Link) {
		var err error
		if l.URL, l.Spelled, err = page.ParseSpelled(address); err != nil {
			return // of no web page
		}
		if at := (end{l.URL, l.Kind}); !known[at] && l.URL != v.URL {
			known[at] = true
			v.Links = append(v.Links, l)
		}
	}
	for _, address := range slices.Sorted(maps.Keys(d.Asked)) {
		a := d.Asked[address]
		if a.Status == 0 && a.Cause != draw.Unawaited {
			continue
		}
		kind := page.Embed
		if a.Type == "iframe" || a.Type == "frame" {
			kind = page.Frame
		}
		add(address, page.Link{Kind: kind, Context: page.DrawnContext + cmp.Or(a.Type, "request")})
	}
	for _, l := range d.Links {
		add(l.URL, page.Link{
			Kind: draw.KindOf(l.Context), Context: l.Context, Text: l.Text, NoFollow: l.NoFollow,
		})
	}
}

// amend makes what was drawn known: to the survey, and to the store, in one transaction with what is to be
// done besides.
func (b *browsing) amend(ctx context.Context, v *page.Visit, besides func(*store.Tx) error) error {
	b.commits.mu.Lock()
	defer b.commits.mu.Unlock()
	b.Survey.Learn(v)
	if b.Aside != nil {
		b.Aside.Learn(v)
	}
	b.gatherWants()
	b.spells = spellingsOf(v)
	err := b.update(ctx, func(tx *store.Tx) error {
		if err := errors.Join(tx.AmendVisit(b.Number, v), b.untailored(tx, v)); err != nil {
			return err
		}
		if v.Unread {
			if err := b.Frontier.Unread(tx, v.URL, v.Cause); err != nil {
				return err
			}
		}
		if besides != nil {
			if err := besides(tx); err != nil {
				return err
			}
		}
		return b.want(tx)
	})
	if err != nil {
		return fmt.Errorf("commit the drawing of %s: %w", v.URL, err)
	}
	b.stands.heard(v.URL.Key())
	return b.refused(ctx)
}

// mostDrawnLinks bounds the links of a drawing, in bytes of their addresses and texts: the record that
// tells them has to be read whole.
const mostDrawnLinks = 16 << 20

// mostGone is how many redirects in a row browsers follow.
const mostGone = 20

// goings is to how many addresses the scripts of a page may go by themselves, with a discovery path: to
// one where such a script or redirects have led to it, too, and to none after mostGone of them.
func goings(hops string) int {
	switch gone := len(hops) - len(strings.TrimRight(hops, string(page.Refresh.Hop()))); {
	case gone == 0:
		return draw.MostGoings
	case gone < mostGone:
		return 1
	}
	return 0
}

// toldOf is what the archive tells of the drawing of a page with a discovery path.
func toldOf(d *draw.Drawing, hops string) *archive.Drawing {
	told := &archive.Drawing{
		Title: d.Title, Text: d.Text, Cut: d.Cut, Asked: map[string]archive.DrawnRequest{},
		Markup: d.Markup, View: d.View, Thumbnail: d.Thumbnail, Errors: d.Errors,
		Links: make([]archive.DrawnLink, 0, len(d.Links)),
	}
	for i := range d.Asked {
		a := &d.Asked[i]
		name := cmp.Or(string(draw.AddressOf(a.Method, a.URL, a.ContentType, a.Body)), a.Text)
		if a.Status == 0 && told.Asked[name].Status != 0 {
			continue // it was answered before
		}
		told.Asked[name] = archive.DrawnRequest{Status: a.Status, MIME: a.MIME, Type: a.Kind, Cause: a.Cause}
	}
	left, gone, most := mostDrawnLinks, 0, goings(hops)
	for i := range d.Links {
		l := &d.Links[i]
		if l.Kind == page.Refresh {
			if gone++; gone > most {
				told.Cut = cmp.Or(told.Cut, "its scripts go to other addresses again and again")
				continue
			}
		}
		if left -= len(l.URL) + len(l.Text); left < 0 {
			told.Cut = cmp.Or(told.Cut, "its links are longer than 16 MiB")
			break
		}
		told.Links = append(told.Links, archive.DrawnLink{
			URL: l.URL.As(l.Spelled), Context: l.Context, Text: l.Text, NoFollow: l.NoFollow,
		})
	}
	for _, p := range d.Places {
		told.Places = append(told.Places, archive.Place(p))
	}
	return told
}

// keep writes what was drawn to the archive.
func (b *browsing) keep(ctx context.Context, v *page.Visit, told *archive.Drawing) error {
	drafts, err := told.Drafts(v.URL, v.Spelled, v.Time)
	if err == nil {
		_, err = b.write(ctx, v.Login, drafts...)
	}
	if err != nil {
		return fmt.Errorf("archive the drawing of %s: %w", v.URL, err)
	}
	return nil
}

// asked is the request of a page that is being drawn for which a URL stands, nil where there is none.
func (b *browsing) asked(u page.URL) *draw.Request {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.asks[u]
}

// posted reports a URL that stands for a POST.
func posted(u page.URL) bool { return strings.Contains(string(u), archive.MethodArgument+"POST") }

// mostTailored bounds the addresses that may have to be asked for as pages, too.
const mostTailored = 10_000

// drawnTime is how long the body of an answer to the browser may take.
const drawnTime = time.Minute

// unknownPost is why a POST fails that nobody asks for any more.
const unknownPost = "what it sends was known only while its page was drawn"

// request makes a request of a page that is being drawn that of its URL. A POST fails where nobody
// knows any more what it sends, after a restart for example: if it waited, it would keep its host from
// all else.
func (b *browsing) request(ctx context.Context, l *frontier.Lease, q *fetch.Request) (ended bool, err error) {
	a := b.asked(l.URL)
	switch {
	case a != nil:
	case !posted(l.URL):
		return false, nil
	default:
		o := frontier.Outcome{
			Status: page.StatusRefused, Unsent: true,
			Evidence: unknownPost,
		}
		return true, b.without(ctx, l, o, o.Evidence)
	}
	a.Began()
	q.Header, q.Timeout = a.Header, drawnTime
	if a.Method == http.MethodGet && !l.Part { // what scripts ask for by fields of theirs is not the page
		q.Header = http.Header{}
		for _, name := range []string{"Cookie", "Referer", "Accept-Language", "Authorization"} {
			if values := a.Header.Values(name); values != nil {
				q.Header[name] = values
			}
		}
	} else if a.Tailored() {
		b.commits.mu.Lock()
		if len(b.tailored) < mostTailored {
			b.tailored[l.URL] = true
		}
		b.commits.mu.Unlock()
	}
	if q.Login != nil { // the browser has seen no secret: it has the answers as they are archived
		q.Header = q.Header.Clone()
		q.Header.Del("Cookie")
		q.Header.Del("Authorization")
	}
	if a.Method == http.MethodPost {
		q.URL, q.Spelled, q.Method, q.Body = a.URL, "", a.Method, a.Body
		q.ETag, q.LastModified = "", ""
	}
	return false, nil
}

// target is the URL that is asked for when a URL is leased.
func (b *browsing) target(u page.URL) page.URL {
	if a := b.asked(u); a != nil {
		return a.URL
	}
	return u
}

// drawn answers the browser for a page.
type drawn struct {
	*browsing
	of    *page.Visit
	fresh atomic.Int64 // requests that the crawler did not know, and that a server answered
}

// DrawnPriority is that of what a page asks for while it is drawn, a power of 2 above those of all
// pages and of robots.txt files: see frontier.Hasty.
const DrawnPriority = 1 << 40

// Answer gives the capture of this run or of one that it extends, after it has had one made where
// there is none.
func (d *drawn) Answer(ctx context.Context, q *draw.Request) (*draw.Answer, error) {
	u := q.Address()
	if u == "" {
		return nil, errors.New("its address is too long")
	}
	asked, fresh := false, false
	for {
		coming := d.news.coming()
		x, found, err := d.state(u)
		if err != nil {
			return nil, err
		}
		unknown := !found || x.State == store.Known
		if unknown && !asked {
			if a := d.earlier(u); a != nil {
				return a, nil
			}
		}
		switch {
		case !asked && (unknown || x.State == store.Pending || posted(u) && x.State == store.Failed ||
			x.State == store.Skipped && x.Reason.Stood()):
			asked, fresh = true, unknown
			defer d.forget(u, q)
			if err := d.ask(ctx, u, q); err != nil {
				return nil, err
			}
			continue
		case unknown:
			return nil, errors.New("it is not fetched")
		case x.State == store.Done:
			v, err := d.visit(d.Number, u)
			if err != nil {
				return nil, err
			}
			if fresh && v != nil && v.Alive() && v.Status != http.StatusNoContent {
				d.fresh.Add(1)
			}
			return d.open(v)
		case x.State == store.Failed && strings.HasPrefix(x.Rule, unknownPost):
			asked = false // its turn had come just before it was asked for
			continue
		case x.State != store.Pending:
			return nil, errors.New(cmp.Or(x.Rule, x.Reason.Says()))
		case d.Frontier.Silent(u):
			return nil, errors.New("its host does not answer")
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-coming:
		}
	}
}

// state is what the frontier knows of a URL.
func (d *drawn) state(u page.URL) (x store.URL, found bool, err error) {
	err = d.Store.View(func(tx *store.Tx) error {
		x, found, err = tx.URL(d.Number, u.Key())
		return err
	})
	return x, found && x.URL == u, err
}

// ask wants a URL before all others.
func (d *drawn) ask(ctx context.Context, u page.URL, q *draw.Request) error {
	kind := page.Embed
	if q.Linked() {
		kind = page.Navigation
	}
	d.browsing.mu.Lock()
	d.asks[u] = q
	d.browsing.mu.Unlock()
	d.commits.mu.Lock()
	defer d.commits.mu.Unlock()
	wish := frontier.Candidate{
		URL: u, Via: d.of.URL, Hops: d.of.Hops + string(kind.Hop()), Inside: len(d.of.Hops),
		Kind: kind, Wanted: true, Site: d.sites[d.of.Site], Priority: DrawnPriority, Part: kind == page.Embed,
		Forced: q.Method == http.MethodPost, // its address is no trap for being long
	}
	if r, excluded := d.Survey.Excludes(d.of.Site, q.URL); excluded {
		wish.Skip, wish.Rule = store.Excluded, short(r.String())
	} else if i := slices.IndexFunc(d.barred, func(r page.Rule) bool { return r.Match(q.URL) }); i >= 0 {
		wish.Skip, wish.Rule = store.Excluded, short(d.barred[i].String())
	}
	return d.update(ctx, func(tx *store.Tx) error {
		if of, found, err := tx.URL(d.Number, d.of.URL.Key()); err != nil {
			return err
		} else if found && kind == page.Navigation {
			wish.Inside = max(0, len(wish.Hops)-1-int(of.Depth))
		}
		if _, err := d.Frontier.Add(tx, []frontier.Candidate{wish}); err != nil || !posted(u) {
			return err
		}
		return frontier.Retry(d.Frontier, tx, u)
	})
}

// forget ends a request, unless the page has made it anew. A POST that is under way has read it
// already.
func (d *drawn) forget(u page.URL, q *draw.Request) {
	d.browsing.mu.Lock()
	defer d.browsing.mu.Unlock()
	if d.asks[u] == q {
		delete(d.asks, u)
	}
}

// earlier gives the capture of a run that this one extends, nil where none has one that can be read.
func (d *drawn) earlier(u page.URL) *draw.Answer {
	for _, e := range slices.Backward(d.Extended) {
		v, err := d.visit(e.Run, u)
		if err != nil || v == nil || !e.Held(v) {
			continue
		}
		if a, err := d.open(v); err == nil {
			return a
		}
	}
	return nil
}

// open reads the capture of a visit: the head of its own, the body of what it repeats.
func (d *drawn) open(v *page.Visit) (*draw.Answer, error) {
	if v == nil || v.Record.IsZero() {
		return nil, errors.New("it has no capture")
	}
	a, err := d.read(v.Record)
	if err != nil || !v.Revisit {
		return a, err
	}
	whole, err := d.read(v.Origin.Record)
	if err != nil {
		return nil, errors.Join(err, a.Body.Close())
	}
	if v.Status == http.StatusNotModified {
		return whole, a.Body.Close()
	}
	whole.Status, whole.Header, err = a.Status, a.Header, a.Body.Close()
	return whole, err
}

// read opens a record as an answer.
func (d *drawn) read(at page.Location) (*draw.Answer, error) {
	rec, err := d.Open(at)
	if err != nil {
		return nil, fmt.Errorf("read %s at %d: %w", at.File, at.Offset, err)
	}
	return draw.AnswerOf(rec)
}
