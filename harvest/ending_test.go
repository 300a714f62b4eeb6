package harvest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"watershed/archive"
	"watershed/frontier"
	"watershed/page"
	"watershed/replica/sketch"
	"watershed/report"
	"watershed/sitemap"
)

// drawWeb generates a web of a site, of a host with its pictures, and of another one that it cites,
// whose servers fail in all ways.
func drawWeb(t *rapid.T) (*web, sitemap.Site) {
	w := &web{pages: map[string]string{}}
	n := rapid.IntRange(1, 9).Draw(t, "pages")
	for i := range n {
		var to []string
		for range rapid.IntRange(0, 3).Draw(t, "links") {
			to = append(to, fmt.Sprintf("/p%d", rapid.IntRange(0, n+1).Draw(t, "to")))
		}
		if rapid.Bool().Draw(t, "cites") {
			to = append(to, fmt.Sprintf("http://b.example/%d", rapid.IntRange(0, 3).Draw(t, "cited")))
		}
		text := links(to...) + fmt.Sprintf(`<img src="http://cdn.example/%d.txt">`,
			rapid.IntRange(0, 3).Draw(t, "picture"))
		w.pages[fmt.Sprintf("a.example/p%d", i)] = rapid.SampledFrom([]string{
			text, text, text, text, "404", "403", "500", "503", "429", "!",
			fmt.Sprintf("-> /p%d", rapid.IntRange(0, n).Draw(t, "led")), "-> http://b.example/0",
		}).Draw(t, "answer")
	}
	if rapid.Bool().Draw(t, "sitemap") { // it lists what no page links to
		var list strings.Builder
		for i := range rapid.IntRange(1, 4).Draw(t, "listed") {
			fmt.Fprintf(&list, "<url><loc>http://a.example/s%d</loc></url>", i)
			w.pages[fmt.Sprintf("a.example/s%d", i)] = rapid.SampledFrom([]string{
				"text", links("/p0"), "404", "503", "-> /p1", "-> /s0", "-> /s1", "-> http://b.example/far",
				"-> http://www.a.example/p1", "-> http://b.example/1",
			}).Draw(t, "listed answer")
		}
		w.pages["a.example/sitemap.txt"] = ""
		w.pages["a.example/sitemap.xml"] = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` +
			list.String() + "</urlset>"
	}
	w.pages["a.example/"] = rapid.SampledFrom([]string{
		links("/p0", "/p1", "/p2"), links("/p0", "/p1", "/p2", "/p3"), links("/p0"), "-> /p0",
		"404", "503", "!",
	}).Draw(t, "seed")
	for i := range 4 {
		for _, host := range []string{"b.example/%d", "cdn.example/%d.txt"} {
			w.pages[fmt.Sprintf(host, i)] = rapid.SampledFrom([]string{
				links("/1", "/2"), links("http://a.example/", "/d/x/"+fmt.Sprint(i)), "text",
				"404", "500", "!", "-> /2", "-> http://www.a.example/p1",
			}).Draw(t, "elsewhere")
		}
		w.pages[fmt.Sprintf("b.example/d/x/%d", i)] = rapid.SampledFrom([]string{
			links("http://a.example/", "/d/x/0", "/d/x/2"), "404", "-> /d/",
		}).Draw(t, "in a directory")
		w.pages[fmt.Sprintf("www.a.example/p%d", i)] = rapid.SampledFrom([]string{
			links("http://a.example/", "/p2"), "503",
		}).Draw(t, "on a host of the domain")
	}
	for _, host := range []string{"a.example", "b.example", "cdn.example"} {
		w.pages[host+"/robots.txt"] = rapid.SampledFrom([]string{
			"", "", "User-agent: *\nDisallow: /p1\n", "User-agent: *\nDisallow: /1\n", "404", "503", "!",
		}).Draw(t, "robots")
	}
	if text := w.pages["a.example/robots.txt"]; len(text) != 3 && text != "!" {
		w.pages["a.example/robots.txt"] += "Sitemap: http://a.example/sitemap.xml\n"
	}
	site := sitemap.Site{Name: "A", Seeds: []page.URL{"http://a.example/"}}
	site.Boundary = rapid.SampledFrom([]sitemap.Mode{
		sitemap.Logical, sitemap.Logical, sitemap.Prefix, sitemap.HostOnly, sitemap.Domain,
	}).Draw(t, "boundary")
	if rapid.IntRange(0, 3).Draw(t, "rules") == 0 {
		rule, err := page.ParseRule(rapid.SampledFrom([]string{"url:http://a.example/p2", "host:b.example"}).
			Draw(t, "excluded"))
		if err != nil {
			t.Fatal(err)
		}
		site.Exclude = []page.Rule{rule}
	}
	site.ExtraHops = rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(t, "extra hops")
	return w, site
}

// leftLines are the lines of the run's skipped.jsonl, by URL. A URL is told of for each site: that it
// is outside one of them counts only where nothing else is told of it.
func leftLines(t rapid.TB, run Run) map[page.URL]archive.Skipped {
	f, err := os.Open(filepath.Join(run.Logs(), "skipped.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[page.URL]archive.Skipped{}
	for s := bufio.NewScanner(f); s.Scan(); {
		var x archive.Skipped
		if err := json.Unmarshal(s.Bytes(), &x); err != nil {
			t.Fatal(err)
		}
		if y, told := all[x.URL]; !told || y.Reason == archive.ReasonOutOfScope {
			all[x.URL] = x
		}
	}
	return all
}

// countedTries is what a reason is that names no error.
var countedTries = regexp.MustCompile(`^(after )?[0-9]+ (tries|attempts)$`)

// TestEveryURLEndsOnce: whatever fails, forbids, redirects, limits or interrupts, every URL that is
// known is exactly one of captured, outside, left out, failed or not reached, by the archive and
// the list of what was left out, and the reports say the numbers that the delivery says.
func TestEveryURLEndsOnce(t *testing.T) {
	fewer(t, 40)
	kinds := map[report.Ended]int{}
	var n int
	rapid.Check(t, func(rt *rapid.T) {
		n++
		w, site := drawWeb(rt)
		site.MaxPages = rapid.SampledFrom([]int{0, 0, 0, 2, 4}).Draw(rt, "most of the site")
		sites := []sitemap.Site{site}
		if rapid.IntRange(0, 2).Draw(rt, "second site") == 0 {
			sites = append(sites, sitemap.Site{Name: "B", Seeds: []page.URL{"http://b.example/0"}})
		}
		p := w.start(t, sites...)
		p.WACZ, p.Crawl.Sketch = false, &sketch.Options{} // with addresses that are made up
		p.Frontier.Limits.Pages = rapid.SampledFrom([]int64{0, 0, 0, 3, 6}).Draw(rt, "most")
		p.Frontier.Limits.Files = rapid.SampledFrom([]int64{0, 0, 0, 2}).Draw(rt, "most files")
		p.Frontier.HostTries = rapid.SampledFrom([]int{2, 4}).Draw(rt, "attempts of a host")
		p.Robots.Retry, p.Frontier.RetryAfterMax = 1, time.Millisecond
		folder := Folder(filepath.Join(t.TempDir(), fmt.Sprint(n)))
		if at := rapid.SampledFrom([]int{0, 0, 1, 3, 7}).Draw(rt, "interrupted at"); at > 0 {
			checkInterrupted(rt, w, folder, p, at)
		}
		h, err := Open(folder, p)
		if err != nil {
			rt.Fatal(err)
		}
		stop := h.Crawl(rt.Context())
		if stop != nil && LimitOf(stop) == "" {
			rt.Fatal(stop)
		}
		d, err := h.Deliver(rt.Context(), stop)
		if err != nil {
			rt.Fatal(err)
		}
		checkSum(rt, h, d)
		if err := h.Close(); err != nil {
			rt.Fatal(err)
		}
		kinds[d.Ending.Ended]++
	})
	if len(kinds) < 3 && !testing.Short() && !t.Failed() { // else the webs are too much alike
		t.Errorf("%d runs ended in these ways only: %v", n, kinds)
	}
}

// fewer bounds how many cases rapid draws for a test, each of which is a harvest.
func fewer(t *testing.T, n int) {
	f := flag.Lookup("rapid.checks")
	before := f.Value.String()
	if before != f.DefValue {
		return // somebody asks for more
	}
	if err := f.Value.Set(strconv.Itoa(n)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Value.Set(before); err != nil {
			t.Error(err)
		}
	})
}

// checkInterrupted interrupts a run, and holds what it says of itself then.
func checkInterrupted(t *rapid.T, w *web, folder Folder, p Plan, at int) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.mu.Lock()
	w.onPage = func(n int) {
		if n == at {
			cancel()
		}
	}
	w.mu.Unlock()
	h, err := Open(folder, p)
	if err != nil {
		t.Fatal(err)
	}
	if stop := h.Crawl(ctx); errors.Is(stop, context.Canceled) {
		e, err := h.Interrupted(stop)
		if err != nil {
			t.Fatal(err)
		}
		if e.Ended != report.Interrupted || summed(e.Sum) != e.Sum.Known || e.Sum.Known == 0 {
			t.Errorf("%s: %s", e, e.Sum)
		}
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
}

func summed(s report.Sum) int64 {
	return s.Captured + s.Outside + s.LeftOut + s.Failed + s.NotReached
}

// TestMadeUpCountsNowhere: addresses that the crawler makes up, to see what is there, are asked for and
// logged as inferred, and are no URLs that the site has, whatever their server says.
func TestMadeUpCountsNowhere(t *testing.T) {
	for _, answer := range []int{http.StatusOK, http.StatusNotFound, http.StatusServiceUnavailable} {
		p := hostile(t, "http://a.example/", func(out http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/", "/d/one", "/d/two":
				out.Header().Set("Content-Type", "text/html")
				_, _ = out.Write([]byte(links("/d/one", "/d/two"))) // the client has gone, where it fails
			case "/robots.txt", "/favicon.ico":
				http.NotFound(out, r)
			default:
				out.WriteHeader(answer)
			}
		})
		p.Crawl.Sketch = &sketch.Options{}
		d := run(t, Folder(t.TempDir()), p)
		log, err := os.ReadFile(filepath.Join(d.Run.Logs(), "crawl.log"))
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`(?m)^\S+ +\S+ +\S+ +http://a\.example/\S+ I `).Match(log) {
			t.Errorf("%d: nothing was made up:\n%s", answer, log)
		}
		want := report.Sum{Known: 3, Captured: 3}
		if left := leftLines(t, d.Run); d.Ending.Sum != want || d.Ending.Losses.Any() || len(left) > 0 {
			t.Errorf("%d: %s, lost %s, %v", answer, d.Ending.Sum, d.Ending.Losses, left)
		}
	}
}

