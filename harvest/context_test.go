package harvest

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"watershed/archive"
	"watershed/page"
	"watershed/sitemap"
)

// neighbourhood is the example with a neighbourhood: b and c are one and two links away, d is
// three. A calendar leads on and on.
func neighbourhood() (*web, sitemap.Site) {
	w, site := example()
	w.pages["b.example/"] = links("http://c.example/", "http://c.example/gone") +
		`<img src="http://img.example/b.txt">`
	w.pages["c.example/"] = links("http://d.example/")
	w.pages["d.example/"] = links("/")
	w.pages["img.example/b.txt"] = "a picture"
	w.pages["a.example/two"] = links("/", "/one", "/same1", "/same2", "/cal/1")
	for i := 1; i < 5; i++ {
		w.pages[fmt.Sprintf("a.example/cal/%d", i)] = links(fmt.Sprintf("/cal/%d", i+1),
			"http://event.example/")
	}
	w.pages["event.example/"] = links("/")
	return w, site
}

func mustRule(t *testing.T, text string) page.Rule {
	t.Helper()
	r, err := page.ParseRule(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestContext(t *testing.T) {
	w, site := neighbourhood()
	site.ExtraHops = 2
	site.Links = []sitemap.LinkRule{{From: mustRule(t, "prefix:http://a.example/cal/")}}
	p := w.start(t, site)
	folder := Folder(t.TempDir())
	d := run(t, folder, p)
	got := captured(t, d)
	for _, u := range []string{
		"http://b.example/", "http://c.example/", "http://c.example/gone",
		"http://img.example/b.txt", "http://a.example/cal/1",
	} {
		if got[u] == "" {
			t.Errorf("%s is not in the archive", u)
		}
	}
	for _, u := range []string{"d.example/", "event.example/", "a.example/cal/2"} {
		if w.asked(u) > 0 {
			t.Errorf("%s was fetched", u)
		}
	}
	around := map[page.URL]int{}
	for _, x := range d.Maps[0].Context {
		around[x.URL] = x.Hops
	}
	want := map[page.URL]int{
		"http://b.example/": 1, "http://c.example/": 2, "http://c.example/gone": 2,
		"http://img.example/b.txt": 1,
	}
	if diff := cmp.Diff(want, around); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{
		"http://b.example/": "1", "http://c.example/": "2",
		"http://c.example/gone": "2", "http://img.example/b.txt": "1",
	}, marked(t, d)); diff != "" {
		t.Errorf("index: %s", diff)
	}
	log, err := os.ReadFile(filepath.Join(d.Run.Logs(), "crawl.log"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(log)) {
		u := page.URL(strings.Fields(line)[3])
		if is := strings.Contains(line, fmt.Sprintf("context:%d", around[u])); is != (around[u] > 0) {
			t.Errorf("crawl.log: %s", line)
		}
	}
	left := map[string]string{}
	for _, s := range readSkipped(t, d) {
		left[string(s.URL)] = string(s.Reason) + " " + s.Rule
	}
	for u, say := range map[string]string{
		"http://a.example/cal/2": "outOfScopeUserExclusion leave links " +
			"from prefix:http://a.example/cal/",
		"http://event.example/": "outOfScopeUserExclusion leave links from prefix:http://a.example/cal/",
	} {
		if left[u] != say {
			t.Errorf("left out: %s: %q", u, left[u])
		}
	}
	if left["http://b.example/"] != "" || left["http://c.example/"] != "" {
		t.Error("what was captured is told of as left out")
	}
	extendedByContext(t, w, folder, p)
}

// A page that is wanted as context and left out all the same is explained as context.
func TestContextIsExplained(t *testing.T) {
	w, site := neighbourhood()
	w.pages["b.example/robots.txt"] = "User-agent: *\nDisallow: /\n"
	site.ExtraHops = 1
	p := w.start(t, site)
	folder := Folder(t.TempDir())
	run(t, folder, p)
	e, err := Examine(folder, p)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}()
	x, err := e.Explain("http://b.example/", 0)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := x.Text(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"It is wanted as context, one link from the site, by http://a.example/; " +
		"it was not fetched", "because: robots.txt forbids it"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("want %q in\n%s", want, b.String())
		}
	}
}

