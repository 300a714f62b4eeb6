package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"watershed/archive"
	"watershed/crawler/draw"
	"watershed/harvest"
	"watershed/page"
	"watershed/quality"
)

// TestMissingRequisitesAreFetched harvests a page whose picture cannot be had, has it queued by the
// check, and wants that the next run fetches it, what robots.txt forbids stays where it is, and the
// check is content.
func TestMissingRequisitesAreFetched(t *testing.T) {
	var up atomic.Bool
	var forbidden atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Host + r.URL.Path {
		case "a.example/":
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w,
				`<link rel=stylesheet href="/s.css"><img src="http://pics.example/p.gif">`+
					`<img src="/no/q.gif"><p>one two three`)
		case "a.example/s.css":
			w.Header().Set("Content-Type", "text/css")
			_, _ = fmt.Fprint(w, "p{background:url(b.gif)}")
		case "a.example/b.gif":
			w.Header().Set("Content-Type", "image/gif")
			_, _ = fmt.Fprint(w, "GIF89a")
		case "a.example/robots.txt":
			_, _ = fmt.Fprint(w, "User-agent: *\nDisallow: /no/\n")
		case "a.example/no/q.gif":
			forbidden.Add(1)
		case "pics.example/p.gif":
			if !up.Load() {
				panic(http.ErrAbortHandler)
			}
			w.Header().Set("Content-Type", "image/gif")
			_, _ = fmt.Fprint(w, "GIF87a")
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "a.yaml")
	text := fmt.Sprintf(`harvest: a
operator: {name: Test, contact: "mailto:test@a.example"}
politeness: {min_delay: 0s, max_delay: 0s, address_delay: 0s,
  retry: {attempts: 1, delay: 1s, host_attempts: 3}}
network: {proxy: %q, allow_private: [127.0.0.0/8]}
sites: [{name: a, seeds: ["http://a.example/"], boundary: host}]
`, server.URL)
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	check := func() map[page.URL]archive.Reason {
		t.Helper()
		out, _ := succeed(t, t.Context(), "quality", "--json", file)
		var r quality.Report
		if err := json.Unmarshal([]byte(out), &r); err != nil || len(r.Pages) != 1 || r.Pages[0].Words != 3 ||
			r.Pages[0].Lost != 0 || r.Requisites != 4 {
			t.Fatalf("%v: %s", err, out)
		}
		reasons := map[page.URL]archive.Reason{}
		for _, m := range r.MissingURLs {
			reasons[m.URL] = m.Reason
		}
		return reasons
	}
	const picture, other = page.URL("http://pics.example/p.gif"), page.URL("http://a.example/no/q.gif")

	ends(t, t.Context(), exitLosses, "harvest", "-q", file)
	if got := check(); len(got) != 2 || got[picture] != archive.ReasonFailed ||
		got[other] != archive.ReasonRobots {
		t.Fatalf("%v", got)
	}
	out, said := succeed(t, t.Context(), "quality", "--fetch", file)
	if !strings.Contains(out, "2 missing") || !strings.Contains(said, "1 URLs are asked of the next run") {
		t.Errorf("%s%s", out, said)
	}
	up.Store(true)
	succeed(t, t.Context(), "harvest", "-q", "--extend", "--words", file)
	if out, _ := succeed(t, t.Context(), "search", "--behind", file, "two", "three"); !strings.Contains(out,
		"http://a.example/\n") || !strings.Contains(out, "1 of 1 documents") {
		t.Errorf("the words were not indexed: %s", out)
	}
	if got := check(); len(got) != 1 || got[other] != archive.ReasonRobots {
		t.Errorf("%v", got)
	}
	if n := forbidden.Load(); n > 0 {
		t.Errorf("what robots.txt forbids was asked for %d times", n)
	}
}

