package quality

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"watershed/archive"
	"watershed/crawler/draw"
	"watershed/crawler/extract"
	"watershed/harvest"
	"watershed/holdings"
	"watershed/internal/worddiff"
	"watershed/page"
	"watershed/replay"
)

// Check draws pages of a harvest and checks them. The error is fs.ErrNotExist where no run has an
// index yet, that of ctx where it ended, draw.ErrNoBrowser, or one of reading; a page that cannot
// be read is told as such.
func Check(ctx context.Context, folder harvest.Folder, o Options) (_ *Report, err error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	runs, err := folder.Runs()
	if err != nil {
		return nil, err
	}
	sampled := o.Runs
	if sampled == nil {
		sampled = runs
	}
	c := check{
		folder: folder, known: map[page.URL]*answer{}, missing: map[page.URL]*Missing{}, drawn: o.Drawn,
		spelled: map[page.URL]page.Spelling{},
	}
	if o.Draw != nil {
		browser, err := draw.New(*o.Draw)
		if err != nil {
			return nil, err
		}
		if c.tab, err = browser.Tab(); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, c.tab.Close(), browser.Close()) }()
	}
	urls, err := holdings.Sample(folder, sampled, cmp.Or(o.Pages, defaultPages), o.Seed, o.Draw != nil)
	if err != nil {
		return nil, err
	}
	if c.reader, err = holdings.NewReader(folder); err != nil {
		return nil, err
	}
	r := &Report{Seed: o.Seed, Pages: []Page{}, MissingURLs: []Missing{}}
	for _, u := range urls {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, err := c.page(ctx, u)
		if err != nil {
			return nil, err
		}
		if p.Passed > 0 {
			more := fmt.Sprintf("it needs %d more files than are looked at", p.Passed)
			p.Unjudged = cmp.Or(p.Unjudged, more)
		}
		r.Pages = append(r.Pages, *p)
		r.Requisites += len(p.Requisites)
		r.Errors += p.Count(Error)
		r.Missing += p.Count(Absent)
	}
	if r.Sites, err = sitesOf(ctx, folder, r.Pages); err != nil {
		return nil, err
	}
	for _, s := range r.Sites {
		r.Whole, r.Lacking = r.Whole+s.Pages[Whole], r.Lacking+s.Pages[Lacking]
		r.Unjudged, r.Away = r.Unjudged+s.Pages[Unjudged], r.Away+s.Pages[Away]
	}
	r.Held = r.Requisites - r.Errors - r.Missing
	if err := explain(ctx, runs, c.missing); err != nil {
		return nil, err
	}
	for _, m := range slices.SortedFunc(maps.Values(c.missing), func(a, b *Missing) int {
		return cmp.Or(b.Pages-a.Pages, cmp.Compare(a.URL, b.URL))
	}) {
		r.MissingURLs = append(r.MissingURLs, *m)
	}
	c.respell(r)
	return r, nil
}

// check has the state of a check under way.
type check struct {
	folder  harvest.Folder
	reader  *holdings.Reader
	known   map[page.URL]*answer
	missing map[page.URL]*Missing
	tab     *draw.Tab // nil where no page is drawn again
	drawn   func(page.URL)
	spelled map[page.URL]page.Spelling // as captures and links have them, of those that are spelled apart
}

// spell notes how a URL is spelled.
func (c *check) spell(u page.URL, as page.Spelling) {
	if as != "" {
		c.spelled[u] = as
	}
}

// respell has the report name each URL as it is spelled.
func (c *check) respell(r *Report) {
	as := func(u *page.URL) { *u = page.URL(u.As(c.spelled[*u])) }
	for i := range r.Pages {
		p := &r.Pages[i]
		as(&p.URL)
		for j := range p.Requisites {
			x := &p.Requisites[j]
			as(&x.URL)
			as(&x.In)
			as(&x.At)
		}
	}
	for i := range r.MissingURLs {
		as(&r.MissingURLs[i].URL)
		as(&r.MissingURLs[i].For)
	}
}

