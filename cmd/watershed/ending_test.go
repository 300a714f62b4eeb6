package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"watershed/archive"
	"watershed/report"
	"watershed/ui"
)

// TestEndings: how a run ended is told in the same words and numbers by its exit code, the closing
// lines, status and report. Of each site the sitemap is asked for, which there is none of.
func TestEndings(t *testing.T) {
	links := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `<a href="/p%d">a page</a> `, i)
		}
		return b.String()
	}
	for _, c := range []struct {
		name, limits string
		answer       func(path string) (status int, text string)
		code         int
		want         report.Ending
		says         []string
	}{
		{
			name: "complete, though a page is gone",
			answer: func(p string) (int, string) {
				return map[bool]int{true: 404, false: 200}[p == "/p1"], links(3)
			},
			want: report.Ending{Ended: report.Complete, Sum: report.Sum{Known: 6, Captured: 6}},
			says: []string{"run-0001: complete\n", "6 URLs known: 6 captured"},
		},
		{
			name: "a robots.txt that is out of order",
			answer: func(p string) (int, string) {
				return map[bool]int{true: 503, false: 200}[p == "/robots.txt"], links(3)
			},
			code: exitFailed,
			want: report.Ending{
				Ended: report.Failed, Cause: "no page was captured", Sum: report.Sum{Known: 2, Failed: 2},
				Losses: report.Losses{Seeds: 1, Hosts: 1},
				Lost: []report.Lost{{
					What: "seed", URL: "http://a.example/", Status: -61,
					Cause: "robots.txt answers 503",
				}},
			},
			says: []string{
				"failed: no page was captured", "1 seed without a page, 1 host given up",
				"note      seed http://a.example/: robots.txt answers 503\n",
			},
		},
		{
			name: "errors of the server",
			answer: func(p string) (int, string) {
				switch p {
				case "/p0":
					return 500, ""
				case "/p1":
					return 0, ""
				}
				return 200, links(3)
			},
			code: exitLosses,
			want: report.Ending{
				Ended: report.WithLosses, Sum: report.Sum{Known: 6, Captured: 4, Failed: 2},
				Losses: report.Losses{Pages: 2},
				Lost: []report.Lost{
					{
						What: "page", URL: "http://a.example/p0", Status: 500,
						Cause: "500 Internal Server Error",
					},
					{
						What: "page", URL: "http://a.example/p1", Status: -3,
						Cause: "connection broke before a whole head came: the server closed it, after 2 " +
							"attempts",
					},
				},
			},
			says: []string{"complete with losses", "2 failed", "lost      2 pages"},
		},
		{
			name: "a limit of the harvest", limits: "limits: {pages: 2}",
			answer: func(string) (int, string) { return 200, links(3) },
			code:   exitPages,
			want: report.Ending{
				Ended: report.Limited, Limit: report.LimitPages,
				Sum: report.Sum{Known: 6, Captured: 4, NotReached: 2},
			},
			says: []string{"stopped by a limit: the limit of the harvest: 2 pages", "2 not reached"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				status, text := c.answer(r.URL.Path)
				switch {
				case status == 0:
					panic(http.ErrAbortHandler)
				case r.URL.Path == "/robots.txt" && status == 200:
					text = ""
				case r.URL.Path == "/" || r.URL.Path == "/robots.txt" || strings.HasPrefix(r.URL.Path, "/p"):
				default:
					status = 404
				}
				w.Header().Set("Content-Type", "text/html")
				w.WriteHeader(status)
				_, _ = fmt.Fprint(w, text) // a client that went away is the client's matter
			}))
			defer server.Close()
			file := filepath.Join(t.TempDir(), "a.yaml")
			if err := os.WriteFile(file, fmt.Appendf(nil, `harvest: a
operator: {name: Test, contact: "mailto:test@a.example"}
politeness: {min_delay: 0s, max_delay: 0s, address_delay: 0s,
  retry: {attempts: 2, delay: 1ms, max_delay: 1ms, host_attempts: 4}}
network: {proxy: %q, allow_private: [127.0.0.0/8]}
sites: [{name: a, seeds: ["http://a.example/"], boundary: host}]
copies: {sketch: false, find: off}
%s
`, server.URL, c.limits), 0o666); err != nil {
				t.Fatal(err)
			}
			out, _ := ends(t, t.Context(), c.code, "harvest", "-q", "--words", file)
			succeed(t, t.Context(), "search", "--behind", file) // it is indexed, however the run ended
			for _, text := range c.says {
				if !strings.Contains(out, text) {
					t.Errorf("no %q in\n%s", text, out)
				}
			}
			if c.want.Limit != "" {
				c.want.Cause = "the limit of the harvest: 2 pages, was reached; once it is raised, harvest " +
					"--extend fetches what is missing"
			}
			for _, command := range []string{"status", "report"} {
				out, _ := succeed(t, t.Context(), command, file, "--json")
				var got struct {
					Ending                  report.Ending
					Known, Captured, Failed *int64 // of status
				}
				if err := json.Unmarshal([]byte(out), &got); err != nil {
					t.Fatal(err)
				}
				if n := len(got.Ending.Files); n != 1 {
					t.Errorf("%s names %d WARC files", command, n)
				}
				got.Ending.Files = nil // its name has a time
				if diff := cmp.Diff(c.want, got.Ending); diff != "" {
					t.Errorf("%s (-want +got):\n%s", command, diff)
				}
				if sum := &c.want.Sum; command == "status" && (*got.Known != sum.Known ||
					*got.Captured != sum.Captured || *got.Failed != sum.Failed) {
					t.Errorf("status has %s, and beside it other numbers:\n%s", sum, out)
				}
			}
			plain, _ := succeed(t, t.Context(), "status", file)
			if !strings.Contains(plain, c.want.Ended.Says()) ||
				!strings.Contains(plain, c.want.Sum.String()) {
				t.Errorf("status says\n%s", plain)
			}
			if had := pagesOf(out); had != "" && had != pagesOf(plain) {
				t.Errorf("%s pages have become %s", had, plain)
			}
		})
	}
}

