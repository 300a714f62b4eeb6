package quality

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"watershed/archive"
	"watershed/harvest"
	"watershed/lab/kit/archivetest"
	"watershed/page"
	"watershed/upload"
)

// deliver writes the archive, index and logs of a run.
func deliver(t testing.TB, run harvest.Run, captures []archivetest.Capture, skipped, log string) {
	t.Helper()
	if err := run.Make(); err != nil {
		t.Fatal(err)
	}
	archivetest.Write(t, run.Archive(), run.Index(), captures)
	for path, text := range map[string]string{
		filepath.Join(run.Logs(), "skipped.jsonl"): skipped, filepath.Join(run.Logs(), "crawl.log"): log,
		run.Mirrors(): `{"version":1,"rules":[{"from":"m.example","to":"a.example","urls":1,"decision":""}]}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

const (
	asHTML = "200 OK\r\nContent-Type: text/html; charset=utf-8"
	css    = "200 OK\r\nContent-Type: text/css"
	gif    = "200 OK\r\nContent-Type: image/gif"
)

// TestStates checks what answers for each requisite of a page, and why the others are missing.
func TestStates(t *testing.T) {
	folder := harvest.Folder(t.TempDir())
	deliver(t, folder.Run(1), []archivetest.Capture{
		{
			URL: "http://a.example/", Head: asHTML,
			Body: `<meta property=og:image content=preview.gif>` + // without which the page is whole
				`<link rel=stylesheet href=s.css><script src=x.js></script><img src=own.gif>` +
				`<img src=same.gif>
			<img src=http://m.example/own.gif><img src=moved.gif><img src=round.gif><img src=broken.gif>` +
				`<img src=unheld.gif><iframe src=f.html></iframe>
			<img src=/no/r.gif><img src=late.gif><img src=dropped.gif><img src=down.gif>` +
				`<p>one two <noscript>three</noscript>`,
		},
		{URL: "http://a.example/s.css", Head: css, Body: "@import 'deep.css'"},
		{URL: "http://a.example/deep.css", Head: css, Body: "a{background:url(deep.gif)}"},
		{URL: "http://a.example/own.gif", Head: gif, Body: "GIF89a"},
		{URL: "http://a.example/same.gif", Head: gif, Revisits: "http://a.example/own.gif"},
		{URL: "http://a.example/unheld.gif", Head: gif, Revisits: "http://a.example/nowhere.gif"},
		{URL: "http://a.example/moved.gif", Head: "302 Found\r\nLocation: /own.gif"},
		{URL: "http://a.example/round.gif", Head: "302 Found\r\nLocation: /round.gif"},
		{
			URL: "http://a.example/broken.gif", Head: "404 Not Found\r\nContent-Type: text/html",
			Body: "<img src=x>",
		},
		{URL: "http://a.example/f.html", Head: asHTML, Body: `<img src=inframe.gif>`},
		{URL: "http://a.example/text.txt", Head: "200 OK\r\nContent-Type: text/plain", Body: "no page"},
	}, `{"url":"http://a.example/no/r.gif","ts":"2026-11-21T08:00:00Z","reason":"robotsTxt",`+
		`"rule":"Disallow: /no/","depth":0}
{"url":"http://a.example/late.gif","ts":"2026-11-21T08:00:00Z","reason":"pageLimit","rule":"site a: 9 `+
		`pages","evidence":{"why":"limit"},"depth":0}
no line
`+fmt.Sprintf(`{"url":"http://a.example/%s","ts":"2026-11-21T08:00:00Z","reason":"trap","depth":0}`+"\n",
		strings.Repeat("long", 1<<19)),
		`2026-11-20T08:00:00.000Z   200        6 http://a.example/dropped.gif E http://a.example/ `+
			`image/gif #001 - sha1:X - -
2026-11-20T08:00:00.000Z    -2        - http://a.example/down.gif E http://a.example/ unknown #001 - - - -
`)
	r, err := Check(t.Context(), folder, Options{Pages: 1, Seed: seedOf(t, folder, "http://a.example/")})
	if err != nil || len(r.Pages) != 1 {
		t.Fatal(r, err)
	}
	p := &r.Pages[0]
	got := map[string]State{}
	for _, q := range p.Requisites {
		got[strings.TrimPrefix(string(q.URL), "http://a.example/")] = q.State
	}
	for u, want := range map[string]State{
		"s.css": Own, "deep.css": Own, "deep.gif": Absent, "x.js": Absent, "own.gif": Own,
		"same.gif": Revisit, "http://m.example/own.gif": Mirror,
		"moved.gif": Own, "round.gif": Error, "broken.gif": Error, "unheld.gif": Absent, "f.html": Own,
		"inframe.gif": Absent,
		"no/r.gif":    Absent, "late.gif": Absent, "dropped.gif": Absent, "down.gif": Absent,
	} {
		if got[u] != want {
			t.Errorf("%s is %q, want %q", u, got[u], want)
		}
		delete(got, u)
	}
	if len(got) > 0 {
		t.Errorf("and %v", got)
	}
	reasons := map[string]archive.Reason{}
	for i := range r.MissingURLs {
		m := &r.MissingURLs[i]
		reasons[strings.TrimPrefix(string(m.URL), "http://a.example/")] = m.Reason
		if m.Fetchable() == (m.Reason == archive.ReasonRobots) || m.For != "http://a.example/" ||
			m.Pages != 1 {
			t.Errorf("%+v", m)
		}
	}
	for u, want := range map[string]archive.Reason{
		"no/r.gif": archive.ReasonRobots, "late.gif": archive.ReasonLimit, "dropped.gif": Dropped,
		"down.gif": archive.ReasonFailed, "deep.gif": neverFound,
	} {
		if reasons[u] != want {
			t.Errorf("%s: %s, want %s", u, reasons[u], want)
		}
	}
	if p.Words < 2 || p.Lost != 0 || p.Verdict() == Whole || r.Held+r.Errors+r.Missing != r.Requisites ||
		r.Requisites != 17 {
		t.Errorf("%+v", r)
	}
	if list := r.Wanted(archivetest.First(), "x"); len(list) != len(r.MissingURLs)-1 {
		t.Errorf("%v", list)
	}
	var b strings.Builder
	if err := r.WriteText(&b); err != nil ||
		!strings.Contains(b.String(),
			"1 page: 0 whole, 1 lacking, 0 not judged without a browser; 17 required files") {
		t.Error(b.String(), err)
	}
	again, err := Check(t.Context(), folder, Options{Pages: 1, Seed: r.Seed})
	if err != nil || fmt.Sprint(again) != fmt.Sprint(r) {
		t.Errorf("the same check says otherwise: %v", err)
	}
}

