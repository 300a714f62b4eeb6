package harvest

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/google/go-cmp/cmp"

	"watershed/archive"
	"watershed/crawler"
	"watershed/crawler/fetch"
	"watershed/crawler/robots"
	"watershed/frontier"
	"watershed/page"
	"watershed/sitemap"
	"watershed/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// web is a web of some hosts on one loopback address, told by host and path. A page's text is its
// body; a text that begins with "-> " redirects, with "once -> " the first time, "!" breaks the
// connection, "half " does so behind its text, and a number is a status. A page whose text begins with
// "~" stalls within its body, at the first request, or with "~~" always.
type web struct {
	pages map[string]string

	mu       sync.Mutex // guards what follows
	requests []string   // "host/path status"
	open     map[string]int
	most     int // requests to one host at a time
	onPage   func(n int)
	down     bool   // connections are closed, but for robots.txt
	framing  string // "chunks" or "length": of bodies that have no tag then
}

func (w *web) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	key := r.Host + r.URL.RequestURI()
	w.mu.Lock()
	w.open[r.Host]++
	w.most = max(w.most, w.open[r.Host])
	w.mu.Unlock()
	status := w.answer(out, r, key)
	w.mu.Lock()
	w.open[r.Host]--
	w.requests = append(w.requests, key+" "+strconv.Itoa(status))
	n, onPage := len(w.requests), w.onPage
	w.mu.Unlock()
	if onPage != nil {
		onPage(n)
	}
}

func (w *web) answer(out http.ResponseWriter, r *http.Request, key string) int {
	text, ok := w.pages[key]
	if text == "!" || w.down && !strings.HasSuffix(key, "/robots.txt") {
		panic(http.ErrAbortHandler)
	}
	if to, redirects := strings.CutPrefix(text, "once -> "); redirects && w.asked(key) == 0 {
		text = "-> " + to
	}
	if later, late := strings.CutPrefix(text, "500, then "); late {
		if text = later; w.asked(key) == 0 {
			text = "500"
		}
	}
	if whole, part, parts := strings.Cut(text, " ...to scripts "); parts {
		if text = whole; r.Header.Get("X-Part") != "" {
			text = part
		}
	}
	if to, redirects := strings.CutPrefix(text, "-> "); redirects {
		http.Redirect(out, r, to, http.StatusMovedPermanently)
		return http.StatusMovedPermanently
	}
	if !ok {
		http.NotFound(out, r)
		return http.StatusNotFound
	}
	if status, err := strconv.Atoi(text); err == nil {
		http.Error(out, "out of order", status)
		return status
	}
	out.Header().Set("Content-Type", "text/html; charset=utf-8")
	switch path.Ext(key) {
	case ".txt":
		out.Header().Set("Content-Type", "text/plain")
	case ".png":
		out.Header().Set("Content-Type", "image/png")
	case ".events":
		out.Header().Set("Content-Type", "text/event-stream")
	case ".js":
		out.Header().Set("Content-Type", "text/javascript")
	case ".m3u8":
		out.Header().Set("Content-Type", "application/x-mpegurl")
	}
	if rest, stalls := strings.CutPrefix(text, "~"); stalls && (rest[0] == '~' || w.asked(key) == 0) {
		_, _ = out.Write([]byte(strings.TrimLeft(text, "~"))) // as below
		_ = http.NewResponseController(out).Flush()           // the same
		<-r.Context().Done()
		return http.StatusOK
	}
	if body, gone := strings.CutPrefix(text, "404 "); gone {
		out.WriteHeader(http.StatusNotFound)
		_, _ = out.Write([]byte(body)) // as below
		return http.StatusNotFound
	}
	if part, half := strings.CutPrefix(text, "half "); half {
		out.Header().Set("Content-Length", strconv.Itoa(2*len(part)))
		_, _ = out.Write([]byte(part))              // as below
		_ = http.NewResponseController(out).Flush() // the same
		panic(http.ErrAbortHandler)
	}
	text = strings.TrimLeft(text, "~")
	if w.framing == "chunks" {
		_ = http.NewResponseController(out).Flush() // as below
	}
	if w.framing != "" {
		_, _ = out.Write([]byte(text)) // as below
		return http.StatusOK
	}
	tag := fmt.Sprintf(`"%x"`, len(text))
	out.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		out.WriteHeader(http.StatusNotModified)
		return http.StatusNotModified
	}
	_, _ = out.Write([]byte(text)) // a client that went away is the client's matter
	return http.StatusOK
}