// pagesOf is how many pages of a site a harvest or its status tells of; "" for none.
func pagesOf(text string) string {
	if m := regexp.MustCompile(`(?m)^  site \S+ +(\d+) pages`).FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// manyEnds serves, as a proxy, hosts whose URLs end in all ways: pages, errors that answer with success,
// pages that are gone, errors of the server, redirects in circles over two hosts, what robots.txt or a
// rule keeps out, other sites, and a host that wants to be left alone after its third page.
func manyEnds(slow *atomic.Int32) http.HandlerFunc {
	links := func(form string, n int) (text string) {
		for i := range n {
			text += fmt.Sprintf(`<a href="`+form+`">a link</a> `, i)
		}
		return text
	}
	return func(w http.ResponseWriter, r *http.Request) {
		status, text := http.StatusOK, ""
		switch host, path := r.Host, r.URL.Path; {
		case path == "/robots.txt":
			text = map[string]string{"a.example": "User-agent: *\nDisallow: /secret/\n"}[host]
		case path == "/sitemap.xml" || path == "/sitemap.txt" || path == "/favicon.ico":
			status = http.StatusNotFound
		case host == "b.example" || host == "c.example":
			to := map[string]string{"b.example": "http://c.example/", "c.example": "http://b.example/"}
			http.Redirect(w, r, to[host], http.StatusFound)
			return
		case host == "slow.example" && slow.Add(1) > 3:
			status = http.StatusTooManyRequests
		case path == "/" && host == "slow.example":
			text = links("/p%d", 6)
		case path == "/":
			text = links("/p%d", 9) + links("/gone/%d", 12) + links("/secret/%d", 2) + links("/left/%d", 3) +
				links("http://other.example/%d", 4) + links("/broken/%d", 2) +
				`<a href="http://b.example/">1</a> <a href="http://slow.example/">2</a> <a href="/none">3</a>`
		case strings.HasPrefix(path, "/gone/"):
			text = "<title>Not found</title><p>Sorry, the page that you asked for was not found on this " +
				"server, perhaps it has moved to another place or never was there; the list of all pages " +
				"may help you to find it.</p>"
		case strings.HasPrefix(path, "/broken/"):
			status = http.StatusInternalServerError
		case path == "/none":
			status = http.StatusNotFound
		default:
			text = "<title>" + host + path + "</title><p>"
			for i := range 80 {
				text += fmt.Sprintf("%s%d ", strings.Trim(path, "/"), i)
			}
		}
		if strings.Contains(text, "<") {
			w.Header().Set("Content-Type", "text/html")
		}
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, text) // a client that went away is the client's matter
	}
}

