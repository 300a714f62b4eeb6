// Package ban notices that a host has begun to refuse the crawler.
//
// Firewalls, services against robots and servers whose database is down answer all pages alike, from
// some moment on: by 403, by 500, by a redirect to a page of their own, by a test for humans with status
// 200. Nothing in such an answer tells it from that of a page which is for members, or has moved. So
// Watch asks the host: when some pages in a row were answered alike, a page that it gave before is asked
// for once more. If that is answered like them by now, the host refuses the crawler. Then the host is
// left alone, as after 429, and nothing but that page is asked for until it is given again; then the
// pages that were refused are asked for once more.
//
// An origin that does not answer for some URLs in a row is asked for such a page, too, before it is given up:
// firewalls break the connection for some addresses, and the search of a site may never answer.
//
// Where such answers come now and then, as from a host whose sessions end and which gives some pages without
// one, no row is long enough. They are kept, and at the end made one.
//
// Of some servers behind one address a single one may be out of order and know no page, or answer each by
// one and the same, with success even. Where a good part of an origin's pages are not found, or answered
// alike, or end in the midst, where most do not, a few of those are asked for once more at the end, and all
// of them that are kept, for as long as a tenth is answered otherwise. The others stay as they are; where a
// tenth was given in all, and three, pages that were answered alike are lost, unless they have texts of their
// own under one title.
package ban

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/zeebo/xxh3"

	"watershed/page"
)

// Bounds. Two generations of origins are known, each of at most maxHosts of them, and of not much more
// than maxBytes of URLs: some 200 MiB in all. An origin takes 600 bytes with one page, and 6 KiB with forty.
const (
	// leastRow is how many like answers in a row make an origin doubted first. Each time when the page
	// that was given before is given again, it takes twice as many.
	leastRow = 3
	mostRow  = 32
	maxURL   = 1 << 10 // bytes; longer ones are not kept
	maxHosts = 1 << 14
	maxBytes = 64 << 20
	perURL   = 32 // bytes that a URL in a list takes beside its text
	// usualRow is how many times as many pages have to be alike that have the title of all: these are so if
	// they are about as long.
	usualRow = 3
	// fewLinks is how many links to its own host a page has at most that is given in place of others whatever
	// these are: one with more has the same for all.
	fewLinks = 3
	// An origin that did not find leastMissing pages or more, or answered them alike, and as many as one of
	// rareMissing that it gave, is asked once more for leastMissing of them, then for all as long as one of
	// rareMissing came in all: mostRounds times at most. Of a page that is empty or ends in the midst a
	// single one is enough, for that is no page. The pages of mostLacks answers are kept; the commonest
	// mostSought are asked about at a time.
	leastMissing = 3
	rareMissing  = 10
	mostMissing  = 1 << 12
	mostRounds   = 6
	mostLacks    = 32
	mostSought   = 4
	// maxBare is how long a page without a title and links is at most that may stand for any: a line or two.
	maxBare = 2 << 10
	// Where mostUnended pages end in the midst for each that does not, all may: when fewUnended have come,
	// none is kept.
	mostUnended = 3
	fewUnended  = 32
	// An origin is asked mostAlive times whether it is alive, where it gives nothing else; of a host that
	// asked to be left alone, mostSlowed times.
	mostAlive  = 32
	mostSlowed = 4
	// mostSpared is how often an origin that gave again what it had refused is asked for the row once more,
	// where it gives nothing else meanwhile: the frontier waits twice as long each time, up to the most.
	mostSpared = 10
	mostOfRows = 1 << 10
)

// Watch knows how the pages of each origin were answered last. It is safe for concurrent use.
type Watch struct {
	mu            sync.Mutex
	recent, older map[string]*origin // by scheme, host and port; older are those that are forgotten next
	bytes         int                // of the URLs of recent
}

