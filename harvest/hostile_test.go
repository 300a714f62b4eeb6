package harvest

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"watershed/archive"
	"watershed/page"
	"watershed/replica/sketch"
	"watershed/report"
	"watershed/sitemap"
	"watershed/store"
)

// hostile serves what a handler says on all hosts and gives the plan of a harvest of the seed's
// domain.
func hostile(t *testing.T, seed string, h http.HandlerFunc) Plan {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	var port uint16
	if _, err := fmt.Sscanf(server.URL, "http://127.0.0.1:%d", &port); err != nil {
		t.Fatal(err)
	}
	return planOn(port, sitemap.Site{Name: "S", Seeds: []page.URL{page.URL(seed)}, Boundary: sitemap.Domain})
}

// TestReferer: servers that give pages and images to those alone who come from their site give them; other
// hosts are told no more of a page than its origin.
func TestReferer(t *testing.T) {
	const home = "http://a.example/"
	from := map[string]string{
		"a.example/": "", "a.example/in": home, "a.example/i.png": home + "in", "b.example/i.png": home,
	}
	p := hostile(t, home, func(out http.ResponseWriter, r *http.Request) {
		via, known := from[r.Host+r.URL.Path]
		if !known || r.Header.Get("Referer") != via {
			out.WriteHeader(http.StatusForbidden)
			return
		}
		out.Header().Set("Content-Type", "text/html")
		if r.URL.Path != "/i.png" {
			fmt.Fprint(out, links("/in"))
		}
		if r.URL.Path == "/in" {
			fmt.Fprint(out, "<img src=/i.png><img src=http://b.example/i.png>")
		}
	})
	got := map[string]string{}
	eachEntry(t, run(t, Folder(t.TempDir()), p), func(e *archive.Entry) { got[e.URL] = e.Status })
	for u := range from {
		if got["http://"+u] != "200" {
			t.Errorf("%s: %q", u, got["http://"+u])
		}
	}
}

// TestRefererOfProof: a host that sends all who do not come from its pages home, and old addresses, too, is
// asked for a page that it gave as one that comes from it.
func TestRefererOfProof(t *testing.T) {
	p := hostile(t, "http://a.example/", func(out http.ResponseWriter, r *http.Request) {
		n := 0
		_, err := fmt.Sscanf(r.URL.Path, "/p%d", &n)
		if r.URL.Path != "/" && (err != nil || r.Header.Get("Referer") == "") {
			http.Redirect(out, r, "/", http.StatusFound)
			return
		}
		out.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(out, "<title>%d</title>", n)
		for i := range 4 {
			fmt.Fprint(out, links(fmt.Sprintf("/old%d-%d", n, i)))
		}
		for i := 3*n + 1; i <= min(3*n+3, 39); i++ {
			fmt.Fprint(out, links(fmt.Sprintf("/p%d", i)))
		}
	})
	p.Frontier.Tries, p.Frontier.HostTries = 2, 8
	if x := run(t, Folder(t.TempDir()), p).Ending; x.Ended != report.Complete || x.Sum.Captured < 200 {
		t.Errorf("%s: %v", x, x.Sum)
	}
}

// TestSeedRedirectsWithoutEnd: a seed that redirects without end, on its host or over ever new
// ones, ends the harvest by itself, although no limit is set and no trap concerns what the
// archivist named.
func TestSeedRedirectsWithoutEnd(t *testing.T) {
	for _, to := range []string{
		"http://a.example/%d", "http://h%d.a.example/",
		"http://a.example/%d?a=1&a=2&a=3&a=4&a=5",
	} {
		var asked atomic.Int64
		p := hostile(t, "http://a.example/", func(out http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, ".txt") || strings.HasSuffix(r.URL.Path, ".ico") {
				http.NotFound(out, r)
				return
			}
			if n := asked.Add(1); n < 1000 {
				http.Redirect(out, r, fmt.Sprintf(to, n), http.StatusFound)
			}
		})
		run(t, Folder(t.TempDir()), p)
		if n := asked.Load(); n > 100 {
			t.Errorf("%s: %d redirects were followed", to, n)
		}
	}
}

// TestOwnQuestionsAreBounded: of a robots.txt, and of what answers to an address that the crawler
// made up, no more is taken off the wire than is read; pages of equal length are archived whole.
func TestOwnQuestionsAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("40 MiB are read for each question")
	}
	const size = 40 << 20
	text := []byte(strings.Repeat("# nothing is forbidden here, and all is said in words\n", size/54))
	p := hostile(t, "http://a.example/", func(out http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			out.Header().Set("Content-Type", "text/html")
			// the client has gone, where it fails; as below
			_, _ = out.Write([]byte(links("/d/one", "/d/two")))
			return
		case "/robots.txt":
			out.Header().Set("Content-Type", "text/plain")
		case "/favicon.ico":
			http.NotFound(out, r)
			return
		default:
			out.Header().Set("Content-Type", "text/html")
		}
		_, _ = out.Write(text)
	})
	p.Crawl.Sketch = &sketch.Options{}
	d := run(t, Folder(t.TempDir()), p)
	log, err := os.ReadFile(filepath.Join(d.Run.Logs(), "crawl.log"))
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for line := range strings.Lines(string(log)) {
		f := strings.Fields(line)
		bytes, err := strconv.Atoi(f[2])
		if err != nil {
			continue // nothing came
		}
		kind, most, cut := "made up", 16<<20, true
		switch f[3] {
		case "http://a.example/", "http://a.example/favicon.ico":
			continue
		case "http://a.example/robots.txt":
			kind, most = "robots.txt", 1<<20
		case "http://a.example/d/one", "http://a.example/d/two":
			kind, most, cut = "page", len(text), false
		}
		kinds[kind]++
		if bytes > most || strings.Contains(line, "lenTrunc") != cut || !cut && bytes < most {
			t.Errorf("%s", line)
		}
	}
	if kinds["robots.txt"] != 1 || kinds["page"] != 2 || kinds["made up"] == 0 {
		t.Errorf("%v", kinds)
	}
}

