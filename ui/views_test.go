package ui

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"watershed/archive"
	"watershed/page"
	"watershed/report"
)

func TestViews(t *testing.T) {
	d := newDesk(t)
	d.enter()
	for _, c := range []struct {
		target string
		want   []string
	}{
		{"/", []string{"running", "1 thing needs you", "1 copy proposed", "1\u202f200", "not started"}},
		{"/harvests/gemo", []string{
			"The run is under way.", "1\u202f200", "outOfScope",
			"http://other.example/a/", "1m0s or more",
		}},
		{"/harvests/a%20b", []string{"has not been started"}},
		{"/harvests/a%20b/sites", []string{"has not been started"}},
		{"/harvests/gemo/sites", []string{"000-gemo", "logical"}},
		{"/harvests/gemo/sites/000-gemo", []string{
			"<svg", "only cited", "0.012", "surt.txt",
			"http://www.gemo.example/verso/a%3Cb%3E",
		}},
		{"/harvests/gemo/sites/000-gemo?which=outside", []string{"the boundary leaves it out", "a rule"}},
		{"/harvests/gemo/sites/000-gemo?which=context", []string{
			"2 links from the site",
			"by http://other.example/a/", "outside, captured as context",
		}},
		{"/harvests/gemo/sites/000-gemo?which=requisite", []string{"needed by http://www.gemo.example/"}},
		{"/harvests/gemo/sites/000-gemo?which=missing", []string{
			"1 URL.", "http://www.gemo.example/verso/a%3Cb%3E", "enough links join it to the site",
		}},
		{"/harvests/gemo/sites/000-gemo?prefix=http://www.gemo.example/verso/", []string{"1 URL."}},
		{"/harvests/gemo/explain", []string{"Explain"}},
		{"/harvests/gemo/explain?url=http://h1.example/d1/p1", []string{"robotsTxt", "rule 1"}},
		{
			"/harvests/gemo/explain?url=http://s.example/p0000000",
			[]string{"at <a href=\"/harvests/gemo/sites/001-scaled#boundaries\">every scale</a>; the map " +
				"is drawn at 0.25."},
		},
		{"/harvests/gemo/explain?url=http://s.example/p0000004", []string{
			"inside</span>",
			"001-scaled?at=0.25\">the scale of α 0.25 to 0.5</a> on; the map is drawn at 0.25.</p>",
		}},
		{
			"/harvests/gemo/explain?url=http://s.example/p0000006",
			[]string{
				"outside</span>", "001-scaled?at=0.177\">the scale of α 0.125 to 0.25</a> on",
				"There the site has 9 pages.",
			},
		},
		{"/harvests/gemo/explain?url=http://www.gemo.example/", []string{"MCL agrees", "linked by 0 pages"}},
		{
			"/harvests/gemo/explain?url=http://other.example/a/",
			[]string{"linked by 1 page of the site and 0 others"},
		},
		{"/harvests/gemo/skipped", []string{"252 of 252", "Page 1 of 3", "h0.example"}},
		{"/harvests/gemo/skipped?page=99", []string{"Page 3 of 3"}},
		{"/harvests/gemo/skipped", []string{"bytes more"}},
		{"/harvests/gemo/skipped?reason=mirror", []string{"83 of 252"}},
		{"/harvests/gemo/mirrors", []string{
			"3 hosts and directories hold", "5 of 5 agree, mean resemblance 0.900",
			"a &lt;b&gt;note&lt;/b&gt;",
		}},
		{"/harvests/gemo/mirrors?state=rejected", []string{"m2.example"}},
		{"/harvests/gemo/changes", []string{"edited", "http://www.gemo.example/old", "x.example/"}},
		{"/harvests/gemo/changes", []string{
			"1\u202f500</td><td class=\"n\">1\u202f400",
			"at least 1m30s</td><td class=\"n\">1m40s", "m1.example/&lt;i&gt;", "fast.example/&lt;i&gt;",
			"and any</td><td class=\"n\">after 1 days, 2026-11-21", "less than an hour",
		}},
		{"/harvests/gemo/changes?kind=gone", []string{"404"}},
		{"/harvests/gemo/captures", []string{
			"2 captures", "same as an earlier capture", "gemo-0001.wacz",
			"index.cdxj",
		}},
		{"/harvests/gemo/captures?text=vERSO", []string{"1 capture.", "Verso&lt;/title&gt;"}},
		{"/harvests/gemo/captures?text=STYLE.css", []string{"1 capture."}},
		{"/harvests/gemo/captures?text=nothing", []string{"0 captures"}},
	} {
		text := d.get(c.target)
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s has no %q", c.target, want)
			}
		}
		wellKept(t, c.target, text)
	}
}

