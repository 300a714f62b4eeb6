package harvest

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"watershed/archive"
	"watershed/frontier"
	"watershed/page"
	"watershed/replica"
	"watershed/replica/sketch"
	"watershed/sitemap"
	"watershed/store"
)

const (
	original = "www.site.example"
	copyHost = "m.site.example"
)

// copyWeb is a site and its mirror: pages, images and data that are equal or not, change, go away
// and come back, on servers that are down in some runs. Contents are numbers; different numbers
// make contents that are not alike.
type copyWeb struct {
	paths []string
	least int      // pages of a kind that must agree before new ones are left out
	hosts []string // that the run harvests

	domain bool // both hosts are one site, whose entry is on the original; else each is a site

	mu   sync.Mutex
	has  map[string]int  // by host and path
	down map[string]bool // hosts
	held map[string]int  // as the harvest had it last
	had  map[string]bool // in this run
	got  map[string]bool // asked for in this run, with whatever answer
}

func (w *copyWeb) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.down[r.Host] {
		panic(http.ErrAbortHandler)
	}
	key := r.Host + r.URL.Path
	w.got[key] = true
	n, ok := w.has[key]
	if !ok {
		http.NotFound(out, r)
		return
	}
	w.held[key], w.had[key] = n, true
	tag := fmt.Sprintf(`"%d"`, n)
	if r.URL.Path == "/" {
		tag = fmt.Sprintf(`"%d of %d"`, n, len(w.paths)) // its links are more, where pages move
	}
	out.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		out.WriteHeader(http.StatusNotModified)
		return
	}
	text := links("/") + prose(n)
	switch {
	case r.URL.Path == "/":
		text = w.home()
	case strings.HasSuffix(key, ".png"):
		out.Header().Set("Content-Type", "image/png")
		text = fmt.Sprint("a picture ", n)
	case strings.HasSuffix(key, ".zip"):
		out.Header().Set("Content-Type", "application/zip")
		text = fmt.Sprint("data ", n)
	}
	_, _ = out.Write([]byte(text)) // a client that went away is the client's matter
}

func (w *copyWeb) home() string {
	var all []string
	for _, path := range w.paths {
		all = append(all, "http://"+original+path, "http://"+copyHost+path)
	}
	return links(all...)
}

func (w *copyWeb) start(t *testing.T, least int) Plan {
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	_, text, err := net.SplitHostPort(server.Listener.Addr().String())
	port, err2 := strconv.ParseUint(text, 10, 16)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	var sites []sitemap.Site
	for _, host := range []string{original, copyHost} {
		sites = append(sites, sitemap.Site{
			Name: host, Seeds: []page.URL{page.URL("http://" + host + "/")}, Boundary: sitemap.HostOnly,
		})
	}
	if w.domain {
		sites = sites[:1]
		sites[0].Boundary = sitemap.Domain
	}
	p := planOn(uint16(port), sites...)
	p.WACZ = false
	p.Crawl.Sketch = new(sketch.Options)
	p.Replicas.Options.MinSample = least
	w.least = max(least, replica.DefaultMinSample)
	return p
}

// drawCopyWeb draws the web of the first run.
func drawCopyWeb(t *rapid.T) *copyWeb {
	w := &copyWeb{held: map[string]int{}, has: map[string]int{}, paths: []string{"/"}}
	w.domain = rapid.Bool().Draw(t, "one site")
	for i, n := range []int{
		rapid.IntRange(4, 14).Draw(t, "pages"), rapid.IntRange(0, 8).Draw(t, "images"),
		rapid.IntRange(0, 8).Draw(t, "files"),
	} {
		for j := range n {
			w.paths = append(w.paths, fmt.Sprintf([]string{"/t%d", "/i%d.png", "/d%d.zip"}[i], j))
		}
	}
	unlike := rapid.SampledFrom([]int{0, 0, 0, 0, 10, 10, 10, 10, 100}).Draw(t, "percent unlike")
	for i, path := range w.paths {
		w.has[original+path], w.has[copyHost+path] = i, i
		switch {
		case path == "/":
		case rapid.IntRange(1, 100).Draw(t, "unlike") <= unlike:
			w.has[copyHost+path] = 100 + i
		case rapid.IntRange(1, 20).Draw(t, "alone") == 1:
			delete(w.has, original+path)
		case rapid.IntRange(1, 20).Draw(t, "missing") == 1:
			delete(w.has, copyHost+path)
		}
	}
	return w
}

