package draw

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"watershed/page"
)

// Source answers the browser's requests: from what is captured, or by fetching it. It is called by
// several goroutines at a time.
type Source interface {
	// Answer gives the answer to a request, nil where there is none. It ends with the context.
	Answer(ctx context.Context, q *Request) (*Answer, error)
}

// Request is a request of the browser for the page that is being drawn.
type Request struct {
	Method string // GET or POST
	URL    page.URL
	Header http.Header // of the browser, without what concerns the connection alone
	Body   []byte      // of a POST, at most maxPost bytes

	began  func()      // nil for nobody to tell
	linked func() bool // nil for a request that is for no page
}

// Began tells that the request is made: what it waits for from now on is not its turn, but the server.
func (q *Request) Began() {
	if q.began != nil {
		q.began()
	}
}

// Linked reports that the page links to what one of its scripts asks for by GET: servers often answer a
// script of some framework with data or a part of the page, which it asks for by fields of its own.
func (q *Request) Linked() bool { return q.linked != nil && q.linked() }

// usual are fields that a browser sends for a script of its own accord.
var usual = []string{"Accept", "Accept-Language", "Authorization", "Cookie", "Dnt", "Origin", "Referer"}

// Tailored reports what a script asks for by fields of its own, to which servers may answer with something
// else than what a reader gets at the address.
func (q *Request) Tailored() bool {
	return q.linked != nil && (q.Header.Get("Accept") != "*/*" || slices.ContainsFunc(
		slices.Collect(maps.Keys(q.Header)), func(name string) bool { return !slices.Contains(usual, name) }))
}

// Answer is what a server has answered. Its body is read and closed once.
type Answer struct {
	Status int
	Header http.Header
	Body   io.ReadCloser // as the server coded it, without the framing of the connection; nil for none
}

// Asked is a request that a page made, and the answer to it, as "urn:pageinfo:" tells it.
type Asked struct {
	Method string
	URL    page.URL
	Text   string // in place of URL, of one that is no address of a web page
	Status int    // 0 for none
	MIME   string
	Kind   string // as Chromium calls it: document, script, image
	Cause  string // why there was no answer; "" where there was one
	// of a POST, as it was sent
	ContentType string
	Body        []byte
}

// Unawaited is the cause of what the page was still waiting for when its drawing ended: the crawler goes on
// to fetch it.
const Unawaited = "its answer was not awaited any more"

// Causes for which nobody is asked, and those that begin so.
const (
	notFetched  = "it is not an address that can be fetched"
	notArchived = "a WebSocket cannot be archived"
	notSentBy   = "a crawler sends no "
	tooLong     = "its body is longer than"
	isAhead     = "it is asked for ahead of a press"
	saysChange  = "its address says that it changes something on the server"
	mayChange   = "it may change something on the server: the page did not post this by itself"
)

// Refused reports a cause for which no server is asked for what a page asks for, whoever draws it.
func Refused(cause string) bool {
	return slices.ContainsFunc([]string{
		notFetched, notArchived, notSentBy, tooLong, isAhead, saysChange, mayChange,
	}, func(begin string) bool { return strings.HasPrefix(cause, begin) })
}

// Bounds of what a page sends, in bytes: in a request, and in all.
const (
	maxPost   = 1 << 20
	maxPosted = 16 << 20
)

// proxy is what one tab sees of the web.
type proxy struct {
	ca       *authority
	most     int // requests of a page
	listener net.Listener
	tunnels  tunnels
	server   *http.Server

	mu     sync.Mutex // guards what follows
	sight  *sight     // of the page that is being drawn; nil for none
	strays bool       // a page that was closed went on asking
	served sync.WaitGroup
}

// sight is what a page asks for while it is drawn.
type sight struct {
	ctx    context.Context
	source Source
	// linked reports a link of the page, as the browser writes its address; nil for none
	linked func(ctx context.Context, u page.URL, address string) bool

	mu      sync.Mutex // guards what follows
	last    time.Time  // when something new was asked for, or an answer to it came
	awaited span       // in which answers were
	busy    span       // of awaited, in which servers were answering
	asked   []Asked
	seen    map[string]int  // how often, by method, URL and body
	noted   map[string]bool // what nobody was asked for, by method and URL
	fetched int             // how many requests were made
	sent    int             // bytes, in bodies of requests
	over    bool            // something was asked for beyond the page's number of requests
	pressed bool            // something was pressed on the page
	hovers  bool            // the mouse is led over its links
	// posts are the addresses to which the page posted before: whether GraphQL's word for changes was in
	// what it sent
	posts map[string]bool
}

