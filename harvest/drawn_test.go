package harvest

import (
	"archive/zip"
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"watershed/archive"
	"watershed/crawler"
	"watershed/crawler/draw"
	"watershed/page"
	"watershed/replica"
	"watershed/replica/novelty"
	"watershed/replica/sketch"
	"watershed/report"
	"watershed/sitemap"
)

// drawnSite is a site that scripts draw: its pages are found by what a POST answers, and one of them
// has the status of an error, as hosts of files answer for a place that only scripts know.
func drawnSite() (*web, sitemap.Site) {
	shell := `<!doctype html><title>shell</title><div id=app></div><script src="/app.js"></script>`
	return &web{pages: map[string]string{
		"spa.example/":  shell,
		"spa.example/a": shell,
		"spa.example/b": "404 " + shell,
		"spa.example/app.js": `
fetch('/words', {method: 'POST', body: location.pathname}).then(r => r.text()).then(t => {
  app.innerHTML = '<a href="/a">first</a> <a href="/b">second</a> <p>words of the river at ' +
    location.pathname + t.length + '<img src="http://img.example/' + location.pathname.slice(1) + '.png">';
  document.title = 'River ' + location.pathname;
})`,
		"spa.example/words": "an answer",
		"img.example/.png":  "p", "img.example/a.png": "q", "img.example/b.png": "r",
	}}, sitemap.Site{Name: "spa", Seeds: []page.URL{"http://spa.example/"}}
}

// drawing is a plan whose pages are drawn. The test is skipped, or fails, where no browser is found,
// as the tests of the desk do.
func drawing(t *testing.T, p Plan) Plan {
	t.Helper()
	if testing.Short() {
		t.Skip("short: no browser is started")
	}
	if _, err := draw.Find(""); err != nil && os.Getenv("WATERSHED_BROWSER") == "" {
		t.Skip(err)
	}
	p.Draw = &draw.Options{UserAgent: "watershed-test", Still: 200 * time.Millisecond, Pictures: true}
	p.Crawl.Draws = func(string) crawler.Draws { return crawler.DrawShells }
	p.WACZ, p.PageText = true, true
	return p
}

// captures of drawnSite, and what its drawings add.
var drawnCaptures = []string{
	"http://img.example/.png", "http://img.example/a.png", "http://img.example/b.png",
	"http://spa.example/", "http://spa.example/a", "http://spa.example/app.js", "http://spa.example/b",
	"http://spa.example/words",
	"urn:markup:http://spa.example/", "urn:markup:http://spa.example/a", "urn:markup:http://spa.example/b",
	"urn:pageinfo:http://spa.example/", "urn:pageinfo:http://spa.example/a",
	"urn:pageinfo:http://spa.example/b", "urn:text:http://spa.example/", "urn:text:http://spa.example/a",
	"urn:text:http://spa.example/b", "urn:thumbnail:http://spa.example/",
	"urn:thumbnail:http://spa.example/a", "urn:thumbnail:http://spa.example/b",
	"urn:view:http://spa.example/", "urn:view:http://spa.example/a", "urn:view:http://spa.example/b",
}

