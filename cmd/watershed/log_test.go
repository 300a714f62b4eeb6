package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"watershed/crawler"
	"watershed/harvest"
	"watershed/harvest/control"
	"watershed/internal/disk"
	"watershed/ui"
)

// TestLogFollows: log -f shows a run that goes on and ends with it; afterwards log shows the same.
func TestLogFollows(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "h.yaml")
	followed := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			http.NotFound(out, r)
			return
		case "/one":
			go func() {
				var b bytes.Buffer
				code := run(t.Context(), []string{"log", "-f", file}, &b, &b)
				followed <- fmt.Sprintf("%sexit %d", b.String(), code)
			}()
		}
		out.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(out, `<title>%[1]s</title><p>Of %[1]s. <a href="/one">1</a> <a href="/two">2</a>`,
			r.URL.Path)
	}))
	defer server.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	text := fmt.Sprintf(`harvest: h
operator: {name: N, contact: "mailto:n@example.org"}
network: {allow_private: ["127.0.0.0/8"], resolve: [{match: "*", address: 127.0.0.1}], dial_ports: {80: %s}}
politeness: {min_delay: 300ms, address_delay: 0ms}
sites: [{name: S, seeds: ["http://a.example/"], boundary: host}]
`, port)
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	ends(t, t.Context(), exitFailed, "log", file)
	succeed(t, t.Context(), "harvest", file)
	live := <-followed
	after := outputOf(t, t.Context(), "log", file)
	for name, text := range map[string]string{"followed": live, "after": after} {
		for _, want := range []string{
			"run begins", " 200 ", "http://a.example/two text/html",
			"phase=delivering",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", name, want, text)
			}
		}
		if n := strings.Count(text, "http://a.example/two "); n != 1 {
			t.Errorf("%s: the page is there %d times\n%s", name, n, text)
		}
	}
	if !strings.HasSuffix(live, "exit 0") {
		t.Errorf("followed ends so: %s", live)
	}
	if short := outputOf(t, t.Context(), "log", "-n", "2", file); strings.Count(short, "\n") != 2 {
		t.Errorf("two lines are\n%s", short)
	}
}

// TestLogNumbers: a log shows durations with their unit, and counts in full.
func TestLogNumbers(t *testing.T) {
	var b bytes.Buffer
	newReporter(&b, true, false).log.Info("drawn", "took", 2_686_533_857*time.Nanosecond, "bytes", 1234567)
	line, ok := sayEvent(b.Bytes())
	if !ok || line.text != "drawn bytes=1234567 took=2.687s" {
		t.Errorf("the line is %q", line.text)
	}
}

// TestStatusWhileOpening: a process that ends while it opens a run leaves the figures of the one before.
func TestStatusWhileOpening(t *testing.T) {
	run := harvest.Run(t.TempDir())
	for _, phase := range []string{control.Crawling, control.Opening} {
		r := newReporter(io.Discard, false, true)
		r.attach(run)
		if phase == control.Crawling {
			r.crawling(crawler.Progress{Visits: 533, Captured: 521})
		}
		r.phase(phase)
		r.close()
	}
	x, err := disk.ReadJSON[ui.StatusFile](run.Status())
	if err != nil || x.Phase != control.Opening || x.Captured != 521 || x.Rate() != 0 {
		t.Errorf("the status is %+v, %v", x, err)
	}
}

// TestTail: of a long log only its end is read, in whole lines, and what is added is read once.
func TestTail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "watershed.log")
	line := func(i int) string {
		return fmt.Sprintf(`{"time":"t%06d","level":"WARN","msg":"m","i":%d}`+"\n",
			i, i)
	}
	var b strings.Builder
	for i := range 20_000 {
		b.WriteString(line(i))
	}
	if err := os.WriteFile(path, []byte(b.String()+`{"time":"half`), 0o666); err != nil {
		t.Fatal(err)
	}
	x := &tail{path: path, say: sayEvent}
	first, err := x.read()
	if err != nil || len(first) < 1000 || len(first)*len(line(1)) > logTail ||
		first[len(first)-1].text != "WARN: m i=19999" {
		t.Fatalf("%d lines, %v", len(first), err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`x"}` + "\n" + line(20_000)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if more, err := x.read(); err != nil || len(more) != 2 || more[1].text != "WARN: m i=20000" {
		t.Errorf("added: %v, %v", more, err)
	}
	if more, err := x.read(); err != nil || len(more) != 0 {
		t.Errorf("nothing added: %v, %v", more, err)
	}
}