func (w *web) asked(key string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.requests {
		if strings.HasPrefix(r, key+" ") {
			n++
		}
	}
	return n
}

// start serves the web and gives the plan of a harvest of it.
func (w *web) start(t *testing.T, sites ...sitemap.Site) Plan {
	t.Helper()
	return planOn(w.serve(t), sites...)
}

// serve serves the web and gives its port.
func (w *web) serve(t *testing.T) uint16 {
	t.Helper()
	w.open = map[string]int{}
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		t.Fatal(err)
	}
	return uint16(n)
}

// planOn is the plan of a harvest of a web at a port.
func planOn(port uint16, sites ...sitemap.Site) Plan {
	p := Plan{Name: "test", Sites: sites, WACZ: true, Changed: "x"}
	p.Fetch = fetch.Options{
		UserAgent: "watershed-test", Hosts: map[string]netip.Addr{"*": netip.MustParseAddr("127.0.0.1")},
		DialPorts:    map[uint16]uint16{80: port},
		AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	}
	p.Frontier = frontier.Options{
		Politeness: frontier.Politeness{Factor: -1, Min: time.Millisecond}, SharedAddresses: true,
		Tries: 2, HostTries: 2, RetryBase: time.Millisecond, RetryMax: time.Millisecond,
	}
	for _, s := range sites {
		p.Frontier.Sites = append(p.Frontier.Sites, frontier.Site{Name: s.Name})
	}
	p.Robots = robots.Options{Product: "watershed-test"}
	p.Crawl = crawler.Options{Workers: 4, Agent: "watershed-test"}
	return p
}

// stopAt begins a run in a folder and has it interrupted by the given request.
func (w *web) stopAt(t *testing.T, folder Folder, p Plan, request int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.onPage = func(n int) {
		if n == request {
			cancel()
		}
	}
	h, err := Open(folder, p)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Crawl(ctx); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
}

// run opens, crawls and delivers.
func run(t *testing.T, folder Folder, p Plan) *Delivered {
	t.Helper()
	h, err := Open(folder, p)
	if err != nil {
		t.Fatal(err)
	}
	crawled := h.Crawl(t.Context())
	d, err := h.Deliver(t.Context(), crawled)
	if err := errors.Join(crawled, err, h.Close()); err != nil {
		t.Fatal(err)
	}
	for _, path := range d.Files {
		rep, err := new(archive.Checker).Check(t.Context(), &archive.Source{Path: path})
		if err != nil || !rep.OK() {
			t.Errorf("%s: %v %v", path, rep.Problems, err)
		}
	}
	return d
}

// captured are the addresses in the index of a run with their media types, "warc/revisit" for
// revisits; DNS answers are left out.
func captured(t *testing.T, d *Delivered) map[string]string {
	t.Helper()
	urls := map[string]string{}
	eachEntry(t, d, func(e *archive.Entry) {
		if strings.HasPrefix(e.URL, "http") {
			urls[e.URL] = e.MIME
		}
	})
	return urls
}

// eachEntry gives the entries in the index of a run.
func eachEntry(t *testing.T, d *Delivered, take func(*archive.Entry)) {
	t.Helper()
	f, err := os.Open(d.Run.Index())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	entries := archive.NewEntries(f)
	for {
		e, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		take(e)
	}
}

func links(urls ...string) string {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><title>page</title>")
	for _, u := range urls {
		fmt.Fprintf(&b, `<a href="%s">to %s</a> `, u, u)
	}
	return b.String()
}

