package acceptance

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// drillWeb is the web that a drill harvests: some sites on loopback, each with a host of its own
// for what its pages need to be shown. The same path is answered with the same bytes at each start.
// In the second epoch a tenth of the pages is another, some are gone, and some are new. It keeps
// nothing of what it is asked, so that a request that is made again is answered again.
type drillWeb struct {
	pages int          // of each site
	net   string       // the beginning of all addresses
	store string       // where the runs may be uploaded to
	epoch atomic.Int64 // 0 or 1
	port  int
	seen  atomic.Pointer[watch] // nil while nobody watches
}

// loopWeb begins all addresses of a web at loopback.
const loopWeb = "127.79.0."

// storeKey opens the store that the runs are uploaded to.
const storeKey = "drill-key"

// The hosts of the web. A site is www.NAME.example and files.NAME.example; the annex belongs to the
// first site by decision only, and the twin is what an imported table calls a copy of the first
// site.
const (
	annexHost = "annex.acre.example"
	twinHost  = "twin.acre.example"
)

// siteNames are those of the sites.
func (w *drillWeb) siteNames() []string {
	return []string{"acre", "bourne", "copse", "dell", "eyot", "fen"}
}

// hosts are all hosts, each with an address of its own.
func (w *drillWeb) hosts() (names, addresses []string) {
	for _, site := range w.siteNames() {
		names = append(names, "www."+site+".example", "files."+site+".example")
	}
	names = append(names, annexHost, twinHost)
	for i := range names {
		addresses = append(addresses, fmt.Sprintf("%s%d", w.net, 1+i))
	}
	return names, addresses
}

// serve serves the web at loopback while f runs.
func (w *drillWeb) serve(f func() error) (err error) {
	_, addresses := w.hosts()
	var listeners []net.Listener
	for range 20 { // a port that is free at one address may be taken at another
		if listeners, err = listenAt(addresses); err == nil {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("serve the web of the drill: %w", err)
	}
	w.port = listeners[0].Addr().(*net.TCPAddr).Port
	server := &http.Server{Handler: w, ReadHeaderTimeout: 10 * time.Second}
	var ended errgroup.Group
	for _, l := range listeners {
		ended.Go(func() error { return server.Serve(l) })
	}
	err = errors.Join(f(), server.Close())
	if e := ended.Wait(); !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	return err
}

// listenAt opens one port at all addresses.
func listenAt(addresses []string) (listeners []net.Listener, err error) {
	port := "0"
	var config net.ListenConfig
	for _, a := range addresses {
		l, err := config.Listen(context.Background(), "tcp4", net.JoinHostPort(a, port))
		if err != nil {
			for _, l := range listeners {
				err = errors.Join(err, l.Close())
			}
			return nil, err
		}
		listeners = append(listeners, l)
		port = strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	}
	return listeners, nil
}

// ServeHTTP answers for all hosts, by validators where the client has some.
func (w *drillWeb) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	host, _, _ := strings.Cut(r.Host, ":")
	status, mime, body := w.answer(host, r.URL.Path)
	if seen := w.seen.Load(); seen != nil {
		seen.begin(host, r.URL.Path, status)
		defer seen.end(host, time.Now()) // the client may have the answer long before this goroutine goes on
	}
	header := out.Header()
	header.Set("Content-Type", mime)
	if status == http.StatusMovedPermanently {
		header.Set("Location", strings.Replace(r.URL.Path, "/r/", "/p/", 1))
	}
	if status == http.StatusOK {
		tag := strconv.Quote(strconv.FormatUint(sum64(string(body)), 16))
		header.Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			out.WriteHeader(http.StatusNotModified)
			return
		}
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	out.WriteHeader(status)
	_, _ = out.Write(body) // a client that was killed reads no more
}

// newPages is how many pages a site gains in the second epoch.
const newPages = 12

// answer is what a path has now.
func (w *drillWeb) answer(host, path string) (status int, mime string, body []byte) {
	const text, page = "text/plain; charset=utf-8", "text/html; charset=utf-8"
	epoch := int(w.epoch.Load())
	kind, name, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSuffix(name, ".html"), ".bin"))
	r := rand.New(rand.NewPCG(sum64(host+path), w.changed(host+path, epoch)))
	switch {
	case path == "/robots.txt" && strings.HasPrefix(host, "files."):
		return http.StatusOK, text, []byte("User-agent: *\nDisallow: /private/\n")
	case path == "/":
		return http.StatusOK, page, w.page(r, host, 0, epoch)
	case path == "/style.css":
		return http.StatusOK, "text/css", []byte("body{margin:1em}\n")
	case err != nil || n < 1 || w.fate(host+path, epoch) == gone:
		return http.StatusNotFound, text, []byte("there is no such page\n")
	case kind == "p" && n <= w.pages, kind == "n" && n <= newPages*epoch:
		return http.StatusOK, page, w.page(r, host, n, epoch)
	case kind == "r" && n <= w.pages:
		return http.StatusMovedPermanently, text, []byte("moved\n")
	case kind == "f" && n <= w.pages:
		return http.StatusOK, "application/octet-stream", noise(r, 500+r.IntN(20_000))
	}
	return http.StatusNotFound, text, []byte("there is no such page\n")
}

// fate is what the second epoch makes of a path.
type fate int