func drawnCaptured(t *testing.T, d *Delivered, want int) []string {
	t.Helper()
	var list []string
	posts := 0
	eachEntry(t, d, func(e *archive.Entry) {
		if strings.HasPrefix(e.URL, "dns:") || strings.HasSuffix(e.URL, "robots.txt") {
			return
		}
		if strings.Contains(e.Key, archive.MethodArgument+"post") {
			posts++
		}
		list = append(list, e.URL)
	})
	if posts != want && (want >= 0 || posts < -want) { // a negative one is the least number
		t.Errorf("%d answers to POST, want %d", posts, want)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// TestDrawn: pages that only scripts link to, and what they ask for by POST and from other hosts,
// are in the archive, and their text in the package; a second run finds the same.
func TestDrawn(t *testing.T) {
	w, s := drawnSite()
	p := drawing(t, w.start(t, s))
	folder := Folder(t.TempDir())
	for n := range 2 {
		d := run(t, folder, p)
		if got := drawnCaptured(t, d, 3); !slices.Equal(got, drawnCaptures) {
			t.Errorf("run %d captured\n%s\nwant\n%s", n+1, strings.Join(got, "\n"),
				strings.Join(drawnCaptures, "\n"))
		}
		if got := d.Maps[0].Members.Len(); got != 3 {
			t.Errorf("run %d: %d members, want 3", n+1, got)
		}
		if !d.Complete {
			t.Errorf("run %d is not complete", n+1)
		}
		for _, l := range packagedPages(t, d.Package) {
			if !strings.Contains(l.Text, "words of the river") || !strings.HasPrefix(l.Title, "River /") {
				t.Errorf("run %d: page %s has title %q and text %q", n+1, l.URL, l.Title, l.Text)
			}
		}
	}
}

// TestDrawnByAnother: a browser that dies, and of which two starts fail then, as on a busy machine, draws all
// pages that another one draws.
func TestDrawnByAnother(t *testing.T) {
	t.Parallel()
	w, s := drawnSite()
	p := drawing(t, w.start(t, s))
	browser, err := draw.Find("")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "browser") // where its user may go
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	p.Draw.Program = filepath.Join(dir, "browser")
	script := `#!/bin/sh
cd ` + dir + `
test "$1" = --version && exec ` + browser + ` "$@"
if mkdir 1; then
	` + browser + ` "$@" &
	while ! test -e asked; do sleep .05; done
	kill -9 -$$
fi
mkdir 2 || mkdir 3 || exec ` + browser + ` "$@"
`
	if err := errors.Join(os.WriteFile(p.Draw.Program, []byte(script), 0o777), os.Chmod(dir, 0o777),
		os.Chmod(p.Draw.Program, 0o777)); err != nil { // whatever the umask
		t.Fatal(err)
	}
	w.onPage = func(int) {
		if w.asked("spa.example/words") > 0 {
			_ = os.WriteFile(filepath.Join(dir, "asked"), nil, 0o666) // without it no start fails
		}
	}
	d := run(t, Folder(t.TempDir()), p)
	if got := drawnCaptured(t, d, 3); !slices.Equal(got, drawnCaptures) {
		t.Errorf("captured\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(drawnCaptures, "\n"))
	}
	if _, err := os.Stat(filepath.Join(dir, "3")); err != nil {
		t.Errorf("%v: no start has failed twice", err)
	}
}

// TestDrawnParts: a server answers scripts, by a field that they send, with a part of the page that stands
// at an address. The page is captured, and drawn, whichever of both comes first: also where the script asks
// ahead for what a link leads to.
func TestDrawnParts(t *testing.T) {
	t.Parallel()
	for name, ahead := range map[string]string{
		"pressed": "", "ahead": "for (const e of a) part(e.href)",
		"before its link": `if (location.pathname === '/') part('/c');
			if (location.pathname === '/a') app.innerHTML += '<a href=/c>c</a>'`,
	} {
		t.Run(name, func(t *testing.T) {
			w := &web{pages: map[string]string{
				"part.example/app.js": `
const part = u => fetch(u, {headers: {'X-Part': '1'}}).then(r => r.text());
document.title = 'drawn ' + location.pathname;
app.innerHTML = '<p>the whole of ' + location.pathname + '</p><a href=/a>a</a> <a href=/b>b</a>';
const a = document.querySelectorAll('a');
for (const e of a) e.onclick = c => {
  c.preventDefault();
  part(e.href).then(t => { history.pushState({}, '', e.href); app.textContent = t });
};
` + ahead,
			}}
			for _, at := range []string{"", "a", "b", "c"} {
				w.pages["part.example/"+at] = `<div id=app></div><script src=/app.js></script>` +
					" ...to scripts the part"
			}
			d := run(t, Folder(t.TempDir()), drawing(t, w.start(t,
				sitemap.Site{Name: "part", Seeds: []page.URL{"http://part.example/"}})))
			titles := map[string]string{}
			for _, l := range packagedPages(t, d.Package) {
				titles[l.URL] = l.Title
			}
			for _, at := range []string{"/", "/a", "/b"} {
				if got := titles["http://part.example"+at]; got != "drawn "+at {
					t.Errorf("page %s has title %q", at, got)
				}
				if n := w.asked("part.example" + at); n != 1 {
					t.Errorf("page %s was asked for %d times, want 1", at, n)
				}
			}
			if got := titles["http://part.example/c"]; name == "before its link" && got != "drawn /c" {
				t.Errorf("the page of which a script had a part before has title %q", got)
			}
		})
	}
}

// TestDrawnDoubted: pages that have words and elements of their own are drawn where that brings
// something, and some of those where it brings nothing; also where the run was interrupted.
func TestDrawnDoubted(t *testing.T) {
	t.Parallel()
	words := strings.Repeat("words of the river and its banks ", 10)
	w := &web{pages: map[string]string{
		"wc.example/": "<p>" + words + `<a href="/dull/1">d</a> <a href="/live/1">l</a>`,
		"wc.example/x.js": `customElements.define('x-price', class extends HTMLElement {
  connectedCallback() { fetch('/price.txt?' + this.id).then(r => r.text()).then(t => this.append(t)) }
})`,
	}}
	for i := 1; i <= 30; i++ {
		n := strconv.Itoa(i)
		next := "<a href=" + strconv.Itoa(i+1) + ">next</a><script src=/x.js></script>"
		w.pages["wc.example/dull/"+n] = "<x-none></x-none>" + words + next
		if i > 8 {
			continue
		}
		w.pages["wc.example/live/"+n] = "<x-price id=" + n + "></x-price>" + words + next
		w.pages["wc.example/price.txt?"+n] = "the price"
	}
	p := drawing(t, w.start(t, sitemap.Site{
		Name: "wc", Seeds: []page.URL{"http://wc.example/"}, Boundary: sitemap.HostOnly,
	}))
	folder := Folder(t.TempDir())
	w.stopAt(t, folder, p, 9)
	w.onPage = nil
	d := run(t, folder, p)
	drawn := map[string]int{}
	eachEntry(t, d, func(e *archive.Entry) {
		for _, dir := range []string{"dull", "live"} {
			if strings.HasPrefix(e.URL, "urn:pageinfo:http://wc.example/"+dir) {
				drawn[dir]++
			}
		}
	})
	if drawn["live"] != 8 || drawn["dull"] < 3 || drawn["dull"] > 20 { // each process draws nine, or so
		t.Errorf("drawn %v", drawn)
	}
	for i := 1; i <= 8; i++ {
		if n := w.asked("wc.example/price.txt?" + strconv.Itoa(i)); n != 1 {
			t.Errorf("%d requests for price %d", n, i)
		}
	}
}

// TestDrawnOnceMore: a page that was drawn, of a place whose others bring nothing, is asked for once more,
// for many have its title and its links. The file that its script asked for stays.
func TestDrawnOnceMore(t *testing.T) {
	t.Parallel()
	words := strings.Repeat("words of the river and its banks ", 10)
	w := &web{pages: map[string]string{
		"wc.example/x.js": `customElements.define('x-price', class extends HTMLElement {
  connectedCallback() {
    fetch('http://data.example/price' + this.id).then(r => r.text()).then(t => this.append(t))
  }
})`,
		"data.example/price0": "the price", "data.example/price5": "another price",
	}}
	var all []string
	for i := range 44 {
		at, text := fmt.Sprintf("/goods/%02d", i), "<title>Goods</title><x-none></x-none>"+words
		switch {
		case i == 0, i == 5:
			text = strings.Replace(text, "<x-none></x-none>", fmt.Sprintf("<x-price id=%d></x-price>", i), 1)
		case i >= 20:
			at, text = "/words"+at, links("/")+prose(i)
		}
		w.pages["wc.example"+at] = text + "<script src=/x.js></script>"
		all = append(all, at)
	}
	w.pages["wc.example/"] = links(all...)
	drawn := make(chan struct{})
	w.onPage = func(n int) { // the last page comes when the first one was drawn
		w.mu.Lock()
		at := w.requests[n-1]
		w.mu.Unlock()
		switch {
		case strings.HasPrefix(at, "data.example/price5"):
			close(drawn)
		case strings.HasPrefix(at, "wc.example/words/goods/43") && w.asked("wc.example/words/goods/43") == 1:
			select {
			case <-drawn:
			case <-t.Context().Done():
			}
		}
	}
	p := drawing(t, w.start(t, sitemap.Site{
		Name: "wc", Seeds: []page.URL{"http://wc.example/"}, Boundary: sitemap.HostOnly,
	}))
	d := run(t, Folder(t.TempDir()), p)
	if got := captured(t, d); got["http://data.example/price0"] == "" || w.asked("wc.example/goods/00") != 2 {
		t.Errorf("asked for %d times; %v", w.asked("wc.example/goods/00"), slices.Sorted(maps.Keys(got)))
	}
}

// TestDrawnLong: words of a long page that stand far behind its beginning are none that its scripts add.
func TestDrawnLong(t *testing.T) {
	t.Parallel()
	far := "<!--" + strings.Repeat("far ", 300_000) + "-->"
	w := &web{pages: map[string]string{"wc.example/x.js": ""}}
	for i := range 6 {
		own := ""
		for k := range 40 {
			own += " own" + strconv.Itoa(100*i+k)
		}
		w.pages["wc.example/dull/"+strconv.Itoa(i)] = "<x-none></x-none>" + strings.Repeat("word ", 60) +
			"<a href=" + strconv.Itoa(i+1) + ">next</a><script src=/x.js></script>" + far + own
	}
	p := drawing(t, w.start(t, sitemap.Site{
		Name: "wc", Seeds: []page.URL{"http://wc.example/dull/0"}, Boundary: sitemap.HostOnly,
	}))
	checkFirstDrawn(t, p)
}

// checkFirstDrawn harvests pages to which their scripts bring nothing: three are drawn to see that.
func checkFirstDrawn(t *testing.T, p Plan) {
	t.Helper()
	drawn := 0
	eachEntry(t, run(t, Folder(t.TempDir()), p), func(e *archive.Entry) {
		if strings.HasPrefix(e.URL, "urn:pageinfo:") {
			drawn++
		}
	})
	if drawn != 3 {
		t.Errorf("%d pages drawn, want the first 3", drawn)
	}
}

// TestDrawnLimited: links in the markup of pages, to pages that a limit leaves out, are none that their
// scripts bring.
func TestDrawnLimited(t *testing.T) {
	t.Parallel()
	w, first := &web{pages: map[string]string{"wc.example/x.js": ""}}, ""
	for i := range 10 {
		n := strconv.Itoa(i)
		first += "<a href=/dull/" + n + ">page</a> "
		w.pages["wc.example/dull/"+n] = "<x-none></x-none>" + strings.Repeat("word ", 60) +
			"<a href=/left/" + n + ">left out</a><script src=/x.js></script>"
		w.pages["wc.example/left/"+n] = "left out"
	}
	w.pages["wc.example/"] = first
	p := drawing(t, w.start(t, sitemap.Site{
		Name: "wc", Seeds: []page.URL{"http://wc.example/"}, Boundary: sitemap.HostOnly,
	}))
	p.Frontier.Sites[0].Limits.Pages, p.Sites[0].MaxPages = 9, 9
	checkFirstDrawn(t, p)
}

// TestDrawnLater: pages that were captured before anybody asked for a browser, and have not changed
// since, are drawn.
func TestDrawnLater(t *testing.T) {
	t.Parallel()
	w, s := drawnSite()
	plain := w.start(t, s)
	folder := Folder(t.TempDir())
	first := run(t, folder, plain)
	if got := first.Maps[0].Members.Len(); got != 1 {
		t.Errorf("%d members without a browser, want 1", got)
	}
	d := run(t, folder, drawing(t, plain))
	if w.asked("spa.example/") != 2 || !slices.Contains(w.requests, "spa.example/ 304") {
		t.Errorf("requests: %q", w.requests)
	}
	if got := drawnCaptured(t, d, 3); !slices.Equal(got, drawnCaptures) {
		t.Errorf("captured\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(drawnCaptures, "\n"))
	}
}

// packagedPages are the lines of pages.jsonl and extraPages.jsonl.
func packagedPages(t *testing.T, path string) (list []archive.PackagePage) {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, f := range z.File {
		if !strings.HasSuffix(f.Name, "ages.jsonl") {
			continue
		}
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewScanner(in); lines.Scan(); {
			var l archive.PackagePage
			if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
				t.Fatal(err)
			}
			if l.URL != "" {
				list = append(list, l)
			}
		}
		if err := in.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// TestDrawnResume: a run that is interrupted while pages are drawn goes on to the same captures,
// wherever that is, and where its state is lost, too, which knows the answers to POST.
func TestDrawnResume(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		request int
		lost    bool
		posts   int
	}{{2, false, 3}, {5, false, 3}, {8, false, 3}, {11, false, 3}, {11, true, 3}} {
		w, s := drawnSite()
		p := drawing(t, w.start(t, s))
		folder := Folder(t.TempDir())
		w.stopAt(t, folder, p, x.request)
		w.onPage = nil
		if x.lost {
			if err := os.RemoveAll(folder.State()); err != nil {
				t.Fatal(err)
			}
		}
		if got := drawnCaptured(t, run(t, folder, p), x.posts); !slices.Equal(got, drawnCaptures) {
			t.Errorf("%+v: captured\n%s\nwant\n%s", x, strings.Join(got, "\n"),
				strings.Join(drawnCaptures, "\n"))
		}
	}
}

// TestDrawnGivenUp: a page that gives up a POST before its turn has come goes on, and so does its
// host; where it asks again the POST is made.
func TestDrawnGivenUp(t *testing.T) {
	t.Parallel()
	for _, again := range []bool{false, true} {
		w, s := drawnSite()
		w.pages["spa.example/app.js"] = `const c = new AbortController();
const late = () => { app.innerHTML = '<p>words<img src="/late.png">' };
fetch('/first').then(() => { // so that the host has to rest
  fetch('/words', {method: 'POST', body: 'x', signal: c.signal}).catch(() => {
    if (AGAIN) setTimeout(() => fetch('/words', {method: 'POST', body: 'x'}).then(late), 900); else late();
  });
  setTimeout(() => c.abort(), 50);
});`
		w.pages["spa.example/first"] = "first"
		w.pages["spa.example/app.js"] = strings.ReplaceAll(w.pages["spa.example/app.js"], "AGAIN",
			strconv.FormatBool(again))
		w.pages["spa.example/late.png"] = "late"
		p := drawing(t, w.start(t, s))
		p.Frontier.Politeness.Min = 900 * time.Millisecond
		p.Frontier.Hasty.Pace = p.Frontier.Politeness.Min
		p.Draw.Still = 2500 * time.Millisecond
		d := run(t, Folder(t.TempDir()), p)
		posts := 0
		if again {
			posts = 1
		}
		if got := drawnCaptured(t, d, posts); !slices.Contains(got, "http://spa.example/late.png") {
			t.Errorf("again %t: captured %q", again, got)
		}
	}
}

// TestDrawnSilent: a page waits until a stranger that does not answer is asked a second time, and no
// longer.
func TestDrawnSilent(t *testing.T) {
	t.Parallel()
	w, s := drawnSite()
	w.pages["spa.example/app.js"] = `const e = document.createElement('script');
e.onerror = () => { app.innerHTML = '<p>words<img src="/after.png">' };
e.src = 'http://dead.example/t.js';
document.body.append(e)`
	w.pages["spa.example/after.png"], w.pages["dead.example/robots.txt"] = "after", "500"
	p := drawing(t, w.start(t, s))
	p.Robots.Retry, p.Frontier.Tries, p.Frontier.HostTries = 3*time.Second, 3, 6
	run(t, Folder(t.TempDir()), p)
	asked := slices.DeleteFunc(w.requests, func(r string) bool {
		return !strings.HasPrefix(r, "dead.example/") && !strings.HasPrefix(r, "spa.example/after.png")
	})
	if len(asked) != 4 || !strings.HasPrefix(asked[2], "spa.example/after.png") {
		t.Errorf("asked in the order %q", asked)
	}
}

// TestDrawnExtended: a run that extends another one asks for nothing that the other has, though a
// page that it draws needs it.
func TestDrawnExtended(t *testing.T) {
	t.Parallel()
	w, s := drawnSite()
	w.pages["new.example/"] = strings.ReplaceAll(w.pages["spa.example/"], "/app.js",
		"http://spa.example/app.js")
	w.pages["new.example/words"] = "an answer"
	p := drawing(t, w.start(t, s, sitemap.Site{Name: "new", Seeds: []page.URL{"http://new.example/"}}))
	both := p.Sites
	p.Sites = both[:1]
	folder := Folder(t.TempDir())
	run(t, folder, p)
	p.Sites, p.Extend, w.requests = both, true, nil
	got := drawnCaptured(t, run(t, folder, p), 1)
	if want := []string{
		"http://new.example/", "http://new.example/a", "http://new.example/b", "http://new.example/words",
		"urn:markup:http://new.example/", "urn:pageinfo:http://new.example/", "urn:text:http://new.example/",
		"urn:thumbnail:http://new.example/", "urn:view:http://new.example/",
	}; !slices.Equal(got, want) {
		t.Errorf("captured %q, want %q", got, want)
	}
	for _, r := range w.requests {
		if strings.HasPrefix(r, "spa.example/app.js") || strings.HasPrefix(r, "img.example/.png") {
			t.Errorf("asked again: %s", r)
		}
	}
}

// TestDrawnStream: a stream of events, which has no end, is cut after some seconds, and is no loss.
func TestDrawnStream(t *testing.T) {
	t.Parallel()
	w, s := drawnSite()
	w.pages["spa.example/app.js"] = `new EventSource('/a.events'); app.innerHTML = 'words'`
	w.pages["spa.example/a.events"] = "~~data: river\n\n"
	d := run(t, Folder(t.TempDir()), drawing(t, w.start(t, s)))
	if n := w.asked("spa.example/a.events"); n != 1 {
		t.Errorf("%d requests for the stream", n)
	}
	if got := drawnCaptured(t, d, 0); !slices.Contains(got, "http://spa.example/a.events") {
		t.Errorf("captured %q", got)
	}
	if d.Ending.Losses.Any() {
		t.Errorf("losses: %s", d.Ending.Losses)
	}
}

// TestDrawnFilm: of a film in several sizes, each in pieces, all of the size is captured that programs for
// replay play, also where the player has begun with another one and not come to the end.
func TestDrawnFilm(t *testing.T) {
	t.Parallel()
	w, s := drawnSite()
	w.pages["spa.example/app.js"] = `
const list = async u => (await (await fetch(u)).text()).split('\n').filter(l => l && l[0] !== '#');
list('/all.m3u8').then(sizes => list(sizes[0])).then(pieces => fetch(pieces[0])).then(() => {
  app.innerHTML = 'words of a film';
})`
	w.pages["spa.example/all.m3u8"] = "#EXTM3U\n" +
		"#EXT-X-STREAM-INF:BANDWIDTH=90000,RESOLUTION=160x90\n/low.m3u8\n" +
		"#EXT-X-STREAM-INF:BANDWIDTH=900000,RESOLUTION=1280x720\n/high.m3u8\n"
	for _, size := range []string{"low", "high"} {
		at := "spa.example/" + size
		w.pages[at+".m3u8"] = "#EXTM3U\n#EXTINF:4,\n/" + size + "1.txt\n#EXTINF:4,\n/" + size + "2.txt\n"
		w.pages[at+"1.txt"], w.pages[at+"2.txt"] = "one", "two"
	}
	var films []string
	d := run(t, Folder(t.TempDir()), drawing(t, w.start(t, s)))
	for _, u := range drawnCaptured(t, d, 0) {
		if strings.Contains(u, "low") || strings.Contains(u, "high") {
			films = append(films, u)
		}
	}
	want := []string{
		"http://spa.example/high.m3u8", "http://spa.example/high1.txt", "http://spa.example/high2.txt",
		"http://spa.example/low.m3u8", "http://spa.example/low1.txt", "http://spa.example/low2.txt",
	}
	if !slices.Equal(films, want) {
		t.Errorf("captured %q, want %q", films, want)
	}
	eachEntry(t, d, func(e *archive.Entry) {
		if e.URL != "http://spa.example/all.m3u8" {
			return
		}
		rec, err := archive.Open(d.Run.Archive(), e.Location())
		if err != nil {
			t.Fatal(err)
		}
		a, err := draw.ReplayOf(rec)
		if err != nil {
			t.Fatal(err)
		}
		list, err := io.ReadAll(a.Body)
		if err = errors.Join(err, a.Body.Close()); err != nil || strings.Contains(string(list), "low") ||
			!strings.HasSuffix(string(list), "/high.m3u8\n") {
			t.Errorf("a replay is told of %q, %v", list, err)
		}
	})
}

// TestDrawnExcluded: what a rule excludes is not fetched for a drawn page either, and has its line.
func TestDrawnExcluded(t *testing.T) {
	t.Parallel()
	w, s := drawnSite()
	rule, err := page.ParseRule("prefix:http://img.example/")
	if err != nil {
		t.Fatal(err)
	}
	s.Exclude = []page.Rule{rule}
	d := run(t, Folder(t.TempDir()), drawing(t, w.start(t, s)))
	for _, r := range w.requests {
		if strings.HasPrefix(r, "img.example/") && !strings.HasPrefix(r, "img.example/robots.txt") {
			t.Errorf("asked for %s", r)
		}
	}
	text, err := os.ReadFile(d.Run.path("logs", "skipped.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), `"url":"http://img.example/`); n != 3 {
		t.Errorf("%d lines of the ledger tell of it, want 3:\n%s", n, text)
	}
}

// TestDrawnInPart: a page that reaches a bound has a line in the ledger that says so, until it is drawn
// whole; that its server has no other by then changes nothing.
func TestDrawnInPart(t *testing.T) {
	t.Parallel()
	w, s := drawnSite()
	p := drawing(t, w.start(t, s))
	p.Draw.Requests = 2
	folder := Folder(t.TempDir())
	d := run(t, folder, p)
	text, err := os.ReadFile(d.Run.path("logs", "skipped.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "drawn in part: it asks for more than 2 things") {
		t.Errorf("the ledger says\n%s", text)
	}
	p.Draw.Requests = 0
	d = run(t, folder, p)
	text, err = os.ReadFile(d.Run.path("logs", "skipped.jsonl"))
	if !slices.Contains(w.requests, "spa.example/ 304") {
		t.Errorf("asked %v", w.requests)
	}
	if err != nil || d.Ending.InPart > 0 || strings.Contains(string(text), "drawn in part") {
		t.Errorf("drawn whole, %d are told as read in part, and the ledger says\n%s%v",
			d.Ending.InPart, text, err)
	}
}

// TestDrawnPostsApart: each page has the answer to what it sends itself, where the arguments that stand
// for it in an index do not tell it from what another page sends, and where the run was interrupted.
func TestDrawnPostsApart(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"'query '.repeat(1000) + location.pathname", "JSON.stringify([location.pathname])",
	} {
		for _, stop := range []int{0, 8} {
			w, s := drawnSite()
			w.pages["spa.example/app.js"] = strings.Replace(w.pages["spa.example/app.js"],
				"body: location.pathname", "headers: {'Content-Type': 'application/json'}, body: "+body, 1)
			p := drawing(t, w.start(t, s))
			folder := Folder(t.TempDir())
			if stop > 0 {
				w.stopAt(t, folder, p, stop)
				w.onPage = nil
				if err := os.RemoveAll(folder.State()); err != nil {
					t.Fatal(err)
				}
			}
			d := run(t, folder, p)
			asked := w.asked("spa.example/words")
			if got := drawnCaptured(t, d, 3); asked != 3 || !slices.Equal(got, drawnCaptures) {
				t.Errorf("%s, stopped at %d: %d requests; captured\n%s", body, stop, asked,
					strings.Join(got, "\n"))
			}
			if d.Ending.Losses.Any() {
				t.Errorf("%s, stopped at %d: losses: %s", body, stop, d.Ending.Losses)
			}
		}
	}
}

// TestDrawnWithout: without a browser, or with one that does not start, a harvest goes on, and says which
// pages were not drawn, as an explanation does, and its extension draws them; where a bound ended the
// drawing that is no loss, and told.
func TestDrawnWithout(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name   string
		spoil  func(*draw.Options)
		lost   report.Losses
		inPart int64
		cause  string
	}{
		{
			"none", func(o *draw.Options) { o.Program = "/nowhere/chromium" },
			report.Losses{Drawings: 1},
			0,
			"not drawn: browser.program: no Chromium is found",
		},
		{
			"dead", func(o *draw.Options) { o.Program = "false" },
			report.Losses{Drawings: 1},
			0,
			"the browser has ended",
		},
		{"bound", func(o *draw.Options) { o.Requests = 1 }, report.Losses{}, 1, ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			w, s := drawnSite()
			p := drawing(t, w.start(t, s))
			x.spoil(p.Draw)
			folder := Folder(t.TempDir())
			h, err := Open(folder, p)
			if err != nil {
				t.Fatal(err)
			}
			if got := errors.Is(h.Undrawn, draw.ErrNoBrowser); got != (x.name == "none") {
				t.Errorf("undrawn: %v", h.Undrawn)
			}
			stop := h.Crawl(t.Context())
			d, err := h.Deliver(t.Context(), stop)
			if err := errors.Join(stop, err, h.Close()); err != nil {
				t.Fatal(err)
			}
			if e := d.Ending; e.Losses != x.lost || e.InPart != x.inPart ||
				(e.Ended == report.WithLosses) != x.lost.Any() {
				t.Errorf("%s; lost %s; %d in part", e, e.Losses, e.InPart)
			}
			explained := explainedIn(t, folder, p, "http://spa.example/").Fetching
			if told := cmp.Or(explained.Lacks, explained.Evidence); x.lost.Any() && told == "" {
				t.Errorf("explained as %+v", explained)
			}
			if x.name == "none" { // an extension draws it where there is a browser and it is to be drawn
				p.Extend = true
				never := p
				never.Crawl.Draws = nil
				asked := len(w.requests)
				d := run(t, folder, never)
				if d.Ending.Losses.Any() || len(w.requests) > asked {
					t.Errorf("never drawn: lost %s; asked %v", d.Ending.Losses, w.requests[asked:])
				}
				p.Draw.Program = ""
				again := run(t, folder, p)
				got := drawnCaptured(t, again, 3) // all but the script, which was had
				if again.Ending.Losses.Any() || len(got) < len(drawnCaptures)-1 {
					t.Errorf("extended: lost %s; captured %v", again.Ending.Losses, got)
				}
			}
			for _, l := range d.Ending.Lost {
				if l.What != "drawing" || l.URL != "http://spa.example/" ||
					!strings.Contains(l.Cause, x.cause) {
					t.Errorf("lost %+v", l)
				}
			}
		})
	}
}

// TestDrawnShells: pages of one shell are told by what their scripts show. Pages of an app that shows
// other texts are no copies of another app's, nor of each other; pages of a mirror are left out, each
// with a line, but for samples, which have all that they ask for.
func TestDrawnShells(t *testing.T) {
	t.Parallel()
	const pages = 5
	for name, same := range map[string]bool{"apps": false, "mirror": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shell := `<!doctype html><title>App</title><div id=app></div><script src="/app.js"></script>`
			w := &web{pages: map[string]string{}}
			var menu strings.Builder
			for i := range pages {
				fmt.Fprintf(&menu, "<a href=/p%d>page</a> ", i)
			}
			for k, host := range []string{"one.example", "two.example"} {
				if same {
					k = 0
				}
				w.pages[host+"/"] = shell
				w.pages[host+"/words/.txt"] = prose(100 * k)
				w.pages[host+"/app.js"] = `fetch('/words/' + location.pathname.slice(1) + '.txt')
.then(r => r.text()).then(t => { app.innerHTML = t + '` + menu.String() + `' })`
				for i := range pages {
					w.pages[fmt.Sprintf("%s/p%d", host, i)] = shell
					w.pages[fmt.Sprintf("%s/words/p%d.txt", host, i)] = prose(100*k + i + 1)
				}
			}
			p := drawing(t, w.start(t, sitemap.Site{Name: "1", Seeds: []page.URL{"http://one.example/"}},
				sitemap.Site{Name: "2", Seeds: []page.URL{"http://two.example/"}}))
			p.Crawl.Sketch = new(sketch.Options)
			p.Replicas.Find, p.Replicas.Confirm, p.Replicas.Singles = true, true, 1
			p.Replicas.Options = replica.Options{Sample: -1, MinSample: -1}
			folder := Folder(t.TempDir())
			run(t, folder, p)
			for range 2 {
				w.forget()
				d := run(t, folder, p)
				asked, drawn := 0, 0
				for i := range pages {
					asked += w.asked(fmt.Sprintf("two.example/p%d", i))
				}
				eachEntry(t, d, func(e *archive.Entry) {
					if strings.HasPrefix(e.URL, "urn:pageinfo:http://two.example/p") {
						drawn++
					}
				})
				left := 0
				for _, l := range leftLines(t, d.Run) {
					if strings.HasPrefix(string(l.URL), "http://two.example/p") {
						left++
					}
				}
				switch {
				case asked != drawn || asked+left != pages:
					t.Errorf("%d pages asked for, %d drawn, %d with a line", asked, drawn, left)
				case !same && left > 0, same && left < pages/2:
					t.Errorf("%d of %d pages left out", left, pages)
				}
				if w.asked("two.example/words/.txt") != 1 {
					t.Error("the page by which the mirror is entered has not what it shows")
				}
			}
		})
	}
}