func example() (*web, sitemap.Site) {
	w := &web{pages: map[string]string{
		"a.example/":         links("/one", "/two", "/old", "/secret/x", "http://b.example/", "/gone"),
		"a.example/one":      links("/", "/two") + `<img src="http://cdn.example/logo.txt">`,
		"a.example/two":      links("/", "/one", "/same1", "/same2"),
		"a.example/same1":    "<p>the same text under two addresses</p>",
		"a.example/same2":    "<p>the same text under two addresses</p>",
		"a.example/old":      "-> /new",
		"a.example/new":      links("/"),
		"a.example/secret/x": "nobody may see this",
		"a.example/hidden":   links("/"),
		"a.example/robots.txt": "User-agent: *\nDisallow: /secret/\nSitemap: " +
			"http://a.example/sitemap.xml\n",
		"a.example/sitemap.xml": `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url>` +
			`<loc>http://a.example/hidden</loc></url></urlset>`,
		"b.example/":                links("http://c.example/"),
		"cdn.example/logo.txt":      "a picture",
		"cdn.example/robots.txt":    "-> http://robots.example/robots.txt",
		"robots.example/robots.txt": "User-agent: *\nDisallow: /private\n",
	}}
	return w, sitemap.Site{Name: "A", Seeds: []page.URL{"http://a.example/"}}
}

func TestHarvest(t *testing.T) {
	w, site := example()
	p := w.start(t, site)
	folder := Folder(t.TempDir())
	d := run(t, folder, p)
	got := captured(t, d)
	for _, want := range []string{
		"http://a.example/", "http://a.example/one", "http://a.example/two", "http://a.example/old",
		"http://a.example/new",
		"http://a.example/hidden", "http://cdn.example/logo.txt", "http://a.example/robots.txt",
		"http://a.example/sitemap.xml",
		"http://robots.example/robots.txt", "http://a.example/gone",
	} {
		if got[want] == "" && want != "http://robots.example/robots.txt" {
			t.Errorf("%s is not in the archive", want)
		}
	}
	if got["http://b.example/"] != "" || got["http://c.example/"] != "" {
		t.Error("a page that is only cited is in the archive")
	}
	if w.asked("a.example/secret/x") > 0 || w.asked("c.example/") > 0 {
		t.Error("a forbidden page, or one beyond the boundary, was fetched")
	}
	one, two := got["http://a.example/same1"], got["http://a.example/same2"]
	if (one == archive.MIMERevisit) == (two == archive.MIMERevisit) {
		t.Errorf("of two addresses with the same payload one is to be a revisit: %q, %q", one, two)
	}
	seen := map[string]bool{}
	for _, r := range w.requests {
		if seen[r] {
			t.Errorf("asked twice: %s", r)
		}
		seen[r] = true
	}
	if w.most > 1 {
		t.Errorf("%d requests to one host at a time", w.most)
	}
	skipped, err := os.ReadFile(filepath.Join(d.Run.Logs(), "skipped.jsonl"))
	if err != nil || !strings.Contains(string(skipped), `"http://a.example/secret/x"`) ||
		!strings.Contains(string(skipped), "robotsTxt") {
		t.Errorf("skipped.jsonl does not tell of the forbidden page: %v\n%s", err, skipped)
	}
	if z, err := archive.OpenWACZ(d.Package); err != nil {
		t.Error(err)
	} else if errs := append(z.Verify(), z.Close()); errors.Join(errs...) != nil {
		t.Errorf("the package does not verify: %v", errs)
	}
}

// A body that stalls is asked for again; where it always does, what came of it is the page.
func TestStalledBody(t *testing.T) {
	t.Parallel()
	w, site := example()
	w.pages["a.example/one"], w.pages["a.example/two"] = "~"+links("/once"), "~~"+links("/ever")
	w.pages["a.example/once"], w.pages["a.example/ever"] = links("/"), links("/")
	p := w.start(t, site)
	p.Fetch.IdleTimeout, p.Frontier.Tries, p.Frontier.HostTries = 300*time.Millisecond, 3, 9
	got := captured(t, run(t, Folder(t.TempDir()), p))
	for _, want := range []string{
		"http://a.example/one", "http://a.example/two", "http://a.example/once",
		"http://a.example/ever",
	} {
		if got[want] == "" {
			t.Errorf("%s is not in the archive", want)
		}
	}
	if one, two := w.asked("a.example/one"), w.asked("a.example/two"); one != 2 || two != p.Frontier.Tries {
		t.Errorf("asked %d and %d times", one, two)
	}
}

