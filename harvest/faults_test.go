package harvest

import (
	"compress/gzip"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"watershed/page"
	"watershed/replica/sketch"
	"watershed/report"
	"watershed/sitemap"
)

// faults are the hosts of a web of 90 pages each that do not give some of them.
var faults = map[string]struct {
	fails  func(page, answer int) bool // the page, and how many answers the host gave before
	as     http.HandlerFunc
	always bool // some pages are never given
}{
	"broken-at-times.example": {func(_, answer int) bool { return answer%3 == 2 }, broken, false},
	"empty-at-times.example":  {func(_, answer int) bool { return answer%3 == 2 }, nothing, false},
	"packed-at-times.example": {func(_, answer int) bool { return answer%3 == 2 }, nothingPacked, false},
	"alike-at-times.example":  {func(_, answer int) bool { return answer%3 == 2 }, apology, false},
	"half-at-times.example":   {func(_, answer int) bool { return answer%3 == 2 }, half, false},
	"broken-once.example":     {func(_, answer int) bool { return answer/7 == 2 }, broken, false},
	"broken.example":          {func(page, _ int) bool { return page%3 == 2 }, broken, true},
	"empty.example":           {func(page, _ int) bool { return page%3 == 2 }, nothing, true},
	"all-broken.example":      {func(page, _ int) bool { return page > 0 }, broken, true},
	"drops-unknown.example":   {func(page, _ int) bool { return page < 0 }, drop, false},
}

func broken(out http.ResponseWriter, _ *http.Request) {
	out.WriteHeader(http.StatusInternalServerError)
}

func nothing(http.ResponseWriter, *http.Request) {}

// nothingPacked sends an empty page as servers do that compress all that they send.
func nothingPacked(out http.ResponseWriter, _ *http.Request) {
	out.Header().Set("Content-Encoding", "gzip")
	_ = gzip.NewWriter(out).Close() // as ever
	out.(http.Flusher).Flush()
}

// apology is an error with success, and a number of its own.
func apology(out http.ResponseWriter, _ *http.Request) {
	_, _ = fmt.Fprintf(out, "<p>Application error, please try again (%d)", time.Now().UnixNano()) // as ever
}

// half is a page that ends in the midst.
func half(out http.ResponseWriter, r *http.Request) {
	_, _ = fmt.Fprintf(out, "<title>%s</title>the same", r.URL) // as ever
}

// drop ends the connection without an answer.
func drop(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// TestFaults: a page that its server failed to give, gave empty, or gave an apology in place of, is
// asked for once more. Where that is in vain, few pages of the host are asked for twice. Addresses
// that were made up cost nothing else.
func TestFaults(t *testing.T) {
	var mu sync.Mutex
	answers, asked, given := map[string]int{}, map[string]int{}, map[string]bool{}
	p := hostile(t, "", func(out http.ResponseWriter, r *http.Request) {
		page := 0
		if strings.HasSuffix(r.URL.Path, ".txt") || strings.HasSuffix(r.URL.Path, ".ico") {
			http.NotFound(out, r)
			return
		}
		if _, err := fmt.Sscanf(r.URL.Path, "/p/%d.html", &page); err != nil && r.URL.Path != "/" {
			page = -1
		}
		host := faults[r.Host]
		mu.Lock()
		fails := host.fails(page, answers[r.Host])
		answers[r.Host]++
		if page >= 0 {
			asked[r.Host]++
			given[r.Host+r.URL.Path] = given[r.Host+r.URL.Path] || !fails
		}
		mu.Unlock()
		out.Header().Set("Content-Type", "text/html")
		switch {
		case fails:
			host.as(out, r)
			return
		case page < 0:
			http.NotFound(out, r)
			return
		}
		text := strings.Repeat("the same words ", 50)
		_, _ = fmt.Fprintf(out, "<title>%s</title>%s", r.URL, text) // as ever
		for i := 1; i <= 90 && page == 0; i++ {
			_, _ = fmt.Fprintf(out, "<a href=/p/%d.html>page %d</a>", i, i) // as ever
		}
		_, _ = fmt.Fprint(out, "</html>") // as ever
	})
	p.Sites, p.Frontier.Sites = nil, nil
	for host := range faults {
		seed := page.URL("http://" + host + "/")
		p.Sites = append(p.Sites, sitemap.Site{Name: host, Seeds: []page.URL{seed}})
	}
	p = planOn(p.Fetch.DialPorts[80], p.Sites...)
	p.Frontier.Tries, p.Frontier.HostTries, p.Crawl.Sketch = 5, 8, new(sketch.Options)
	end := run(t, Folder(t.TempDir()), p).Ending
	for host, h := range faults {
		lost := 0
		for path, ok := range given {
			if strings.HasPrefix(path, host) && !ok {
				lost++
			}
		}
		if !h.always && lost > 0 || lost > 90 {
			t.Errorf("%s did not give %d pages", host, lost)
		}
		if n := asked[host]; h.always && n > 91+16 || n > 91+46 {
			t.Errorf("%s was asked for %d pages", host, n)
		}
	}
	lost := end.Losses
	if end.Ended != report.WithLosses || end.InPart != 30 || lost.Hosts != 0 || lost.Pages != 120 {
		t.Errorf("%s, %+v", end, lost)
	}
}

// TestPagesUnderErrors: where a server sends its pages under 404, their links are followed. The links of an
// error that stands for all that is not there are not, wherever they lead.
func TestPagesUnderErrors(t *testing.T) {
	for name, c := range map[string]struct {
		under func(page int) bool // 404
		sorry string
		pages int64
	}{
		"all":     {func(int) bool { return true }, "<title>None</title>there is no such page", 15},
		"but one": {func(page int) bool { return page > 0 }, "", 14},
		"few":     {func(page int) bool { return page == 3 }, "<title>None</title>" + words("none", 40), 1},
		"none": {
			func(page int) bool { return page < 0 },
			"<title>None</title>" + words("none", 40) + "<a href=sub/x.html>x</a><a href=y.html>y</a>", 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			asked := map[string]bool{}
			var mu sync.Mutex
			p := hostile(t, "http://a.example/0", func(out http.ResponseWriter, r *http.Request) {
				mu.Lock()
				asked[r.URL.Path] = true
				mu.Unlock()
				out.Header().Set("Content-Type", "text/html")
				n, err := strconv.Atoi(r.URL.Path[1:])
				if err != nil || c.under(n) {
					out.WriteHeader(http.StatusNotFound)
				}
				if err != nil {
					_, _ = fmt.Fprint(out, c.sorry) // as ever
					return
				}
				_, _ = fmt.Fprintf(out, "<title>%d</title>%s<a href=/gone%d>gone</a>", n,
					words(fmt.Sprint("p", n, "x"), 60), n) // as ever
				for i := 2*n + 1; i <= 2*n+2 && i < 15; i++ {
					_, _ = fmt.Fprintf(out, "<a href=/%d>%d</a>", i, i) // as ever
				}
			})
			p.Crawl.Sketch = new(sketch.Options)
			end := run(t, Folder(t.TempDir()), p).Ending
			for i := range 15 {
				if !asked[fmt.Sprint("/", i)] {
					t.Errorf("page %d was not asked for", i)
				}
			}
			if end.Errors != c.pages || end.Losses.Seeds > 0 {
				t.Errorf("%d pages under 404, want %d; lost %v", end.Errors, c.pages, end.Losses)
			}
			if n := len(asked); n > 40 {
				t.Errorf("%d URLs asked for, where there are 15 pages and as many dead links", n)
			}
		})
	}
}

func words(prefix string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s%d ", prefix, i)
	}
	return b.String()
}
