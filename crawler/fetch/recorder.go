package fetch

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"watershed/internal/coding"
	"watershed/page"
)

// recorder is a worker's http.RoundTripper. It makes the exchange that the worker expects, whole,
// and answers with its head alone: the body stays in the exchange.
type recorder struct {
	f     *Fetcher
	q     *Request
	x     *page.Exchange
	asked bool

	br     *bufio.Reader // lent to the connection in use
	buf    bytes.Buffer  // the request
	head   int           // where the fields end in it
	rest   []byte        // to take a body off the wire through
	mem    []byte        // the response, where its record is in memory
	again  *bufio.Reader // of a body's record
	decode coding.Decoder
}

func newRecorder(f *Fetcher) *recorder {
	return &recorder{
		f: f, br: bufio.NewReaderSize(nil, bufferSize), rest: make([]byte, 32<<10),
		again: bufio.NewReaderSize(nil, 32<<10),
	}
}

// expect names the exchange that the next RoundTrip makes. The bool becomes true when that
// RoundTrip is called.
func (r *recorder) expect(q *Request, x *page.Exchange) *bool {
	r.q, r.x, r.asked = q, x, false
	return &r.asked
}

// release lets go of the exchange: a worker that waits for its next request keeps no body.
func (r *recorder) release() { r.q, r.x, r.mem = nil, nil, nil }

// RoundTrip makes one exchange. It follows no redirect, and the response that it returns has no
// body.
func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	if r.asked {
		return nil, &Error{Kind: errRequest, Cause: errors.New("a second request for one exchange")}
	}
	r.asked = true
	x := r.x
	r.exchange(req.Context(), req.Header)
	if x.Status == 0 {
		return nil, x.Err
	}
	return &http.Response{
		StatusCode: x.Status, Status: http.StatusText(x.Status), Proto: "HTTP/1.1", ProtoMajor: 1,
		ProtoMinor: 1,
		Header:     http.Header(x.Header), Body: http.NoBody, Request: req, Uncompressed: true,
	}, nil
}

// exchange tries the host's addresses until there is a connection, and makes the exchange over it.
func (r *recorder) exchange(ctx context.Context, header http.Header) {
	addrs, err := r.addresses(ctx)
	if err != nil {
		r.x.Err = err
		return
	}
	for _, a := range addrs {
		r.x.Err = r.over(ctx, a, header)
		if !errors.Is(r.x.Err, errConnect) {
			return
		}
	}
}

// maxAddresses bounds the addresses of one host that are tried in one fetch.
const maxAddresses = 3

func (r *recorder) addresses(ctx context.Context) ([]netip.Addr, error) {
	host := r.x.URL.Host()
	if a := r.q.Address; a.IsValid() && r.f.opt.Proxy == nil {
		return []netip.Addr{a}, r.f.check(host, a)
	}
	found, err := r.f.Resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	if r.f.opt.Proxy != nil {
		return []netip.Addr{{}}, nil
	}
	return found.Addrs[:min(len(found.Addrs), maxAddresses)], nil
}

// errStale is a connection that the server closed while it was idle, before the request reached it.
var errStale = errors.New("idle connection was closed")

// over makes the exchange over a connection to an address, a kept one or, if that proves to be
// closed, a new one.
func (r *recorder) over(ctx context.Context, a netip.Addr, header http.Header) error {
	for fresh := false; ; fresh = true {
		c, err := r.f.connection(ctx, r.x.URL, a, fresh)
		if err != nil {
			return err
		}
		if err = r.converse(ctx, c, header); err != errStale {
			return err
		}
	}
}

// converse is one request and its response. It gives the connection back or closes it.
func (r *recorder) converse(ctx context.Context, c *conn, header http.Header) error {
	x := r.x
	x.Remote, x.Proxied, x.TLS = c.remote, c.proxied, c.tls
	x.Start = time.Now()
	limits := newLimits(ctx, &r.f.opt, x.Start, r.q.Timeout)
	end := c.begin(limits, r.br)
	stale, before := c.used, c.last
	c.used = true
	h, raw, err := r.ask(c, header)
	keep := false
	if err == nil {
		keep, err = r.answer(c, h, raw)
	}
	x.Duration = time.Since(x.Start)
	again := err == nil && r.repeated(c, before)
	c.took = x.Duration
	keep = keep && !again && r.br.Buffered() == 0
	if end() && keep {
		r.f.pool.put(c)
	} else {
		c.discard()
	}
	if again || stale && r.forgotten(h, limits, err) {
		err := x.Close()
		*x = page.Exchange{URL: x.URL, Spelled: x.Spelled, Method: x.Method}
		if err != nil {
			return &Error{Kind: ErrSpool, Cause: err}
		}
		return errStale
	}
	if x.Response == nil || errors.Is(err, ErrSpool) {
		return err
	}
	err = cmp.Or(err, r.read(ctx, h, err))
	if page.Endless(h.header) && errors.Is(err, ErrTimeout) {
		return nil
	}
	return err
}