// wellKept checks a page: no script but ours, no inline style or handler, no address of another
// host, labels and headings.
func wellKept(t *testing.T, target, text string) {
	t.Helper()
	if strings.ContainsAny(text, "\u202e\x07") {
		t.Errorf("%s: a control character got through", target)
	}
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	headings, ids := 0, map[string]bool{}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "iframe": // of the replay, without any rights
			if !framed(n) {
				t.Errorf("%s: a frame with %v", target, n.Attr)
			}
			continue
		case "b", "style", "object", "base":
			t.Errorf("%s: element %s", target, n.Data)
		case "h1":
			headings++
		}
		for _, a := range n.Attr {
			switch {
			case strings.HasPrefix(a.Key, "on"), a.Key == "style":
				t.Errorf("%s: %s with %s", target, n.Data, a.Key)
			case a.Key == "id" && ids[a.Val]:
				t.Errorf("%s: two elements with id %s", target, a.Val)
			case a.Key == "id":
				ids[a.Val] = true
			case (a.Key == "href" || a.Key == "src" || a.Key == "action") && !strings.HasPrefix(a.Val, "/") &&
				!strings.HasPrefix(a.Val, "#") && !strings.HasPrefix(a.Val, testReplay),
				strings.HasPrefix(a.Val, "//"):
				t.Errorf("%s: %s leads to %s", target, n.Data, a.Val)
			}
		}
		if n.Data == "script" && (n.FirstChild != nil || len(n.Attr) != 2 ||
			!slices.Contains([]string{"/static/live.js", "/static/dial.js"},
				n.Attr[1].Val)) {
			t.Errorf("%s: a script that is not ours", target)
		}
		if n.Data == "input" && n.Parent.Data != "label" && n.Attr[0].Val != "hidden" {
			t.Errorf("%s: an input without a label", target)
		}
	}
	if headings != 1 {
		t.Errorf("%s: %d headings of the first order", target, headings)
	}
}

// testReplay begins the addresses of the replay in tests that have one.
const testReplay = "http://127.0.0.1:8999/"

// framed reports a frame that may do nothing and shows what the replay has.
func framed(n *html.Node) bool {
	safe, ours := false, false
	for _, a := range n.Attr {
		safe = safe || a.Key == "sandbox" && a.Val == ""
		ours = ours || a.Key == "src" && strings.HasPrefix(a.Val, testReplay)
		if a.Key == "srcdoc" || a.Key == "allow" {
			return false
		}
	}
	return safe && ours
}