// TestEndlessFiles: a file without end that is given as a table, or as decisions, is refused, and so is a
// line that is too long.
func TestEndlessFiles(t *testing.T) {
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip(err)
	}
	if _, err := ReadTable("/dev/zero"); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	if _, err := ReadDecisions("/dev/zero"); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	path := filepath.Join(t.TempDir(), "lines")
	if err := os.WriteFile(path, append(make([]byte, longestLine), "\nshort\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	refused := false
	for line, err := range Lines(path) {
		if refused = err != nil; !refused {
			t.Errorf("%d bytes are given", len(line))
		}
	}
	if !refused {
		t.Error("a line is passed over without a word")
	}
}

// TestWildcardDomain: a domain where each name answers, and leads to ten more, ends by itself; the
// ledger names the limit. Seeds and what a rule includes come in beyond it.
func TestWildcardDomain(t *testing.T) {
	const most = 20
	p := hostile(t, "http://a.example/", func(out http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(out, r)
			return
		}
		out.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(out, "<title>%s</title>", r.Host)
		label := strings.TrimSuffix(strings.TrimSuffix(r.Host, "a.example"), ".")
		for i := range 10 {
			_, _ = out.Write([]byte(links(fmt.Sprintf("http://%s%d.a.example/", label, i)))) // as above
		}
	})
	p.Frontier.Traps.Hosts = most
	folder := Folder(t.TempDir())
	if n := len(hostsOf(captured(t, run(t, folder, p)))); n != most {
		t.Errorf("%d hosts were captured, at most %d", n, most)
	}
	e, err := Examine(folder, p)
	if err != nil {
		t.Fatal(err)
	}
	left := page.URL("")
	for u, err := range e.store.URLs(1) {
		if err != nil {
			t.Fatal(err)
		}
		if u.Reason == store.TrapHosts {
			left = u.URL
		}
	}
	x, err := e.Explain(left, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(x.Fetching); !strings.Contains(got, "20 hosts of a.example, at most 20") {
		t.Errorf("%s: %s", left, got)
	}
	var blogs []page.URL
	for i := range 2 * most {
		blogs = append(blogs, page.URL(fmt.Sprintf("http://blog%d.a.example/", i)))
	}
	p.Extend = true
	p.Sites[0].Include = []page.Rule{{Kind: page.RuleURL, Value: string(left)}}
	p.Sites[0].Seeds = append(p.Sites[0].Seeds, blogs...)
	got := captured(t, run(t, folder, p))
	for _, u := range append(blogs, left) {
		if got[string(u)] == "" {
			t.Errorf("%s is named, and was not captured", u)
		}
	}
}

// TestNestedFilesEnd: files that need two more each, by whatever kind of link, end by themselves.
func TestNestedFilesEnd(t *testing.T) {
	const most = 20
	for kind, x := range map[string]struct{ form, media, ext string }{
		"style sheets": {"@import '/%d.css';", "text/css", ".css"},
		"frames":       {"<iframe src=http://b.example/%d.html></iframe>", "text/html", ".html"},
		"modules":      {"import '/%d.js';", "text/javascript", ".js"},
		"site maps": {
			"<sitemap><loc>http://a.example/%d.xml</loc></sitemap>", "application/xml", ".xml",
		},
	} {
		first := fmt.Sprintf(`<link rel=stylesheet href=/0%s>`, x.ext)
		switch kind {
		case "frames":
			first = "<iframe src=http://b.example/0.html></iframe>"
		case "modules":
			first = "<script type=module src=/0.js></script>"
		}
		p := hostile(t, "http://a.example/", func(out http.ResponseWriter, r *http.Request) {
			var n int
			switch {
			case r.URL.Path == "/":
				out.Header().Set("Content-Type", "text/html")
				_, _ = out.Write([]byte(first)) // as above
			case r.URL.Path == "/robots.txt" && kind == "site maps":
				fmt.Fprint(out, "Sitemap: http://a.example/0.xml\n")
			case strings.HasSuffix(r.URL.Path, x.ext):
				_, _ = fmt.Sscanf(r.URL.Path, "/%d", &n) // 0 where it is another
				out.Header().Set("Content-Type", x.media)
				body := fmt.Sprintf(x.form+x.form, 2*n+1, 2*n+2)
				if kind == "site maps" {
					body = `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + body +
						"</sitemapindex>"
				}
				_, _ = out.Write([]byte(body)) // as above
			default:
				http.NotFound(out, r)
			}
		})
		p.Frontier.Traps.Nested = most
		n := len(captured(t, run(t, Folder(t.TempDir()), p)))
		if n < most || n > most+10 {
			t.Errorf("%s: %d captures", kind, n)
		}
	}
}

// hostsOf are the hosts of captured addresses.
func hostsOf(captures map[string]string) map[page.Host]bool {
	hosts := map[page.Host]bool{}
	for u := range captures {
		hosts[page.URL(u).Host()] = true
	}
	return hosts
}