// A second run asks only whether pages have changed, and records what the server says.
func TestRecrawl(t *testing.T) {
	w, site := example()
	p := w.start(t, site)
	folder := Folder(t.TempDir())
	run(t, folder, p)
	w.pages["a.example/one"] = links("/", "/two", "/three")
	w.pages["a.example/three"] = links("/", "/one")
	w.requests = nil
	d := run(t, folder, p)
	if d.Run.Name() != "run-0002" {
		t.Errorf("the recrawl is in %s", d.Run)
	}
	got := captured(t, d)
	if got["http://a.example/"] != archive.MIMERevisit {
		t.Errorf("an unchanged page is %q", got["http://a.example/"])
	}
	if got["http://a.example/one"] != "text/html" || got["http://a.example/three"] != "text/html" {
		t.Errorf("changed and new pages are %q and %q", got["http://a.example/one"],
			got["http://a.example/three"])
	}
	if got["http://a.example/hidden"] == "" {
		t.Error("a page that only the sitemap names is lost in the recrawl")
	}
	if !slices.Contains(w.requests, "a.example/ 304") {
		t.Errorf("no conditional request was made: %v", w.requests)
	}
}

// A third run asks only whether pages have changed that the second one found as in the first.
func TestRecrawlTwice(t *testing.T) {
	w, site := example()
	p := w.start(t, site)
	folder := Folder(t.TempDir())
	for range 2 {
		run(t, folder, p)
	}
	w.requests = nil
	run(t, folder, p)
	for _, want := range []string{"a.example/ 304", "a.example/one 304", "a.example/same2 304"} {
		if !slices.Contains(w.requests, want) {
			t.Errorf("%s is not among the requests: %v", want, w.requests)
		}
	}
}

// Other programs do not follow a revisit to a revisit: each names the capture that has the payload, also
// where a server says "not modified" of a page that was itself a repetition.
func TestRevisitsOfRevisits(t *testing.T) {
	w, site := example()
	w.pages["a.example/two"] += links("/same.txt")
	w.pages["a.example/same.txt"] = w.pages["a.example/same1"] // shown as text
	p := w.start(t, site)
	folder := Folder(t.TempDir())
	whole, named := map[page.Origin]bool{}, map[page.Origin]page.URL{}
	for n := range 3 {
		w.requests = nil
		d := run(t, folder, p)
		eachEntry(t, d, func(e *archive.Entry) {
			rec, err := d.Run.Record(e.Location())
			check(t, err)
			u, _ := rec.URL() // not of a name's addresses
			at, err := rec.Date()
			check(t, errors.Join(err, rec.Close()))
			if o, ok := rec.Origin(); ok {
				named[page.Origin{URL: o.URL, Time: o.Time}] = u
			} else {
				whole[page.Origin{URL: u, Time: at}] = true
			}
		})
		if n > 0 && (!slices.Contains(w.requests, "a.example/same1 304") ||
			!slices.Contains(w.requests, "a.example/same2 304")) {
			t.Errorf("run %d fetched what it has: %v", n+1, w.requests)
		}
		if !slices.Contains(w.requests, "a.example/same.txt 200") {
			t.Errorf("run %d did not ask how the same text is shown: %v", n+1, w.requests)
		}
	}
	for o, by := range named {
		if !whole[o] {
			t.Errorf("%s refers to %s of %s, which has no payload", by, o.URL, o.Time)
		}
	}
	if len(named) == 0 {
		t.Error("there is no revisit")
	}
}

