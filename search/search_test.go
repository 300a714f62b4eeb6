package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"watershed/archive"
	"watershed/harvest"
	"watershed/lab/kit/archivetest"
)

// deliver writes the archive and index of a run.
func deliver(t testing.TB, run harvest.Run, list []archivetest.Capture) {
	t.Helper()
	if err := run.Make(); err != nil {
		t.Fatal(err)
	}
	archivetest.Write(t, run.Archive(), run.Index(), list)
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
	deliver(t, folder.Run(1), []archivetest.Capture{
		{
			URL:  "http://a.example/cafe",
			Body: "<title>Menu</title><p>The Café serves naïve archivists web archives daily",
		},
		{URL: "http://www.a.example/two", Body: "<title>Archive of the web</title><p>boundary", Day: 5},
		{URL: "http://b.example:8080/three", Body: "<p>The web is an archive, says <b>Łódź</b> 2026"},
		{
			URL: "http://b.example/notes.txt", Head: "200 OK\r\nContent-Type: text/plain",
			Body: "plain boundary & text",
		},
		{URL: "http://b.example/gone", Head: "404 Not Found\r\nContent-Type: text/html", Body: "boundary"},
		{URL: "http://b.example/robots.txt", Head: "200 OK\r\nContent-Type: text/plain", Body: "boundary"},
		{
			URL: "http://evil.example/",
			Body: "<title>" + strings.Repeat("long ", 1<<19) + "</title>" + evil + " boundary " +
				strings.Repeat("x", 1<<20),
		},
	})
	if s := bring(t, folder); s.Documents != 5 || s.Behind != 0 {
		t.Fatalf("%+v", s)
	}
	for query, want := range map[string]string{
		"CAFE":           "a.example/cafe",
		"café naive":     "a.example/cafe",
		`"web archives"`: "a.example/cafe",
		`"archives web"`: "",
		"archiv*":        "a.example/cafe b.example:8080/three www.a.example/two",
		// two says boundary, cafe too? no: cafe says archives
		"web -boundary":               "b.example:8080/three",
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
	if len(hits) != 1 || len(hits[0].Title) > 1200 || fmt.Sprint(hits[0].Snippet) == "" ||
		len(fmt.Sprint(hits[0].Snippet)) > 10_000 {
		t.Errorf("%d hits", len(hits))
	}
	_, hits = find(t, folder, "naive")
	if p := hits[0].Snippet; len(p) != 3 || p[1].Text != "naïve" || !p[1].Hit || p[0].Hit {
		t.Errorf("%+v", p)
	}
	for _, bad := range []string{
		"", "-a", "host:a.example", `"`, "after:x a",
		strings.Repeat("a ", 600), "***",
	} {
		if _, err := ParseQuery(bad); !errors.Is(err, errQuery) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestSpellings finds words of several scripts in capitals, in small letters, with and without marks.
func TestSpellings(t *testing.T) {
	folder := harvest.Folder(t.TempDir())
	texts := []string{
		"Überfluß", "Straße", "ışık", "İstanbul", "Σίσυφος", "हिन्दी", "เก็บเว็บไซต์", "שָׁלוֹם",
		"ﬁnal Łódź", "ŉ",
	}
	var list []archivetest.Capture
	for i, text := range texts {
		list = append(list, archivetest.Capture{
			URL: fmt.Sprintf("http://a.example/%d", i), Body: "<meta charset=utf-8><p>a " + text + " b",
		})
	}
	deliver(t, folder.Run(1), list)
	bring(t, folder)
	for query, want := range map[string]int{
		"ÜBERFLUSS": 0, "überfluß": 0, "Uberfluss": 0, "STRASSE": 1, "STRAẞE": 1, "IŞIK": 2, "ışık": 2,
		"istanbul": 3, "İSTANBUL": 3, "ΣΊΣΥΦΟΣ": 4, "σισυφοσ": 4, "हिन्दी": 5, "เก็บเว็บไซต์": 6, "שלום": 7,
		"FINAL łódź": 8, "ʼN": 9,
	} {
		got, hits := find(t, folder, query)
		if len(got) != 1 || got[0] != fmt.Sprintf("a.example/%d", want) {
			t.Errorf("%s: %v, want %q", query, got, texts[want])
		} else if p := hits[0].Snippet; len(p) != 3 || p[1].Text != texts[want] {
			t.Errorf("%s: %+v", query, p)
		}
	}
}

// TestUpdates adds a run, delivers one anew, and interrupts an update.
func TestUpdates(t *testing.T) {
	folder := harvest.Folder(t.TempDir())
	var list []archivetest.Capture
	for i := range 3*batch/2 + 7 {
		list = append(list, archivetest.Capture{
			URL:  fmt.Sprintf("http://a.example/%d", i),
			Body: fmt.Sprintf("<p>common w%d", i),
		})
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
	if s, err := Update(t.Context(), folder, func(int64) { calls++ }); err != nil ||
		s.Documents != int64(len(list)) || calls != 1 {
		t.Errorf("%+v %v, %d batches: it did not go on where it was stopped", s, err, calls)
	}
	deliver(t, folder.Run(2), []archivetest.Capture{{URL: "http://a.example/0", Body: "<p>second", Day: 30}})
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
	if err := os.Mkdir(string(folder.Run(3)), 0o755); err != nil {
		t.Fatal(err)
	}
	if s := bring(t, folder); s.Documents != 3 || s.Behind != 1 {
		t.Errorf("beside a run that has not delivered: %+v", s)
	}
	for query, n := range map[string]int{"w0": 1, "w1": 1, "w2": 0, "common": 2, "second": 1} {
		if got, _ := find(t, folder, query); len(got) != n {
			t.Errorf("%s: %v", query, got)
		}
	}
}

// TestAgainstReading compares random queries with a plain reading of the same texts.
// TestDamagedIndex: a line of a run's index that is none ends only itself, and is told with its file.
func TestDamagedIndex(t *testing.T) {
	folder := harvest.Folder(t.TempDir())
	run := folder.Run(1)
	deliver(t, run, []archivetest.Capture{
		{URL: "http://a.example/0", Body: "<p>zero"},
		{URL: "http://a.example/1", Body: "<p>one"},
		{URL: "http://a.example/2", Body: "<p>two"},
	})
	text, err := os.ReadFile(run.Index())
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	bad := slices.IndexFunc(lines, func(line []byte) bool {
		return bytes.Contains(line, []byte("example/1"))
	})
	lines[bad] = bytes.Replace(lines[bad], []byte("{"), []byte("\x00"), 1)
	if err := os.WriteFile(run.Index(), bytes.Join(lines, nil), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := Update(t.Context(), folder, nil)
	if want := fmt.Sprintf("%s: line %d: ", run.Index(), bad+1); !errors.Is(err, archive.ErrEntry) ||
		!strings.HasPrefix(fmt.Sprint(err), want) || s.Documents != 2 || s.Behind != 0 {
		t.Errorf("%+v %v", s, err)
	}
	for query, n := range map[string]int{"zero": 1, "one": 0, "two": 1} {
		if got, _ := find(t, folder, query); len(got) != n {
			t.Errorf("%s: %v", query, got)
		}
	}
}

func TestAgainstReading(t *testing.T) {
	folder := harvest.Folder(t.TempDir())
	words := strings.Fields("a b c d e f ab abc é Éa 1 12")
	random := rand.New(rand.NewPCG(1, 2))
	var list []archivetest.Capture
	texts := map[string][]string{}
	for i := range 30 {
		var text []string
		for range random.IntN(8) {
			text = append(text, words[random.IntN(len(words))])
		}
		u := fmt.Sprintf("http://x.test/z%d", i)
		texts[strings.TrimPrefix(u, "http://")] = wordsOf(strings.Join(text, " "))
		list = append(list, archivetest.Capture{URL: u, Body: "<p>" + strings.Join(text, " ")})
	}
	deliver(t, folder.Run(1), list)
	bring(t, folder)
	holds := func(text, phrase []string, prefix bool) bool {
		for i := range text {
			ok := i+len(phrase) <= len(text)
			for j := 0; ok && j < len(phrase); j++ {
				ok = text[i+j] == phrase[j] ||
					prefix && j == len(phrase)-1 && strings.HasPrefix(text[i+j], phrase[j])
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
			w := want{
				wordsOf(strings.Join(phrase, " ")), rapid.Bool().Draw(r, "prefix"),
				i > 0 && rapid.Bool().Draw(r, "not"),
			}
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
	deliver(f, folder.Run(1), []archivetest.Capture{{URL: "http://a.example/", Body: "<p>a b"}})
	if _, err := Update(context.Background(), folder, nil); err != nil {
		f.Fatal(err)
	}
	x, err := Open(context.Background(), folder)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = x.Close() }) // it was only read
	for _, s := range []string{
		`a "b c"* -d`, "host:x type:y after:2020 b", "\x00", `NEAR("a" "b")`,
		"title:title:a", "\u0301", "é*", "😀 a", "ﬁ",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := ParseQuery(text)
		if err != nil {
			return
		}
		if _, err := x.Find(context.Background(), q, 0, 5); err != nil {
			t.Errorf("%q, %s: %v", text, q.match(), err)
		}
	})
}

// TestSpoiltFile: of a file that is no index, or whose pages are damaged, the error says that it may be
// deleted; then it is made anew.
func TestSpoiltFile(t *testing.T) {
	folder := harvest.Folder(t.TempDir())
	deliver(t, folder.Run(1), []archivetest.Capture{{URL: "http://a.example/0", Body: "<p>zero"}})
	bring(t, folder)
	for name, spoil := range map[string]func([]byte){
		"no index": func(text []byte) { copy(text, "GIF89a") },
		"damaged":  func(text []byte) { clear(text[len(text)/3:]) },
	} {
		text, err := os.ReadFile(path(folder))
		if err != nil {
			t.Fatal(err)
		}
		spoil(text)
		if err := os.WriteFile(path(folder), text, 0o666); err != nil {
			t.Fatal(err)
		}
		_, err = Update(t.Context(), folder, nil)
		if x, e := Open(t.Context(), folder); err == nil && e == nil {
			_, err = x.Find(t.Context(), Query{terms: []term{{words: []string{"zero"}}}}, 0, 1)
			_ = x.Close() // it was only read
		}
		if !strings.Contains(fmt.Sprint(err), "delete "+path(folder)+": it is made anew") {
			t.Errorf("%s: %v", name, err)
		}
		if err := os.Remove(path(folder)); err != nil {
			t.Fatal(err)
		}
		bring(t, folder)
	}
	if got, _ := find(t, folder, "zero"); len(got) != 1 {
		t.Errorf("%v", got)
	}
}

// TestFullDisk: a disk that is full is told as the system tells it, so that the command ends as one
// that wants room.
func TestFullDisk(t *testing.T) {
	x, err := open(t.Context(), harvest.Folder(t.TempDir()), "rwc")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = x.Close() }() // it cannot be written
	x.db.SetMaxOpenConns(1)
	_, err = x.db.ExecContext(t.Context(), "PRAGMA max_page_count = 1")
	for range 1000 {
		if err != nil {
			break
		}
		_, err = x.db.ExecContext(t.Context(),
			"INSERT INTO runs (name, stamp, done) VALUES (hex(randomblob(4000)), '', 0)")
	}
	if got := x.wrap("write", err); err == nil || !errors.Is(got, syscall.ENOSPC) {
		t.Errorf("%v", got)
	}
}