// checkSum counts the URLs anew, from what was delivered.
func checkSum(t *rapid.T, h *Harvest, d *Delivered) {
	held := map[page.URL]bool{}
	for e, err := range archive.EntriesIn(d.Run.Index()) {
		if err != nil {
			t.Fatal(err)
		}
		held[page.URL(e.URL)] = true
	}
	left := leftLines(t, d.Run)
	known := map[page.URL]bool{}
	for u, err := range h.store.URLs(h.record.Number) {
		if err != nil {
			t.Fatal(err)
		}
		_, told := left[u.URL]
		if !told && !held[u.URL] && u.Kind == page.Inferred {
			continue // an address that the crawler made up
		}
		known[u.URL] = true
		if !told && !held[u.URL] {
			t.Errorf("%s, %s: nothing tells of it", u.URL, u.State)
		}
	}
	for v, err := range h.store.Visits(h.record.Number, 0) { // where a redirect of the archive leads is known
		if err != nil {
			t.Fatal(err)
		}
		if to := v.Redirected(); to != nil && held[v.URL] && !known[to.URL] {
			if _, told := left[to.URL]; !told {
				t.Errorf("%s redirects to %s: nothing tells of it", v.URL, to.URL)
			}
		}
	}
	var want report.Sum
	for u, x := range left {
		known[u] = true
		switch x.Reason {
		case archive.ReasonFailed, archive.ReasonRateLimited:
			want.Failed++
			if x.Rule == "" || countedTries.MatchString(x.Rule) {
				t.Errorf("%s failed, and the error is %q", u, x.Rule)
			}
		case archive.ReasonUnread, archive.ReasonSoftError:
			want.Captured++
		case archive.ReasonOutOfScope:
			want.Outside++
			if x.Rule == "" {
				t.Errorf("%s is outside, and no rule says why", u)
			}
		case archive.ReasonLimit, archive.ReasonFileLimit, archive.ReasonByteLimit:
			if strings.Contains(x.Rule, "site A: ") || strings.Contains(x.Rule, "site B: ") ||
				strings.HasPrefix(x.Rule, "the harvest: ") ||
				x.Evidence["why"] == "the run stopped before its turn came" ||
				x.Rule == "the run stopped before the boundary had settled" {
				want.NotReached++
				break
			}
			want.LeftOut++
		default:
			want.LeftOut++
		}
	}
	for u := range known {
		if _, told := left[u]; !told && held[u] {
			want.Captured++
		}
	}
	want.Known = int64(len(known))
	got := d.Ending.Sum
	if diff := cmp.Diff(want, got); diff != "" || summed(got) != got.Known {
		t.Errorf("(-counted anew +told):\n%s", diff)
		for u, err := range h.store.URLs(h.record.Number) {
			t.Logf("%s %s %s %q %d: left out %q %q, held %v %v", u.URL, u.State, u.Reason, u.Rule, u.Status,
				left[u.URL].Reason, left[u.URL].Rule, held[u.URL], err)
		}
	}
	if d.Ending.Ended == report.Complete && want.NotReached > 0 {
		t.Errorf("complete, and %d URLs were not reached", want.NotReached)
	}
	text, err := os.ReadFile(filepath.Join(d.Run.Reports(), "report.json"))
	var r struct{ Ending *report.Ending }
	if err := errors.Join(err, json.Unmarshal(text, &r)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d.Ending, r.Ending, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-delivered +reported):\n%s", diff)
	}
}

