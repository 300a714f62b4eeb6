package ui

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"watershed/harvest"
	"watershed/lab/kit/archivetest"
)

// writePages makes the archive and index of a run anew, with pages by URL.
func writePages(t testing.TB, run harvest.Run, pages map[string]string) {
	t.Helper()
	if err := run.Make(); err != nil {
		t.Fatal(err)
	}
	var captures []archivetest.Capture
	for _, u := range slices.Sorted(maps.Keys(pages)) {
		captures = append(captures, archivetest.Capture{URL: u, Body: pages[u], Day: 1})
	}
	archivetest.Write(t, run.Archive(), run.Index(), captures)
}

// TestPagesComeFirst: who looks into an archive meets its pages, however many files, redirects and
// errors stand before them in the index.
func TestPagesComeFirst(t *testing.T) {
	d := newDesk(t)
	d.enter()
	run := d.folder.Run(1)
	captures := []archivetest.Capture{
		{URL: "http://a.example/favicon.ico", Head: "404 Not Found\r\nContent-Type: text/html"},
		{URL: "http://a.example/old", Head: "301 Moved\r\nLocation: /z"},
		{URL: "http://a.example/z", Body: "last of its host"},
		{URL: "http://b.example/"},
	}
	for i := range 2 * maxCaptures {
		captures = append(captures, archivetest.Capture{
			URL: fmt.Sprintf("http://a.example/file/%d", i), Head: "200 OK\r\nContent-Type: text/css",
		})
	}
	archivetest.Write(t, run.Archive(), run.Index(), captures)
	for _, tt := range []struct {
		text  string
		first []string
		all   int
		more  bool
	}{
		{"", []string{"http://a.example/z", "http://b.example/"}, maxCaptures, true},
		{"example/z", []string{"http://a.example/z"}, 1, false},
		{"old", []string{"http://a.example/old"}, 1, false},
	} {
		var m CapturesModel
		text := d.get("/api/v1/harvests/gemo/captures?text=" + url.QueryEscape(tt.text))
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range m.Captures[:min(len(tt.first), len(m.Captures))] {
			got = append(got, c.URL)
		}
		if !slices.Equal(got, tt.first) || len(m.Captures) != tt.all || m.More != tt.more {
			t.Errorf("%q: %q first of %d, more %v", tt.text, got, len(m.Captures), m.More)
		}
	}
	if err := d.folder.Run(2).Make(); err != nil { // it has begun
		t.Fatal(err)
	}
	before := func(says string) {
		t.Helper()
		text := d.get("/harvests/gemo/captures?text=example/z")
		if !strings.Contains(text, says+"; these are the captures of run-0001") ||
			!strings.Contains(text, "1 capture.") {
			t.Errorf("no %q: %s", says, text)
		}
	}
	before("is written when it has ended or reached a limit") // the second run goes on
	second := d.folder.Run(2)
	archivetest.Write(t, second.Archive(), second.Index(), captures[:1])
	for _, path := range []string{second.Spool(), second.Index()} {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
	before("makes it anew")
	if err := os.Remove(run.Index()); err != nil {
		t.Fatal(err)
	}
	text := d.text(d.do("GET", "/harvests/gemo/captures", nil, nil), http.StatusNotFound)
	if !strings.Contains(text, "run-0002 has lost its index") {
		t.Error(text)
	}
}

// TestExplainsCapture: of an address that belongs and answered with an error the answer is told, and
// not that the run ended before its turn.
func TestExplainsCapture(t *testing.T) {
	d := newDesk(t)
	d.enter()
	run := d.folder.Run(1)
	const missing = "http://www.gemo.example/verso/a%3Cb%3E" // belongs, and is not had
	archivetest.Write(t, run.Archive(), run.Index(), []archivetest.Capture{
		{URL: missing, Head: "404 Not Found\r\nContent-Type: text/html"},
	})
	text := d.get("/harvests/gemo/explain?url=" + url.QueryEscape(missing))
	if !strings.Contains(text, "status 404") || !strings.Contains(text, "its server answered 404 Not Found") {
		t.Errorf("%s", text)
	}
}

// TestExplainsCut: of a capture that is not whole the desk advises what `watershed explain` does.
func TestExplainsCut(t *testing.T) {
	d := newDesk(t)
	d.enter()
	run := d.folder.Run(1)
	const cut = "http://www.gemo.example/verso/a%3Cb%3E" // belongs
	archivetest.Write(t, run.Archive(), run.Index(), []archivetest.Capture{
		{URL: cut, Head: "200 OK\r\nContent-Type: text/html"},
	})
	write(t, run.Status(), []byte(`{"phase": "finished", "ending": {"ended": "losses", "lost": [
		{"what": "part", "url": "`+cut+`", "status": 200, "cause": "the connection broke"}]}}`))
	text := d.get("/harvests/gemo/explain?url=" + url.QueryEscape(cut))
	if !strings.Contains(text, "asks for it again") {
		t.Errorf("%s", text)
	}
}