// Places are updated from those with which visits were committed, so that a delivery which is repeated
// after a crash changes nothing, also where a capture lies now where another one did.
func TestRelocateAgain(t *testing.T) {
	st, err := store.Open(store.Options{Dir: t.TempDir()})
	check(t, err)
	at := func(offset int64) page.Location {
		return page.Location{File: "a.warc.gz", Offset: offset, Length: 10}
	}
	v := &page.Visit{URL: "http://a.example/", Seq: 1, Status: 200, Record: at(90), Revisit: true}
	v.Origin.Record = at(20)
	r := relocation{
		ground: &ground{store: st, record: store.RunRecord{Number: 1}}, losses: &losses{},
		moves: moves{at(20): at(10), at(10): at(0), at(90): at(80)},
	}
	check(t, st.Update(func(tx *store.Tx) error {
		tx.PutCapture(&store.Capture{URL: v.URL, Run: 1, Visit: 1, Record: v.Origin.Record})
		return nil
	}))
	v.Links = make([]page.Link, 3)
	for n := range 2 {
		check(t, r.add(v))
		if held := r.batch[0].Links; held != nil || len(v.Links) != 3 {
			t.Errorf("%d links are held in memory with those of some hundred other visits", len(held))
		}
		check(t, r.flush())
		check(t, st.View(func(tx *store.Tx) error {
			c, _, err := tx.Capture(v.URL)
			if c.Record != at(10) {
				t.Errorf("the original is said to be at %v after update %d", c.Record, n+1)
			}
			return err
		}))
	}
	check(t, st.Close())
}

// A package of all runs has what each run has, and each page of each run under a number of its own.
func TestPackAll(t *testing.T) {
	w, site := example()
	p := w.start(t, site)
	p.WACZ = true
	folder := Folder(t.TempDir())
	want := 0
	for range 2 {
		eachEntry(t, run(t, folder, p), func(*archive.Entry) { want++ })
	}
	nothing := p
	nothing.Extend = true // captures nothing, so it has no package
	eachEntry(t, run(t, folder, nothing), func(*archive.Entry) { want++ })
	w.requests = nil
	w.stopAt(t, folder, p, 3)
	w.onPage = nil
	pack := func() (string, error) {
		e, err := Examine(folder, p)
		check(t, err)
		path, left, err := e.PackAll()
		if err == nil && !slices.Equal(left, []Run{folder.Run(4)}) { // which was interrupted
			t.Errorf("not delivered: %v", left)
		}
		check(t, e.Close())
		return path, err
	}
	path, err := pack()
	check(t, err)
	z, err := archive.OpenWACZ(path)
	check(t, err)
	check(t, errors.Join(z.Verify()...))
	got, last := 0, ""
	for e, err := range z.Entries() {
		check(t, err)
		if got++; e.Key < last {
			t.Errorf("%s is behind %s", e.Key, last)
		}
		last = e.Key
		in, _ := z.Section("archive/" + e.File)
		_, err := archive.OpenAt(in, e.Location())
		check(t, err)
	}
	ids, entry := map[string]bool{}, 0
	for x, err := range z.Pages() {
		check(t, err)
		if ids[x.ID] {
			t.Errorf("two pages have the number %s", x.ID)
		}
		if ids[x.ID] = true; x.URL == "http://a.example/" {
			entry++
		}
	}
	if check(t, z.Close()); got != want || entry != 2 || z.Data.MainPage != "http://a.example/" {
		t.Errorf("%d of %d captures, %d times the entry page, %q first", got, want, entry, z.Data.MainPage)
	}
	check(t, os.Rename(folder.Run(1).Index(), string(folder)+".index"))
	if _, err = pack(); err == nil || !strings.Contains(err.Error(), "/index.cdxj' makes it anew") {
		t.Errorf("without the index of the first run: %v", err)
	}
	check(t, os.Rename(string(folder)+".index", folder.Run(1).Index()))
	check(t, os.Rename(string(folder.Run(1)), string(folder)+".tape"))
	_, err = pack()
	former, _ := filepath.Glob(strings.TrimSuffix(path, ".wacz") + ".before-*.wacz") // no bad pattern
	if !errors.Is(err, errSpoilt) || len(former) != 1 {
		t.Errorf("the only package with the first run: %v, kept %v", err, former)
	}
	check(t, os.Rename(string(folder)+".tape", string(folder.Run(1))))
	check(t, os.Remove(folder.Run(1).path(p.Name+"-0001.wacz")))
	if _, err := pack(); err == nil || !strings.Contains(err.Error(), "is not here: bring it back") {
		t.Errorf("without a package of the first run: %v", err)
	}
	// the first run has only captures that are kept apart, and then the second as well
	check(t, os.Remove(path))
	for n, whole := range []bool{true, false} {
		files, err := folder.Run(n + 1).archived()
		check(t, err)
		for _, f := range files {
			name := apartPrefix(p.Archive.Prefix) + "-" + filepath.Base(f)
			check(t, os.Rename(f, filepath.Join(filepath.Dir(f), name)))
		}
		if n == 1 {
			check(t, os.Remove(folder.Run(2).path(p.Name+"-0002.wacz")))
		}
		if _, err := pack(); (err == nil) != whole || !whole && !strings.Contains(err.Error(), "kept apart") {
			t.Errorf("%d runs have only what is kept apart: %v", n+1, err)
		}
	}
}

