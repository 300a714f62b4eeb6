package ui

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"watershed/archive"
	"watershed/harvest"
	"watershed/lab/kit/archivetest"
	"watershed/page"
	"watershed/quality"
)

// hostileURL is an address that a page of the web may name.
const hostileURL = "http://evil.example/%3Cscript%3Ealert(1)%3C/script%3E?a=\"><b>&\u202ex"

// TestQuality checks the view: a page that cannot be read is told as such, what waits is shown as
// text.
func TestQuality(t *testing.T) {
	d := newDesk(t)
	d.enter()
	u, err := page.ParseURL(hostileURL)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.folder.Want([]harvest.Wanted{{
		URL: u, For: "http://www.gemo.example/", Time: testTime,
		By: evil, Note: evil,
	}}); err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string][]string{
		"/harvests/gemo/quality": {"1 URLs wait", "evil.example", "⟨U+202E⟩"},
		"/harvests/gemo/quality?pages=5": {
			"1 page: ", "They need 0 required files",
			"http://www.gemo.example/",
		},
		"/harvests/gemo/quality?pages=5&seed=7":   {"1 page: "},
		"/harvests/gemo/quality?pages=1&run=none": nil,
	} {
		if want == nil {
			d.text(d.do("GET", target, nil, nil), http.StatusNotFound)
			continue
		}
		text := d.get(target)
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s has no %q", target, w)
			}
		}
		wellKept(t, target, text)
	}
	for _, bad := range []string{"pages=0", "pages=201", "pages=x", "seed=-1", "pages=1&seed=1e9"} {
		d.text(d.do("GET", "/harvests/gemo/quality?"+bad, nil, nil), http.StatusBadRequest)
	}
	d.text(d.do("GET", "/harvests/a%20b/quality", nil, nil), http.StatusNotFound)
}

// TestWish checks what asks the next run for URLs: only the desk's own form, or a program with the
// secret, and only for addresses of the web.
func TestWish(t *testing.T) {
	d := newDesk(t)
	d.enter()
	form := d.form()
	waits := func() (urls []page.URL) {
		t.Helper()
		list, err := d.folder.Wanted()
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range list {
			urls = append(urls, w.URL)
		}
		return urls
	}
	d.text(d.post("/harvests/gemo/quality", url.Values{"urls": {"http://a.example/"}}, nil),
		http.StatusForbidden)
	for _, bad := range []string{"file:///etc/passwd", "javascript:alert(1)", "../../etc"} {
		d.text(d.post("/harvests/gemo/quality", url.Values{"csrf": {form}, "urls": {bad}}, nil),
			http.StatusBadRequest)
	}
	d.text(d.post("/harvests/gemo/quality", url.Values{"csrf": {form}}, nil), http.StatusBadRequest)
	if r := d.post("/harvests/gemo/quality?pages=5",
		url.Values{"csrf": {form}, "urls": {"http://a.example/ http://b.example/x"}, "by": {"Ann\x07"}},
		nil); r.StatusCode != http.StatusSeeOther ||
		r.Header.Get("Location") != "/harvests/gemo/quality?pages=5" {
		t.Errorf("%d %v", r.StatusCode, r.Header)
	}
	if got := waits(); len(got) != 2 || got[1] != "http://b.example/x" {
		t.Errorf("%v", got)
	}
	bearer := func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+testSecret) }
	for body, status := range map[string]int{
		`{"urls":["http://c.example/"],"for":"http://www.gemo.example/"}`: 200, `{"urls":[]}`: 400,
		`{"urls":["x"],"more":1}`:                         400,
		`{"urls":["http://c.example/"],"for":"mailto:x"}`: 400, `[`: 400,
	} {
		d.text(d.do("POST", apiRoot+"/harvests/gemo/quality", strings.NewReader(body), bearer), status)
	}
	if got := waits(); len(got) != 3 {
		t.Errorf("%v", got)
	}
	if files, err := filepath.Glob(filepath.Join(string(d.folder), "wanted", "*")); err != nil ||
		len(files) != 2 {
		t.Errorf("%v %v", files, err)
	}
}