// origin is a scheme, host and port.
type origin struct {
	given page.URL // a page that it gave; "" for none
	was   answer   // by which it is told
	like  uint64   // the answer of the last pages in a row; 0 is like none
	row   []page.URL
	files []page.URL // parts of pages that were answered so, too
	need  int        // how long a row has to be
	freed Row        // rows of the last answer, where that host was not found to refuse them
	ends  bool       // it had refused one: its sessions end
	leads answer     // by which the page that began the row is told, if it is given again; else zero
	bans  bool       // the page that it gave was refused
	last  bool       // Last has given a page of the row
	usual bool       // its pages have the title of the page that was given: see usualRow

	cookies  bool       // it sets some
	refuses  uint64     // the answer of pages that were refused, or of those that Last has gathered
	gathered bool       // Last has made pages of a lack the row
	alive    int        // times that it was found alive since it gave a page
	spared   int        // times that it gave again what it had refused, since it gave a page of no such row
	spares   uint64     // the answer by which it refused it
	rows     []page.URL // of those times that have not come since, mostOfRows at most

	gives          [2]int  // pages, and parts of them
	wholes, halves int     // pages with an end, and those that end in the midst
	lacks          []*lack // by what was answered; a page that ends in the midst may be in two
}

// lack is pages, or parts of pages, in whose place an origin gave one answer: where it refuses images, that
// says nothing of its pages.
type lack struct {
	kind    int    // 0 for pages, 1 for parts of them
	like    uint64 // the answer
	status  int
	pages   []page.URL // at most mostMissing of an origin
	rounds  int        // in which Last gave some
	had     int        // that came when they were asked for once more
	settled bool       // Last gave none since NotFound told of them
	told    bool       // by Lost
	vain    bool       // none came when they were gathered
	refused bool       // so was a page that had been given, and was given again
	content uint64     // of the first
	own     bool       // the pages were given, with other texts under one title
	usual   bool       // that is the title of the page that was given
}

// InPlace says why a page is lost that Lost gives.
const InPlace = "its server gave something else, or half of it, as it did with others until they came"

// empty is the answer of none, bare that of a line or two, and half that of a page which ends in the midst.
var empty, bare, half = name("empty", ""), name("bare", ""), name("half", "")

// New makes a Watch that has seen nothing.
func New() *Watch { return &Watch{recent: map[string]*origin{}, older: map[string]*origin{}} }

// Learn takes over a visit, in the order of visits. It keeps nothing of it.
func (w *Watch) Learn(v *page.Visit) { w.learn(v, (*origin).learn) }

// learn has the origin of a visit learn, where its answer says something.
func (w *Watch) learn(v *page.Visit, as func(*origin, *page.Visit, answer)) {
	a := answerOf(v)
	if !a.says && !gives(v) && !lacking(v, a) || v.Login != "" || len(v.URL) > maxURL {
		return
	}
	w.change(v.URL, func(o *origin) { as(o, v, a) })
}

func (o *origin) learn(v *page.Visit, a answer) {
	o.learnMissing(v, a)
	o.learnRow(v, a)
}

func (o *origin) learnRow(v *page.Visit, a answer) {
	if !a.says {
		return
	}
	like := o.inRow(a)
	if !part(v) && !beside(v) && like != o.spares {
		// a page that came is of the rows no more; one that is refused otherwise is so again
		if i := slices.Index(o.rows, v.URL); i >= 0 {
			o.rows = slices.Delete(o.rows, i, i+1)
		} else if again(v) && len(o.rows) < mostOfRows {
			o.spared = 0
		}
	}
	if i := slices.Index(o.freed.URLs, v.URL); i >= 0 && like != o.freed.Like { // it was refused
		o.need, o.refuses, o.ends = leastRow, o.freed.Like, true
		o.freed.URLs = slices.Delete(o.freed.URLs, i, i+1)
	}
	switch same := like != 0 && like == o.like; {
	case part(v):
		if same {
			o.files = keep(o.files, v.URL)
		}
		return
	case beside(v), strings.HasSuffix(v.Hops, "R") && slices.Contains(o.row, v.Via):
		return // or it is where the row leads
	case same:
		o.row = keep(o.row, v.URL)
		return
	case again(v) && o.given == "":
		o.given, o.was = clone(v.URL), a
	default:
		o.take()
	}
	o.begin(like)
	if like != 0 {
		o.usual, o.row = like == a.shape, keep(o.row, v.URL)
		if a.like != a.self && again(v) {
			o.leads = a
		}
	}
}