func TestFiles(t *testing.T) {
	d := newDesk(t)
	d.enter()
	r := d.do("GET", "/harvests/gemo/sites/000-gemo/files/surt.txt", nil, nil)
	if text := d.text(r, 200); text != "http://(example,gemo,\n" ||
		r.Header.Get("Content-Disposition") != "attachment" {
		t.Errorf("%q, %v", text, r.Header)
	}
	d.text(d.do("GET", "/harvests/gemo/sites/000-gemo/files/regex.txt", nil, nil), 404)
	links := regexp.MustCompile(`href="([^"]*/files/[^"]*)"`).FindAllStringSubmatch(
		d.get("/harvests/gemo/sites/000-gemo"), -1)
	if len(links) < 2 {
		t.Errorf("the site's page links to %d of its files", len(links))
	}
	for _, m := range links {
		d.text(d.do("GET", m[1], nil, nil), 200)
	}

	r = d.do("GET", "/harvests/gemo/archive/a.warc.gz", nil, func(r *http.Request) {
		r.Header.Set("Range", "bytes=3-5")
	})
	if text := d.text(r, http.StatusPartialContent); text != "345" ||
		r.Header.Get("Content-Range") != "bytes 3-5/10" {
		t.Errorf("range: %q, %v", text, r.Header)
	}
	for _, name := range []string{"index.cdxj", "gemo-0001.wacz"} {
		if r := d.do("GET", "/harvests/gemo/archive/"+name, nil, nil); r.StatusCode != 200 ||
			r.Header.Get("Content-Disposition") != "attachment" {
			t.Errorf("%s: %d %v", name, r.StatusCode, r.Header)
		}
	}
	for _, name := range []string{"other.txt", "..%2fstatus.json", "%2e%2e", "status.json", "a.warc.gz%00"} {
		if r := d.do("GET", "/harvests/gemo/archive/"+name, nil, nil); r.StatusCode != 404 {
			t.Errorf("%s: %d", name, r.StatusCode)
		}
	}
}