// span is the time in which at least one of several things was under way.
type span struct {
	open  int
	since time.Time     // when open became more than 0
	past  time.Duration // until since
}

func (s *span) begin(now time.Time) {
	if s.open++; s.open == 1 {
		s.since = now
	}
}

func (s *span) end(now time.Time) {
	if s.open--; s.open == 0 {
		s.past += now.Sub(s.since)
	}
}

func (s *span) sum(now time.Time) time.Duration {
	if s.open > 0 {
		return s.past + now.Sub(s.since)
	}
	return s.past
}

func newProxy(ca *authority, most int) (*proxy, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the browser: %w", err)
	}
	p := &proxy{ca: ca, most: most, listener: l, tunnels: newTunnels()}
	p.server = &http.Server{
		Handler: p, ReadHeaderTimeout: 30 * time.Second, MaxHeaderBytes: 1 << 20,
		ErrorLog: discard, ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			if t, ok := c.(*tunnel); ok {
				return context.WithValue(ctx, originKey{}, t.origin)
			}
			return ctx
		},
	}
	p.served.Go(func() { _ = p.server.Serve(l) })         // it ends with close
	p.served.Go(func() { _ = p.server.Serve(p.tunnels) }) // likewise
	return p, nil
}

func (p *proxy) address() string { return p.listener.Addr().String() }

func (p *proxy) close() error {
	err := p.server.Close()
	p.served.Wait()
	return err
}

// show begins a page; nil ends it, and requests that come then have no answer.
func (p *proxy) show(s *sight) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sight = s
}

// shown is the page that a request is of, nil for none. A post that comes then is a page's farewell,
// anything else of one that goes on asking.
func (p *proxy) shown(method string) *sight {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.strays = p.strays || p.sight == nil && method != http.MethodPost
	return p.sight
}

// strayed reports that a page which is closed went on asking.
func (p *proxy) strayed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.strays
}

type originKey struct{} // of a tunnel: scheme and authority, in the context of its connections

// ServeHTTP answers the browser.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect {
		p.connect(w, r)
		return
	}
	address := r.RequestURI
	if origin, ok := r.Context().Value(originKey{}).(string); ok {
		address = origin + r.RequestURI
	}
	s := p.shown(r.Method)
	if s == nil {
		refuse(w, http.StatusServiceUnavailable)
		return
	}
	p.serve(w, r, s, address)
}

// refuse answers in place of a server.
func refuse(w http.ResponseWriter, status int) {
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
}

// serve answers a request of a page.
func (p *proxy) serve(w http.ResponseWriter, r *http.Request, s *sight, address string) {
	note := Asked{Method: r.Method, Kind: kindOf(r.Header)}
	u, err := page.ParseURL(address)
	if err != nil {
		note.Text = address
		s.decline(w, &note, notFetched)
		return
	}
	note.URL = u
	switch {
	case r.Method == http.MethodOptions: // a preflight: what is asked then has a page's own answer
		allow(w.Header(), r.Header)
		w.WriteHeader(http.StatusNoContent)
		return
	case r.Header.Get("Upgrade") != "":
		s.decline(w, &note, notArchived)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodPost && r.Method != http.MethodHead:
		s.decline(w, &note, notSentBy+r.Method)
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxPost+1))
	if err != nil || len(body) > maxPost {
		s.decline(w, &note, fmt.Sprintf("%s %d bytes", tooLong, maxPost))
		return
	}
	q := &Request{Method: r.Method, URL: u, Header: forwarded(r.Header), Body: body}
	if q.Method == http.MethodHead {
		q.Method = http.MethodGet
	}
	if r.Method == http.MethodGet && byScript(r.Header) && s.linked != nil {
		q.linked = func() bool { return s.linked(r.Context(), u, address) }
	}
	note.ContentType, note.Body = r.Header.Get("Content-Type"), body
	if cause := s.restrained(q, r.Header); cause != "" {
		s.decline(w, &note, cause)
		return
	}
	times := s.begin(q, p.most, note)
	switch {
	case times == 0:
		refuse(w, http.StatusServiceUnavailable)
		return
	// of a stream of events, which the browser asks for again until it is told so
	case times > 1 && strings.HasPrefix(r.Header.Get("Accept"), "text/event-stream"):
		refuse(w, http.StatusNoContent)
		return
	}
	served := s.serving(q)
	a, err := s.answer(r.Context(), q)
	served()
	if err != nil || a == nil {
		note.Cause = "there is no answer"
		if err != nil {
			note.Cause = err.Error()
		}
		s.end(times, &note)
		refuse(w, http.StatusBadGateway)
		return
	}
	note.Status, note.MIME = a.Status, a.Header.Get("Content-Type")
	send(w, r, a)
	s.end(times, &note)
}