// learnMissing counts the pages that an origin gives, and keeps those that it did not find or answered alike.
func (o *origin) learnMissing(v *page.Visit, a answer) {
	kind := 0
	if part(v) {
		kind = 1
	}
	if !lacking(v, a) && !gives(v) || beside(v) {
		return
	}
	if gives(v) {
		o.gives[kind]++
		o.alive = 0
	}
	like := uint64(0)
	if missing(v.Status) {
		like = name("status", strconv.Itoa(v.Status))
	} else if lacking(v, a) {
		like = o.tells(a)
	}
	known, halved := o.found(v, like, a)
	if like != 0 && !known {
		o.lack(kind, like, v).usual = like == a.shape
	}
	if like == empty || like == bare || kind > 0 || halved || !v.OK() || !text(v) {
		return
	}
	switch {
	case v.Unread || v.Truncated != page.Whole || v.Drawing != page.NotDrawn:
	case v.Unended:
		o.halve(v)
	default:
		o.wholes++
	}
}

// found takes a page out of the lacks of which its answer is none, and reports whether it is in one of that
// answer, and among those that end in the midst.
func (o *origin) found(v *page.Visit, like uint64, a answer) (known, halved bool) {
	for _, x := range o.lacks {
		at := slices.Index(x.pages, v.URL)
		switch {
		case at < 0:
		case x.like == half && v.Unended:
			halved = true
		case x.like == like, like != 0 && (x.like == a.like || x.like == a.shape):
			known = true
		default:
			x.pages = slices.Delete(x.pages, at, at+1)
			came := v.OK() && like != empty && like != bare || v.Status == http.StatusNotModified
			if came && x.rounds > 0 { // else it was by another spelling of its address
				x.had++
			}
		}
	}
	return known, halved
}

// gives reports that a page was given, by now or in an earlier run.
func gives(v *page.Visit) bool { return v.OK() || v.Status == http.StatusNotModified }

// halve keeps a page that ends in the midst, unless those of the origin may all do so.
func (o *origin) halve(v *page.Visit) {
	if o.halves++; o.halves <= fewUnended || o.halves <= mostUnended*o.wholes {
		o.lack(0, half, v)
		return
	}
	o.lacks = slices.DeleteFunc(o.lacks, func(x *lack) bool { return x.like == half && x.rounds == 0 })
}

// missing reports the statuses of pages that are not there, or no more.
func missing(status int) bool { return status == http.StatusNotFound || status == http.StatusGone }

// lacking reports an answer that servers out of order may give in place of pages: not those after which the
// frontier tries again, and no redirect on the way of another.
func lacking(v *page.Visit, a answer) bool {
	return missing(v.Status) || a.says && v.Status < http.StatusInternalServerError &&
		v.Status != http.StatusNotModified && !(page.Redirects(v.Status) && strings.HasSuffix(v.Hops, "R"))
}

// lack keeps a page, or a part of one, by its answer.
func (o *origin) lack(kind int, like uint64, v *page.Visit) *lack {
	all := 0
	for _, x := range o.lacks {
		all += len(x.pages)
	}
	i := slices.IndexFunc(o.lacks, func(x *lack) bool { return x.kind == kind && x.like == like })
	if i < 0 && len(o.lacks) == mostLacks {
		least := slices.MinFunc(o.lacks, func(a, b *lack) int { return a.weight() - b.weight() })
		o.lacks = slices.DeleteFunc(o.lacks, func(x *lack) bool { return x == least })
	}
	if i < 0 {
		x := &lack{kind: kind, like: like, status: v.Status, content: v.Content}
		i, o.lacks = len(o.lacks), append(o.lacks, x)
	}
	x := o.lacks[i]
	x.own = x.own || v.OK() && like != bare && like != half && v.Content != x.content
	if all < mostMissing {
		x.pages = append(x.pages, clone(v.URL))
	}
	return x
}

// sought are the pages to be asked for once more that an origin did not find or, unless it may refuse the
// crawler, answered alike.
func (o *origin) sought(doubted bool) (pages []page.URL) {
	slices.SortStableFunc(o.lacks, func(a, b *lack) int { return len(b.pages) - len(a.pages) })
	n := 0
	for _, x := range o.lacks {
		if !missing(x.status) && (doubted || n >= mostSought) ||
			x.like == half && (o.wholes < fewUnended/2 || len(x.pages) > mostUnended*o.wholes) {
			continue
		}
		left, had := o.akin(x)
		if again := x.sought(o.gives[x.kind], left, had); again != nil {
			n++
			pages = append(pages, again...)
			x.rounds, x.settled = x.rounds+1, false
		}
	}
	return pages
}

