package replicas

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"watershed/internal/console"
	"watershed/lab/questions"
	"watershed/replica/catalog"
)

// record is one of a WARC file.
func record(kind, u, date, block string, more ...string) string {
	head := fmt.Sprintf("WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:uuid:%x>\r\nWARC-Date: %s\r\n"+
		"WARC-Target-URI: %s\r\n", kind, kind+u+date, date, u)
	for _, f := range more {
		head += f + "\r\n"
	}
	return head + fmt.Sprintf("Content-Type: application/http\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
		len(block), block)
}

// words are sixty words that no other number has.
func words(n int) string {
	var b strings.Builder
	for k := range 60 {
		fmt.Fprintf(&b, "w%dx%d ", n, (k*k+n*7919+k*n)%997)
	}
	return b.String()
}

// sweep analyses a WARC file of the records as the next sweep of the folder.
func sweep(t *testing.T, out, name string, records ...string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".warc")
	if err := os.WriteFile(path, []byte(strings.Join(records, "")), 0o666); err != nil {
		t.Fatal(err)
	}
	a := &Analyze{From: []string{path}, Out: out, Add: true, Memory: 8 << 20, Quiet: true}
	a.MinPages = 10
	var printed bytes.Buffer
	if err := a.Run(t.Context(), console.Streams{Out: &printed, Err: &printed}); err != nil {
		t.Fatalf("%v\n%s", err, &printed)
	}
}

// changed gives what became of each page between two sweeps.
func changed(t *testing.T, out string, from, to uint32) map[string]string {
	t.Helper()
	x, err := catalog.Open(filepath.Join(out, catalogName), catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}()
	got := map[string]string{}
	all, err := questions.Read(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all.Changes(from, to) {
		u, now := c.URLs()
		if c.Kind == questions.Born {
			u = now
		}
		got[u.PathQuery()] = c.Kind.String()
	}
	return got
}

// A revisit is the page that it names, in whichever earlier sweep that is, as each crawler names it.
func TestRevisitsOfEarlierSweeps(t *testing.T) {
	const (
		site = "http://a.example/"
		one  = "2026-01-01T08:00:00Z"
		two  = "2026-02-01T08:00:00Z"
		head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
	)
	page := func(path, date string, text int, more ...string) string {
		return record("response", site+path, date, head+words(text), more...)
	}
	revisit := func(path, date, head string, more ...string) string {
		return record("revisit", site+path, date, head, more...)
	}
	sha1 := func(name string) string { return "WARC-Payload-Digest: sha1:" + name }
	named := func(path, date string) []string {
		return []string{"WARC-Refers-To-Target-URI: " + site + path, "WARC-Refers-To-Date: " + date}
	}
	out := filepath.Join(t.TempDir(), "copies")
	sweep(t, out, "first", page("dated", one, 1), page("labelled", one, 2, sha1("AAAA")),
		page("unmodified", one, 3), page("gone", one, 4), page("changed", one, 5, sha1("BBBB")),
		page("moved", one, 6, sha1("CCCC")), page("stays", one, 7))
	sweep(t, out, "second",
		revisit("dated", two, head, named("dated", one)...),
		revisit("labelled", two, "", sha1("aaaa")), // as GNU wget writes it
		revisit("unmodified", two, "HTTP/1.1 304 Not Modified\r\n\r\n"),
		revisit("gone", two, "HTTP/1.1 404 Not Found\r\n\r\n", sha1("EEEE")),
		revisit("changed", two, head, sha1("FFFF")), // of a capture that is in no sweep
		revisit("here", two, head, append(named("moved", one), sha1("CCCC"))...),
		page("stays", two, 7))
	want := map[string]string{
		"/dated": "unchanged", "/labelled": "unchanged", "/unmodified": "unchanged", "/stays": "unchanged",
		"/gone": "died", "/changed": "rewritten", "/moved": "moved within its server",
	}
	compare(t, want, changed(t, out, 1, 2))
	const three = "2026-03-01T08:00:00Z"
	sweep(t, out, "third", // the capture that is named lies two sweeps back
		revisit("dated", three, head, named("dated", one)...),
		revisit("labelled", three, "", sha1("AAAA")),
		revisit("unmodified", three, head, named("unmodified", two)...),
		revisit("stays", three, head, named("dated", one)...), // now the text of another page
		revisit("here", three, head, append(named("moved", one), sha1("CCCC"))...))
	compare(t, map[string]string{
		"/dated": "unchanged", "/labelled": "unchanged", "/unmodified": "unchanged", "/here": "unchanged",
		"/stays": "rewritten", "/changed": "died",
	}, changed(t, out, 2, 3))
}

func compare(t *testing.T, want, got map[string]string) {
	t.Helper()
	for path, kind := range want {
		if got[path] != kind {
			t.Errorf("%s: %q, not %q", path, got[path], kind)
		}
	}
	if len(got) != len(want) {
		t.Errorf("changes %v", got)
	}
}