// TestDrawnNovelty: pages of one shell bring what their scripts show, so that their place goes on.
func TestDrawnNovelty(t *testing.T) {
	t.Parallel()
	const pages = 12
	w := &web{pages: map[string]string{"spa.example/app.js": `const n = +location.pathname.slice(2)
fetch('/words/' + n + '.txt').then(r => r.text()).then(t => {
  app.innerHTML = t + (n < ` + strconv.Itoa(pages) + ` ? '<a href=/p' + (n + 1) + '>next</a>' : '')
})`}}
	for i := range pages {
		w.pages[fmt.Sprintf("spa.example/p%d", i+1)] = `<!doctype html><title>App</title><div id=app></div>` +
			`<script src="/app.js"></script>`
		w.pages[fmt.Sprintf("spa.example/words/%d.txt", i+1)] = strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' { // numbers say nothing new
				return 'a' + r - '0'
			}
			return r
		}, prose(i+1))
	}
	p := drawing(t, w.start(t, sitemap.Site{Name: "spa", Seeds: []page.URL{"http://spa.example/p1"}}))
	p.Novelty = &novelty.Options{Pages: 4}
	if got := run(t, Folder(t.TempDir()), p).Maps[0].Members.Len(); got != pages {
		t.Errorf("%d pages of %d", got, pages)
	}
}