// A harvest that is stopped at any page goes on and ends as one that was not, and asks for nothing
// again that was on its way when it was stopped.
func TestResume(t *testing.T) {
	w, site := example()
	p := w.start(t, site)
	want := captured(t, run(t, Folder(t.TempDir()), p))
	total := len(w.requests)
	for stop := 1; stop < total; stop += 3 {
		t.Run(fmt.Sprintf("after %d requests", stop), func(t *testing.T) {
			w, site := example()
			p := w.start(t, site)
			folder := Folder(t.TempDir())
			w.stopAt(t, folder, p, stop)
			got := captured(t, run(t, folder, p))
			for u := range want {
				if got[u] == "" {
					t.Errorf("%s is missing", u)
				}
			}
			for u := range got {
				if want[u] == "" {
					t.Errorf("%s is new", u)
				}
			}
			seen := map[string]bool{}
			for _, r := range w.requests { // a robots.txt that redirects is asked for once more
				if seen[r] && !strings.Contains(r, "/robots.txt 301") {
					t.Errorf("%s was asked for again: %v", r, w.requests)
				}
				seen[r] = true
			}
		})
	}
}

func TestExplain(t *testing.T) {
	w, site := example()
	p := w.start(t, site)
	folder := Folder(t.TempDir())
	run(t, folder, p)
	p.Store.ReadOnly = true // as on a medium that cannot be written to
	e, err := Examine(folder, p)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, tt := range []struct {
		url  page.URL
		want string
	}{
		{"http://a.example/one", "is inside: it lies below an entry page's directory"},
		{"http://a.example/secret/x", "disallowed by line 2 of robots.txt"},
		{"http://b.example/", "is outside: the boundary leaves it out"},
		{"http://never.example/", "no page of the site links to it"},
	} {
		x, err := e.Explain(tt.url, 0)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := x.Text(&b); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), tt.want) {
			t.Errorf("explain %s: want %q in\n%s", tt.url, tt.want, b.String())
		}
	}
}