const (
	same fate = iota
	edited
	gone
)

func (w *drillWeb) fate(path string, epoch int) fate {
	n := sum64(path) % 100
	switch {
	case epoch == 0 || n >= 13:
		return same
	case n < 10:
		return edited
	}
	return gone
}

// changed is another number for each text that a path has had.
func (w *drillWeb) changed(path string, epoch int) uint64 {
	if w.fate(path, epoch) == edited {
		return 1
	}
	return 0
}

// page is a page of a site: page n leads to the two after 2n, so that all are a few links from the
// home page, which is 0; to one of another site, and to a file.
func (w *drillWeb) page(r *rand.Rand, host string, n, epoch int) []byte {
	var b strings.Builder
	site := strings.TrimSuffix(host[strings.Index(host, ".")+1:], ".example")
	fmt.Fprintf(&b, "<!doctype html><title>%s %d</title><link rel=stylesheet href=/style.css>\n", host, n)
	for i := 2*n + 1; i <= min(2*n+2, w.pages); i++ {
		fmt.Fprintf(&b, "<a href=/p/%d.html>page %d</a>\n", i, i)
	}
	if n%7 == 3 {
		fmt.Fprintf(&b, "<a href=/r/%d.html>by another way</a> <a href=/lost/%d.html>lost</a>\n", n, n)
	}
	if n == 0 && host == "www.acre.example" {
		fmt.Fprintf(&b, "<a href=http://%s/>annex</a> <a href=http://%s/>twin</a>\n", annexHost, twinHost)
	}
	for i := 1; n == 0 && i <= newPages*epoch; i++ {
		fmt.Fprintf(&b, "<a href=/n/%d.html>news %d</a>\n", i, i)
	}
	other := w.siteNames()[r.IntN(len(w.siteNames()))]
	fmt.Fprintf(&b, "<a href=http://www.%s.example/p/%d.html>elsewhere</a>\n", other, 1+r.IntN(w.pages))
	if n%5 == 0 && strings.HasPrefix(host, "www.") {
		fmt.Fprintf(&b, "<img src=http://files.%s.example/f/%d.bin>\n", site, n/5+1)
	}
	for range 3 + r.IntN(60) {
		fmt.Fprintf(&b, "<p>%s.\n", sentence(r))
	}
	return []byte(b.String())
}

// sentence is a row of words that nobody said.
func sentence(r *rand.Rand) string {
	words := make([]string, 6+r.IntN(12))
	for i := range words {
		for range 2 + r.IntN(3) {
			words[i] += string("bdfgklmnprstv"[r.IntN(13)]) + string("aeiou"[r.IntN(5)])
		}
	}
	return strings.Join(words, " ")
}

func noise(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func sum64(s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s)) // never fails
	return h.Sum64()
}

// yaml writes the description of a harvest below dir, and what it names, and returns the path of
// the description.
func (w *drillWeb) yaml(dir string) (string, error) {
	var sites, hosts strings.Builder
	for _, s := range w.siteNames() {
		fmt.Fprintf(&sites, "  - {name: %s, seeds: [\"http://www.%s.example/\"], boundary: host}\n", s, s)
	}
	names, addresses := w.hosts()
	for i := range names {
		fmt.Fprintf(&hosts, "%s %s\n", addresses[i], names[i])
	}
	text := fmt.Sprintf(`harvest: %s
operator: {name: Drill, contact: "mailto:drill@example.org"}
sites:
%spoliteness:
  {min_delay: 5ms, max_delay: 20ms, address_delay: 1ms, delay_factor: 0,
  retry: {attempts: 3, delay: 1s, max_delay: 2s, host_attempts: 6}}
limits: {free_disk: 100MB, disk_wait: 5s}
fetch: {timeout: 20s, connect_timeout: 3s}
network: {allow_private: ["127.0.0.0/8", "%s"], hosts_file: hosts.txt, dial_ports: {80: %d}}
copies: {find: off}
archive: {dir: ., warc_size: 1MB}
upload:
  {store: "%s", bucket: drill, prefix: "%s", when: asked, access_key: file:key, secret_key: file:key}
`, drillName, sites.String(), wiredNet, w.port, w.store, filepath.Base(dir))
	path := filepath.Join(dir, "drill.yaml")
	files := map[string]string{
		path:                              text,
		filepath.Join(dir, "hosts.txt"):   hosts.String(),
		filepath.Join(dir, "key"):         storeKey + "\n",
		filepath.Join(dir, "aliases.txt"): twinHost + " = www.acre.example\n",
	}
	for i := range manyCommands {
		files[filepath.Join(dir, fmt.Sprintf("aliases-%d.txt", i))] = manyHost(i) + " = www.bourne.example\n"
	}
	for path, text := range files {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			return "", fmt.Errorf("describe a harvest of the drill: %w", err)
		}
	}
	return path, nil
}

// mustHave are the pages that the first harvest of all sites captures, whatever it says: the drill
// judges by them whether the run that nobody disturbed is itself whole.
func (w *drillWeb) mustHave() []string {
	var list []string
	for _, s := range w.siteNames() {
		for n := 1; n <= w.pages; n++ {
			list = append(list, fmt.Sprintf("http://www.%s.example/p/%d.html", s, n))
		}
	}
	return list
}