// TestSpelled: a report names addresses as pages and captures spell them, finds what became of them
// in logs that spell them so, and asks for them by their URLs.
func TestSpelled(t *testing.T) {
	folder := harvest.Folder(t.TempDir())
	deliver(t, folder.Run(1), []archivetest.Capture{
		{URL: "http://a.example/%d0%bf/", Head: asHTML, Body: `<img src=%d1%84.gif><img src=%d1%85.gif>x`},
		{URL: "http://a.example/%d0%bf/%d1%84.gif", Head: gif, Body: "GIF89a"},
	}, "", "2026-11-20T08:00:00.000Z   200        6 http://a.example/%d0%bf/%d1%85.gif E - image/gif "+
		"#001 - - - -\n")
	r, err := Check(t.Context(), folder, Options{})
	if err != nil || len(r.Pages) != 1 || len(r.MissingURLs) != 1 {
		t.Fatal(r, err)
	}
	m := r.MissingURLs[0]
	if p := r.Pages[0]; p.URL != "http://a.example/%d0%bf/" || m.For != p.URL ||
		p.Requisites[0].At != p.URL+"%d1%84.gif" || m.URL != p.URL+"%d1%85.gif" || m.Reason != Dropped {
		t.Errorf("%+v", r)
	}
	if list := r.Wanted(archivetest.First(), "x"); list[0].URL != "http://a.example/%D0%BF/%D1%85.gif" ||
		list[0].URL.As(list[0].Spelled) != "http://a.example/%d0%bf/%d1%85.gif" ||
		list[0].For != "http://a.example/%D0%BF/" {
		t.Errorf("%v", list)
	}
}