// akin are pages and comings of the lacks that are of one fault with a lack: a server out of order may
// have several errors of the client, of each of which are few.
func (o *origin) akin(x *lack) (pages, had int) {
	few := func(l *lack) bool { return l.status >= http.StatusBadRequest && len(l.pages) < rareMissing }
	for _, y := range o.lacks {
		if y == x || few(x) && few(y) && y.kind == x.kind {
			pages, had = pages+len(y.pages), had+y.had
		}
	}
	return pages, had
}

// sought are the pages of a lack to be asked for once more, of an origin that gave so many. Of those that
// are akin so many are left, and so many came.
func (x *lack) sought(gives, left, had int) []page.URL {
	n := len(x.pages)
	if x.status < http.StatusMultipleChoices {
		gives -= n
	}
	switch {
	case (x.like == bare || x.usual && x.own) && n > gives, // its pages are so
		x.usual && x.own && x.rounds == 0 && n < usualRow*leastRow:
		return nil
	case x.refused && n > 0 && x.rounds == 0:
		return slices.Clone(x.pages)
	case (x.like == empty || x.like == half) && n > 0 && x.rounds*n < leastMissing && gives > 0,
		x.rounds == 0 && n > 0 && left >= leastMissing && left*rareMissing >= gives && gives > 0:
		return slices.Compact([]page.URL{x.pages[0], x.pages[n/2], x.pages[n-1]})
	case n > 0 && x.rounds < mostRounds &&
		(x.rounds == 1 && had > 0 || strange(x.had, n) || strange(had, left)):
		return slices.Clone(x.pages)
	}
	return nil
}

// weight is the less the sooner an answer is forgotten: that of a single page is most likely like none.
func (x *lack) weight() int {
	if x.rounds > 0 || missing(x.status) || x.like == empty || x.like == half {
		return mostMissing + len(x.pages)
	}
	return len(x.pages)
}

// strange reports that pages came, when they were asked for once more, where the answer had been given.
func strange(had, left int) bool { return had > 0 && had*rareMissing >= had+left }

// NotFound gives, by their status, where nothing is left to be asked for, the pages that were not found or
// were answered alike, once after each time that Last gave some: to be asked for once more in vain makes
// nothing else of them.
func (w *Watch) NotFound() map[int][]page.URL {
	pages := map[int][]page.URL{}
	w.eachLack(func(_ *origin, x *lack) {
		if !x.settled && (x.rounds > 0 || missing(x.status)) {
			pages[x.status] = append(pages[x.status], x.pages...)
		}
		x.settled = true
	})
	return pages
}

// Lost gives, once and after Last, the pages in whose place an answer was given that stood in place of
// others, too, of which leastMissing came when they were asked for once more: one or two may have changed
// meanwhile. Pages that a host refused with one that it had given are lost as well where it has given nothing
// else since, and pages given under one title with texts of their own are not.
func (w *Watch) Lost() (pages []page.URL) {
	w.eachLack(func(o *origin, x *lack) {
		if x.settled && !x.told && !missing(x.status) && !x.own && x.rounds > 0 &&
			(x.refused && o.spared > 0 || x.had >= leastMissing && strange(x.had, len(x.pages))) {
			pages = append(pages, x.pages...)
			x.told = true
		}
	})
	return pages
}

func (w *Watch) eachLack(do func(*origin, *lack)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, generation := range []map[string]*origin{w.recent, w.older} {
		for _, o := range generation {
			for _, x := range o.lacks {
				do(o, x)
			}
		}
	}
}

// Missed reports a page that was not found, or answered as others were.
func (w *Watch) Missed(u page.URL) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	o := w.of(u)
	return o != nil && slices.ContainsFunc(o.lacks, func(x *lack) bool {
		return (x.rounds > 0 || missing(x.status)) && slices.Contains(x.pages, u)
	})
}

// Relearn is Learn for a visit that an earlier process made: nobody knows by now whether its answer set
// cookies.
func (w *Watch) Relearn(v *page.Visit) {
	w.learn(v, func(o *origin, v *page.Visit, a answer) {
		o.learn(v, a)
		o.cookies = true
	})
}

// LearnPast takes over a visit of an earlier run, which tells what an origin gives.
func (w *Watch) LearnPast(v *page.Visit) {
	w.learn(v, func(o *origin, v *page.Visit, a answer) {
		o.learnRow(v, a)
		o.take()
		o.begin(0)
	})
}

// take has the page that began the row be one that was given, where the next one was not like it.
func (o *origin) take() {
	if o.leads.self != 0 && len(o.row) == 1 {
		o.given, o.was = o.row[0], o.leads
	}
}