func TestMetrics(t *testing.T) {
	d := newDesk(t)
	d.enter()
	text := d.get("/metrics")
	for _, want := range []string{
		"# TYPE watershed_visits_total counter\nwatershed_visits_total{harvest=\"gemo\"} 1234\n",
		"watershed_live{harvest=\"gemo\"} 1\n",
		"watershed_status_unreadable{harvest=\"gemo\"} 0\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestReplayRoot checks where captures are linked to, and that the replay has the desk's guard
// against foreign names.
func TestReplayRoot(t *testing.T) {
	d := newDesk(t)
	d.enter()
	if text := d.get("/harvests/gemo/captures"); strings.Contains(text, "view?") {
		t.Error("a replay that does not listen is linked to")
	}
	d.server.port.Store("8999")
	text := d.get("/api/v1/harvests/gemo/captures")
	want := "http://127.0.0.1:8999/" + d.server.replay.Key +
		"/gemo/view?t=20261121080000\\u0026u=http%3A%2F%2Fwww.gemo.example%2F"
	if !strings.Contains(text, want) {
		t.Errorf("no %s in %s", want, text)
	}
	d.server.options.ReplayURL = "https://replay.example.org/"
	if text := d.get("/harvests/gemo/captures"); !strings.Contains(text,
		`href="https://replay.example.org/`+d.server.replay.Key) {
		t.Error("the proxy's address is not used")
	}
	d.handler = d.server.replay
	for host, status := range map[string]int{deskAddress: 403, "evil.example": 421} {
		if r := d.do("GET", "/wrong/gemo/view?u=http://www.gemo.example/", nil,
			func(r *http.Request) { r.Host = host }); r.StatusCode != status {
			t.Errorf("%s: %d", host, r.StatusCode)
		}
	}
}

// TestManySites has a harvest of more sites and seeds than a page shows.
func TestManySites(t *testing.T) {
	d := newDesk(t)
	d.enter()
	r := report.Tables{Report: &report.Report{}}
	for i := range 250 {
		name := fmt.Sprintf("site%03d", i)
		r.Sites = append(r.Sites, &report.Site{Name: name, Folder: name})
		home := page.URL("http://" + name + ".example/")
		r.Seeds = append(r.Seeds, &report.Seed{URL: home, Site: name, Status: 200})
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(d.folder.Run(1).Reports(), "report.json"), text)
	last := d.get("/harvests/gemo/sites?page=3&sort=name")
	for _, c := range []struct {
		text, mark string
		want       int
	}{
		{d.get("/harvests/gemo/sites"), `<a href="/harvests/gemo/sites/site`, listPage},
		{last, `<a href="/harvests/gemo/sites/site`, 250 - 2*listPage},
		{last, "250 sites", 1},
		{last, "Page 3 of 3", 1},
		{d.get("/harvests/gemo"), ".example/</bdi>", reportRows},
		{d.get("/api/v1/harvests/gemo/sites"), `"name": "site`, 250},
	} {
		if n := strings.Count(c.text, c.mark); n != c.want {
			t.Errorf("%q: %d times, not %d", c.mark, n, c.want)
		}
	}
}

// TestDamagedStatus has the status of a run damaged: Home lists it, and its report says how it ended.
func TestDamagedStatus(t *testing.T) {
	d := newDesk(t)
	d.enter()
	run := d.folder.Run(1)
	write(t, run.Status(), []byte(`{"phase": `))
	if text := d.get("/metrics"); !strings.Contains(text,
		"watershed_status_unreadable{harvest=\"gemo\"} 1\n") {
		t.Errorf("it is not told that the status is damaged:\n%s", text)
	}
	for _, path := range []string{"/", "/api/v1/harvests"} {
		if text := d.get(path); !strings.Contains(text, "writes a status of its own") {
			t.Errorf("%s does not say what is damaged: %s", path, text)
		}
	}
	write(t, filepath.Join(run.Reports(), "report.json"),
		[]byte(`{"ending": {"ended": "complete", "sum": {"captured": 12}}}`))
	write(t, run.Index(), nil)
	if x, err := ReadStatus(run, time.Now()); err != nil || x.Captured != 12 {
		t.Errorf("%+v, %v", x, err)
	}
}

// TestServe runs the server as the command does: link, page, events, end. The process of the run
// is held up meanwhile, and dies at last, without a last status.
func TestServe(t *testing.T) {
	d := newDesk(t)
	var died atomic.Bool
	d.server.options.Now = func() time.Time {
		if died.Load() {
			return testTime.Add(time.Minute)
		}
		return testTime
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	links, done := make(chan string, 1), make(chan error, 1)
	go func() { done <- d.server.Serve(ctx, func(link string) { links <- link }) }()
	var link string
	select {
	case link = <-links:
	case err := <-done:
		t.Fatal(err)
	}
	base, _, _ := strings.Cut(link, "/enter")
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	r, err := client.Get(link)
	if err != nil {
		t.Fatal(err)
	}
	closed(t, r)
	request, err := http.NewRequestWithContext(ctx, "GET", base+"/harvests/gemo/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.AddCookie(r.Cookies()[0])
	if r, err = client.Do(request); err != nil {
		t.Fatal(err)
	}
	session := r.Request.Header.Get("Cookie")
	in := bufio.NewReader(r.Body)
	line, err := in.ReadString('\n')
	if err != nil ||
		!strings.HasPrefix(line,
			`data: {"live":true,"ended":false,"present":"","figures":[{"key":"phase","value":"crawling"}`) {
		t.Errorf("%q %v", line, err)
	}
	// the process does not write for a while, as on a machine that sleeps, and goes on; then it dies
	for _, dead := range []bool{true, false, true} {
		died.Store(dead)
		for !strings.HasPrefix(line, fmt.Sprintf(`data: {"live":%t,"ended":false`, !dead)) {
			if line, err = in.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
	}
	_, id, _ := strings.Cut(session, "=")
	d.server.sessions.end(id)
	if _, err := io.Copy(io.Discard, in); err != nil { // comes to an end, as the session has
		t.Error(err)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	closed(t, r)
	client.CloseIdleConnections()
}

func closed(t *testing.T, r *http.Response) {
	t.Helper()
	if err := r.Body.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestSkipIndex compares the index with a plain reading of the same file, over random lines and
// filters.
func TestSkipIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "skipped.jsonl")
	pieces := rapid.SampledFrom([]string{"", "a", "b", "<", `"`, "é", `,"site":"x"}`, `\`})
	rapid.Check(t, func(t *rapid.T) {
		var all []archive.Skipped
		var b []byte
		for range rapid.IntRange(0, 20).Draw(t, "lines") {
			s := archive.Skipped{
				URL: page.URL(fmt.Sprintf("http://h%d/%s", rapid.IntRange(0, 2).Draw(t, "host"),
					rapid.SampledFrom([]string{
						"", "a/", "a/b/", "a/b/c", "?q=/",
						"x" + pieces.Draw(t, "path"),
					}).Draw(t, "rest"))),
				Reason: archive.Reason(pieces.Draw(t, "reason")), Rule: pieces.Draw(t, "rule"),
				Site: pieces.Draw(t, "site"),
			}
			if rapid.Bool().Draw(t, "evidence") {
				s.Evidence = map[string]any{"site": pieces.Draw(t, "piece")}
			}
			var err error
			if b, err = s.Append(b); err != nil {
				t.Fatal(err)
			}
			all = append(all, s)
		}
		b = append(b, "no JSON\n"...)
		b = append(b, `{"url":"http://h1/","ts":"","reason":"r","rule":"","evidence":{"cut":1}`...) // off
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		x, err := readSkips(path)
		if err != nil || len(x.lines) != len(all) || x.damaged != 2 {
			t.Fatalf("%d lines of %d, %d damaged, %v", len(x.lines), len(all), x.damaged, err)
		}
		f := SkipFilter{
			Reason: pieces.Draw(t, "by reason"), Rule: pieces.Draw(t, "by rule"),
			Site: pieces.Draw(t, "by site"),
			Host: rapid.SampledFrom([]string{"", "h1"}).Draw(t, "by host"),
			Prefix: rapid.SampledFrom([]string{
				"", "http://h0/", "http://h0/a", "http://h0/a/",
				"http://h0/a/b/", "http://",
			}).Draw(t, "by prefix"),
		}
		var want, got []page.URL
		for _, s := range all {
			if (f.Reason == "" || string(s.Reason) == f.Reason) && (f.Rule == "" || s.Rule == f.Rule) &&
				(f.Site == "" || s.Site == f.Site) &&
				(f.Host == "" || string(s.URL.Host()) == f.Host) &&
				strings.HasPrefix(string(s.URL), f.Prefix) {
				want = append(want, s.URL)
			}
		}
		list, err := x.chosen(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := x.read(list, func(_ int, s *archive.Skipped) { got = append(got, s.URL) }); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%+v: %v, want %v", f, got, want)
		}
	})
}

// BenchmarkSkipIndex indexes 100,000 lines and finds one page of a filter.
func BenchmarkSkipIndex(b *testing.B) {
	path := filepath.Join(b.TempDir(), "skipped.jsonl")
	var text []byte
	for i := range 100_000 {
		s := archive.Skipped{
			URL:    page.URL(fmt.Sprintf("http://h%d.example/d%d/p%d", i%1000, i%50, i)),
			Reason: archive.ReasonOutOfScope, Rule: "boundary of block x", Site: "gemo",
			Evidence: map[string]any{"links_from_site": i, "cut": .5},
		}
		var err error
		if text, err = s.Append(text); err != nil {
			b.Fatal(err)
		}
	}
	if err := os.WriteFile(path, text, 0o666); err != nil {
		b.Fatal(err)
	}
	b.Run("read", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := readSkips(path); err != nil {
				b.Fatal(err)
			}
		}
	})
	x, err := readSkips(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("choose", func(b *testing.B) {
		for b.Loop() {
			list, err := x.chosen(SkipFilter{Host: "h7.example"})
			if err != nil || len(list) != 100 {
				b.Fatal(len(list), err)
			}
			x.groups(list, &x.rules, func(l *skipLine) uint32 { return l.rule })
		}
	})
}

func FuzzPlain(f *testing.F) {
	for _, s := range []string{"</title><script>", "\"'><img src=x>", "\u202ee\x07\n", "\xff\u2028<bdi>"} {
		f.Add(s)
	}
	f.Fuzz(shownPlain)
}

func TestEvilIsShownPlain(t *testing.T) { shownPlain(t, evil) }

// shownPlain isolates a text: it makes no element of its own, and is shown as it is.
func shownPlain(t *testing.T, text string) {
	in := html.NewTokenizer(strings.NewReader(string(isolated(text, 50))))
	var shown strings.Builder
	elements := 0
	for in.Next() != html.ErrorToken {
		switch token := in.Token(); token.Type {
		case html.TextToken:
			shown.WriteString(token.Data)
		default:
			elements++
		}
	}
	if elements != 2 { // bdi and its end
		t.Errorf("%q made %d tags", text, elements)
	}
	if shown.String() != plain(text, 50) {
		t.Errorf("%q is shown as %q", text, shown.String())
	}
}

// TestSquarify checks that the parts have the areas of their weights, lie within, and cover all.
func TestSquarify(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.Float64Range(1, 1000), 1, 40).Draw(t, "weights")
		sum := 0.0
		for i := range weights {
			if i > 0 {
				weights[i] = min(weights[i], weights[i-1])
			}
			sum += weights[i]
		}
		within := rect{
			3, 5, rapid.Float64Range(10, 1000).Draw(t, "w"),
			rapid.Float64Range(10, 1000).Draw(t, "h"),
		}
		area := within.w * within.h
		parts := squarify(weights, within)
		if len(parts) != len(weights) {
			t.Fatalf("%d parts of %d", len(parts), len(weights))
		}
		const small = 1e-6
		for i, p := range parts {
			if math.Abs(p.w*p.h-weights[i]/sum*area) > small*area {
				t.Fatalf("part %d has area %g", i, p.w*p.h)
			}
			if p.x < within.x-small || p.y < within.y-small || p.x+p.w > within.x+within.w+small*area ||
				p.y+p.h > within.y+within.h+small*area {
				t.Fatalf("part %d lies outside: %+v in %+v", i, p, within)
			}
			for _, q := range parts[:i] {
				if min(p.x+p.w, q.x+q.w)-max(p.x, q.x) > small*area &&
					min(p.y+p.h, q.y+q.h)-max(p.y, q.y) > small*area {
					t.Fatalf("%+v and %+v overlap", p, q)
				}
			}
		}
	})
}

func TestCacheReadsAgainWhatHasChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	c := newCache[string](1)
	reads := 0
	read := func(p string) (string, error) {
		reads++
		b, err := os.ReadFile(p)
		return string(b), err
	}
	if _, err := c.get(path, read); !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, text := range []string{"a", "a", "bb"} {
		if text != "a" || reads == 0 {
			write(t, path, []byte(text))
		}
		if got, err := c.get(path, read); err != nil || got != text {
			t.Fatal(got, err)
		}
	}
	if reads != 2 {
		t.Errorf("%d reads", reads)
	}
}

// TestSilent: a seed is silent where the run has lost it, whatever its server answered; without an
// ending, or of one whose list is full, its answer tells.
func TestSilent(t *testing.T) {
	m := HarvestModel{Seeds: []*report.Seed{
		{URL: "http://a.example/", Status: 200},
		{URL: "http://b.example/", Status: 503},
		{URL: "http://c.example/", Status: 404},
	}}
	lost := []report.Lost{{What: "seed", URL: "http://a.example/"}, {What: "page", URL: "http://b.example/"}}
	full := append(lost, make([]report.Lost, report.MaxLost-len(lost))...)
	for i, c := range []struct {
		status *Status
		want   int
	}{
		{nil, 2},
		{&Status{}, 2},
		{&Status{Ending: &report.Ending{Lost: lost}}, 1},
		{&Status{Ending: &report.Ending{Lost: full}}, 3},
	} {
		if m.Status = c.status; m.Silent() != c.want {
			t.Errorf("%d: %d are silent, want %d", i, m.Silent(), c.want)
		}
	}
}