// answer is the capture that answers for a URL, wherever it redirects to.
type answer struct {
	state  State
	status int
	at     page.URL
	run    string
	html   bool
	cut    page.Truncation
	names  []page.Link // what it needs in its turn, if it is a style sheet or frame
}

// page checks one. The error is one of reading the harvest.
func (c *check) page(ctx context.Context, u page.URL) (*Page, error) {
	p := &Page{URL: u, By: ByMarkup, Requisites: []Requisite{}}
	f, err := holdings.Find(c.folder, u, time.Time{})
	var d *holdings.Document
	var own holdings.Found // f before a revisit is followed to another run
	if err == nil {
		p.Time, p.Run, own = f.Time, f.Run, *f
		c.spell(f.URL, f.Spelling())
		d, err = c.reader.Read(f)
	}
	if errors.Is(err, harvest.ErrRemoved) {
		p.Away = err.Error()
		return p, nil
	}
	if err != nil {
		p.Fault = err.Error() // a page whose record is damaged is a finding
		return p, nil
	}
	switch d.Truncated {
	case page.Whole:
	case page.CutUnknown:
		p.Fault = "its server told the length wrongly: whether all of it came is not known"
	default:
		p.Fault = "not all of it came: WARC-Truncated is " + string(d.Truncated)
	}
	drawing, err := own.Drawing()
	if err != nil {
		return nil, err
	}
	c.compare(p, f, d)
	w := walk{check: c, page: p, seen: map[page.URL]bool{u: true}}
	err = w.visit(u, d.Says.Links, 1)
	if p.Fault == "" && p.frameless() {
		p.Fault = "it has no text, and its frames were answered with errors"
	}
	if err != nil || drawing == nil {
		return p, err
	}
	if p.By, p.Unjudged = ByDrawing, ""; drawing.Cut != "" {
		p.Unjudged = "a browser has drawn it in part: " + drawing.Cut
	}
	if err = w.visit(u, asked(drawing), 1); err == nil && c.tab != nil {
		err = w.again(ctx, &own, drawing)
	}
	return p, err
}

// asked are the requests that a page made while it was drawn, as links, but for those that nobody makes: a
// replay has no answer to them either, and the next run would not ask for it.
func asked(d *archive.Drawing) (links []page.Link) {
	for _, address := range slices.Sorted(maps.Keys(d.Asked)) {
		if u, err := page.ParseURL(address); err == nil && !draw.Refused(d.Asked[address].Cause) {
			links = append(links, page.Link{
				URL: u, Kind: page.Embed,
				Context: page.DrawnContext + cmp.Or(d.Asked[address].Type, "request"),
			})
		}
	}
	return links
}

// maxLike is how many of the lost words are told.
const maxLike = 12

// compare compares the text of a page with the text of its replay.
func (c *check) compare(p *Page, f *holdings.Found, d *holdings.Document) {
	captured := strings.Fields(d.Text)
	shown := holdings.Document{
		Status: d.Status,
		Header: archive.Header{{Name: "Content-Type", Value: "text/html; charset=utf-8"}},
	}
	shown.Body = replay.Markup(d.Body, d.Header.Get("Content-Type"), f.URL)
	c.reader.Understand(f, &shown)
	p.Words = len(captured)
	if d.Says.Format == extract.HTML {
		p.Unjudged = cmp.Or(draw.Judge(d.Body, d.Text).Shell, filled(d.Body, d.Text))
		p.Fault = cmp.Or(p.Fault, standIn(d.Body, d.Text, d.Says.Links))
	}
	parts, _ := worddiff.Diff(captured, strings.Fields(shown.Text))
	for _, part := range parts {
		switch part.Op {
		case worddiff.OnlyA:
			p.Lost += len(part.Words)
			if room := maxLike - len(p.Like); room > 0 {
				p.Like = append(p.Like, part.Words[:min(room, len(part.Words))]...)
			}
		case worddiff.OnlyB:
			p.Added += len(part.Words)
		}
	}
}