// begin begins a row of like answers.
func (o *origin) begin(like uint64) {
	o.like, o.row, o.files, o.leads, o.bans, o.last, o.usual = like, nil, nil, answer{}, false, false, false
}

// gather makes pages that were answered alike the row, once nothing is left to be asked for: those of the
// answer that was found to refuse pages, else those that are the most. Where that was in vain, that answer is
// not asked about again.
func (o *origin) gather() {
	o.begin(0)
	best, most := (*lack)(nil), leastRow-1
	for _, x := range o.lacks {
		n := len(x.pages)
		if x.like == o.refuses {
			x.vain = x.vain || o.gathered
			n += mostMissing
		}
		alike := x.kind == 0 && !missing(x.status) && x.like != half && !o.was.named(x.like)
		alike = alike && (!x.usual || n >= usualRow*leastRow)
		if n > most && alike && !x.vain && !slices.Contains(x.pages, o.given) {
			best, most = x, n
		}
	}
	if o.gathered, o.refuses = best != nil, 0; best == nil {
		return
	}
	n := min(len(best.pages), mostRow)
	o.like, o.refuses, o.row = best.like, best.like, slices.Clone(best.pages[:n])
	best.pages = slices.Concat(best.pages[n:], o.row) // the next ones come first
}

// keep adds a URL to a list that does not have it, if there is room.
func keep(list []page.URL, u page.URL) []page.URL {
	if len(list) >= mostRow || slices.Contains(list, u) {
		return list
	}
	return append(list, clone(u))
}

func clone(u page.URL) page.URL { return page.URL(strings.Clone(string(u))) }

// size is what the URLs take, in bytes.
func (o *origin) size() (n int) {
	for _, list := range [][]page.URL{o.row, o.rows, o.files, o.freed.URLs} {
		n += sizeOf(list)
	}
	for _, x := range o.lacks {
		n += sizeOf(x.pages) + perURL
	}
	return n + len(o.given)
}

func sizeOf(list []page.URL) (n int) {
	for _, u := range list {
		n += len(u) + perURL
	}
	return n
}

// of is the origin of a URL, nil for none that is known. The caller holds mu.
func (w *Watch) of(u page.URL) *origin {
	root := string(u.Root())
	return cmp.Or(w.recent[root], w.older[root])
}

// change changes the origin of a URL, or begins it. When as many have come anew as may be kept, those of
// which nothing came meanwhile are forgotten.
func (w *Watch) change(u page.URL, as func(*origin)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	root := string(u.Root())
	if w.bytes >= maxBytes || len(w.recent) >= maxHosts && w.recent[root] == nil {
		w.recent, w.older, w.bytes = map[string]*origin{}, w.recent, 0
	}
	o := w.recent[root]
	if o == nil {
		if o = w.older[root]; o == nil {
			o = &origin{need: leastRow}
		}
		delete(w.older, root)
		w.recent[strings.Clone(root)] = o
		w.bytes += o.size()
	}
	before := o.size()
	as(o)
	w.bytes += o.size() - before
}

// beside reports a visit that says nothing of the pages that readers are given: nobody links to it.
func beside(v *page.Visit) bool {
	by := page.FoundBy(v.Hops)
	return by == page.Inferred.Hop() || v.URL.PathQuery() == "/robots.txt"
}

// part reports what no reader goes to: what a page is drawn with, and lists of addresses.
func part(v *page.Visit) bool {
	by := page.FoundBy(v.Hops)
	return by == page.Embed.Hop() || by == page.Sitemap.Hop()
}

// again reports a page that is given to who asks for it once more, out of the blue: no redirect had to set a
// cookie, it is no data that a script asks for, and what it is like is known.
func again(v *page.Visit) bool {
	return (v.OK() || v.Status == http.StatusNotModified && v.Content != 0) && text(v) &&
		!strings.HasSuffix(v.Hops, "R")
}

// Like names an answer that may be given in place of any page; two of an origin that are alike have one
// name, and 0 is like none.
func (w *Watch) Like(v *page.Visit) uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return cmp.Or(w.of(v.URL), &origin{}).tells(answerOf(v))
}

// answer has the names of what a server answered.
type answer struct {
	says bool // something of the host: a page that does not exist, or is there no more, does not
	// like is the name that answers have which may be given in place of any page, and 0 for one that is not
	// of that kind: a page is told by its title and, where it has a menu, by where that leads.
	like  uint64
	self  uint64 // tells it by its title alone
	shape uint64 // tells it by where it leads, and about how long it is
}