// configure has the run harvest both hosts, or, where they are two sites, one of them alone.
func (w *copyWeb) configure(t *rapid.T, p Plan, run int) Plan {
	w.hosts = []string{original, copyHost}
	if w.domain {
		return p
	}
	if run > 1 {
		w.hosts = rapid.SampledFrom([][]string{
			w.hosts, w.hosts, w.hosts, w.hosts[1:], w.hosts[:1],
		}).Draw(t, "hosts")
	}
	p.Sites = slices.DeleteFunc(slices.Clone(p.Sites), func(s sitemap.Site) bool {
		return !slices.Contains(w.hosts, s.Name)
	})
	p.Frontier.Sites = nil
	for _, s := range p.Sites {
		p.Frontier.Sites = append(p.Frontier.Sites, frontier.Site{Name: s.Name})
	}
	return p
}

// move gives a page another path, on one host or both.
func (w *copyWeb) move(t *rapid.T, path, to string) {
	if !slices.Contains(w.paths, to) {
		w.paths = append(w.paths, to)
	}
	for _, host := range rapid.SampledFrom([][]string{
		{original}, {copyHost}, {original, copyHost},
	}).Draw(t, "moved") {
		if n, has := w.has[host+path]; has {
			w.has[host+to] = n
			delete(w.has, host+path)
		}
	}
}

// change goes on to the next run: some contents change or move, on either host or both.
func (w *copyWeb) change(t *rapid.T, run int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.had, w.got, w.down = map[string]bool{}, map[string]bool{}, map[string]bool{}
	if run == 1 {
		return
	}
	w.down[rapid.SampledFrom([]string{"", "", "", original, copyHost}).Draw(t, "down")] = true
	changes := rapid.SampledFrom([]int{0, 5, 30}).Draw(t, "percent changed")
	for i, path := range w.paths {
		if path == "/" || rapid.IntRange(1, 100).Draw(t, "changed") > changes {
			continue
		}
		n := 1000*run + i
		switch rapid.IntRange(0, 5).Draw(t, "how") {
		case 0:
			w.has[original+path] = n
		case 1:
			w.has[copyHost+path] = n
		case 2:
			w.has[original+path], w.has[copyHost+path] = n, n
		case 3:
			delete(w.has, original+path)
		case 4:
			delete(w.has, copyHost+path)
		case 5:
			w.move(t, path, fmt.Sprintf("/m%d%s", n, filepath.Ext(path)))
		}
	}
}

// agreeing counts the pairs of a kind that the harvest had from both hosts, and those alike.
func (w *copyWeb) agreeing(path string) (alike, all int) {
	kind := filepath.Ext(path)
	for _, p := range w.paths {
		a, held := w.held[original+p]
		b, too := w.held[copyHost+p]
		if filepath.Ext(p) == kind && held && too {
			all++
			if a == b {
				alike++
			}
		}
	}
	return alike, all
}

// check holds what the run left out against what the servers saw of it.
func (w *copyWeb) check(t rapid.TB, d *Delivered, before map[string]int) (leftOut int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	lines := leftLines(t, d.Run)
	for _, u := range slices.Sorted(maps.Keys(lines)) {
		x := lines[u]
		stand, _ := x.Evidence["representative"].(string)
		if x.Reason == "failed" || stand == "" {
			continue
		}
		leftOut++
		key, of := strings.TrimPrefix(string(u), "http://"), strings.TrimPrefix(stand, "http://")
		if w.had[key] {
			t.Errorf("%s is told to be left out, and was fetched", u)
		}
		if !w.had[of] {
			t.Errorf("%s is left out for %s, which this run does not have", u, stand)
			continue
		}
		held, captured := before[key]
		if alike, all := w.agreeing(key[strings.Index(key, "/"):]); captured {
			if held != w.held[of] {
				t.Errorf("%s held %d and is left out for %s, which is %d", u, held, stand, w.held[of])
			}
		} else if alike < w.least {
			t.Errorf("%s was never captured, and is left out by %d of %d alike: %v", u, alike,
				all, x.Evidence)
		}
	}
	for _, host := range w.hosts {
		for _, path := range w.paths {
			u := page.URL("http://" + host + path)
			if w.knows(lines, host, path) && !w.got[host+path] && !w.told(lines, u) {
				t.Errorf("%s was not asked for, and no line tells of it: %+v", u, lines[u])
			}
		}
	}
	return leftOut
}