// TestCapturesInPart: an answer that breaks off, or is a part that nobody asked for, is asked for once more;
// what comes so again is in the archive as it came, as is a 304, and they are losses. On a host that tells
// a wrong length each time no further page is asked for twice.
func TestCapturesInPart(t *testing.T) {
	asked := map[string]int{}
	var mu sync.Mutex
	p := hostile(t, "http://a.example/", func(out http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.Host+r.URL.Path]++
		n := asked[r.Host+r.URL.Path]
		mu.Unlock()
		out.Header().Set("Content-Type", "text/html")
		text := links("http://b.example/broken/1", "http://b.example/broken/2",
			"http://a.example/once", "http://a.example/apart", "http://a.example/part",
			"http://a.example/304", "http://a.example/long")
		switch {
		case r.Host == "b.example" && r.URL.Path != "/robots.txt", r.URL.Path == "/once" && n == 1:
			out.Header().Set("Content-Length", strconv.Itoa(2*len(text)))
		case r.URL.Path == "/part", r.URL.Path == "/apart" && n == 1:
			out.Header().Set("Content-Range", fmt.Sprintf("bytes 0-%d/%d", len(text)-1, 2*len(text)))
			out.WriteHeader(http.StatusPartialContent)
		case r.URL.Path == "/304":
			out.WriteHeader(http.StatusNotModified)
			return
		case r.URL.Path == "/long":
			text += strings.Repeat("long ", 1000)
		case r.URL.Path != "/" && r.URL.Path != "/once" && r.URL.Path != "/apart":
			http.NotFound(out, r)
			return
		}
		_, _ = out.Write([]byte(text)) // the client has gone, where it fails
	})
	p.Sites[0].Seeds = append(p.Sites[0].Seeds, "http://b.example/broken/1")
	p.Fetch.MaxBody = 4000
	folder := Folder(t.TempDir())
	d := run(t, folder, p)
	want := map[page.URL]string{
		"http://a.example/long": "longer than fetch.max_body",
		"http://a.example/304":  "304 Not Modified", "http://a.example/part": "a part that nobody asked for",
		"http://b.example/broken/1": "the connection broke",
		"http://b.example/broken/2": "the connection broke",
	}
	if d.Ending.Ended != report.WithLosses || d.Ending.Losses != (report.Losses{Parts: 5}) ||
		d.Ending.Sum != (report.Sum{Known: 8, Captured: 8}) {
		t.Errorf("%s: lost %s; %s; %v", d.Ending, d.Ending.Losses, d.Ending.Sum, d.Ending.Lost)
	}
	for _, x := range d.Ending.Lost {
		if x.What != "part" || want[x.URL] == "" || !strings.Contains(x.Cause, want[x.URL]) {
			t.Errorf("%v", x)
		}
	}
	broken := asked["b.example/broken/1"] + asked["b.example/broken/2"]
	if broken != 3 || asked["a.example/once"] != 2 || asked["a.example/apart"] != 2 {
		t.Errorf("asked %v", asked)
	}
	explained := explainedIn(t, folder, p, "http://a.example/long")
	if explained.Fetching.Lacks != tooLong || !strings.Contains(explained.Advice, "fetch.max_body") {
		t.Errorf("explained as %+v; %s", explained.Fetching, explained.Advice)
	}
	for i, most := range []int64{4000, 8000} { // what was cut is asked for where more may come now
		p.Extend, p.Fetch.MaxBody = true, most
		run(t, folder, p)
		if n := asked["a.example/long"]; n != i+1 {
			t.Errorf("with at most %d bytes, what is longer was asked for %d times in all", most, n)
		}
	}
}