// TestMissingIsAskedFor writes an archive whose page lacks pictures, and wants that the button asks
// for those that may be fetched.
func TestMissingIsAskedFor(t *testing.T) {
	d := newDesk(t)
	d.enter()
	writePages(t, d.folder.Run(1), map[string]string{
		"http://www.gemo.example/": `<img src="/lost.gif"><img src="http://h1.example/d1/p1"><img src="` +
			hostileURL + `"><p>a b`,
	})
	// h1.example/d1/p1 is in skipped.jsonl, for robots.txt.
	text := d.get("/harvests/gemo/quality?pages=3")
	for _, want := range []string{
		"1 page: 0 whole, 1 lacking, 0 not judged without a browser. They need 3 " +
			"required files: 0 are held, 0 were answered with an error by their server, 3 are " +
			"missing", "robotsTxt", "rule 1", "neverFound", "Fetch 2 of them",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	wellKept(t, "quality", text)
	if r := d.post("/harvests/gemo/quality?pages=3", url.Values{"csrf": {d.form()}}, nil); r.StatusCode !=
		http.StatusSeeOther {
		t.Errorf("%d", r.StatusCode)
	}
	list, err := d.folder.Wanted()
	if err != nil || len(list) != 2 || list[0].For != "http://www.gemo.example/" ||
		list[0].Note != "neverFound" {
		t.Errorf("%v %v", list, err)
	}
}

// TestMissingIsAskedForBy: what a check misses is asked for in the name of the account, whatever the
// form says.
func TestMissingIsAskedForBy(t *testing.T) {
	d := newDeskOf(t, accountsOf(t, testAccounts))
	d.enterAs("dora", testPasswords["dora"])
	writePages(t, d.folder.Run(1), map[string]string{
		"http://www.gemo.example/": `<img src="/lost.gif"><p>a b`,
	})
	d.post("/harvests/gemo/quality?pages=3", url.Values{"csrf": {d.form()}, "by": {"ralf"}}, nil)
	if list, err := d.folder.Wanted(); err != nil || len(list) != 1 || list[0].By != "dora" {
		t.Errorf("%v %v", list, err)
	}
}

// TestDrawnAgain: the last check by drawing again is shown with its pictures, which the replay alone
// serves, and the list of captures has thumbnails of pages that were drawn.
func TestDrawnAgain(t *testing.T) {
	d := newDesk(t)
	d.enter()
	if text := d.get("/harvests/gemo/quality"); !strings.Contains(text, "watershed quality --draw") {
		t.Errorf("no word of how pages are drawn again: %s", text)
	}
	d.server.port.Store("8999")
	run := d.folder.Run(1)
	archivetest.Write(t, run.Archive(), run.Index(), []archivetest.Capture{
		{URL: "http://www.gemo.example/", Drawing: &archive.Drawing{Text: "x", Thumbnail: []byte("x")}},
		{URL: "http://www.gemo.example/plain"},
	})
	differs := .25
	r := quality.Report{
		Lacking: 1, Sites: []quality.Site{{Name: evil, Pages: map[quality.Verdict]int{quality.Lacking: 1}}},
		Pages: []quality.Page{{
			URL: "http://www.gemo.example/", Time: testTime, By: quality.ByAgain,
			Again: &quality.Again{Requests: 7, Words: 12, Lost: 5, Differs: &differs},
			Requisites: []quality.Requisite{{
				URL: hostileURL, State: quality.Absent, As: page.DrawnContext + "fetch",
			}},
		}},
	}
	if err := r.Keep(d.folder, testTime); err != nil {
		t.Fatal(err)
	}
	text := d.get("/harvests/gemo/quality")
	root := testReplay + d.server.replay.Key + "/gemo/picture?"
	for _, want := range []string{
		"lacking</strong>. 7 requests, 1 missing, 0 alike; 5 of 12 words not shown; 25 % of the picture",
		"evil.example", root, "of=view", "of=again", "of=difference", "when it was captured", "1 lacking",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the check by drawing again has no %s", want)
		}
	}
	wellKept(t, "quality", text)
	policy := d.do("GET", "/harvests/gemo/quality", nil, nil).Header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "img-src 'self' "+strings.TrimSuffix(testReplay, "/")+";") {
		t.Errorf("pictures are kept out: %s", policy)
	}
	text = d.get("/harvests/gemo/captures")
	if strings.Count(text, `class="thumbnail"`) != 1 || !strings.Contains(text, root) ||
		!strings.Contains(text, "2 captures.") {
		t.Errorf("thumbnails: %s", text)
	}
	if text := d.get("/harvests/gemo/captures?text=urn:"); !strings.Contains(text, "urn:thumbnail:") {
		t.Errorf("records of drawings are asked for: %s", text)
	}
	wellKept(t, "captures", text)
	for _, target := range []string{"quality", "captures"} {
		if text := d.get("/api/v1/harvests/gemo/" + target); !strings.Contains(text, "www.gemo.example") {
			t.Errorf("%s as JSON: %s", target, text)
		}
	}
}

// TestReplaySheet: the views of the replay have the desk's sheet, and each of their classes stands in it.
func TestReplaySheet(t *testing.T) {
	view, err := os.ReadFile("../replay/view.html")
	if err != nil {
		t.Fatal(err)
	}
	sheet, err := staticFiles.ReadFile("static/desk.css")
	if err != nil {
		t.Fatal(err)
	}
	classes := regexp.MustCompile(`class="([a-z]+)"`).FindAllSubmatch(view, -1)
	if len(classes) == 0 {
		t.Error("no class in the view")
	}
	for _, c := range classes {
		if !strings.Contains(string(sheet), "."+string(c[1])+" iframe {") {
			t.Errorf("the sheet does not say how large the frame in .%s is", c[1])
		}
	}
}
