package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"watershed/archive"
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