// decline refuses a request of which nobody is asked.
func (s *sight) decline(w http.ResponseWriter, note *Asked, cause string) {
	note.Cause = cause
	s.note(note)
	refuse(w, http.StatusBadGateway)
}

// answer asks the source, until the browser gives the request up or the page ends.
func (s *sight) answer(asked context.Context, q *Request) (*Answer, error) {
	ctx, cancel := context.WithCancelCause(s.ctx)
	defer cancel(nil)
	stop := context.AfterFunc(asked, func() { cancel(context.Cause(asked)) })
	defer stop()
	return s.source.Answer(ctx, q)
}

// serving has the time counted from when a request is made, where it is, until the end is called.
func (s *sight) serving(q *Request) (end func()) {
	begun, over := false, false
	q.began = func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if begun || over {
			return
		}
		begun = true
		s.fetched++
		s.busy.begin(time.Now())
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if over = true; begun {
			s.busy.end(time.Now())
		}
	}
}

// served is for how long servers were answering.
func (s *sight) served(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.busy.sum(now)
}

// made is how many requests were made so far: the archive had the answers to the others.
func (s *sight) made() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fetched
}

// begin counts a request: how often it has come, or 0 where the page has asked for most others. The first
// of its kind is noted as long as its answer is awaited, too, but for a post, which may not be sent then.
func (s *sight) begin(q *Request, most int, note Asked) (times int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := sha256.Sum256(q.Body)
	key := q.Method + " " + string(q.URL) + "\x00" + string(sum[:])
	if s.seen[key] == 0 { // what is asked for again and again does not keep a page from being quiet
		if s.sent += len(q.Body); len(s.seen) >= most || s.sent > maxPosted {
			s.over = true
			return 0
		}
		s.last = time.Now()
		s.awaited.begin(s.last)
		if note.Cause = Unawaited; q.Method == http.MethodGet {
			s.asked = append(s.asked, note)
		}
	}
	s.seen[key]++
	return s.seen[key]
}

// end notes what came of a request that begin has counted: of the first of its kind, and of others where
// there was no answer before.
func (s *sight) end(times int, note *Asked) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.asked, func(a Asked) bool {
		return a.Status == 0 && a.Method == note.Method && a.URL == note.URL && bytes.Equal(a.Body, note.Body)
	})
	switch {
	case i >= 0 && (note.Status != 0 || s.asked[i].Cause == Unawaited):
		s.asked[i] = *note
	case times == 1:
		s.asked = append(s.asked, *note)
	}
	if times == 1 {
		s.last = time.Now()
		s.awaited.end(s.last)
	}
}

// exceeded reports that the page asked for more than it may.
func (s *sight) exceeded() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over
}

// note notes a request that nobody was asked for.
func (s *sight) note(n *Asked) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := n.Method + " " + string(n.URL) + n.Text
	if !s.noted[key] && len(s.noted) < maxNotes {
		s.noted[key] = true
		s.asked = append(s.asked, *n)
	}
}

// maxNotes bounds what is told of requests that were refused, for a page.
const maxNotes = 1 << 11

// different is how many different things the page has asked for.
func (s *sight) different() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.seen)
}

