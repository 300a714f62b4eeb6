package quality

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"watershed/archive"
	"watershed/harvest"
	"watershed/page"
)

var first = time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)

// record is a capture of a test's harvest: with a URL that it revisits, a revisit of that one's capture on the first day.
type record struct{ url, head, body, revisits string }

// deliver writes the archive, index and logs of a run.
func deliver(t testing.TB, run harvest.Run, records []record, skipped, log string) {
	t.Helper()
	if err := run.Make(); err != nil {
		t.Fatal(err)
	}
	w, err := archive.NewWriter(archive.Options{Dir: run.Archive()})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		h := archive.Header{
			{Name: "WARC-Type", Value: "response"},
			{Name: "WARC-Record-ID", Value: archive.NewID()},
			{Name: "WARC-Target-URI", Value: r.url},
			{Name: "WARC-Date", Value: archive.Date(first)},
			{Name: "Content-Type", Value: "application/http;msgtype=response"},
		}
		if r.revisits != "" {
			h.Set("WARC-Type", "revisit")
			h.Add("WARC-Profile", archive.ProfileIdentical)
			h.Add("WARC-Refers-To-Target-URI", r.revisits)
			h.Add("WARC-Refers-To-Date", archive.Date(first))
		}
		text := "HTTP/1.1 " + r.head + "\r\n\r\n" + r.body
		if _, err := w.Write(archive.Draft{Header: h, Block: io.NewSectionReader(strings.NewReader(text), 0, int64(len(text)))}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(run.Archive(), "*.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, path := range paths {
		if err := archive.IndexWARC(path, func(e archive.Entry) error { lines = append(lines, string(e.Append(nil))); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(lines)
	for path, text := range map[string]string{
		run.Index(): strings.Join(lines, ""), filepath.Join(run.Logs(), "skipped.jsonl"): skipped, filepath.Join(run.Logs(), "crawl.log"): log,
		run.Mirrors(): `{"version":1,"rules":[{"from":"m.example","to":"a.example","urls":1,"decision":""}]}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

const (
	html = "200 OK\r\nContent-Type: text/html; charset=utf-8"
	css  = "200 OK\r\nContent-Type: text/css"
	gif  = "200 OK\r\nContent-Type: image/gif"
)

// TestStates checks what answers for each requisite of a page, and why the others are missing.
func TestStates(t *testing.T) {
	folder := harvest.Folder(t.TempDir())
	deliver(t, folder.Run(1), []record{
		{url: "http://a.example/", head: html, body: `<link rel=stylesheet href=s.css><script src=x.js></script><img src=own.gif><img src=same.gif>
			<img src=http://m.example/own.gif><img src=moved.gif><img src=round.gif><img src=broken.gif><img src=unheld.gif><iframe src=f.html></iframe>
			<img src=/no/r.gif><img src=late.gif><img src=dropped.gif><img src=down.gif><p>one two <noscript>three</noscript>`},
		{url: "http://a.example/s.css", head: css, body: "@import 'deep.css'"},
		{url: "http://a.example/deep.css", head: css, body: "a{background:url(deep.gif)}"},
		{url: "http://a.example/own.gif", head: gif, body: "GIF89a"},
		{url: "http://a.example/same.gif", head: gif, revisits: "http://a.example/own.gif"},
		{url: "http://a.example/unheld.gif", head: gif, revisits: "http://a.example/nowhere.gif"},
		{url: "http://a.example/moved.gif", head: "302 Found\r\nLocation: /own.gif"},
		{url: "http://a.example/round.gif", head: "302 Found\r\nLocation: /round.gif"},
		{url: "http://a.example/broken.gif", head: "404 Not Found\r\nContent-Type: text/html", body: "<img src=x>"},
		{url: "http://a.example/f.html", head: html, body: `<img src=inframe.gif>`},
		{url: "http://a.example/text.txt", head: "200 OK\r\nContent-Type: text/plain", body: "no page"},
	}, `{"url":"http://a.example/no/r.gif","ts":"2026-11-21T08:00:00Z","reason":"robotsTxt","rule":"Disallow: /no/","depth":0}
{"url":"http://a.example/late.gif","ts":"2026-11-21T08:00:00Z","reason":"pageLimit","rule":"site a: 9 pages","evidence":{"why":"limit"},"depth":0}
no line
`+fmt.Sprintf(`{"url":"http://a.example/%s","ts":"2026-11-21T08:00:00Z","reason":"trap","depth":0}`+"\n", strings.Repeat("long", 1<<19)),
		`2026-11-20T08:00:00.000Z   200        6 http://a.example/dropped.gif E http://a.example/ image/gif #001 - sha1:X - -
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
		"s.css": Own, "deep.css": Own, "deep.gif": Absent, "x.js": Absent, "own.gif": Own, "same.gif": Revisit, "http://m.example/own.gif": Mirror,
		"moved.gif": Own, "round.gif": Error, "broken.gif": Error, "unheld.gif": Absent, "f.html": Own, "inframe.gif": Absent,
		"no/r.gif": Absent, "late.gif": Absent, "dropped.gif": Absent, "down.gif": Absent,
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
		if m.Fetchable() == (m.Reason == archive.ReasonRobots) || m.For != "http://a.example/" || m.Pages != 1 {
			t.Errorf("%+v", m)
		}
	}
	for u, want := range map[string]archive.Reason{
		"no/r.gif": archive.ReasonRobots, "late.gif": archive.ReasonLimit, "dropped.gif": Dropped, "down.gif": archive.ReasonFailed, "deep.gif": NeverFound,
	} {
		if reasons[u] != want {
			t.Errorf("%s: %s, want %s", u, reasons[u], want)
		}
	}
	if p.Words < 2 || p.Lost != 0 || p.Good() || r.Held+r.Errors+r.Missing != r.Requisites || r.Requisites != 17 {
		t.Errorf("%+v", r)
	}
	if list := r.Wanted(first, "x"); len(list) != len(r.MissingURLs)-1 {
		t.Errorf("%v", list)
	}
	var b strings.Builder
	if err := r.WriteText(&b); err != nil || !strings.Contains(b.String(), "1 pages, 0 of them whole; 17 requisites") {
		t.Error(b.String(), err)
	}
	again, err := Check(t.Context(), folder, Options{Pages: 1, Seed: r.Seed})
	if err != nil || fmt.Sprint(again) != fmt.Sprint(r) {
		t.Errorf("the same check says otherwise: %v", err)
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

// TestDamage checks that a page that cannot be read is a finding, and that what cannot be checked is an error.
func TestDamage(t *testing.T) {
	folder := harvest.Folder(t.TempDir())
	if _, err := Check(t.Context(), folder, Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Check(t.Context(), folder, Options{Pages: MaxPages + 1}); err == nil {
		t.Error("too many pages were checked")
	}
	deliver(t, folder.Run(1), []record{{url: "http://a.example/", head: html, body: "<p>x"}}, "", "")
	paths, err := filepath.Glob(filepath.Join(folder.Run(1).Archive(), "*.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(paths[0], []byte("no WARC file"), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := Check(t.Context(), folder, Options{})
	if err != nil || len(r.Pages) != 1 || r.Pages[0].Fault == "" || r.Pages[0].Good() {
		t.Errorf("%+v %v", r, err)
	}
}

// TestManyRequisites checks the bound on those of one page.
func TestManyRequisites(t *testing.T) {
	folder := harvest.Folder(t.TempDir())
	var b strings.Builder
	for i := range maxRequisites + 40 {
		fmt.Fprintf(&b, "<img src=%d.gif>", i)
	}
	deliver(t, folder.Run(1), []record{{url: "http://a.example/", head: html, body: b.String()}}, "", "")
	r, err := Check(t.Context(), folder, Options{})
	if err != nil || len(r.Pages[0].Requisites) != maxRequisites || r.Pages[0].Passed != 40 || r.MissingURLs[0].Reason != NeverFound {
		t.Errorf("%d, %d: %v", len(r.Pages[0].Requisites), r.Pages[0].Passed, err)
	}
}