// knows reports that the run knows a page of a host: as an entry of a site, or because it had the
// entry page of that site, or the page that stands for it, either of which names all pages.
func (w *copyWeb) knows(lines map[page.URL]archive.Skipped, host, path string) bool {
	entry := host
	if w.domain {
		entry = original
	}
	stand, _ := lines[page.URL("http://"+entry+"/")].Evidence["representative"].(string)
	return path == "/" && host == entry || w.had[entry+"/"] || stand != ""
}

// told reports a line on a URL. It is none that a URL of a host that the run harvests lies outside:
// there it says no more than that the URL is not the other site's.
func (w *copyWeb) told(lines map[page.URL]archive.Skipped, u page.URL) bool {
	x, told := lines[u]
	return told && (x.Reason != archive.ReasonOutOfScope || !slices.Contains(w.hosts, string(u.Host())))
}

// checkBooks demands of every URL that the run left out a line in the ledger.
func (w *copyWeb) checkBooks(t *rapid.T, h *Harvest, d *Delivered) {
	lines := leftLines(t, d.Run)
	for u, err := range h.store.URLs(h.record.Number) {
		if err != nil {
			t.Fatal(err)
		}
		if u.State == store.Skipped && !w.told(lines, u.URL) {
			t.Errorf("%s was left out by %q, and no line tells of it", u.URL, u.Rule)
		}
	}
}

// TestCopiesLoseNothing: whatever is equal, changes, moves, dies or comes back on a site and its
// mirror, and whichever of the two leaves the harvest, a page is left out only if the run had what
// stands for it, and that is like what the page held; a page that was never captured only if pages
// of its kind agreed. All others are asked for, and what is left out has a line.
func TestCopiesLoseNothing(t *testing.T) {
	fewer(t, 8)
	var n, leftOut, webs int // webs: that leave something out
	rapid.Check(t, func(rt *rapid.T) {
		n++
		left := false
		w := drawCopyWeb(rt)
		p := w.start(t, rapid.SampledFrom([]int{0, -1, 1}).Draw(rt, "least sample"))
		p.Replicas.Options.Sample = rapid.SampledFrom([]float64{0, -1}).Draw(rt, "sample")
		folder := Folder(filepath.Join(t.TempDir(), fmt.Sprint(n)))
		alias := rapid.IntRange(0, 3).Draw(rt, "alias") < 3 // small numbers are drawn more often
		p.Replicas.Find, p.Replicas.Confirm = !alias, !alias
		p.Replicas.Failover = rapid.Bool().Draw(rt, "failover")
		for run := 1; run <= 4; run++ {
			if p.Replicas.Aliases = nil; alias && rapid.IntRange(0, 3).Draw(rt, "named") < 3 {
				p.Replicas.Aliases = []string{copyHost + " = " + original}
			}
			w.change(rt, run)
			before := maps.Clone(w.held)
			h, err := Open(folder, w.configure(rt, p, run))
			if err != nil {
				rt.Fatal(err)
			}
			stop := h.Crawl(rt.Context())
			d, err := h.Deliver(rt.Context(), stop)
			if err := cmp.Or(stop, err); err != nil {
				rt.Fatal(err)
			}
			n := w.check(rt, d, before)
			leftOut += n
			left = left || n > 0
			w.checkBooks(rt, h, d)
			if err := h.Close(); err != nil {
				rt.Fatal(err)
			}
		}
		if left {
			webs++
		}
	})
	t.Logf("%d webs, of which %d leave out %d pages", n, webs, leftOut)
	if n >= 8 && webs < n/8 && !t.Failed() { // one web in four leaves nothing out
		t.Error("nearly nothing was left out, so nearly nothing was tried")
	}
}

// TestCopiesAreSeen: where a site and its mirror are equal, the check of drawn webs sees pages that
// are left out, so that it does not pass for want of any.
func TestCopiesAreSeen(t *testing.T) {
	w := &copyWeb{
		paths: []string{"/"}, hosts: []string{original, copyHost}, has: map[string]int{},
		held: map[string]int{}, had: map[string]bool{}, got: map[string]bool{},
	}
	for i := range 12 {
		w.paths = append(w.paths, fmt.Sprintf("/t%d", i))
	}
	for i, path := range w.paths {
		w.has[original+path], w.has[copyHost+path] = i, i
	}
	p := w.start(t, 0)
	p.Replicas.Aliases = []string{copyHost + " = " + original}
	d := run(t, Folder(t.TempDir()), p)
	if n := w.check(t, d, map[string]int{}); n < 5 {
		t.Errorf("%d pages of 12 were seen to be left out", n)
	}
}