// idle tells for how long nothing new was asked for; 0 while an answer is awaited.
func (s *sight) idle(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.awaited.open > 0 {
		return 0
	}
	return now.Sub(s.last)
}

// waited is for how long answers were awaited.
func (s *sight) waited(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.awaited.sum(now)
}

// kindOf is what a request is for, as the browser says it; "" where it does not.
func kindOf(h http.Header) string {
	return strings.Replace(h.Get("Sec-Fetch-Dest"), "empty", "fetch", 1)
}

// byScript reports a request that may be the call of a script. To hosts without TLS the browser does not
// say what a request is for, but for images and style sheets by what it accepts.
func byScript(h http.Header) bool {
	kind, accepts := h.Get("Sec-Fetch-Dest"), h.Get("Accept")
	return kind == "empty" ||
		kind == "" && !strings.HasPrefix(accepts, "image/") && !strings.HasPrefix(accepts, "text/css")
}

// hopByHop are fields of a connection or of the browser's own cache; User-Agent and Accept-Encoding
// are the crawler's.
var hopByHop = []string{
	"Connection", "Proxy-Connection", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
	"Proxy-Authorization", "Proxy-Authenticate", "Content-Length", "If-None-Match",
	"If-Modified-Since", "If-Range", "Range", "Cache-Control", "Pragma", "User-Agent",
	"Accept-Encoding", "Host", "Upgrade-Insecure-Requests", "Purpose", "Sec-Purpose", "Expect",
}

// forwarded are the fields of a request that are for the server.
func forwarded(h http.Header) http.Header {
	h = h.Clone()
	for _, name := range hopByHop {
		h.Del(name)
	}
	for name := range h {
		if strings.HasPrefix(name, "Sec-") {
			delete(h, name)
		}
	}
	return h
}

// allow answers a preflight (Fetch standard, 3.2) with all that it asks for: the answer that counts
// is that to the request itself.
func allow(to, asked http.Header) {
	to.Set("Access-Control-Allow-Origin", cmp.Or(asked.Get("Origin"), "*"))
	to.Set("Access-Control-Allow-Methods", asked.Get("Access-Control-Request-Method"))
	to.Set("Access-Control-Allow-Headers", asked.Get("Access-Control-Request-Headers"))
	to.Set("Access-Control-Allow-Credentials", "true")
	to.Set("Access-Control-Allow-Private-Network", "true")
	to.Set("Access-Control-Max-Age", "600")
}

// notSent are fields of an answer that concern the server's connection, or would have the browser
// ask elsewhere.
var notSent = []string{
	"Connection", "Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
	"Content-Length", "Alt-Svc", "Strict-Transport-Security", "Proxy-Authenticate", "Report-To", "Nel",
	"Reporting-Endpoints", "Clear-Site-Data", "Accept-Ranges",
}

// oneRange is a range that is well formed, so that it has an answer (RFC 9110, 14.1.2): others are
// passed over, as servers do.
var oneRange = regexp.MustCompile(`^bytes=(\d+-\d*|-\d+)$`)

// send sends an answer on, or the part of it that was asked for.
func send(w http.ResponseWriter, r *http.Request, a *Answer) {
	body := a.Body
	if body == nil {
		body = http.NoBody
	}
	defer body.Close() //nolint:errcheck // it was only read
	h := w.Header()
	for name, values := range a.Header {
		h[http.CanonicalHeaderKey(name)] = values
	}
	for _, name := range notSent {
		h.Del(name)
	}
	asked := r.Header.Get("Range")
	if oneRange.MatchString(asked) && a.Status == http.StatusOK && h.Get("Content-Encoding") == "" {
		sendPart(w, asked, body, lengthOf(a.Header))
		return
	}
	w.WriteHeader(a.Status)
	if r.Method != http.MethodHead {
		_, _ = io.Copy(w, body) // the browser may have gone on
	}
}

// lengthOf is how long the body of an answer is by its fields; -1 where they do not say it.
func lengthOf(h http.Header) int64 {
	n, err := strconv.ParseUint(h.Get("Content-Length"), 10, 62)
	if err != nil || h.Get("Transfer-Encoding") != "" {
		return -1
	}
	return int64(n)
}

