package harvest

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"watershed/harvest/decision"
	"watershed/page"
	"watershed/report"
	"watershed/sitemap"
)

// refusing is a web whose hosts give some pages of thirty, and then answer all by the same for a while.
type refusing struct {
	mu      sync.Mutex     // guards what follows
	first   int            // pages that a host gives at first; 0 for seven
	answers int            // by which it then refuses
	asked   map[string]int // by host and path
	given   map[string]int // pages, by host
	refused map[string]int
	onPage  func(refused int)

	searches int // addresses to which the home page links first and for which the connection is broken
}

// refusals are the ways in which hosts refuse.
var refusals = map[string]http.HandlerFunc{
	"forbids.example": func(out http.ResponseWriter, _ *http.Request) {
		out.WriteHeader(http.StatusForbidden)
	},
	"breaks.example": func(out http.ResponseWriter, _ *http.Request) {
		http.Error(out, "Error establishing a database connection", http.StatusInternalServerError)
	},
	"odd.example": func(out http.ResponseWriter, _ *http.Request) { out.WriteHeader(999) },
	"tests.example": func(out http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(out, "<title>Are you human?</title>reference %s %p", r.URL, r) // as ever
	},
	"empty.example": func(http.ResponseWriter, *http.Request) {},
	"leads.example": func(out http.ResponseWriter, r *http.Request) {
		http.Redirect(out, r, "http://test.example/?for="+r.URL.Path, http.StatusFound)
	},
	"worse.example": func(out http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Refused") > "3" { // then it does not answer any more
			out.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = fmt.Fprint(out, "<title>Are you human?</title>") // as ever
	},
	"home.example": func(out http.ResponseWriter, r *http.Request) {
		http.Redirect(out, r, "/", http.StatusFound)
	},
}

func (w *refusing) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	var i int
	if r.URL.Path == "/search" {
		if r.Host == "busy.example" {
			out.WriteHeader(http.StatusTooManyRequests)
			return
		}
		panic(http.ErrAbortHandler)
	}
	if _, err := fmt.Sscanf(r.URL.Path, "/p%d", &i); err != nil && r.URL.Path != "/" || i > 30 {
		http.NotFound(out, r)
		return
	}
	w.mu.Lock()
	w.asked[r.Host+r.URL.Path]++
	refuse := refusals[r.Host]
	switch {
	case r.Host == "members.example" && i%3 == 1:
		refuse = refusals["forbids.example"]
	case r.Host == "moved.example" && i%3 == 1:
		refuse = refusals["home.example"]
	case refuse == nil || i == 0 && r.Host == "home.example":
		w.given[r.Host]++
		refuse = nil
	case w.given[r.Host] >= cmp.Or(w.first, 7) && w.refused[r.Host] < w.answers:
		w.refused[r.Host]++
		r.Header.Set("X-Refused", strconv.Itoa(min(w.refused[r.Host]-1, 9)))
		if w.onPage != nil {
			w.onPage(w.refused[r.Host])
		}
	default:
		w.given[r.Host]++
		refuse = nil
	}
	w.mu.Unlock()
	out.Header().Set("Content-Type", "text/html; charset=utf-8")
	if refuse != nil {
		refuse(out, r)
		return
	}
	_, _ = fmt.Fprintf(out, "<title>%s</title>words of %s%s", r.URL, r.Host, r.URL) // as ever
	for j := 0; i == 0 && j < w.searches; j++ {
		_, _ = fmt.Fprintf(out, " <a href=/search?q=select+%d>s</a>", j) // as ever
	}
	for j := i + 1; j <= min(i+5, 30); j++ {
		_, _ = fmt.Fprintf(out, " <a href=/p%d>%d</a>", j, j) // as ever
	}
}

// planOf is the plan of a harvest of hosts.
func (w *refusing) planOf(t *testing.T, hosts ...string) Plan {
	w.asked, w.given, w.refused = map[string]int{}, map[string]int{}, map[string]int{}
	var sites []sitemap.Site
	for _, h := range hosts {
		sites = append(sites, sitemap.Site{Name: h, Seeds: []page.URL{page.URL("http://" + h + "/")}})
	}
	p := planOn(hostile(t, "", w.ServeHTTP).Fetch.DialPorts[80], sites...)
	p.Frontier.Tries, p.Frontier.HostTries = 4, 8
	return p
}