// TestDrawnAgain harvests a page that a script draws, and wants that a browser that draws it out of
// the archive finds all of it, with a request for the time of day; that it tells what was taken out of
// the index; and that of a page which lacks what a POST answered the next run is asked for the page.
func TestDrawnAgain(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: no browser is started")
	}
	if _, err := draw.Find(""); err != nil && os.Getenv("WATERSHED_BROWSER") == "" {
		t.Skip(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method + " " + r.Host + r.URL.Path {
		case "GET a.example/":
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, `<!doctype html><div id=app></div><script src=/app.js></script>`)
		case "GET a.example/app.js":
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = fmt.Fprint(w, `(async () => {
const words = await (await fetch('/words', {method: 'POST', body: 'all of them'})).text();
const time = await (await fetch('/time?zone=utc&_=' + Date.now())).text();
app.innerHTML = '<p>' + words + ' at ' + time;
console.error('told at', Date.now());
if (!words) throw new Error('no words'); })()`)
		case "POST a.example/words":
			_, _ = fmt.Fprint(w, "the words of the river")
		case "GET a.example/time":
			_, _ = fmt.Fprint(w, "noon")
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	dir := t.TempDir()
	file := filepath.Join(dir, "a.yaml")
	text := fmt.Sprintf(`harvest: a
operator: {name: Test, contact: "mailto:test@a.example"}
politeness: {min_delay: 0s, max_delay: 0s, address_delay: 0s, drawn_delay: 0s}
network: {proxy: %q, allow_private: [127.0.0.0/8]}
browser: {draw: auto}
archive: {dir: %q}
sites: [{name: a, seeds: ["http://a.example/"], boundary: host}]
`, server.URL, dir)
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(text)
	check := func(want quality.Verdict, args ...string) (p quality.Page, missing []quality.Missing) {
		t.Helper()
		out, _ := succeed(t, t.Context(), append([]string{"quality", "--json", file}, args...)...)
		var r quality.Report
		if err := json.Unmarshal([]byte(out), &r); err != nil || len(r.Pages) != 1 ||
			r.Pages[0].Verdict() != want || len(r.Sites) != 1 || r.Sites[0].Name != "a" ||
			r.Sites[0].Pages[want] != 1 {
			t.Fatalf("%v: want %s: %s", err, want, out)
		}
		return r.Pages[0], r.MissingURLs
	}

	succeed(t, t.Context(), "harvest", "-q", file)
	if p, _ := check(quality.Whole); p.By != quality.ByDrawing || p.Again != nil {
		t.Errorf("judged by %s", p.By)
	}
	p, _ := check(quality.Whole, "--draw")
	if p.By != quality.ByAgain || p.Again.Words != 7 || p.Again.Lost != 0 || p.Count(quality.Like) != 1 ||
		p.Again.Differs == nil || *p.Again.Differs != 0 || len(p.Again.Errors) != 0 {
		t.Errorf("drawn again: %+v", p)
	}

	index := filepath.Join(dir, "a", "run-0001", "indexes", "index.cdxj")
	lines, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	var kept []byte
	for line := range bytes.Lines(lines) {
		if !bytes.Contains(line, []byte("/words?")) {
			kept = append(kept, line...)
		}
	}
	if err := os.WriteFile(index, kept, 0o666); err != nil {
		t.Fatal(err)
	}
	p, missing := check(quality.Lacking, "--draw", "--fetch")
	if len(missing) != 1 || !strings.Contains(string(missing[0].URL), "/words?__wb_method=POST") ||
		p.Again.Lost == 0 || p.Again.Differs == nil || *p.Again.Differs == 0 ||
		!slices.Equal(p.Again.Errors, []string{"Uncaught (in promise) Error: no words"}) {
		t.Errorf("missing %v, %+v", missing, p.Again)
	}
	folder := harvest.Folder(filepath.Join(dir, "a"))
	if k, err := quality.ReadKept(folder); err != nil || k.Report.Lacking != 1 {
		t.Errorf("kept: %+v, %v", k, err)
	}
	for _, name := range []harvest.Picture{harvest.PictureAgain, harvest.PictureDifference} {
		if data, err := os.ReadFile(folder.Picture(p.URL, name)); err != nil || len(data) == 0 {
			t.Errorf("picture %s: %d bytes, %v", name, len(data), err)
		}
	}
	if list, err := folder.Wanted(); err != nil || len(list) != 1 || list[0].URL != "http://a.example/" {
		t.Errorf("the next run is asked for %v, %v", list, err)
	}

	write(strings.Replace(text, "draw: auto", "draw: auto, program: /nowhere/chromium", 1))
	if _, said := ends(t, t.Context(), exitFailed, "quality", "--draw", file); !strings.Contains(said,
		"browser.program: no Chromium is found") {
		t.Errorf("without a browser: %s", said)
	}
}