// A run that extends another one asks only for what a change of the harvest adds, and has the map
// of all. Numbers that were given elsewhere are not given again.
func TestExtend(t *testing.T) {
	w, site := example()
	w.pages["b.example/"] = links("/more")
	w.pages["b.example/more"] = links("/")
	p := w.start(t, site)
	folder := Folder(t.TempDir())
	p.Extend = true
	if _, err := Open(folder, p); !errors.Is(err, ErrNoRun) {
		t.Fatalf("a harvest without a run was extended: %v", err)
	}
	p.Extend, p.Former = false, 4
	first := run(t, folder, p)
	if first.Run.Name() != "run-0005" {
		t.Errorf("the first run here, after four elsewhere, is %s", first.Run)
	}
	p.Extend = true
	rule, err := page.ParseRule("host:b.example")
	if err != nil {
		t.Fatal(err)
	}
	p.Sites[0].Include = []page.Rule{rule}
	for i, want := range [][]string{{"b.example/", "b.example/more"}, nil} {
		n := i + 6
		w.requests = nil
		d := run(t, folder, p)
		if d.Run.Name() != fmt.Sprintf("run-%04d", n) {
			t.Errorf("the extension is in %s", d.Run)
		}
		var got []string
		for _, r := range w.requests {
			if u, _, _ := strings.Cut(r, " "); !strings.HasSuffix(u, "/robots.txt") {
				got = append(got, u)
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("run %d asked for (-want +got):\n%s", n, diff)
		}
		fetched := map[page.URL]bool{}
		for _, x := range d.Maps[0].Members.All() {
			fetched[x.URL] = x.State == "fetched"
		}
		for _, x := range first.Maps[0].Members.All() {
			if x.State == "fetched" && !fetched[x.URL] {
				t.Errorf("%s is lost", x.URL)
			}
		}
		if !fetched["http://b.example/more"] {
			t.Errorf("what was added is not in the map: %v", d.Maps[0].Members)
		}
	}
	e, err := Examine(folder, p)
	if err != nil {
		t.Fatal(err)
	}
	maps, err := e.Maps()
	if err = errors.Join(err, e.Close()); err != nil {
		t.Fatal(err)
	}
	if maps[0].Members.Len() <= first.Maps[0].Members.Len() {
		t.Errorf("an examination has %d members", maps[0].Members.Len())
	}
	p.Extend = false // a recrawl expects what both runs had
	text, err := os.ReadFile(run(t, folder, p).Run.path("reports", "recrawl.json"))
	if err != nil {
		t.Fatal(err)
	}
	var o Outcome
	err = json.Unmarshal(text, &o)
	if err != nil || o.Forecast == nil || o.Forecast.Requests != o.Requests {
		t.Errorf("%d requests, %v, forecast %+v", o.Requests, err, o.Forecast)
	}
}

// TestNoFollow: a page to which only links lead that ask not to be followed is left out with its
// reason, whatever draws the boundary, and is had once such links are followed.
func TestNoFollow(t *testing.T) {
	for _, mode := range []sitemap.Mode{sitemap.HostOnly, sitemap.Prefix, sitemap.Logical} {
		w := &web{pages: map[string]string{
			"a.example/": links("/one") + `<a rel="nofollow" href="/quiet">q</a>` +
				`<a rel="ugc" href="/one">1</a><a rel="nofollow" href="/both">b</a>`,
			"a.example/one":   links("/", "/both") + `<a rel="nofollow" href="/quiet">q</a>`,
			"a.example/both":  links("/"),
			"a.example/quiet": links("/"),
		}}
		const quiet page.URL = "http://a.example/quiet"
		p := w.start(t, sitemap.Site{Name: "A", Seeds: []page.URL{"http://a.example/"}, Boundary: mode})
		p.Survey.HeedNoFollow = true
		folder := Folder(t.TempDir())
		d := run(t, folder, p)
		line := leftLines(t, d.Run)[quiet]
		if w.asked("a.example/quiet") > 0 || w.asked("a.example/both") != 1 ||
			w.asked("a.example/one") != 1 || line.Reason != archive.ReasonNoFollow {
			t.Errorf("%s: asked for %v; the ledger has %+v", mode, w.requests, line)
		}
		p.Extract.Follow, p.Survey.HeedNoFollow, p.Extend = true, false, true
		if run(t, folder, p); w.asked("a.example/quiet") != 1 {
			t.Errorf("%s: then asked for %v", mode, w.requests)
		}
	}
}

// TestSitesChanged: a run that goes on though the YAML lists its sites in another order, and others with
// them, counts each page for its own site. A site that the run has begun with has to stay.
func TestSitesChanged(t *testing.T) {
	w := &web{pages: map[string]string{}}
	site := func(host string) sitemap.Site {
		w.pages[host+"/"] = links("/1", "/2", "/3", "/4")
		for i := range 4 {
			w.pages[fmt.Sprintf("%s/%d", host, i+1)] = links("/") + prose(i)
		}
		return sitemap.Site{
			Name: host, Seeds: []page.URL{page.URL("http://" + host + "/")}, Boundary: sitemap.HostOnly,
		}
	}
	a, b, c := site("a.example"), site("b.example"), site("c.example")
	p := w.start(t, a, b)
	p.Crawl.Workers = 1
	folder := Folder(t.TempDir())
	w.stopAt(t, folder, p, 6)
	w.onPage = nil

	order := func(p Plan, sites ...sitemap.Site) Plan {
		p.Sites, p.Frontier.Sites = sites, nil
		for _, s := range sites {
			p.Frontier.Sites = append(p.Frontier.Sites, frontier.Site{Name: s.Name})
		}
		return p
	}
	h, err := Open(folder, order(p, c, b))
	if err == nil || !strings.Contains(err.Error(), "a.example") {
		t.Errorf("a run goes on without one of its sites: %v", err)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	d := run(t, folder, order(p, c, b, a))
	if got := captured(t, d); len(got) != 18 {
		t.Errorf("%d pages and robots.txt files of 18 were captured", len(got))
	}
	countsAtHome(t, folder.Run(1))
}

// TestSiteOrder: the order of the sites is read where this version keeps it, and where the last one did.
func TestSiteOrder(t *testing.T) {
	st, err := store.Open(store.Options{Dir: t.TempDir()})
	check(t, err)
	defer st.Close() //nolint:errcheck // nothing is kept of it
	old := store.RunRecord{Number: 1, Config: "x\x00b\x00a"}
	now := store.RunRecord{Number: 2, Config: "x"}
	check(t, st.Update(func(tx *store.Tx) error {
		return store.PutSiteNames(tx, 2, []string{"c", "a"})
	}))
	g := &ground{store: st}
	for r, want := range map[*store.RunRecord][]string{&old: {"b", "a"}, &now: {"c", "a"}, {Number: 3}: nil} {
		got, err := g.siteOrder(r)
		if err != nil || !slices.Equal(got, want) || r.Number < 3 && r.Config != "x" {
			t.Errorf("run %d: %q, %q, %v", r.Number, got, r.Config, err)
		}
	}
}

// countsAtHome: each page counts for the site of its host, which has its name.
func countsAtHome(t *testing.T, r Run) {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(string(r), "logs", "crawl.log"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(log)) {
		f := strings.Fields(line)
		if host := string(page.URL(f[3]).Host()); strings.HasPrefix(f[3], "http") && f[10] != host {
			t.Errorf("%s counts for site %s", f[3], f[10])
		}
	}
}

// TestSitemapElsewhere: a sitemap in text or gzip to which a redirect leads is read and kept, also when
// the state is made anew.
func TestSitemapElsewhere(t *testing.T) {
	var packed strings.Builder
	z := gzip.NewWriter(&packed)
	fmt.Fprint(z, `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url>`+
		`<loc>http://a.example/one</loc></url></urlset>`)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	w := &web{pages: map[string]string{
		"a.example/":              links(),
		"a.example/one":           "<p>in the packed one",
		"a.example/two":           "<p>in the plain one",
		"a.example/robots.txt":    "Sitemap: http://a.example/a.xml.gz\nSitemap: http://a.example/b.txt\n",
		"a.example/a.xml.gz":      "-> /maps/a.xml.gz",
		"a.example/b.txt":         "-> /maps/b.txt",
		"a.example/maps/b.txt":    "http://a.example/two\n",
		"a.example/maps/a.xml.gz": packed.String(),
	}}
	p := w.start(t, sitemap.Site{Name: "A", Seeds: []page.URL{"http://a.example/"}})
	folder := Folder(t.TempDir())
	for n := range 2 {
		got := captured(t, run(t, folder, p))
		for _, u := range []string{"one", "two", "maps/a.xml.gz", "maps/b.txt"} {
			if got["http://a.example/"+u] == "" {
				t.Errorf("run %d: %s is not in the archive", n+1, u)
			}
		}
		if err := os.RemoveAll(folder.State()); err != nil {
			t.Fatal(err)
		}
	}
}