// TestStreamsTold: a page that was read in part is told beside the numbers, and so is a stream of which the
// beginning was kept; a file that is read in part is not.
func TestStreamsTold(t *testing.T) {
	x := &tally{}
	for u, v := range map[page.URL]page.Visit{
		"http://a.example/events": {MIME: "text/event-stream", Truncated: page.CutEndless},
		"http://a.example/page":   {MIME: "text/html"},
		"http://a.example/feed":   {MIME: "application/rss+xml"},
	} {
		v.URL, v.Status, v.Unread = u, http.StatusOK, true
		x.learn(&v, true)
	}
	if len(x.inPart) != 2 || x.inPart[page.URL("http://a.example/feed").Key()] || len(x.parts) > 0 {
		t.Errorf("%d read in part, %d lost", len(x.inPart), len(x.parts))
	}
}

// TestHealed: an extension asks again for all that was lost, and for nothing else; while the servers
// fail still, it says so again.
func TestHealed(t *testing.T) {
	w := &web{pages: map[string]string{
		"a.example/":    links("/ok", "/gone", "/500", "/503", "/403") + `<img src="/i.png">`,
		"a.example/ok":  "text",
		"a.example/500": "500", "a.example/503": "503", "a.example/403": "403", "a.example/i.png": "500",
		"a.example/gone": "404",
	}}
	site := sitemap.Site{Name: "A", Seeds: []page.URL{"http://a.example/"}, Boundary: sitemap.HostOnly}
	p, folder := w.start(t, site), Folder(t.TempDir())
	first := run(t, folder, p)
	if l := first.Ending.Losses; l.Pages != 2 || l.Requisites != 1 {
		t.Fatalf("the first run lost %+v", l)
	}
	p.Extend = true
	if d := run(t, folder, p); d.Ending.Losses != first.Ending.Losses {
		t.Errorf("the servers fail still, and %+v is lost, want %+v", d.Ending.Losses, first.Ending.Losses)
	}
	for _, u := range []string{"500", "503", "403", "i.png"} {
		w.pages["a.example/"+u] = "now there is " + u
	}
	w.requests = nil
	d := run(t, folder, p)
	if d.Ending.Ended != report.Complete {
		t.Errorf("ended %+v", d.Ending)
	}
	var asked []string
	for _, r := range w.requests {
		if u, _, _ := strings.Cut(r, " "); !strings.HasSuffix(u, "/robots.txt") {
			asked = append(asked, u)
		}
	}
	slices.Sort(asked)
	want := []string{"a.example/403", "a.example/500", "a.example/503", "a.example/i.png"}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
}