// shapeSize is by how many bytes pages of one shape may differ: they may have a time, or a number.
const shapeSize = 64

// tells gives the name of an answer of the origin. Where the page that was given has the same title, all
// pages may have it, and are told by their shape.
func (o *origin) tells(a answer) uint64 {
	if a.shape != 0 && a.self == o.was.self {
		return a.shape
	}
	return a.like
}

// inRow gives the name of an answer in a row. Where the page that was given is a line or two itself, each
// such page is told by its text.
func (o *origin) inRow(a answer) uint64 {
	if a.like == bare && o.was.like == bare {
		return a.self
	}
	return o.tells(a)
}

// named reports a name of the answer.
func (a *answer) named(like uint64) bool { return like == a.like || like == a.self || like == a.shape }

func answerOf(v *page.Visit) answer {
	switch to := v.Redirected(); {
	case v.Drawing == page.ToBeDrawn, v.Status <= 0:
		return answer{}
	case to != nil:
		target, _, _ := strings.Cut(string(to.URL), "?") // which often has the page's own address
		like := name("to", target)
		return answer{says: true, like: like, self: like}
	case missing(v.Status), v.Status < 200,
		v.Status == http.StatusTooManyRequests, v.Status == http.StatusServiceUnavailable:
		return answer{}
	case v.Status >= 300 && v.Status != http.StatusNotModified:
		like := name("status", strconv.Itoa(v.Status))
		return answer{says: true, like: like, self: like}
	}
	a := answer{says: true, self: cmp.Or(v.Content, empty)}
	if v.Title != "" {
		a.self = name("title", v.Title)
	}
	if v.Unread && v.Size > 0 || v.Truncated != page.Whole || !text(v) {
		return a
	}
	links, others := ownLinks(v)
	leads := strconv.FormatUint(links, 16)
	a.like = a.self
	if v.Status != http.StatusNotModified { // else it is what an earlier run had of this very page
		a.shape = name("shape", leads+" "+strconv.FormatInt(v.Size/shapeSize, 16))
	}
	switch {
	case others > fewLinks:
		a.like = name("links", v.Title+"\x00"+leads)
	case v.Title == "" && v.Size > 0 && v.Size <= maxBare && others == 0 && v.MIME != "text/plain" &&
		!shows(v):
		a.like = bare // it may have a time or a number of its own
	}
	return a
}

// ownLinks sums up which addresses of its own host a page links to, and counts those of other pages. A query
// that names the page itself does not count, as that of a login which leads back to it.
func ownLinks(v *page.Visit) (sum uint64, others int) {
	host, path := v.URL.Host(), v.URL.PathQuery()
	for i := range v.Links {
		if l := &v.Links[i]; l.Kind == page.Navigation && l.URL.Host() == host {
			to, query, _ := strings.Cut(string(l.URL), "?")
			if back, err := url.QueryUnescape(query); err != nil || !strings.Contains(back, path) {
				to = string(l.URL)
			}
			sum += name("link", to)
			if l.URL != v.URL {
				others++
			}
		}
	}
	return sum, others
}

// shows reports a page with pictures, or other parts. The icon that browsers ask each host for is not of it.
func shows(v *page.Visit) bool {
	return slices.ContainsFunc(v.Links, func(l page.Link) bool {
		return l.Kind == page.Embed && l.Context != "favicon"
	})
}

// text reports a page, and no file.
func text(v *page.Visit) bool { return v.MIME == "" || v.MIME == "text/html" || v.MIME == "text/plain" }

// name is never 0.
func name(kind, what string) uint64 {
	var room [256]byte // for most
	return cmp.Or(xxh3.Hash(append(append(append(room[:0], kind...), 0), what...)), 1)
}

// Due gives the page to be asked for in place of a URL, to see whether its origin refuses the crawler;
// "" for none. Parts of pages alone make no origin doubted, and wait for none but one that refuses it.
func (w *Watch) Due(u page.URL, part bool) page.URL {
	w.mu.Lock()
	defer w.mu.Unlock()
	if o := w.doubted(u); o != nil && (!part || o.bans) {
		return o.given
	}
	return ""
}

