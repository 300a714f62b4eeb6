package search

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"watershed/archive"
	"watershed/harvest"
)

var first = time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)

// capture is a page of a test's harvest.
type capture struct {
	url, head, body string
	at              time.Time
}

// deliver writes the archive and index of a run.
func deliver(t testing.TB, run harvest.Run, list []capture) {
	t.Helper()
	if err := errors.Join(os.RemoveAll(run.Archive()), run.Make()); err != nil {
		t.Fatal(err)
	}
	w, err := archive.NewWriter(archive.Options{Dir: run.Archive()})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		if c.at.IsZero() {
			c.at = first
		}
		h := archive.Header{
			{Name: "WARC-Type", Value: "response"},
			{Name: "WARC-Record-ID", Value: archive.NewID()},
			{Name: "WARC-Target-URI", Value: c.url},
			{Name: "WARC-Date", Value: archive.Date(c.at)},
			{Name: "Content-Type", Value: "application/http;msgtype=response"},
		}
		if c.head == "" {
			c.head = "200 OK\r\nContent-Type: text/html; charset=utf-8"
		}
		text := "HTTP/1.1 " + c.head + "\r\n\r\n" + c.body
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
	if err := os.WriteFile(run.Index(), []byte(strings.Join(lines, "")), 0o666); err != nil {
		t.Fatal(err)
	}
}