// TestSoftErrorsTold: pages of the site that answer with success and are taken for errors are told
// among what was left out, and addresses that the crawler made up are not.
func TestSoftErrorsTold(t *testing.T) {
	frame := strings.Repeat("<p>the same words of the frame around each page of this site", 12)
	p := hostile(t, "http://a.example/", func(out http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(out, r)
			return
		}
		out.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(out, "<title>%s</title>%s", r.URL.Path, frame)
		if r.URL.Path == "/" {
			_, _ = fmt.Fprint(out, links("/p1", "/p2", "/p3"))
		}
	})
	p.Crawl.Sketch = &sketch.Options{}
	d := run(t, Folder(t.TempDir()), p)
	left, soft := leftLines(t, d.Run), 0
	for _, u := range []page.URL{"http://a.example/p1", "http://a.example/p2", "http://a.example/p3"} {
		_, is := d.Maps[0].Members.Find(u)
		if x, told := left[u]; told == is || told && x.Reason != archive.ReasonSoftError {
			t.Errorf("%s is a page of the site: %v, and told as %q", u, is, x.Reason)
		} else if told {
			soft++
		}
	}
	if soft == 0 || soft != len(left) {
		t.Errorf("%d pages are taken for errors, among %v", soft, left)
	}
}

// TestLimitsCountOn: what a run has counts for the limits of the run that extends it.
func TestLimitsCountOn(t *testing.T) {
	count := func(w *web) (pages, files int64) {
		for _, r := range w.requests {
			switch u, _, _ := strings.Cut(r, " "); {
			case strings.HasSuffix(u, ".png"):
				files++
			case !strings.HasSuffix(u, "/robots.txt") && !strings.HasSuffix(u, "/sitemap.xml"):
				pages++
			}
		}
		return pages, files
	}
	for _, where := range []string{"harvest", "site", "host"} {
		w := &web{pages: map[string]string{}}
		var to []string
		for i := range 12 {
			w.pages[fmt.Sprintf("a.example/%d", i)] = fmt.Sprintf(`<img src="/%d.png">`, i)
			w.pages[fmt.Sprintf("a.example/%d.png", i)] = fmt.Sprint("picture ", i)
			to = append(to, fmt.Sprintf("/%d", i))
		}
		w.pages["a.example/"] = links(to...)
		p := w.start(t, sitemap.Site{
			Name: "A", Seeds: []page.URL{"http://a.example/"}, Boundary: sitemap.HostOnly,
		})
		p.Crawl.Workers = 1
		folder := Folder(t.TempDir())
		for i, n := range []int64{4, 4, 8} {
			limits := frontier.Limits{Pages: n, Files: n - 1}
			switch where {
			case "harvest":
				p.Frontier.Limits = limits
			case "site":
				p.Frontier.Sites[0].Limits, p.Sites[0].MaxPages = limits, int(n)
			case "host":
				p.Frontier.HostLimits = limits
			}
			p.Extend = i > 0
			d := run(t, folder, p)
			if pages, files := count(w); pages != n || files != n-1 {
				t.Errorf("limits of the %s: after run %d there are %d pages and %d files, want %d, %d",
					where, i+1, pages, files, n, n-1)
			}
			if d.Ending.Ended != report.Limited {
				t.Errorf("limits of the %s: run %d ended %+v", where, i+1, d.Ending)
			}
		}
	}
}

// TestSeedExcluded: a seed that a rule keeps out is not asked for, and is told with the rule.
func TestSeedExcluded(t *testing.T) {
	w := &web{pages: map[string]string{"a.example/": links("/1"), "b.example/": links("/1")}}
	var sites []sitemap.Site
	for _, name := range []string{"a", "b"} {
		sites = append(sites, sitemap.Site{
			Name: name, Seeds: []page.URL{page.URL("http://" + name + ".example/")},
			Boundary: sitemap.HostOnly, Exclude: []page.Rule{{Kind: page.RuleHost, Value: "b.example"}},
		})
	}
	x := run(t, Folder(t.TempDir()), w.start(t, sites...)).Ending
	if x.Ended != report.WithLosses || x.Losses.Seeds != 1 || len(x.Lost) != 1 ||
		x.Lost[0].URL != "http://b.example/" ||
		!strings.Contains(x.Lost[0].Cause, "host:b.example keeps it out") || x.Sum.LeftOut != 1 {
		t.Errorf("%+v", x)
	}
}

// TestSeedThatIsFile: a file that a seed names, or redirects to, is what was asked for, and a page; XML
// that leads nowhere is none.
func TestSeedThatIsFile(t *testing.T) {
	w := &web{pages: map[string]string{
		"a.example/x.png": "a picture", "b.example/": "-> /x.png", "b.example/x.png": "another one",
		"c.example/": links("/x.png"), "c.example/x.png": "a file of a page",
	}}
	var sites []sitemap.Site
	for _, seed := range []page.URL{"http://a.example/x.png", "http://b.example/", "http://c.example/"} {
		sites = append(sites, sitemap.Site{
			Name: string(seed.Host()), Seeds: []page.URL{seed}, Boundary: sitemap.HostOnly,
		})
	}
	d := run(t, Folder(t.TempDir()), w.start(t, sites...))
	if d.Ending.Ended != report.Complete {
		t.Errorf("%+v", d.Ending)
	}
	for _, s := range d.Sites {
		if s.Pages != 1 {
			t.Errorf("%s: %d pages, want 1", s.Name, s.Pages)
		}
	}
}