// forgotten reports that a kept connection was given up by the server before our request came: it
// ended without a byte, or with the answer of a server that was tired of waiting (RFC 9110,
// 15.5.9), after which the request may be repeated; or that the rest of the answer before came over it: then
// the request may have come, too, and a POST is not repeated (RFC 9110, 9.2.2).
func (r *recorder) forgotten(h *head, l *limits, err error) bool {
	if h == nil {
		return l.got == 0 && errors.Is(err, ErrLost) ||
			errors.Is(err, errNotHTTP) && r.q.Method != http.MethodPost
	}
	return h.status == http.StatusRequestTimeout && !h.persistent()
}

// repeated reports an answer whose body, or whose head where that leads elsewhere and has no body, is that
// of the one before over its connection, and that another one follows: a server that sends answers twice
// has the next request meet the second of a pair, and each answer of that connection is then another
// address's.
func (r *recorder) repeated(c *conn, before sum) bool {
	if c.last == 0 || c.last != before || r.q.Method == http.MethodPost || !r.f.pool.suspects(c.key) {
		return false
	}
	again := r.br.Buffered() > 0 || c.goesOn()
	r.f.pool.learn(c.key, again)
	return again
}

// ask sends the request and reads the head of the final response.
func (r *recorder) ask(c *conn, header http.Header) (*head, []byte, error) {
	r.request(c, header)
	if err := c.SetWriteDeadline(r.x.Start.Add(headTimeout)); err != nil {
		return nil, nil, &Error{Kind: ErrLost, Cause: err}
	}
	if err := c.limits.ctx.Err(); err != nil {
		return nil, nil, err
	}
	if _, err := c.Write(r.sent(c)); err != nil {
		// The server may have answered and closed without reading all; if so the answer is there to
		// be read.
		if _, e := r.br.Peek(1); e != nil {
			return nil, nil, lost(err)
		}
	}
	for left := r.f.opt.MaxHead; ; {
		raw, err := readLines(r.br, left)
		if err == io.ErrUnexpectedEOF && foreign(raw) { // asking again would bring the same
			return nil, nil, &Error{Kind: errNotHTTP, Cause: fmt.Errorf("it begins with %.40q", raw)}
		}
		if err != nil {
			return nil, nil, lost(err)
		}
		h, err := parseHead(raw)
		if err != nil {
			return nil, nil, err
		}
		if h.status == http.StatusSwitchingProtocols { // what follows is of another protocol
			return nil, nil, &Error{Kind: errNotHTTP, Cause: errors.New("101 to a request for HTTP")}
		}
		if h.status >= 200 {
			if r.q.Login != nil {
				raw = r.mask(h, raw)
			}
			return h, raw, nil
		}
		left -= len(raw)
	}
}

// lost is a failure before a whole head: one of our limits, or else the peer's.
func lost(err error) error {
	if errors.Is(err, errHead) || errors.Is(err, ErrTimeout) || isContext(err) {
		return err
	}
	return &Error{Kind: ErrLost, Cause: err}
}

func isContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// request writes the request into buf and keeps a copy in the exchange: Host and User-Agent first,
// the others by name. The copy of a request with a login has its secrets masked.
func (r *recorder) request(c *conn, header http.Header) {
	u := r.x.URL
	target := u.As(r.x.Spelled)
	origin := len(u) - len(u.PathQuery())
	asked := target
	if !c.proxied || c.key.tls {
		asked = target[origin:]
	}
	body := r.q.Body
	if r.q.Login != nil {
		sent, masked, text := r.confide(header, target[origin:])
		r.write(asked, masked, text)
		header = sent
	} else {
		r.write(asked, header, body)
	}
	record := bytes.Clone(r.buf.Bytes())
	r.x.Request = io.NewSectionReader(bytes.NewReader(record), 0, int64(len(record)))
	if r.q.Login != nil {
		r.write(asked, header, body)
	}
}

// write writes a request into buf.
func (r *recorder) write(target string, header http.Header, body []byte) {
	b := &r.buf
	b.Reset()
	host := string(r.x.URL.Host())
	for _, s := range [...]string{r.q.Method, " ", target, " HTTP/1.1\r\nHost: ", host, "\r\n"} {
		b.WriteString(s)
	}
	field := func(name string) {
		for _, v := range header[name] {
			for _, s := range [...]string{name, ": ", v, "\r\n"} {
				b.WriteString(s)
			}
		}
	}
	field("User-Agent")
	var names [16]string
	order := names[:0]
	for name := range header {
		if name != "User-Agent" && name != "Host" {
			order = append(order, name)
		}
	}
	slices.Sort(order)
	for _, name := range order {
		field(name)
	}
	r.head = b.Len()
	b.WriteString("\r\n")
	b.Write(body)
}