// TestEndsAgree: the closing lines, status, report, the desk's page and its JSON have the same numbers
// of a harvest whose URLs end in all ways, and so has the ledger, counted by its reasons.
func TestEndsAgree(t *testing.T) {
	for _, c := range []struct {
		limits string
		code   int
		taken  int // for errors, though they answer with success
	}{
		{"", exitLosses, 11},
		{"limits: {pages: 5}", exitPages, 0},
	} {
		t.Run(c.limits, func(t *testing.T) {
			var slow atomic.Int32
			server := httptest.NewServer(manyEnds(&slow))
			defer server.Close()
			dir := t.TempDir()
			file := filepath.Join(dir, "a.yaml")
			if err := os.WriteFile(file, fmt.Appendf(nil, `harvest: a
operator: {name: Test, contact: "mailto:test@a.example"}
politeness: {min_delay: 0s, max_delay: 0s, address_delay: 0s,
  retry: {attempts: 2, delay: 1ms, max_delay: 1ms, host_attempts: 4}}
network: {proxy: %q, allow_private: [127.0.0.0/8]}
archive: {dir: %q}
sites: [{name: a, seeds: ["http://a.example/"], boundary: host, exclude: ["prefix:http://a.example/left/"],
  include: ["host:b.example", "host:c.example", "host:slow.example"]}]
copies: {find: off}
%s
`, server.URL, dir, c.limits), 0o666); err != nil {
				t.Fatal(err)
			}
			closing, _ := ends(t, t.Context(), c.code, "harvest", "-q", file)

			var status, reported struct{ Ending report.Ending }
			var ledger ui.SkippedModel
			for x, args := range map[any][]string{
				&status: {"status", file, "--json"}, &reported: {"report", file, "--json"},
				&ledger: {"skipped", file, "--json", "--limit", "0"},
			} {
				if err := json.Unmarshal([]byte(outputOf(t, t.Context(), args...)), x); err != nil {
					t.Fatal(err)
				}
			}
			e := &reported.Ending
			if diff := cmp.Diff(e, &status.Ending); diff != "" {
				t.Errorf("(-report +status):\n%s", diff)
			}

			desk := newFolderDesk(t, dir)
			var shown struct {
				Status struct{ Ending report.Ending }
			}
			_, answer, _ := strings.Cut(desk.get(desk.root+"/api/v1/harvests/a"), " ")
			if err := json.Unmarshal([]byte(answer), &shown); err != nil {
				t.Fatal(err, answer)
			}
			if diff := cmp.Diff(e, &shown.Status.Ending); diff != "" {
				t.Errorf("(-report +desk):\n%s", diff)
			}
			page := desk.get(desk.root + "/harvests/a")
			table := outputOf(t, t.Context(), "report", file, "ending")
			for what, n := range map[string]int64{
				"known": e.Sum.Known, "captured": e.Sum.Captured, "outside": e.Sum.Outside,
				"left-out": e.Sum.LeftOut, "failed": e.Sum.Failed, "not-reached": e.Sum.NotReached,
			} {
				id := strings.NewReplacer("-o", "O", "-r", "R").Replace(what)
				if !regexp.MustCompile(fmt.Sprintf(`data-figure="%s"[^>]*>%d<`, id, n)).MatchString(page) {
					t.Errorf("the desk's page has no %d for %s", n, id)
				}
				if !strings.Contains("\n"+table, fmt.Sprintf("\n%d %s\n", n, what)) {
					t.Errorf("report ending has no %d for %s:\n%s", n, what, table)
				}
			}
			for name, text := range map[string]string{
				"closing lines": closing, "status": outputOf(t, t.Context(), "status", file),
			} {
				lost := !e.Losses.Any() || strings.Contains(text, e.Losses.String())
				if !strings.Contains(text, e.Sum.String()) || !lost {
					t.Errorf("%s: want %s and %s in\n%s", name, e.Sum, e.Losses, text)
				}
			}

			got := report.Sum{Known: e.Sum.Known, Captured: e.Sum.Captured} // few of which are in the ledger
			for _, l := range ledger.Lines {
				switch l.Reason {
				case archive.ReasonSoftError:
				case archive.ReasonOutOfScope:
					got.Outside++
				case archive.ReasonFailed, archive.ReasonRateLimited:
					got.Failed++
				case archive.ReasonLimit:
					got.NotReached++
				default:
					got.LeftOut++
				}
			}
			if ledger.Captured != c.taken {
				t.Errorf("the ledger has %d URLs that were captured, want %d", ledger.Captured, c.taken)
			}
			if diff := cmp.Diff(e.Sum, got); diff != "" {
				t.Errorf("(-ending +ledger):\n%s", diff)
			}
			if s := e.Sum; s.Captured+s.Outside+s.LeftOut+s.Failed+s.NotReached != s.Known {
				t.Error(s)
			}
			told := fmt.Sprintf("%d of the %d lines in the ledger of run-0001", ledger.Total, ledger.All)
			if c.taken > 0 {
				told += "; 11 are of captures that are taken for errors or were not read in full"
			}
			text := outputOf(t, t.Context(), "skipped", file, "--limit", "0")
			if !strings.Contains(text, told) {
				t.Errorf("want %q in\n%s", told, text)
			}
		})
	}
}