// TestSeedRedirected: a seed whose redirects do not end, or end at what is no page, is told by that.
func TestSeedRedirected(t *testing.T) {
	for links, want := range map[int]string{
		3:  "3 redirects led to http://a.example/3: 404 Not Found",
		51: "it leads from redirect to redirect: 20 were followed, as many as browsers do",
	} {
		p := hostile(t, "http://a.example/0", func(out http.ResponseWriter, r *http.Request) {
			var n int
			if _, err := fmt.Sscanf(r.URL.Path, "/%d", &n); err != nil || n == links {
				http.NotFound(out, r)
				return
			}
			http.Redirect(out, r, fmt.Sprintf("/%d", n+1), http.StatusFound)
		})
		x := run(t, Folder(t.TempDir()), p).Ending
		if x.Losses.Seeds != 1 || len(x.Lost) != 1 || x.Lost[0].Cause != want {
			t.Errorf("%+v, want %s", x, want)
		}
	}
}

// TestSeedWithChoices: a seed that offers several addresses, as servers do for one that is spelt wrongly,
// leads to them and is no redirect to nowhere.
func TestSeedWithChoices(t *testing.T) {
	p := hostile(t, "http://a.example/indx.html", func(out http.ResponseWriter, r *http.Request) {
		out.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/indx.html":
			out.WriteHeader(http.StatusMultipleChoices)
			fallthrough
		case "/index.html":
			fmt.Fprint(out, "<a href=/index.html>index.html</a>")
		default:
			http.NotFound(out, r)
		}
	})
	d := run(t, Folder(t.TempDir()), p)
	if x := d.Ending; x.Ended != report.Complete || x.Losses.Any() ||
		!d.Maps[0].Has("http://a.example/index.html") {
		t.Errorf("%+v", x)
	}
}

// TestSeedThatIsADoor: a seed that is all of its site, or nearly, and leads elsewhere or has little to say is
// told with that.
func TestSeedThatIsADoor(t *testing.T) {
	in, prose := page.URL("http://b.example/in"), strings.Repeat("A page that says a lot. ", 20)
	for _, tt := range []struct {
		text, told string
		to         page.URL
	}{
		{links(string(in)), "its only page is http://a.example/d/, which leads to http://b.example/in", in},
		{"<iframe src='http://b.example/in'></iframe>", "only page is http://a.example/d/, which leads", in},
		{"<script>location.href='http://b.example/in'</script>", "a.example/d/, which leads", in},
		{prose + links(string(in), "http://c.example/", "http://d.example/", "http://e.example/"), "", ""},
		{links(string(in), "own"), "", ""},
		{"We are back soon.", "http://a.example/d/, which has 4 words and leads to no other of the site", ""},
		{"<form method=post><button>Yes, I am 18</button></form>", "words and leads to no other", ""},
		{"Are you 18? " + links("/yes", string(in)), "has 10 words and leads to no other of the site", ""},
		{prose + links("/yes"), "", ""},
		{"Welcome. " + links("none"), "", ""},
		{prose, "its only page is http://a.example/d/, which has 120 words and leads to no other", ""},
		{prose + "<form action=/go><select name=n><option>1</select></form>", "leads to no other", ""},
		{prose + links("/", "/d"), "", ""},
		{
			links("own", "/o/"), "it has only 2 pages, and http://a.example/d/ leads to http://a.example/o/",
			"http://a.example/o/",
		},
		{links("own", "/o/", "/gone/"), "it has only 2 pages", "http://a.example/o/"},
		{links("own", "/o/", "/1/", "/2/", "/3/"), "", ""},
		{"-> http://a.example/ask", "2 pages, and that of its seed, http://a.example/ask, has", ""},
		{"-> http://a.example/e/", "", ""},
		{"Are you 18? " + links("own"), "", ""},
		{
			"<link rel=icon href=/favicon.ico>Are you 18? " + links("own"),
			"2 pages, and that of its seed, http://a.example/d/, has", "",
		},
		{"<link rel=icon href=/favicon.ico>Welcome. " + links("own", "a", "b"), "", ""},
	} {
		w := &web{pages: map[string]string{
			"a.example/d/": tt.text, "a.example/d/own": links("."),
			"a.example/d/a": links("."), "a.example/d/b": links("."), "b.example/in": links(),
			"a.example/yes": "-> http://a.example/d/", "a.example/": links("/d/"),
			"a.example/ask": "Are you 18? " + links("/imprint"), "a.example/imprint": prose,
			"a.example/e/": "Welcome. " + links("imprint"), "a.example/e/imprint": prose,
			"a.example/favicon.ico": links("as everywhere"),
		}}
		for _, other := range []string{"o", "1", "2", "3"} {
			var to []string
			for i := range 20 {
				to = append(to, fmt.Sprint(i))
				w.pages[fmt.Sprint("a.example/", other, "/", i)] = links("..")
			}
			w.pages["a.example/"+other+"/"] = links(to...)
		}
		p := w.start(t, sitemap.Site{Name: "a", Seeds: []page.URL{"http://a.example/d/"}})
		p.Crawl.Sketch = new(sketch.Options)
		x := run(t, Folder(t.TempDir()), p).Ending
		var got page.URL
		if len(x.Alone) > 0 {
			got = x.Alone[0].To
		}
		notes := strings.Join(x.Notes(), " ")
		if got != tt.to || len(x.Alone) > 0 != (tt.told != "") || !strings.Contains(notes, tt.told) {
			t.Errorf("%s: %v leads to %q, want %q; %s, want %s", tt.text, x.Sum, got, tt.to, notes, tt.told)
		}
	}
	for name, cut := range map[string]func(*Plan){
		"a limit of the site": func(p *Plan) { p.Frontier.Sites[0].Limits.Pages, p.Sites[0].MaxPages = 1, 1 },
		"a limit of all":      func(p *Plan) { p.Frontier.Limits.Pages = 1 },
		"a rule":              func(p *Plan) { p.Sites[0].Exclude = []page.Rule{rule(t, "regex:[01]$")} },
	} {
		w := &web{pages: map[string]string{
			"a.example/": "Welcome. " + links("0", "1"), "a.example/0": links("."), "a.example/1": links("."),
		}}
		p := w.start(t, sitemap.Site{Name: "a", Seeds: []page.URL{"http://a.example/"}})
		p.Crawl.Sketch = new(sketch.Options)
		cut(&p)
		if x := run(t, Folder(t.TempDir()), p).Ending; len(x.Alone) > 0 || x.Sum.Captured > 3 {
			t.Errorf("cut by %s: %+v", name, x)
		}
	}
}