// walk follows the requisites of a page.
type walk struct {
	*check
	page *Page
	seen map[page.URL]bool
}

// visit looks at the requisites that a document names.
func (w *walk) visit(in page.URL, links []page.Link, depth int) error {
	for _, l := range links {
		if !l.Kind.Requisite() || preview(l.Context) || w.seen[l.URL] {
			continue
		}
		w.seen[l.URL] = true
		w.spell(l.URL, l.Spelled)
		if len(w.page.Requisites) == maxRequisites {
			w.page.Passed++
			continue
		}
		a, err := w.answer(l.URL)
		if err != nil {
			return err
		}
		state := a.state
		if a.html && pictured(l.Context) {
			state = Error // a page that says so, in words, with the status of success
		}
		w.page.Requisites = append(w.page.Requisites, Requisite{
			URL: l.URL, In: in, As: l.Context,
			State: state, Status: a.status, At: a.at, Run: a.run,
		})
		if a.state == Absent {
			w.miss(a.at, l.Context)
			if a.cut != page.Whole {
				m := w.missing[a.at]
				m.Reason, m.Detail, m.Run = damaged, "WARC-Truncated is "+string(a.cut), a.run
			}
		} else if depth < maxDepth {
			if err := w.visit(a.at, a.names, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// preview reports the place of a file that other sites show beside a link to the page: the page itself
// is whole without it.
func preview(context string) bool { return context == "meta/@content" || context == "script/ld+json" }

// miss notes that the page lacks a URL.
func (w *walk) miss(u page.URL, as string) {
	m := w.missing[u]
	if m == nil {
		m = &Missing{URL: u, For: w.page.URL, As: as, Reason: neverFound}
		w.missing[u] = m
	}
	m.Pages++
}

// maxRedirects bounds how far redirects are followed, as browsers do.
const maxRedirects = 20

// answer finds the capture that answers for a URL, as the replay does, and remembers it.
func (c *check) answer(u page.URL) (*answer, error) {
	if a := c.known[u]; a != nil {
		return a, nil
	}
	a := &answer{state: Absent, at: u}
	c.known[u] = a
	for range maxRedirects {
		next, err := c.step(a)
		if err != nil || next == "" {
			return a, err
		}
		a.at, a.state = next, Absent
	}
	a.state = Error // it goes round
	return a, nil
}

// step looks at the capture of a.at. It gives where that redirects to, "" for nowhere.
func (c *check) step(a *answer) (next page.URL, err error) {
	f, err := holdings.Find(c.folder, a.at, time.Time{})
	if errors.Is(err, holdings.ErrNotHeld) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	c.spell(f.URL, f.Spelling())
	d, err := c.reader.Read(f)
	if errors.Is(err, harvest.ErrRemoved) {
		a.at, a.run, a.state = f.URL, f.Run, Own // it is held, at a store
		return "", nil
	}
	if err != nil {
		return "", nil //nolint:nilerr // a payload that cannot be had is missing, whatever the cause
	}
	a.at, a.status, a.run = f.URL, d.Status, f.Run
	switch {
	case d.Status >= 400:
		a.state = Error
	case d.Truncated != page.Whole && d.Truncated != page.CutUnknown &&
		page.CutOf(d.Truncated, d.Header.Fields()) != page.CutEndless:
		a.cut = d.Truncated
		return "", nil
	case f.Rules != nil:
		a.state = Mirror
	case f.Revisit != nil:
		a.state = Revisit
	default:
		a.state = Own
	}
	if d.Status >= 300 && d.Status < 400 {
		if to, err := f.URL.Resolve(d.Header.Get("Location")); err == nil && d.Header.Get("Location") != "" {
			return to, nil
		}
	}
	a.html = d.Status < 300 && d.Says.Format == extract.HTML
	if d.Status < 400 && (d.Says.Format == extract.CSS || d.Says.Format == extract.HTML) {
		a.names = d.Says.Links
	}
	return "", nil
}
