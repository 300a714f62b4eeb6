package quality

import (
	"bytes"
	"context"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"watershed/archive"
	"watershed/crawler/draw"
	"watershed/harvest"
	"watershed/holdings"
	"watershed/page"
)

// Again is what came of drawing a page once more, out of the archive alone.
type Again struct {
	Requests int `json:"requests"` // different ones that the page made
	Words    int `json:"words"`    // that it showed when it was drawn live
	Lost     int `json:"lost"`     // of these, which it does not show now
	// Differs is the part of its picture, by squares of 8 by 8 points, that is not as it was when it was
	// drawn live; nil where one of the pictures is lacking. Pages are not judged by it: films go on.
	Differs *float64 `json:"differs,omitempty"`
	// Errors are those of its scripts that it did not have when it was drawn live, digits aside; none
	// where it told more then than was listened to.
	Errors []string `json:"errors,omitempty"`
	Fault  string   `json:"fault,omitempty"`

	view, difference []byte // pictures
}

// mostLost is how many words of a hundred may differ between two drawings of a page: some tell the
// hour, or one of several proverbs.
const mostLost = 3

func (a *Again) lacks() bool {
	return a != nil && a.Fault == "" &&
		(a.Lost*100 > mostLost*a.Words || slices.ContainsFunc(a.Errors, thrown))
}

// thrown reports an error that nothing caught, by which a page's script ended. Pages tell the console
// errors of many kinds, which judge nothing.
func thrown(text string) bool { return strings.HasPrefix(text, "Uncaught ") }

// again draws a page of whose capture a drawing is archived.
func (w *walk) again(ctx context.Context, f *holdings.Found, live *archive.Drawing) error {
	u := w.page.URL
	if w.drawn != nil {
		w.drawn(u)
	}
	s := &shelf{folder: w.folder, at: f.Time, live: live, answers: map[page.URL]*stand{}}
	d, err := w.tab.Draw(ctx, u, s)
	a := new(Again)
	w.page.Again, w.page.By = a, ByAgain
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case s.away != nil:
		a.Fault = "some of what it needs is not here: " + s.away.Error()
	case err != nil:
		a.Fault = "it could not be drawn again: " + err.Error()
	case d.Cut != "":
		a.Fault = "it was drawn again in part: " + d.Cut
	}
	if w.page.Unjudged = a.Fault; d == nil {
		return nil
	}
	a.Requests = len(d.Asked)
	for i := range d.Asked {
		w.asked(&d.Asked[i], s)
	}
	captured := wordsOf(live)
	a.Words = len(captured)
	a.Lost = lost(captured, wordsOf(&archive.Drawing{Text: d.Text, Places: places(d)}))
	a.Errors = further(live.Errors, d.Errors)
	view, err := f.Drawn(archive.DrawnView)
	if a.view = d.View; err != nil || view == nil || d.View == nil {
		return err
	}
	share, difference, err := draw.Difference(view, d.View)
	if err == nil { // a picture that cannot be read is none
		a.Differs, a.difference = &share, difference
	}
	return nil
}

// lost is how many words of a page are not shown any more, wherever. How often a page shows a word is told
// by no drawing: words that come and go are noted whenever they are met.
func lost(captured, shown []string) (n int) {
	shows := map[string]bool{}
	for _, w := range shown {
		shows[w] = true
	}
	for _, w := range captured {
		if !shows[w] {
			n++
		}
	}
	return n
}

// further are the errors of a drawing that the live one did not have, as far as that was listened to.
func further(live, again []string) []string {
	if live == nil || slices.Contains(live, draw.Unheard) {
		return nil
	}
	return slices.DeleteFunc(again, func(text string) bool {
		return text == draw.Unheard ||
			slices.ContainsFunc(live, func(x string) bool { return zeroes(x) == zeroes(text) })
	})
}

func places(d *draw.Drawing) (list []archive.Place) {
	for _, p := range d.Places {
		list = append(list, archive.Place(p))
	}
	return list
}

// wordsOf are those of a page and of its places behind a "#"; all digits are alike. Words
// that presses showed are left out: nothing is pressed again that may lead elsewhere.
func wordsOf(d *archive.Drawing) (words []string) {
	shown, _, _ := strings.Cut(d.Text, "\n")
	for _, text := range append([]archive.Place{{Text: shown}}, d.Places...) {
		words = append(words, strings.Fields(zeroes(text.Text))...)
	}
	return words
}

// zeroes writes 0 for each digit.
func zeroes(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '0'
		}
		return r
	}, text)
}

// asked takes up a request that the page made when it was drawn again, where it is not among the
// requisites yet.
func (w *walk) asked(a *draw.Asked, s *shelf) {
	u := draw.AddressOf(a.Method, a.URL, a.ContentType, a.Body)
	got := s.answers[u]
	if got == nil || got.state == Own || s.live.Asked[string(u)].Cause != "" {
		return // not of the web, or held, or without an answer live, too
	}
	if w.seen[u] {
		i := slices.IndexFunc(w.page.Requisites, func(r Requisite) bool { return r.URL == u })
		if i >= 0 && got.state == Absent && w.page.Requisites[i].State != Absent {
			w.page.Requisites[i].State = Absent // its record was found, and could not be read
			w.miss(u, w.page.Requisites[i].As)
			w.missing[u].Reason = damaged
		}
		return
	}
	w.seen[u] = true
	if len(w.page.Requisites) == maxRequisites {
		w.page.Passed++
		return
	}
	as := page.DrawnContext + a.Kind
	w.page.Requisites = append(w.page.Requisites, Requisite{
		URL: u, In: w.page.URL, As: as, State: got.state, Status: a.Status, At: got.at,
	})
	if got.state == Absent {
		w.miss(u, as)
	}
}