func find(t testing.TB, folder harvest.Folder, text string) (urls []string, hits []Hit) {
	t.Helper()
	q, err := ParseQuery(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	x, err := Open(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = x.Close() }() // it was only read
	found, err := x.Find(t.Context(), q, 0, 100)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	for _, h := range found.Hits {
		urls = append(urls, strings.TrimPrefix(string(h.URL), "http://"))
	}
	return urls, found.Hits
}

func bring(t testing.TB, folder harvest.Folder) Standing {
	t.Helper()
	s, err := Update(t.Context(), folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const evil = "</title><script>alert(1)</script>\u202e\x07"

func TestQueries(t *testing.T) {
	folder := harvest.Folder(t.TempDir())
	if _, err := Open(t.Context(), folder); !errors.Is(err, ErrNoIndex) {
		t.Fatal(err)
	}
	deliver(t, folder.Run(1), []capture{
		{url: "http://a.example/cafe", body: "<title>Menu</title><p>The Café serves naïve archivists web archives daily"},
		{url: "http://www.a.example/two", body: "<title>Archive of the web</title><p>boundary", at: first.AddDate(0, 0, 5)},
		{url: "http://b.example:8080/three", body: "<p>The web is an archive, says <b>Łódź</b> 2026"},
		{url: "http://b.example/notes.txt", head: "200 OK\r\nContent-Type: text/plain", body: "plain boundary & text"},
		{url: "http://b.example/gone", head: "404 Not Found\r\nContent-Type: text/html", body: "boundary"},
		{url: "http://b.example/robots.txt", head: "200 OK\r\nContent-Type: text/plain", body: "boundary"},
		{url: "http://evil.example/", body: "<title>" + strings.Repeat("long ", 1<<19) + "</title>" + evil + " boundary " + strings.Repeat("x", 1<<20)},
	})
	if s := bring(t, folder); s.Documents != 5 || s.Behind != 0 {
		t.Fatalf("%+v", s)
	}
	for query, want := range map[string]string{
		"CAFE":                        "a.example/cafe",
		"café naive":                  "a.example/cafe",
		`"web archives"`:              "a.example/cafe",
		`"archives web"`:              "",
		"archiv*":                     "a.example/cafe b.example:8080/three www.a.example/two",
		"web -boundary":               "b.example:8080/three", // two says boundary, cafe too? no: cafe says archives
		"boundary host:b.example":     "b.example/notes.txt",
		"boundary host:a.example":     "www.a.example/two",
		"web host:example":            "a.example/cafe b.example:8080/three www.a.example/two",
		"web host:ample":              "",
		"web -host:b.example":         "a.example/cafe www.a.example/two",
		"boundary type:plain":         "b.example/notes.txt",
		"web after:2026-11-21":        "www.a.example/two",
		"web before:2026-11-21":       "a.example/cafe b.example:8080/three",
		"title:archive":               "www.a.example/two",
		"url:three":                   "b.example:8080/three",
		`AND NOT "OR NEAR(`:           "",
		`boundary"`:                   "b.example/notes.txt evil.example/ www.a.example/two",
		"col:boundary":                "",
		"title:menu text":             "",
		"web % _ ' ; -- drop table *": "",
	} {
		got, _ := find(t, folder, query)
		slices.Sort(got)
		if query == "web -boundary" {
			want = "a.example/cafe b.example:8080/three"
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", query, got, want)
		}
	}
	_, hits := find(t, folder, "boundary host:evil.example")
	if len(hits) != 1 || len(hits[0].Title) > 1200 || fmt.Sprint(hits[0].Snippet) == "" || len(fmt.Sprint(hits[0].Snippet)) > 10_000 {
		t.Errorf("%d hits", len(hits))
	}
	_, hits = find(t, folder, "naive")
	if p := hits[0].Snippet; len(p) != 3 || p[1].Text != "naïve" || !p[1].Hit || p[0].Hit {
		t.Errorf("%+v", p)
	}
	for _, bad := range []string{"", "-a", "host:a.example", `"`, "after:x a", strings.Repeat("a ", 600), "***"} {
		if _, err := ParseQuery(bad); !errors.Is(err, ErrQuery) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestUpdates adds a run, delivers one anew, and interrupts an update.
func TestUpdates(t *testing.T) {
	folder := harvest.Folder(t.TempDir())
	var list []capture
	for i := range 3*batch/2 + 7 {
		list = append(list, capture{url: fmt.Sprintf("http://a.example/%d", i), body: fmt.Sprintf("<p>common w%d", i)})
	}
	deliver(t, folder.Run(1), list)
	ctx, stop := context.WithCancel(t.Context())
	if _, err := Update(ctx, folder, func(int64) { stop() }); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	x, err := Open(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := x.Standing(t.Context()); err != nil || s.Documents != batch || s.Behind != 1 {
		t.Errorf("%+v %v", s, err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	calls := 0
	if s, err := Update(t.Context(), folder, func(int64) { calls++ }); err != nil || s.Documents != int64(len(list)) || calls != 1 {
		t.Errorf("%+v %v, %d batches: it did not go on where it was stopped", s, err, calls)
	}
	deliver(t, folder.Run(2), []capture{{url: "http://a.example/0", body: "<p>second", at: first.AddDate(0, 1, 0)}})
	if s := bring(t, folder); s.Documents != int64(len(list))+1 {
		t.Errorf("%+v", s)
	}
	if got, _ := find(t, folder, "second"); len(got) != 1 {
		t.Errorf("%v", got)
	}
	deliver(t, folder.Run(1), list[:2])
	if s := bring(t, folder); s.Documents != 3 || s.Behind != 0 {
		t.Errorf("%+v", s)
	}
	for query, n := range map[string]int{"w0": 1, "w1": 1, "w2": 0, "common": 2, "second": 1} {
		if got, _ := find(t, folder, query); len(got) != n {
			t.Errorf("%s: %v", query, got)
		}
	}
}

// TestAgainstReading compares random queries with a plain reading of the same texts.
func TestAgainstReading(t *testing.T) {
	folder := harvest.Folder(t.TempDir())
	words := strings.Fields("a b c d e f ab abc é Éa 1 12")
	random := rand.New(rand.NewPCG(1, 2))
	var list []capture
	texts := map[string][]string{}
	for i := range 30 {
		var text []string
		for range random.IntN(8) {
			text = append(text, words[random.IntN(len(words))])
		}
		u := fmt.Sprintf("http://x.test/z%d", i)
		texts[strings.TrimPrefix(u, "http://")] = wordsOf(strings.Join(text, " "))
		list = append(list, capture{url: u, body: "<p>" + strings.Join(text, " ")})
	}
	deliver(t, folder.Run(1), list)
	bring(t, folder)
	holds := func(text, phrase []string, prefix bool) bool {
		for i := range text {
			ok := i+len(phrase) <= len(text)
			for j := 0; ok && j < len(phrase); j++ {
				ok = text[i+j] == phrase[j] || prefix && j == len(phrase)-1 && strings.HasPrefix(text[i+j], phrase[j])
			}
			if ok {
				return true
			}
		}
		return false
	}
	rapid.Check(t, func(r *rapid.T) {
		type want struct {
			phrase      []string
			prefix, not bool
		}
		var wants []want
		var query []string
		for i := range rapid.IntRange(1, 3).Draw(r, "terms") {
			phrase := rapid.SliceOfN(rapid.SampledFrom(words), 1, 3).Draw(r, "phrase")
			w := want{wordsOf(strings.Join(phrase, " ")), rapid.Bool().Draw(r, "prefix"), i > 0 && rapid.Bool().Draw(r, "not")}
			text := `"` + strings.Join(phrase, " ") + `"`
			if w.prefix {
				text += "*"
			}
			if w.not {
				text = "-" + text
			}
			wants, query = append(wants, w), append(query, text)
		}
		var expected []string
		for u, text := range texts {
			ok := true
			for _, w := range wants {
				ok = ok && holds(text, w.phrase, w.prefix) != w.not
			}
			if ok {
				expected = append(expected, u)
			}
		}
		got, _ := find(t, folder, strings.Join(query, " "))
		slices.Sort(got)
		slices.Sort(expected)
		if !slices.Equal(got, expected) {
			r.Fatalf("%s: %v, want %v", strings.Join(query, " "), got, expected)
		}
	})
}

// FuzzQuery checks that whatever is asked for is understood by the index, or refused.
func FuzzQuery(f *testing.F) {
	folder := harvest.Folder(f.TempDir())
	deliver(f, folder.Run(1), []capture{{url: "http://a.example/", body: "<p>a b"}})
	if _, err := Update(context.Background(), folder, nil); err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{`a "b c"* -d`, "host:x type:y after:2020 b", "\x00", `NEAR("a" "b")`, "title:title:a", "\u0301", "é*", "😀 a", "ﬁ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := ParseQuery(text)
		if err != nil {
			return
		}
		x, err := Open(context.Background(), folder)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = x.Close() }() // it was only read
		if _, err := x.Find(context.Background(), q, 0, 5); err != nil {
			t.Errorf("%q, %s: %v", text, q.match(), err)
		}
	})
}