// maxPart bounds a body of no known length of which parts are sent, in bytes: it is read into memory. Of
// a longer one all is sent, as by a server that knows no parts.
const maxPart = 32 << 20

// sendPart sends the range of a body that is asked for. A size of -1 is not known.
func sendPart(w http.ResponseWriter, asked string, body io.Reader, size int64) {
	var from io.ReadSeeker = forward{body, size}
	if size < 0 {
		all, err := io.ReadAll(io.LimitReader(body, maxPart+1))
		switch {
		case err != nil:
			refuse(w, http.StatusBadGateway)
			return
		case len(all) > maxPart:
			w.WriteHeader(http.StatusOK)
			_, _ = io.Copy(w, io.MultiReader(bytes.NewReader(all), body)) // the browser may have gone on
			return
		}
		from = bytes.NewReader(all)
	}
	if h := w.Header(); h["Content-Type"] == nil {
		h["Content-Type"] = nil // else it is guessed by the first bytes
	}
	q := &http.Request{Method: http.MethodGet, Header: http.Header{"Range": {asked}}}
	http.ServeContent(w, q, "", time.Time{}, from)
}

// forward is a body of a known size, of which a range is read once.
type forward struct {
	io.Reader
	size int64
}

// Seek tells the size, or goes on from the start to a place.
func (f forward) Seek(to int64, from int) (int64, error) {
	if from == io.SeekEnd {
		return f.size, nil
	}
	return io.CopyN(io.Discard, f.Reader, to)
}

// connect makes a connection of the browser a tunnel whose other end is the proxy itself.
func (p *proxy) connect(w http.ResponseWriter, r *http.Request) {
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		refuse(w, http.StatusBadRequest)
		return
	}
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		refuse(w, http.StatusInternalServerError)
		return
	}
	c, buffered, err := hijacker.Hijack()
	if err != nil {
		return
	}
	if _, err := c.Write([]byte("HTTP/1.1 200 OK\r\n\r\n")); err != nil {
		_ = c.Close() // the browser has gone
		return
	}
	p.tunnel(c, buffered.Reader, host, port)
}

// tunnel serves what comes over a tunnel: TLS, or a WebSocket's plain HTTP.
func (p *proxy) tunnel(c net.Conn, in *bufio.Reader, host, port string) {
	_ = c.SetReadDeadline(time.Now().Add(30 * time.Second)) // fails only where the next read does
	first, err := in.Peek(1)
	if err != nil {
		_ = c.Close() // the browser has gone
		return
	}
	_ = c.SetReadDeadline(time.Time{}) // as above
	var conn net.Conn = &peeked{c, in}
	scheme, usual := "http", "80"
	if first[0] == 0x16 { // a TLS handshake (RFC 8446, 5.1)
		scheme, usual = "https", "443"
		conn = tls.Server(conn, &tls.Config{
			MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
			Certificates: []tls.Certificate{p.ca.certificate},
		})
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != usual {
		host += ":" + port
	}
	t := &tunnel{conn, scheme + "://" + host}
	select {
	case p.tunnels.conns <- t:
	case <-p.tunnels.done:
		_ = c.Close() // nobody is there to be told
	}
}

// tunnel is a connection over which requests for one origin come.
type tunnel struct {
	net.Conn
	origin string
}

// peeked is a connection of which something was read ahead.
type peeked struct {
	net.Conn
	in *bufio.Reader
}

func (p *peeked) Read(b []byte) (int, error) { return p.in.Read(b) }

// tunnels is a listener whose connections are the tunnels.
type tunnels struct {
	conns chan net.Conn
	done  chan struct{} // closed by Close
	once  *sync.Once
}

func newTunnels() tunnels {
	return tunnels{make(chan net.Conn), make(chan struct{}), new(sync.Once)}
}

func (t tunnels) Accept() (net.Conn, error) {
	select {
	case c := <-t.conns:
		return c, nil
	case <-t.done:
		return nil, net.ErrClosed
	}
}

func (t tunnels) Close() error {
	t.once.Do(func() { close(t.done) })
	return nil
}

func (t tunnels) Addr() net.Addr { return &net.TCPAddr{} }