// TestDrawn: a page that a browser has drawn is judged by what it asked for then.
func TestDrawn(t *testing.T) {
	const shell = `<div id=app></div><script src=held.js></script>`
	drawing := func(cut string, asked ...string) *archive.Drawing {
		d := &archive.Drawing{Cut: cut, Asked: map[string]archive.DrawnRequest{}}
		for _, u := range asked {
			d.Asked["http://a.example/"+u] = archive.DrawnRequest{Status: 200, Type: "fetch"}
		}
		return d
	}
	drawn := func(name string, d *archive.Drawing) archivetest.Capture {
		return archivetest.Capture{URL: "http://a.example/" + name, Head: asHTML, Body: shell, Drawing: d}
	}
	feed := drawing("", "held.json") // what nobody asks a server for is missing in no archive
	feed.Asked["http://a.example/ws"] = archive.DrawnRequest{Cause: "a WebSocket cannot be archived"}
	held := drawing("", "held.json")
	held.Asked["http://a.example/robots"] = archive.DrawnRequest{Cause: "robots.txt forbids it"}
	folder := harvest.Folder(t.TempDir())
	deliver(t, folder.Run(1), []archivetest.Capture{
		{URL: "http://a.example/held.js", Head: "200 OK\r\nContent-Type: text/javascript", Body: "x"},
		{URL: "http://a.example/held.json", Head: "200 OK\r\nContent-Type: application/json", Body: "{}"},
		drawn("whole", drawing("", "whole", "held.json")), drawn("lacking", drawing("", "lost.json")),
		drawn("cut", drawing("it never ends", "held.json")), drawn("plain", nil),
		drawn("feed", feed), drawn("held", held),
	}, "", "")
	r, err := Check(t.Context(), folder, Options{Pages: 10})
	if err != nil {
		t.Fatal(err)
	}
	got := map[page.URL]Verdict{}
	for i := range r.Pages {
		got[r.Pages[i].URL] = r.Pages[i].Verdict()
	}
	want := map[page.URL]Verdict{
		"http://a.example/whole": Whole, "http://a.example/lacking": Lacking,
		"http://a.example/cut": Unjudged, "http://a.example/plain": Unjudged,
		"http://a.example/feed": Whole, "http://a.example/held": Lacking,
	}
	if !maps.Equal(got, want) {
		t.Errorf("verdicts %v, want %v", got, want)
	}
}

