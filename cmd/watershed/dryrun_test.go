package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// TestDryRun: a dry run comes to its end, prints the boundary, and leaves nothing; status knows it
// while it goes on; a host of others that does not answer is asked twice by a scheme and no more.
func TestDryRun(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "h.yaml")
	var dead atomic.Int32
	status := make(chan string, 2)
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.Host, "dead."):
			dead.Add(1)
			panic(http.ErrAbortHandler)
		case r.URL.Path == "/robots.txt", r.URL.Path == "/gone":
			http.NotFound(out, r)
			return
		case r.URL.Path == "/last":
			said, _ := succeed(t, t.Context(), "status", file)
			status <- said
		}
		out.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(out, `<title>%[1]s</title><p>The page %[1]s is about %[1]s alone. <a `+
			`href="/one">1</a> `+
			`<a href="/last">2</a> <a href="http://dead.example/">d</a>`, strings.Repeat(r.URL.Path+" ", 9))
	}))
	defer server.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	text := fmt.Sprintf(`harvest: dry
operator: {name: N, contact: "mailto:n@example.org"}
archive: {dir: %q}
network: {allow_private: ["127.0.0.0/8"], resolve: [{match: "*", address: 127.0.0.1}], dial_ports: {80: %s}}
politeness: {min_delay: 10ms, max_delay: 10ms, address_delay: 0ms, retry: {delay: 10ms, max_delay: 20ms}}
limits: {free_disk: 0B}
sites: [{name: S, seeds: ["http://a.example/"]}]
`, filepath.Join(dir, "harvests"), port)
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	out, _ := succeed(t, t.Context(), "harvest", "--dry-run", file)
	if !strings.Contains(out, "3 pages") ||
		!strings.Contains(out, " kB received: a first harvest receives as much for its sites\n") ||
		!strings.Contains(out, "\nhttp://dead.example was given up after 2 attempts: ") {
		t.Errorf("it says\n%s", out)
	}
	if said := <-status; !strings.Contains(said, scratchPrefix+"dry-") {
		t.Errorf("status says\n%s", said)
	}
	if n := dead.Load(); n != dryTries {
		t.Errorf("the dead host was asked %d times", n)
	}
	text = strings.Replace(text, "/\"]}", "/\", \"http://b.example/gone\"]}", 1)
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, said := ends(t, t.Context(), exitLosses, "harvest", "--dry-run", file); !strings.Contains(said,
		"b.example/gone: 404 Not Found") {
		t.Errorf("of a seed that is gone it says\n%s", said)
	}
	text = strings.Replace(text, "limits: {", "limits: {pages: 1, ", 1)
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	out, said := ends(t, t.Context(), exitPages, "harvest", "--dry-run", file)
	if !strings.Contains(said, "the limit of the harvest: 1 page, was reached\n") ||
		strings.Contains(said, "--extend") || strings.Contains(out, "as much") {
		t.Errorf("of a limit that it reached it says\n%s%s", out, said)
	}
	if names := namesIn(t, filepath.Join(dir, "harvests")); len(names) > 0 {
		t.Errorf("%q is left", names)
	}
}