// TestSeedThatIsFlawed: a seed that is all of its site, as it was not read or seems to be cut, is told with
// that; one that leads to pages of an odd status leads somewhere.
func TestSeedThatIsFlawed(t *testing.T) {
	const whole = "<!doctype html><html><body>Welcome. <a href=/1>1</a></body></html>"
	for _, tt := range []struct {
		kind, home string
		status     int
		to, told   string
	}{
		{"text/plain", whole, 200, "", "not read: it is HTML, and its server sends it as text/plain"},
		{"image/jpeg", whole, 200, "", "its server sends it as image/jpeg"},
		{"text/plain", "<h1>Read me</h1> first", 200, "", ""},
		{"text/html", whole[:40], 200, "", "in place of the site; it has no end tag, as if it was cut"},
		{"text/html", "<html><body>Welcome.</body></html>", 200, "", "leads to no other of the site: see in"},
		{"text/html", whole, 300, "", ""},
		{"text/html", whole, 302, "", ""},
		{"text/html", whole, 302, "/", "has 2 words and leads to no other of the site: see"},
	} {
		p := hostile(t, "http://a.example/", func(out http.ResponseWriter, r *http.Request) {
			out.Header().Set("Content-Type", tt.kind)
			switch {
			case r.URL.Path == "/":
				fmt.Fprint(out, tt.home)
				return
			case r.URL.Path != "/1":
				http.NotFound(out, r)
				return
			case tt.to != "":
				out.Header().Set("Location", tt.to)
			}
			out.WriteHeader(tt.status)
			fmt.Fprint(out, whole)
		})
		p.Crawl.Sketch = new(sketch.Options)
		x := run(t, Folder(t.TempDir()), p).Ending
		notes := strings.Join(x.Notes(), " ")
		if len(x.Alone) > 0 != (tt.told != "") || !strings.Contains(notes, tt.told) {
			t.Errorf("%+v: %s", tt, notes)
		}
	}
}

// TestMovedAway: a site whose pages lead to the same places on another host is told with that, unless they
// are of the site.
func TestMovedAway(t *testing.T) {
	for _, tt := range []struct {
		moved   int
		to      string
		include page.RuleKind
		told    string
	}{
		{4, "b.example", 0, "4 pages of a.example lead to the same places on b.example, which is outside"},
		{4, "www.a.example", 0, "places on www.a.example, which is outside: if the site has moved there"},
		{2, "b.example", 0, ""},
		{4, "b.example", page.RuleHost, ""},
		{6, "b.example", 0, "6 pages of a.example lead to the same places on b.example, which was taken as"},
	} {
		w := &web{pages: map[string]string{"a.example/": links("/1", "/2", "/3", "/4", "/5", "/6")}}
		for i := range max(4, tt.moved) {
			path := fmt.Sprint("/", i+1)
			w.pages["a.example"+path], w.pages[tt.to+path] = links("/"), links("/x")+path
			if i < tt.moved {
				w.pages["a.example"+path] = "-> http://" + tt.to + path
			}
		}
		site := sitemap.Site{Name: "a", Seeds: []page.URL{"http://a.example/"}}
		if tt.include == page.RuleHost {
			site.Include = []page.Rule{{Kind: page.RuleHost, Value: tt.to}}
		}
		x := run(t, Folder(t.TempDir()), w.start(t, site)).Ending
		notes := strings.Join(x.Notes(), "\n")
		if told := strings.Contains(notes, "lead to the same places"); told != (tt.told != "") ||
			!strings.Contains(notes, tt.told) {
			t.Errorf("%d pages of %s: %s", tt.moved, tt.to, notes)
		}
	}
}