// sent has the bytes that go over the wire: the request, and for a proxy that is asked in absolute
// form its credentials, which must not get into an archive.
func (r *recorder) sent(c *conn) []byte {
	if c.proxied && !c.key.tls {
		if s := credentials(r.f.opt.Proxy); s != "" {
			rest := string(r.buf.Bytes()[r.head:])
			r.buf.Truncate(r.head)
			r.buf.WriteString(s + rest)
		}
	}
	return r.buf.Bytes()
}

// answer takes the body behind a head off the wire, into the record. It reports whether the
// connection is as it was before.
func (r *recorder) answer(c *conn, h *head, raw []byte) (keep bool, err error) {
	x, o := r.x, &r.f.opt
	c.limits.begun(time.Now(), r.br.Buffered())
	kind, length := h.framing(r.q.Method)
	switch {
	case page.Endless(h.header) && !r.mayEnd(h):
		c.limits.most = endlessTime
	case h.plays() && (kind == byLength || h.header.Get("ETag") != "" || h.header.Get("Last-Modified") != ""):
		c.limits.most = 0 // it has an end, and does not come faster for being drawn
	}
	if repaired := h.repaired(raw, kind); repaired != nil {
		x.RawHead, raw = raw, repaired
	}
	x.Status, x.Header, x.Head = h.status, h.header, int64(len(raw))
	rec := &spool{dir: o.SpoolDir, above: o.SpoolAbove}
	b := &body{br: r.br, rec: rec, limits: c.limits, kind: kind, left: length, most: r.most()}
	if h.page() {
		b.unsized = func() { r.unsized(h, raw, rec) }
	}
	if b.kind == byLength {
		rec.expect(int64(len(raw)) + min(b.left, b.most))
	} else {
		rec.expect(int64(len(raw) + r.br.Buffered())) // mostly all of it
	}
	x.Release = rec.close
	if err = rec.write(raw); err != nil {
		b.err = &Error{Kind: ErrSpool, Cause: err}
	}
	head := rec.sum
	rec.sum = 0 // each answer may have a number or a time of its own in its head
	err = r.drain(b)
	x.Rechunked, x.Trailer = b.repaired, b.fields
	c.last = rec.sum
	if rec.size == x.Head && h.header.Get("Location") != "" { // many others may have nothing to say
		c.last = head
	}
	response, e := rec.done()
	x.Response, r.mem = response, rec.mem
	if e != nil && !errors.Is(err, ErrSpool) {
		err = &Error{Kind: ErrSpool, Cause: e}
	}
	x.Truncated = truncation(err)
	return err == nil && h.persistent() && b.kind < byClose, err
}

// unsized takes a length that proved wrong out of a head and out of the record, which is in memory: other
// programs show no more of the page than it tells.
func (r *recorder) unsized(h *head, raw []byte, rec *spool) {
	delete(h.header, contentLength)
	head := h.repaired(raw, unreliable)
	if head == nil {
		return
	}
	if r.x.RawHead == nil {
		r.x.RawHead = raw
	}
	rec.mem = append(head, rec.mem[len(raw):]...)
	r.x.Head, rec.size = int64(len(head)), int64(len(rec.mem))
}

// page reports HTML that is not compressed.
func (h *head) page() bool {
	return strings.Contains(strings.ToLower(h.header.Get("Content-Type")), "html") &&
		h.header["Content-Encoding"] == nil
}

// plays reports a film or a sound.
func (h *head) plays() bool {
	kind := strings.ToLower(h.header.Get("Content-Type"))
	return strings.HasPrefix(kind, "video/") || strings.HasPrefix(kind, "audio/") ||
		strings.HasPrefix(kind, "application/ogg")
}

// mayEnd reports events that a script reads as it reads any answer: an EventSource asks for them by their
// type, and goes on for ever.
func (r *recorder) mayEnd(h *head) bool {
	const events = "text/event-stream"
	return r.q.Timeout > 0 && strings.HasPrefix(h.header.Get("Content-Type"), events) &&
		!strings.HasPrefix(r.q.Header.Get("Accept"), events)
}

// most is how many bytes of the body may come.
func (r *recorder) most() int64 {
	if q := r.q.MaxBody; q > 0 {
		return min(q, r.f.opt.MaxBody)
	}
	return r.f.opt.MaxBody
}

// drain takes a body off the wire.
func (r *recorder) drain(b *body) error {
	for {
		if _, err := b.Read(r.rest); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// truncation is the word for how a body ended.
func truncation(err error) page.Truncation {
	switch {
	case err == nil:
		return page.Whole
	case errors.Is(err, ErrBody):
		return page.CutLength
	case errors.Is(err, ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		return page.CutTime
	case errors.Is(err, ErrCutShort):
		return page.CutConnected
	}
	return page.CutUnknown
}