// TestHostsThatRefuse: of hosts that refuse the crawler for a while all pages are had in the end, and while
// they refuse they are asked for one page alone. Hosts that refuse some pages to all are asked for few
// pages twice.
func TestHostsThatRefuse(t *testing.T) {
	w := &refusing{answers: 6}
	hosts := []string{"members.example", "moved.example"}
	for h := range refusals {
		hosts = append(hosts, h)
	}
	h := run(t, Folder(t.TempDir()), w.planOf(t, hosts...)).Ending
	if h.Ended != report.Complete {
		t.Errorf("the run ended %q", h)
	}
	for _, host := range hosts {
		twice := 0
		for i := 1; i <= 30; i++ {
			switch n := w.asked[fmt.Sprintf("%s/p%d", host, i)]; {
			case n == 0:
				t.Errorf("%s/p%d was not asked for", host, i)
			case n > 1:
				twice++
			}
		}
		switch _, refuses := refusals[host]; {
		case refuses && w.given[host] < 30:
			t.Errorf("%s gave %d pages of 30", host, w.given[host])
		case twice > 4:
			t.Errorf("%s was asked twice for %d pages", host, twice)
		}
	}
}

// TestHostThatBreaksForSomePages: a host that breaks the connection for the addresses of its search, or
// answers them by 429, and gives all others, is not given up before these are had.
func TestHostThatBreaksForSomePages(t *testing.T) {
	for host, searches := range map[string]int{"wall.example": 20, "busy.example": 12} {
		w := &refusing{searches: searches}
		p := w.planOf(t, host)
		p.Frontier.HostTries = 6
		end := run(t, Folder(t.TempDir()), p).Ending
		for i := 1; i <= 30; i++ {
			if path := fmt.Sprintf("%s/p%d", host, i); w.asked[path] == 0 {
				t.Errorf("%s was not asked for: %s, lost %v", path, end, end.Losses)
			}
		}
		if end.Ended != report.WithLosses || end.Sum.Failed != int64(searches) {
			t.Errorf("the run ended %s, %v", end, end.Sum)
		}
	}
}

// TestHostThatThrottlesBesideItsHome: a host that asks to be left alone is soon, though it gives its home
// page.
func TestHostThatThrottlesBesideItsHome(t *testing.T) {
	var asked atomic.Int32
	p := hostile(t, "", func(out http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != "/" && !strings.HasPrefix(r.URL.Path, "/p"):
			http.NotFound(out, r)
			return
		case r.URL.Path != "/":
			asked.Add(1)
			out.WriteHeader(http.StatusTooManyRequests)
			return
		}
		for i := range 40 {
			fmt.Fprint(out, links(fmt.Sprintf("/p%d", i)))
		}
	})
	p = planOn(p.Fetch.DialPorts[80], sitemap.Site{Name: "A", Seeds: []page.URL{"http://a.example/"}})
	p.Frontier.Tries, p.Frontier.HostTries = 4, 8
	run(t, Folder(t.TempDir()), p)
	if n := asked.Load(); n > 24 { // rows of 4, until it was found alive 4 times, and of 8 then
		t.Errorf("it was asked %d times", n)
	}
}

// TestHostThatRefusesForGood: a host that refuses the crawler until it is given up, over an interruption,
// loses what it refused with all else, each page with a line; the next run asks for all.
func TestHostThatRefusesForGood(t *testing.T) {
	for host := range refusals {
		w, folder := &refusing{answers: 1000}, Folder(t.TempDir())
		p := w.planOf(t, host, "other.example")
		ctx, cancel := context.WithCancel(t.Context())
		w.onPage = func(n int) {
			if n == 4 {
				cancel()
			}
		}
		h, err := Open(folder, p)
		if err != nil {
			t.Fatal(err)
		}
		_ = h.Crawl(ctx) // it is interrupted
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
		cancel()
		end := run(t, folder, p).Ending
		if end.Ended != report.WithLosses || end.Losses.Hosts != 1 || end.Sum.Failed < 5 {
			t.Errorf("%s: %s, lost %v, %v", host, end, end.Losses, end.Sum)
		}
		if n := w.refused[host]; n > 16 {
			t.Errorf("%s had to refuse %d times", host, n)
		}
		lines := 0
		for _, x := range end.Lost {
			why := "which it gave before"
			if host == "worse.example" {
				why = "its host was given up: 503"
			}
			if strings.Contains(x.Cause, why) {
				lines++
			}
		}
		if lines == 0 {
			t.Errorf("%s: none of %v says why", host, end.Lost)
		}
		w.answers = 0
		for _, p.Extend = range []bool{true, false} {
			had := w.given[host]
			end = run(t, folder, p).Ending
			if n := w.given[host] - had; end.Ended != report.Complete || n < 23 || p.Extend && had+n < 30 {
				t.Errorf("%s: extended %v, the next run is %s, %d pages given", host, p.Extend, end, n)
			}
		}
	}
}