// seedOf is a seed that draws a page first.
func seedOf(t *testing.T, folder harvest.Folder, u page.URL) uint64 {
	t.Helper()
	for seed := range uint64(100) {
		r, err := Check(t.Context(), folder, Options{Pages: 1, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		if r.Pages[0].URL == u {
			return seed
		}
	}
	t.Fatal("no seed draws the page")
	return 0
}

// TestDamage checks that a page that cannot be read is a finding, and that what cannot be checked
// is an error.
func TestDamage(t *testing.T) {
	folder := harvest.Folder(t.TempDir())
	if _, err := Check(t.Context(), folder, Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Check(t.Context(), folder, Options{Pages: MaxPages + 1}); err == nil {
		t.Error("too many pages were checked")
	}
	cut := archivetest.Capture{URL: "http://a.example/", Head: asHTML, Body: "<p>x"}
	deliver(t, folder.Run(1), []archivetest.Capture{
		{
			URL: "http://a.example/", Head: asHTML,
			Body: "<p>x<img src=cut.gif><img src=events><img src=radio>",
		},
		{URL: "http://a.example/cut.gif", Head: gif, Body: "GIF89a", Truncated: "length"},
		{
			URL: "http://a.example/events", Head: "200 OK\r\nContent-Type: text/event-stream",
			Body: "data: x", Truncated: "time",
		},
		{
			URL: "http://a.example/radio", Head: "200 OK\r\nContent-Type: audio/mpeg\r\nicy-br: 40",
			Body: "x", Truncated: "time",
		},
	}, "", "")
	r, err := Check(t.Context(), folder, Options{})
	if err != nil || r.Lacking != 1 || r.Missing != 1 || len(r.MissingURLs) != 1 ||
		r.MissingURLs[0].Reason != damaged || r.MissingURLs[0].Detail != "WARC-Truncated is length" {
		t.Errorf("%+v %v", r, err)
	}
	for as, want := range map[string]string{
		"disconnect": "not all of it came: WARC-Truncated is disconnect", "unspecified": "is not known",
	} {
		cut.Truncated = as
		deliver(t, folder.Run(1), []archivetest.Capture{cut}, "", "")
		if r, err = Check(t.Context(), folder, Options{}); err != nil || r.Lacking != 1 ||
			!strings.Contains(r.Pages[0].Fault, want) {
			t.Errorf("%+v %v", r, err)
		}
	}
	paths, err := filepath.Glob(filepath.Join(folder.Run(1).Archive(), "*.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(paths[0], []byte("no WARC file"), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err = Check(t.Context(), folder, Options{})
	if err != nil || len(r.Pages) != 1 || r.Pages[0].Fault == "" || r.Pages[0].Verdict() != Lacking {
		t.Errorf("%+v %v", r, err)
	}
	// A file that was removed after its upload is no damage.
	if err := os.Remove(paths[0]); err != nil {
		t.Fatal(err)
	}
	name := "archive/" + filepath.Base(paths[0])
	record := fmt.Sprintf(`{"store":"https://s3.example","bucket":"web","prefix":"a","files":{%q:%s}}`, name,
		`{"size":5,"uploaded":5,"verified":"2026-11-01T10:00:00Z","removed":"2026-11-02T10:00:00Z"}`)
	path := filepath.Join(string(folder.Run(1)), upload.RecordName)
	if err := os.WriteFile(path, []byte(record), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err = Check(t.Context(), folder, Options{})
	var text strings.Builder
	if err != nil || r.Away != 1 || r.Lacking != 0 || r.Pages[0].Verdict() != Away {
		t.Fatalf("%+v %v", r, err)
	}
	if err := r.WriteText(&text); err != nil ||
		!strings.Contains(text.String(), "on 2026-11-02, and lies at https://s3.example/web/a/"+name+";") {
		t.Errorf("%s %v", &text, err)
	}
}

// TestManyRequisites checks the bound on those of one page.
func TestManyRequisites(t *testing.T) {
	folder := harvest.Folder(t.TempDir())
	var b strings.Builder
	for i := range maxRequisites + 40 {
		fmt.Fprintf(&b, "<img src=%d.gif>", i)
	}
	deliver(t, folder.Run(1), []archivetest.Capture{{
		URL: "http://a.example/", Head: asHTML,
		Body: b.String(),
	}},
		"", "")
	r, err := Check(t.Context(), folder, Options{})
	if err != nil || len(r.Pages[0].Requisites) != maxRequisites || r.Pages[0].Passed != 40 ||
		r.MissingURLs[0].Reason != neverFound {
		t.Errorf("%d, %d: %v", len(r.Pages[0].Requisites), r.Pages[0].Passed, err)
	}
	deliver(t, folder.Run(1), []archivetest.Capture{
		{URL: "http://a.example/", Head: asHTML, Body: strings.ReplaceAll(b.String(), "src=", "src=/x.gif?")},
		{URL: "http://a.example/x.gif", Head: gif, Body: "GIF89a"},
	}, "", "")
	if r, err = Check(t.Context(), folder, Options{}); err != nil || r.Whole != 0 {
		t.Errorf("whole though not all was looked at: %+v %v", r, err)
	}
}