// extendedByContext extends the run of TestContext by a hop: only what lies further away is asked
// for.
func extendedByContext(t *testing.T, w *web, folder Folder, p Plan) {
	t.Helper()
	w.requests = nil
	p.Extend, p.Sites[0].ExtraHops = true, 3
	run(t, folder, p)
	asked := map[string]bool{}
	for _, r := range w.requests {
		if u, _, _ := strings.Cut(r, " "); !strings.HasSuffix(u, "/robots.txt") {
			asked[u] = true
		}
	}
	if diff := cmp.Diff([]string{"d.example/"}, slices.Sorted(maps.Keys(asked))); diff != "" {
		t.Errorf("the extension asked for (-want +got)\n%s", diff)
	}
}

// A site's context counts against its limits, and what they keep out is told.
func TestContextIsLimited(t *testing.T) {
	w, site := neighbourhood()
	site.ExtraHops, site.MaxPages = 3, 9 // the site takes 8
	site.Links = []sitemap.LinkRule{{From: mustRule(t, "prefix:http://a.example/cal/")}}
	p := w.start(t, site)
	d := run(t, Folder(t.TempDir()), p)
	m := d.Maps[0]
	if !m.ContextLimited || !m.Converged || !d.Complete {
		t.Fatalf("limited %v, converged %v, complete %v", m.ContextLimited, m.Converged, d.Complete)
	}
	told := 0
	for _, s := range readSkipped(t, d) {
		if s.Reason == archive.ReasonLimit && s.Evidence["context"] != nil {
			told++
			if x, is := m.Surrounds(s.URL); !is || x.State != "known" {
				t.Errorf("%+v", s)
			}
		}
	}
	if told == 0 {
		t.Error("nothing is told of what the limit kept out")
	}
}

// A run that is stopped while it captures the context goes on and ends as one that was not.
func TestContextResumes(t *testing.T) {
	start := func() (*web, Plan) {
		w, site := neighbourhood()
		site.ExtraHops = 2
		return w, w.start(t, site)
	}
	w, p := start()
	want := marked(t, run(t, Folder(t.TempDir()), p))
	for stop := len(w.requests) - 6; stop < len(w.requests); stop += 2 {
		w, p := start()
		folder := Folder(t.TempDir())
		w.stopAt(t, folder, p, stop)
		if diff := cmp.Diff(want, marked(t, run(t, folder, p))); diff != "" {
			t.Errorf("stopped after %d requests: %s", stop, diff)
		}
	}
}

// marked are the URLs that the index of a run marks as context, and how far away they are.
func marked(t *testing.T, d *Delivered) map[string]string {
	t.Helper()
	urls := map[string]string{}
	eachEntry(t, d, func(e *archive.Entry) {
		if e.Extra["context"] != "" {
			urls[e.URL] = e.Extra["context"]
		}
	})
	return urls
}

func readSkipped(t *testing.T, d *Delivered) (list []archive.Skipped) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(d.Run.Logs(), "skipped.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var s archive.Skipped
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	return list
}

// TestExplainCircle: the second of two hosts that redirect in a circle is told with the redirect that
// leads to it, though the first one has failed and nothing of it is kept.
func TestExplainCircle(t *testing.T) {
	w := &web{pages: map[string]string{
		"a.example/": links("/one", "http://b.example/x"), "a.example/one": links("/"),
		"b.example/x": "-> http://c.example/x", "c.example/x": "-> http://b.example/x",
	}}
	site := sitemap.Site{
		Name: "A", Seeds: []page.URL{"http://a.example/"}, Boundary: sitemap.HostOnly, ExtraHops: 1,
	}
	p, folder := w.start(t, site), Folder(t.TempDir())
	run(t, folder, p)
	e, err := Examine(folder, p)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}()
	x, err := e.Explain("http://c.example/x", 0)
	if err != nil {
		t.Fatal(err)
	}
	const want = "no page of the site links to it; the redirect http://b.example/x leads to it"
	if got := x.Sites[0].Text; !strings.HasSuffix(got, want) {
		t.Errorf("%q, want %q at its end", got, want)
	}
}
