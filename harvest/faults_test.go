package harvest

import (
	"compress/gzip"
	"fmt"
	"net/http"
	"slices"
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

// TestMissed: the ending tells of a site of which more addresses are answered 404 or 410 than it has pages,
// as they may be pages that are sent so. Errors that lead to pages of their own are no such sign.
func TestMissed(t *testing.T) {
	for missed, told := range map[int]int{3: 0, 4: 0, 6: 6} { // of ten pages, beside a home page
		p := hostile(t, "http://a.example/", func(out http.ResponseWriter, r *http.Request) {
			out.Header().Set("Content-Type", "text/html")
			var n int
			_, err := fmt.Sscanf(r.URL.Path, "/%d", &n)
			if r.URL.Path != "/" && (err != nil || n < missed) {
				out.WriteHeader([]int{http.StatusNotFound, http.StatusGone}[n%2])
				_, _ = fmt.Fprintf(out, "<a href=/did/you/mean/%d>x</a>", n) // as ever
				return
			}
			for i := range 10 {
				_, _ = fmt.Fprintf(out, "<title>%s</title><a href=/%d>x</a>", r.URL, i) // as ever
			}
		})
		var list []report.Missed
		if told > 0 {
			list = []report.Missed{{Site: "S", Answers: told, URL: "http://a.example/0", Pages: 11 - told}}
		}
		if end := run(t, Folder(t.TempDir()), p).Ending; !slices.Equal(end.Missed, list) {
			t.Errorf("%d of 10: %+v, want %+v", missed, end.Missed, list)
		}
	}
}