// TestLimitsOfPagesAndFiles: a limit of pages is one of HTML and documents. Their images are had
// when it is reached, too, and links to images, errors and redirects take no page's place.
func TestLimitsOfPagesAndFiles(t *testing.T) {
	const pages, images, most = 80, 43, 60
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(strings.Trim(r.URL.Path, "/abcdefghijklmnopqrstuvwxyz.")) // 0 for none
		kind, _, _ := strings.Cut(r.URL.Path[1:], fmt.Sprint(n))
		text := ""
		switch {
		case kind == "robots.txt" || kind == "sitemap.xml" || kind == "favicon.ico":
			w.WriteHeader(http.StatusNotFound)
		case kind == "i" || kind == "linked":
			w.Header().Set("Content-Type", "image/png")
			text = "an image"
		case kind == "gone":
			w.WriteHeader(http.StatusNotFound)
		case kind == "old":
			http.Redirect(w, r, fmt.Sprintf("/p%d.html", n), http.StatusMovedPermanently)
			return
		default:
			w.Header().Set("Content-Type", "text/html")
			if strings.HasSuffix(r.URL.Path, ".pdf") {
				w.Header().Set("Content-Type", "application/pdf")
			}
			text = fmt.Sprintf("<title>%s</title><img src=/i%d.png><img src=/i%d.png>", r.URL,
				n%images, (n+1)%images)
			for i := n + 1; i <= min(n+8, pages); i++ {
				text += fmt.Sprintf(`<a href="/gone%d.html">g</a><a href="/linked%[1]d.png">l</a>
					<a href="/old%[1]d.html">o</a> <a href="/p%[1]d.%[2]s">p</a>`, i,
					map[bool]string{true: "pdf", false: "html"}[i%10 == 0])
			}
		}
		_, _ = fmt.Fprint(w, text) // a client that went away is the client's matter
	}))
	defer server.Close()
	for _, c := range []struct {
		name, site, all string
		pages, images   int
	}{
		{"of the site", fmt.Sprint("pages: ", most), "", most, images},
		{"of the harvest", "", fmt.Sprint("limits: {pages: ", most, "}"), most, images},
		{"of a host", "", fmt.Sprint("limits: {host: {pages: ", most, "}}"), most, images},
		{"of files", "files: 10", "", -1, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a.yaml")
			if err := os.WriteFile(file, fmt.Appendf(nil, `harvest: a
operator: {name: Test, contact: "mailto:test@a.example"}
politeness: {min_delay: 0s, max_delay: 0s, address_delay: 0s}
network: {proxy: %q, allow_private: [127.0.0.0/8]}
sites: [{name: a, seeds: ["http://a.example/"], boundary: host, limits: {%s}}]
copies: {sketch: false, find: off}
traps: {novelty_pages: 0}
%s
`, server.URL, c.site, c.all), 0o666); err != nil {
				t.Fatal(err)
			}
			out, _ := ends(t, t.Context(), exitPages, "harvest", "-q", file)
			log, err := os.ReadFile(filepath.Join(filepath.Dir(file), "harvests", "a", "run-0001",
				"logs", "crawl.log"))
			if err != nil {
				t.Fatal(err)
			}
			had, shown := 0, map[string]bool{}
			for line := range strings.Lines(string(log)) {
				x := strings.Fields(line)
				if x[1] != "200" {
					continue
				}
				if x[6] == "text/html" || x[6] == "application/pdf" {
					had++
				} else if strings.Contains(x[3], "/i") {
					shown[x[3]] = true
				}
			}
			if c.pages > 0 && (had != c.pages ||
				!strings.Contains(out, fmt.Sprintf(" %d pages, ", c.pages))) ||
				c.pages < 0 && had <= pages || c.pages > 0 && len(shown) != c.images ||
				c.pages < 0 && len(shown) > c.images || !strings.Contains(out, "stopped by a limit: ") {
				t.Errorf("%d pages, %d images of pages, and\n%s", had, len(shown), out)
			}
			status, reported := outputOf(t, t.Context(), "status", file),
				outputOf(t, t.Context(), "report", "--json", file)
			if found := strings.Contains(reported, `"settled": true`); found !=
				strings.Contains(status, "its boundary was found") {
				t.Errorf("the boundary was found: %v in the report, and\n%s", found, status)
			}
		})
	}
}