// Alive gives a page that the origin of a URL gave, to be asked for in place of the URL where the origin
// fails. slowed is for a host that asked to be left alone. It is "" for none.
func (w *Watch) Alive(u page.URL, slowed bool) page.URL {
	w.mu.Lock()
	defer w.mu.Unlock()
	most := mostAlive
	if slowed {
		most = mostSlowed
	}
	o := w.of(u)
	if o == nil || o.alive >= most {
		return ""
	}
	return o.given
}

// FoundAlive takes over that the origin of a URL answered when it was asked for the page of Alive.
func (w *Watch) FoundAlive(u page.URL) { w.change(u, func(o *origin) { o.alive++ }) }

// SetsCookies takes over that the origin of a URL sets cookies: it may have sessions that end.
func (w *Watch) SetsCookies(u page.URL) { w.change(u, func(o *origin) { o.cookies = true }) }

// Refused gives the URLs that the origin of a URL may have refused: they fail with it when it is given up.
func (w *Watch) Refused(u page.URL) []page.URL {
	w.mu.Lock()
	defer w.mu.Unlock()
	if o := w.doubted(u); o != nil {
		return o.refused()
	}
	return nil
}

// Last gives, where nothing is left to be asked for, a page of each origin that may refuse the crawler, once
// for each row, and pages that were not found, or answered alike. When the former is asked for once more,
// the page that is due is asked for first.
func (w *Watch) Last() (pages []page.URL) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, generation := range []map[string]*origin{w.recent, w.older} {
		for root, o := range generation {
			before := o.size()
			if o.ends { // shorter rows may be refused, too, and until one was no other is asked about
				o.need, o.ends, o.gathered = 1, false, false
			}
			if o.cookies && (w.doubted(page.URL(root)) != o || o.need == 1 && o.like != o.refuses) {
				o.gather()
			}
			if i == 0 {
				w.bytes += o.size() - before
			}
			doubted := w.doubted(page.URL(root)) == o
			if doubted && !o.last {
				o.last = true
				pages = append(pages, o.row[0])
			}
			pages = append(pages, o.sought(doubted)...)
		}
	}
	return pages
}

// spare counts that the origin gives again what it had refused. A server that bears no two requests in so
// short a time as the crawler makes them would do so for ever.
func (o *origin) spare() {
	o.spared, o.spares = o.spared+1, o.like
	for _, u := range o.row {
		if len(o.rows) < mostOfRows && !slices.Contains(o.rows, u) {
			o.rows = append(o.rows, u)
		}
	}
	for _, x := range o.lacks {
		x.refused = x.refused || x.like == o.like
	}
}

func (o *origin) refused() []page.URL { return slices.Concat(o.row, o.files) }

// doubted is the origin of a URL, if it may refuse the crawler. The caller holds mu.
func (w *Watch) doubted(u page.URL) *origin {
	o := w.of(u)
	if o == nil || len(o.row) < o.need || o.usual && len(o.row) < usualRow*leastRow {
		return nil
	}
	if o.given == "" || o.spared >= mostSpared || o.was.named(o.like) || slices.Contains(o.row, o.given) {
		return nil
	}
	return o
}

// Verdict is what the answer to the page that is due says.
type Verdict int

// The verdicts.
const (
	Unknown Verdict = iota // it did not answer, or that it cannot now
	Gives                  // it does not refuse the crawler
	Refuses
)

// Row is URLs that were answered alike, until their origin gave the page that was due.
type Row struct {
	URLs    []page.URL
	Like    uint64 // see Like
	Refused bool   // the page that was due had been answered so, too
}

// Judge takes over the answer to the page that is due. Of an origin that gives it, row is what it may have
// refused.
func (w *Watch) Judge(v *page.Visit) (is Verdict, row Row) {
	a := answerOf(v)
	w.change(v.URL, func(o *origin) {
		if a.says && o.inRow(a) == o.like {
			is, o.bans = Refuses, true
		} else if a.says || missing(v.Status) {
			is = Gives
		}
		if is != Gives {
			return
		}
		if row = (Row{o.refused(), o.like, o.bans}); o.bans {
			o.spare()
		} else {
			of := slices.Clone(row.URLs)
			for _, u := range o.freed.URLs {
				if o.freed.Like == row.Like && len(of) < mostMissing && !slices.Contains(row.URLs, u) {
					of = append(of, u)
				}
			}
			o.need, o.freed = min(2*o.need, mostRow), Row{URLs: of, Like: row.Like}
		}
		o.begin(0)
	})
	return is, row
}