// stand is what answers for a request of a page that is drawn again.
type stand struct {
	state State // Own, Like or Absent
	at    page.URL
}

// shelf answers the browser by the captures of a harvest, and by nothing else.
type shelf struct {
	folder harvest.Folder
	at     time.Time
	live   *archive.Drawing

	mu      sync.Mutex // guards what follows
	answers map[page.URL]*stand
	away    error
}

// Answer gives the capture that is nearest in time to that of the page.
func (s *shelf) Answer(_ context.Context, q *draw.Request) (*draw.Answer, error) {
	u := q.Address()
	if u == "" {
		return nil, errors.New("its address is too long")
	}
	got := stand{Own, u}
	answer, err := s.open(u)
	if errors.Is(err, holdings.ErrNotHeld) {
		if other := s.like(u); other != "" {
			got = stand{Like, other}
			if answer, err = s.open(other); err == nil {
				err = recall(answer, u)
			}
		}
	}
	if err != nil {
		got = stand{Absent, u}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[u] = &got
	if errors.Is(err, harvest.ErrRemoved) {
		s.away = err
	}
	if err != nil {
		return nil, err
	}
	answer.Body = &watched{answer.Body, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		got.state = Absent
	}}
	return answer, nil
}

// watched is a body that tells when it cannot be read to its end.
type watched struct {
	io.ReadCloser
	fails func()
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		w.fails()
	}
	return n, err
}

func (s *shelf) open(u page.URL) (*draw.Answer, error) {
	f, err := holdings.Find(s.folder, u, s.at)
	if err != nil {
		return nil, err
	}
	rec, err := f.Open(s.folder)
	if err != nil {
		return nil, err
	}
	return draw.ReplayOf(rec)
}

// like is a request that the page made live, and that differs from one that it did not make by
// values alone that a script makes up anew each time; "" for none. Such requests are answered one
// after the other, the last one for all that come then.
func (s *shelf) like(u page.URL) (found page.URL) {
	if _, made := s.live.Asked[string(u)]; made {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	used := map[page.URL]bool{}
	for _, a := range s.answers {
		used[a.at] = true
	}
	var all []page.URL
	for address, a := range s.live.Asked {
		if a.Status != 0 && alike(address, string(u)) {
			all = append(all, page.URL(address))
		}
	}
	slices.Sort(all)
	for _, other := range all {
		if found = other; !used[other] {
			break
		}
	}
	return found
}

// callback is the name in an address of the function that a script is to call, and called what a script
// begins with that does, both as ReplayWeb.page finds them.
var (
	callback = regexp.MustCompile(`(?i)[?].*(?:callback|jsonp)=([^&]+)`)
	called   = regexp.MustCompile(`^(?:\s*(?:/\*[^*]*\*/|//[^\n]+\n))*\s*([\w.]+)\([{\[]`)
)

// mostCalled bounds a script that calls a function, in bytes.
const mostCalled = 16 << 20

// recall has a script call the function that is asked for in place of the one that was asked for live, as
// programs for replay do.
func recall(a *draw.Answer, u page.URL) error {
	name := callback.FindStringSubmatch(string(u))
	if name == nil || !strings.Contains(a.Header.Get("Content-Type"), "javascript") {
		return nil
	}
	script := archive.Decode(a.Body, a.Header.Values("Content-Encoding"), mostCalled)
	if err := script.Err; err != nil || script.Cut {
		return errors.Join(errors.New("a script cannot be read"), err, a.Body.Close())
	}
	text := script.Bytes
	if at := called.FindSubmatchIndex(text); at != nil {
		text = slices.Concat(text[:at[2]], []byte(name[1]), text[at[3]:])
	}
	a.Header.Del("Content-Encoding")
	a.Body = struct {
		io.Reader
		io.Closer
	}{bytes.NewReader(text), a.Body}
	return nil
}

// alike reports two addresses that differ by made-up values alone, which have the same names.
func alike(a, b string) bool {
	before, x, _ := strings.Cut(a, "?")
	after, y, found := strings.Cut(b, "?")
	xs, ys := strings.Split(x, "&"), strings.Split(y, "&")
	if before != after || !found || len(xs) != len(ys) {
		return false
	}
	for i := range xs {
		if xs[i] != ys[i] && !madeUp(xs[i], ys[i]) {
			return false
		}
	}
	return true
}

// madeUpNames are arguments whose only use is that no cache knows their value, or that names the
// answer's function. They are among those that pywb and ReplayWeb.page pass over, too.
var madeUpNames = []string{
	"_", "_t", "_ts", "_dc", "_r", "cb", "cachebust", "cachebuster", "nocache", "rand", "random", "rnd",
	"callback", "jsonp", "nonce", "timestamp", "ts",
}

// madeUpValue is a moment in seconds or milliseconds, a random number, or random hexadecimal digits.
var madeUpValue = regexp.MustCompile(
	`^(1\d{9}|1\d{12}|1\d{9}\.\d+|0?\.\d{6,}|[0-9a-f]{16,}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$`)

// madeUp reports two arguments of a name whose values are made up.
func madeUp(x, y string) bool {
	name, of, named := strings.Cut(x, "=")
	same, other, _ := strings.Cut(y, "=")
	if !named { // the value alone
		name, of, same, other = "", name, "", same
	}
	return name == same && (slices.Contains(madeUpNames, strings.ToLower(name)) ||
		madeUpValue.MatchString(strings.ToLower(of)) && madeUpValue.MatchString(strings.ToLower(other)))
}