// TestIdleRules: rules that match nothing of what was found are told as notes, and those that match
// a page, an image or a link that is not followed are not. The image has its line in the ledger.
func TestIdleRules(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, `<a href="/a">a</a><a href="http://b.example/">b</a>`+
			`<img src="http://ads.example/i.png"><a href="http://www.c.example/">c</a>`)
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "a.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, `harvest: a
operator: {name: Test, contact: "mailto:test@a.example"}
politeness: {min_delay: 0s, max_delay: 0s, address_delay: 0s}
network: {proxy: %q, allow_private: [127.0.0.0/8]}
sites:
  - name: a
    seeds: ["http://a.example/"]
    boundary: host
    include: ["host:nowhere.example", "domain:c.example", "regex:/nothing$", "surt:http://(example,gone,"]
    exclude: ["host:ads.example", "host:b.example", "regex:[.]gif$", "domain:a.example.org"]
copies: {sketch: false, find: off}
`, server.URL), 0o666); err != nil {
		t.Fatal(err)
	}
	out, _ := succeed(t, t.Context(), "harvest", "-q", file)
	status, _ := succeed(t, t.Context(), "status", file)
	text, _ := succeed(t, t.Context(), "status", file, "--json")
	table, _ := succeed(t, t.Context(), "report", file, "ending")
	for rule, list := range map[string]string{
		"host:nowhere.example": "include", "regex:/nothing$": "include", "surt:(example,gone,": "include",
		"regex:[.]gif$": "exclude", "domain:a.example.org": "exclude",
	} {
		says := "site a, " + list + ": nothing that was found matches " + rule
		if !strings.Contains(out, "note      "+says) || !strings.Contains(status, says) ||
			!strings.Contains(text, fmt.Sprintf("%q", rule)) || !strings.Contains(table, rule) {
			t.Errorf("%s is not told in\n%s\n%s\n%s\n%s", rule, out, status, text, table)
		}
	}
	if n := strings.Count(out, "nothing that was found"); n != 5 {
		t.Errorf("%d rules are told of, want 5:\n%s", n, out)
	}
	left, _ := succeed(t, t.Context(), "skipped", file, "--by", "rule")
	why, _ := succeed(t, t.Context(), "explain", file, "http://ads.example/i.png")
	if !strings.Contains(left, "host:ads.example") || !strings.Contains(text, `"leftOut": 2`) ||
		!strings.Contains(why, "a rule keeps it out (host:ads.example)") ||
		!strings.Contains(why, `take "host:ads.example" away from exclude`) {
		t.Errorf("of an image that a rule keeps out:\n%s\n%s\n%s", left, why, text)
	}
}

// TestPageIDs: the records of a page, of its style sheet and of the image in that, behind a redirect,
// have the number of the page.
func TestPageIDs(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := map[string][2]string{
			"/":      {"text/html", `<link rel=stylesheet href=/s.css><a href=/old>old</a>`},
			"/p":     {"text/html", `<img src=/p.png>`},
			"/s.css": {"text/css", "body{background:url(/moved.png)}"},
			"/i.png": {"image/png", "i"}, "/p.png": {"image/png", "p"},
		}[r.URL.Path]
		switch {
		case r.URL.Path == "/old":
			http.Redirect(w, r, "/p", http.StatusFound)
		case r.URL.Path == "/moved.png":
			http.Redirect(w, r, "/i.png", http.StatusFound)
		case text[0] == "":
			w.WriteHeader(http.StatusNotFound)
		default:
			w.Header().Set("Content-Type", text[0])
			_, _ = fmt.Fprint(w, text[1]) // a client that went away is the client's matter
		}
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "a.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, `harvest: a
operator: {name: Test, contact: "mailto:test@a.example"}
politeness: {min_delay: 0s, max_delay: 0s, address_delay: 0s}
network: {proxy: %q, allow_private: [127.0.0.0/8]}
sites: [{name: a, seeds: ["http://a.example/"], boundary: host}]
`, server.URL), 0o666); err != nil {
		t.Fatal(err)
	}
	succeed(t, t.Context(), "harvest", "-q", file)
	w, err := archive.OpenWACZ(filepath.Join(filepath.Dir(file), "harvests", "a", "run-0001", "a-0001.wacz"))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	pages, got := map[string]string{}, map[string]string{}
	for p, err := range w.Pages() {
		if err != nil {
			t.Fatal(err)
		}
		pages[p.ID] = strings.TrimPrefix(p.URL, "http://a.example")
	}
	for e, err := range w.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		in, _ := w.Section("archive/" + e.File)
		rec, err := archive.OpenAt(in, e.Location())
		if err != nil {
			t.Fatal(err)
		}
		if id := rec.Header.Get("WARC-Page-ID"); id != "" {
			got[strings.TrimPrefix(e.URL, "http://a.example")] = pages[id]
		}
	}
	want := map[string]string{
		"/": "/", "/s.css": "/", "/moved.png": "/", "/i.png": "/", "/favicon.ico": "/",
		"/old": "", "/p": "/p", "/p.png": "/p",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the pages of the records (-want +got):\n%s", diff)
	}
}