// TestHostThatRefusesTheLastPages: a host is asked for a page that it gave before where no page is left, too.
func TestHostThatRefusesTheLastPages(t *testing.T) {
	var hosts []string
	for h := range refusals {
		hosts = append(hosts, h)
	}
	for _, answers := range []int{4, 1000} {
		w := &refusing{first: 28, answers: answers}
		end := run(t, Folder(t.TempDir()), w.planOf(t, hosts...)).Ending
		for _, host := range hosts {
			if answers == 4 && w.given[host] < 31 {
				t.Errorf("%s gave %d pages of 31", host, w.given[host])
			}
			if n := w.refused[host]; n > 16 {
				t.Errorf("%s had to refuse %d times", host, n)
			}
		}
		switch all := int64(len(hosts)); {
		case answers == 4 && end.Ended != report.Complete:
			t.Errorf("the run ended %q", end)
		case answers > 4 && (end.Losses.Hosts != all || end.Sum.Failed < 3*all):
			t.Errorf("%s, lost %v, %v", end, end.Losses, end.Sum)
		}
	}
}

// TestServerThatFindsNothing: what one of some servers behind an address did not find is had from another;
// where pages do not exist, few are asked for twice.
func TestServerThatFindsNothing(t *testing.T) {
	var mu sync.Mutex
	asked := map[string]int{}
	serve := func(out http.ResponseWriter, r *http.Request) {
		var i int
		if r.URL.Path == "/search" {
			panic(http.ErrAbortHandler)
		}
		if _, err := fmt.Sscanf(r.URL.Path, "/p%d", &i); err != nil && r.URL.Path != "/" {
			http.NotFound(out, r)
			return
		}
		mu.Lock()
		asked[r.Host+r.URL.Path]++
		n := asked[r.Host+r.URL.Path]
		mu.Unlock()
		if i%3 == 1 && (n == 1 || r.Host == "old.example") {
			http.NotFound(out, r)
			return
		}
		out.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(out, "<title>%s</title>words of %s%s", r.URL, r.Host, r.URL) // as ever
		for j := range 30 {
			_, _ = fmt.Fprintf(out, " <a href=/p%d>%d</a>", j, j) // as ever
		}
	}
	p := planOn(hostile(t, "", serve).Fetch.DialPorts[80],
		sitemap.Site{Name: "a", Seeds: []page.URL{"http://a.example/"}},
		sitemap.Site{Name: "old", Seeds: []page.URL{"http://old.example/"}})
	d := run(t, Folder(t.TempDir()), p)
	if d.Ending.Ended != report.Complete {
		t.Errorf("the run ended %q", d.Ending)
	}
	pages := map[string]int{}
	for _, m := range d.Maps {
		pages[m.Site] = m.Pages
	}
	twice := 0
	for i := range 30 {
		if asked[fmt.Sprintf("old.example/p%d", i)] > 1 {
			twice++
		}
	}
	if pages["a"] != 31 || pages["old"] != 21 || twice > 3 {
		t.Errorf("%v pages, %d of the old host asked for twice", pages, twice)
	}
}

// TestNotFoundStays: a page that was not found, and is asked for once more, is neither beyond a limit
// that the pages have just reached, nor lost by a fault of its server; one that was excluded since is
// not asked for.
func TestNotFoundStays(t *testing.T) {
	for name, again := range map[string]int{"limit": 0, "fault": 3, "excluded": 0} {
		var mu sync.Mutex
		asked := map[string]int{}
		onLast := func() {}
		p := hostile(t, "http://a.example/", func(out http.ResponseWriter, r *http.Request) {
			mu.Lock()
			asked[r.URL.Path]++
			n := asked[r.URL.Path]
			mu.Unlock()
			switch {
			case strings.HasPrefix(r.URL.Path, "/no/") && n > 1:
				panic(http.ErrAbortHandler)
			case r.URL.Path == "/last" && n == 1:
				onLast()
			case r.URL.Path != "/":
				http.NotFound(out, r)
				return
			}
			out.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprintf(out, "words of %s", r.URL) // as ever
			for i := range 9 {
				_, _ = fmt.Fprintf(out, " <a href=/no/%d>%d</a>", i, i) // as ever
			}
			_, _ = fmt.Fprint(out, " <a href=/last>last</a>") // as ever
		})
		p.Crawl.Workers = 1
		folder := Folder(t.TempDir())
		switch name {
		case "limit":
			p.Frontier.Sites[0].Limits.Pages = 2
		case "excluded":
			onLast = func() {
				decide(t, folder, decision.Decision{
					Do: decision.Exclude, Rule: rule(t, "prefix:http://a.example/no/"),
				})
			}
		}
		d := run(t, folder, p)
		twice := 0
		for path, n := range asked {
			if n > 1 && strings.HasPrefix(path, "/no/") {
				twice++
			}
		}
		if d.Ending.Ended != report.Complete || len(d.Ending.Lost) > 0 || twice != again {
			t.Errorf("%s: the run ended %q, lost %v; %d pages were asked for twice", name, d.Ending,
				d.Ending.Lost, twice)
		}
	}
}