// TestSeedThatLeadsToAWholeHost: a seed for a place that redirects to the root of a host is told, since
// the boundary takes all of that host then.
func TestSeedThatLeadsToAWholeHost(t *testing.T) {
	for _, tt := range []struct {
		seed page.URL
		mode sitemap.Mode
		wide bool
	}{
		{"http://a.example/~user/", sitemap.Logical, true},
		{"http://a.example/~user", sitemap.Prefix, true},
		{"http://a.example/~user/", sitemap.HostOnly, false},
		{"http://a.example/index.html", sitemap.Logical, false},
		{"http://a.example/", sitemap.Logical, false},
		{"http://a.example/~own/", sitemap.Logical, false},
		{"http://a.example/~moved/", sitemap.Logical, false},
	} {
		w := &web{pages: map[string]string{
			"a.example/~user/": "-> http://b.example/", "a.example/~user": "-> http://b.example/",
			"a.example/index.html": "-> http://b.example/", "a.example/": "-> http://b.example/",
			"a.example/~own/": links("a"), "a.example/~moved/": "-> http://b.example/~user/",
			"b.example/": links("/x/"), "b.example/x/": links("/"), "b.example/~user/": links("a"),
		}}
		p := w.start(t, sitemap.Site{Name: "a", Seeds: []page.URL{tt.seed}, Boundary: tt.mode})
		dir := Folder(t.TempDir())
		x := run(t, dir, p).Ending
		want := report.Wide{Site: "a", Seed: tt.seed, To: "http://b.example/"}
		e, err := Examine(dir, p)
		if err != nil {
			t.Fatal(err)
		}
		says, err := e.Explain("http://b.example/x/", 0)
		if err := errors.Join(err, e.Close()); err != nil {
			t.Fatal(err)
		}
		if wide := strings.Contains(says.Sites[0].Text, want.Says()); wide != tt.wide {
			t.Errorf("%s, %v: explained as %s", tt.seed, tt.mode, says.Sites[0].Text)
		}
		if wide := slices.Contains(x.Wide, want); wide != tt.wide || len(x.Wide) > 1 {
			t.Errorf("%s, %v: %+v", tt.seed, tt.mode, x.Wide)
		}
		if wide := strings.Contains(strings.Join(x.Notes(), " "), want.String()); wide != tt.wide {
			t.Errorf("%s, %v: %s", tt.seed, tt.mode, x.Notes())
		}
	}
}

// TestLimitsOfTwo: of the limits of several sites one is named, and the others are counted.
func TestLimitsOfTwo(t *testing.T) {
	w := &web{pages: map[string]string{"a.example/": links("/1"), "b.example/": links("/1")}}
	var sites []sitemap.Site
	for _, name := range []string{"a", "b"} {
		sites = append(sites, sitemap.Site{
			Name: name, Seeds: []page.URL{page.URL("http://" + name + ".example/")},
			Boundary: sitemap.HostOnly, MaxPages: 1,
		})
	}
	p := w.start(t, sites...)
	for i := range p.Frontier.Sites {
		p.Frontier.Sites[i].Limits = frontier.Limits{Pages: 1}
	}
	x := run(t, Folder(t.TempDir()), p).Ending
	if x.Ended != report.Limited || !strings.HasSuffix(x.Cause, ": 1 page, was reached, and 1 other limit; "+
		"once they are raised, harvest --extend fetches what is missing") {
		t.Errorf("%+v", x)
	}
}

// A seed that is a sitemap names the pages of its host; one whose entries lie elsewhere led to no page.
func TestSeedThatIsSitemap(t *testing.T) {
	for _, c := range []struct {
		seed         page.URL
		boundary     sitemap.Mode
		pages, seeds int64
	}{
		{"http://a.example/list.xml", sitemap.Logical, 3, 0},
		{"http://a.example/list.xml", sitemap.HostOnly, 3, 0},
		{"http://a.example/list.xml", sitemap.List, 0, 0},
		{"http://a.example/maps/list.xml", sitemap.Logical, 0, 1},
		{"http://a.example/maps/list.xml", sitemap.HostOnly, 3, 0},
		{"http://a.example/data.xml", sitemap.HostOnly, 0, 1},
	} {
		p := hostile(t, string(c.seed), func(out http.ResponseWriter, r *http.Request) {
			switch {
			case strings.HasSuffix(r.URL.Path, "/list.xml"):
				out.Header().Set("Content-Type", "application/xml")
				fmt.Fprint(out, "<urlset>")
				for i := range 3 {
					fmt.Fprintf(out, "<url><loc>http://a.example/p%d</loc></url>", i)
				}
				fmt.Fprint(out, "</urlset>")
			case r.URL.Path == "/data.xml":
				out.Header().Set("Content-Type", "application/xml")
				fmt.Fprint(out, "<measured>1</measured>")
			case strings.HasPrefix(r.URL.Path, "/p"):
				out.Header().Set("Content-Type", "text/html")
				fmt.Fprintf(out, "<title>%[1]s</title><p>The words of the page %[1]s", r.URL.Path)
			default:
				http.NotFound(out, r)
			}
		})
		p.Sites[0].Boundary = c.boundary
		d := run(t, Folder(t.TempDir()), p)
		if got := d.Sites[0].Pages; int64(got) != c.pages || int64(d.Ending.Losses.Seeds) != c.seeds {
			t.Errorf("%s, %v: %d pages, %d seeds without a page, want %d and %d", c.seed, c.boundary, got,
				d.Ending.Losses.Seeds, c.pages, c.seeds)
		}
	}
}
