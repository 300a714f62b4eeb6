package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gocolly/colly/v2"

	"watershed/page"
)

// Request is a task for a worker.
type Request struct {
	URL     page.URL
	Spelled page.Spelling
	Method  string // "" is GET; HEAD and POST are the only others

	// Address is dialled, and no other; it is checked like any. The zero Address is looked up, and
	// the host's addresses are tried in order. It is of no account behind a proxy.
	Address netip.Addr

	// MaxBody bounds the body where it is less than Options.MaxBody; 0 does not.
	MaxBody int64
	// Timeout bounds the body, from the end of the head on; 0 does not.
	Timeout time.Duration

	ETag         string      // of an earlier capture: makes the request conditional (If-None-Match)
	LastModified string      // likewise (If-Modified-Since), as the server wrote it
	Referer      page.URL    // the page with the link; not sent from https to http
	Header       http.Header // more fields, and others instead of those of Options

	Body  []byte      // of a POST; Header has its Content-Type
	Login Credentials // nil for none
}

// accepted is the Accept field that a browser sends, as far as it concerns servers; codings are
// those that are asked for.
const (
	accepted = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	codings  = "gzip, deflate" // not br: warcio and other readers of archives have it only as an extra

	contentLength = "Content-Length"
)

// Worker fetches one URL after the other. It belongs to one goroutine.
//
// The collector builds the request, runs the callbacks, and ends with the context. Its own queue,
// robots, dedup, limits, redirects and decoding are off: the crawler has its own. Callbacks see a
// response without a body: the exchange has it.
type Worker struct {
	collector *colly.Collector
	recorder  *recorder
	fixed     http.Header // fields of every request
}

func newWorker(f *Fetcher) *Worker {
	w := &Worker{recorder: newRecorder(f), fixed: http.Header{}}
	w.fixed.Set("User-Agent", f.opt.UserAgent)
	w.fixed.Set("Accept", accepted)
	w.fixed.Set("Accept-Encoding", codings)
	if f.opt.From != "" {
		w.fixed.Set("From", f.opt.From)
	}
	for name, values := range f.opt.Header {
		w.fixed[http.CanonicalHeaderKey(name)] = values
	}
	// NewCollector would let COLLY_ environment variables change what is fetched; Init does not
	// look at them.
	c := &colly.Collector{}
	c.Init()
	c.UserAgent = f.opt.UserAgent
	c.AllowURLRevisit = true
	c.ParseHTTPErrorResponse = true
	c.IgnoreRobotsTxt = true
	c.MaxBodySize = 0
	c.SetClient(&http.Client{
		Transport: w.recorder,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	})
	w.collector = c
	return w
}

// Fetch makes one exchange. It is never nil; its Err tells why there is no response, or no whole
// one (StatusOf). The caller closes it. When ctx ends, the exchange ends with the bytes that had
// come.
func (w *Worker) Fetch(ctx context.Context, q Request) *page.Exchange {
	q.Method = cmp.Or(q.Method, http.MethodGet)
	// what is sent has a start of its own
	x := &page.Exchange{URL: q.URL, Spelled: q.Spelled, Method: q.Method, Start: time.Now()}
	header, err := w.header(&q)
	if err != nil {
		x.Err = &Error{Kind: errRequest, Cause: err}
		return x
	}
	asked := w.recorder.expect(&q, x)
	w.collector.Context = ctx
	if err := w.collector.Request(q.Method, parseable(q.URL), nil, nil, header); !*asked {
		// The URL did not get past colly. After that its errors only repeat what x.Err says, or
		// complain about a Location.
		if err == nil {
			err = errors.New("request was not sent")
		}
		x.Err = &Error{Kind: errRequest, Cause: err}
	}
	w.collector.Context = context.Background()
	w.recorder.release()
	return x
}

// header makes the fields of a request.
func (w *Worker) header(q *Request) (http.Header, error) {
	switch {
	case q.Method != http.MethodGet && q.Method != http.MethodHead && q.Method != http.MethodPost:
		return nil, errors.New("method is " + q.Method)
	case q.Method != http.MethodPost && len(q.Body) > 0:
		return nil, errors.New("a " + q.Method + " has no body")
	}
	if !sendable(q.URL) || q.Spelled != q.URL.Spelling(string(q.Spelled)) {
		return nil, fmt.Errorf("URL is not canonical: %.200q", q.URL)
	}
	h := make(http.Header, len(w.fixed)+len(q.Header)+4)
	maps.Copy(h, w.fixed)
	if q.ETag != "" {
		h["If-None-Match"] = []string{q.ETag}
	}
	if q.LastModified != "" {
		h["If-Modified-Since"] = []string{q.LastModified}
	}
	if q.Referer != "" && (q.Referer.Scheme() == "http" || q.URL.Scheme() == "https") {
		h["Referer"] = []string{string(q.Referer)}
	}
	for name, values := range q.Header {
		h[http.CanonicalHeaderKey(name)] = values
	}
	if q.Method == http.MethodPost {
		h[contentLength] = []string{strconv.Itoa(len(q.Body))}
	}
	for name, values := range h {
		if !validField(name, values) {
			return nil, errors.New("header field " + name + " is not valid")
		}
	}
	return h, nil
}

// parseable is a URL in a form that net/url takes: a "%" that begins no escape would be an error.
// This form is not sent.
func parseable(u page.URL) string {
	if _, err := url.Parse(string(u)); err == nil {
		return string(u)
	}
	return strings.ReplaceAll(string(u), "%", "%25")
}

// sendable reports a URL that can stand in a request line. Every URL that page.ParseURL makes can;
// no other URL must get there.
func sendable(u page.URL) bool {
	if s := u.Scheme(); s != "http" && s != "https" || u.Host().Name() == "" {
		return false
	}
	return !strings.ContainsFunc(string(u), func(c rune) bool { return c <= ' ' || c >= 0x7f })
}
