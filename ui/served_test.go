package ui

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"watershed/harvest"
	"watershed/holdings"
	"watershed/lab/kit/browser"
	"watershed/page"
	"watershed/quality"
)

// servedPages is how many pages of a harvest other programs have to show.
const servedPages = 20

// served has a desk serve the harvest that DESK_HARVEST names, and gives where replay programs find
// it.
func served(t *testing.T) (harvest.Folder, string) {
	t.Helper()
	folder := harvest.Folder(os.Getenv("DESK_HARVEST"))
	if folder == "" {
		t.Skip("DESK_HARVEST is not set")
	}
	name := filepath.Base(string(folder))
	s, err := New(Options{Harvests: []Harvest{{Name: name, Folder: folder}}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done, ready := make(chan error, 1), make(chan string, 1)
	go func() { done <- s.Serve(ctx, func(link string) { ready <- link }) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	select {
	case <-ready:
	case err := <-done:
		t.Fatal(err)
	}
	return folder, "http://127.0.0.1:" + s.port.Load().(string) + "/" + s.replay.Key + "/" +
		url.PathEscape(name) + "/"
}

// TestServedToPywb has pywb replay pages of a harvest, with all that they need, out of the archive
// that a desk serves: by the index at cdx and the WARC files by range. Each comes back with the
// status, the time and the very bytes of its capture; of one that had not changed since an earlier
// one, pywb tells the time of that. PYWB is the command that starts pywb, such as wayback:
//
//	DESK_HARVEST=D/demo PYWB=wayback go test ./ui -run ServedToPywb -v
func TestServedToPywb(t *testing.T) {
	program := os.Getenv("PYWB")
	if program == "" {
		t.Skip("PYWB is not set")
	}
	folder, root := served(t)
	dir := t.TempDir()
	config := "collections:\n  h:\n    index:\n      type: cdx\n      api_url: " + root +
		"cdx?url={url}&closest={closest}&sort=closest\n      replay_url: ''\n    archive_paths: " + root +
		"files/\n"
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(config), 0o666); err != nil {
		t.Fatal(err)
	}
	at := startPywb(t, program, dir)
	r, err := quality.Check(t.Context(), folder, quality.Options{Pages: servedPages})
	if err != nil {
		t.Fatal(err)
	}
	checked := map[page.URL]bool{}
	for i := range r.Pages {
		urls := []page.URL{r.Pages[i].URL}
		for _, q := range r.Pages[i].Requisites {
			if q.State == quality.Own || q.State == quality.Revisit || q.State == quality.Error {
				urls = append(urls, q.At)
			}
		}
		for _, u := range urls {
			if !checked[u] {
				checked[u] = true
				if err := comesBack(t.Context(), folder, at, u); err != nil {
					t.Errorf("%s: %v", u, err)
				}
			}
		}
	}
	t.Logf("%d pages, %d captures in all", len(r.Pages), len(checked))
}

// startPywb starts pywb in a folder and gives where it listens.
func startPywb(t *testing.T, program, dir string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err := errors.Join(err, l.Close()); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	ctx, stop := context.WithCancel(t.Context())
	c := exec.CommandContext(ctx, program, "-b", "127.0.0.1", "-p", port)
	c.Dir, c.Stdout, c.Stderr = dir, &out, &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	t.Cleanup(func() {
		stop()
		<-ended
	})
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for range 600 {
		if c, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
			_ = c.Close() // it was only to see
			return "http://127.0.0.1:" + port + "/h/"
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("pywb ended: %v\n%s", err, out.String())
		case <-tick.C:
		}
	}
	t.Fatal("pywb does not listen")
	return ""
}

// comesBack compares what a program replays of a URL with the capture that answers for it.
func comesBack(ctx context.Context, folder harvest.Folder, at string, u page.URL) error {
	f, err := holdings.Find(folder, u, time.Time{})
	if err != nil {
		return err
	}
	same, captured := f.Status() == "", f.Time // the same as an earlier one
	rec, err := f.Open(folder)
	if err != nil {
		return err
	}
	defer rec.Close()
	m, err := rec.HTTP()
	if err != nil {
		return err
	}
	want, err := io.ReadAll(m.Payload())
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at+f.Time.UTC().Format("20060102150405")+"id_/"+
		string(f.URL), nil)
	if err != nil {
		return err
	}
	r.Header.Set("Accept-Encoding", "gzip, deflate, br, zstd")
	client := http.Client{
		Transport:     &http.Transport{DisableCompression: true, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	got, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode != m.Status || !bytes.Equal(got, want) {
		return fmt.Errorf("status %d and %d bytes, want %d and %d: %.200s", answer.StatusCode, len(got),
			m.Status, len(want), got)
	}
	told, err := http.ParseTime(answer.Header.Get("Memento-Datetime"))
	if err != nil || told.Equal(captured) {
		return err
	}
	if earlier, err := holdings.Find(folder, f.URL, told); !same || err != nil || !earlier.Time.Equal(told) ||
		told.After(captured) {
		return fmt.Errorf("of %s, want %s: %w", told, captured, err)
	}
	return nil
}

// servedPage is a page that ReplayWeb.page has to show.
type servedPage struct {
	URL   page.URL   `json:"url"`
	Time  string     `json:"time"`  // 14 digits
	Words []string   `json:"words"` // that begin its text
	Held  []page.URL `json:"held"`  // what it needs and the run has
}

// TestServedToReplayWeb has ReplayWeb.page show pages of a harvest's first run out of the package
// that a desk serves by range, with their scripts, in headless Chromium. REPLAYWEB names the folder
// of the npm package replaywebpage:
//
//	DESK_HARVEST=D/demo REPLAYWEB=node_modules/replaywebpage go test ./ui -run ServedToReplayWeb -v
//
// DESK_PICTURES names a folder for a picture of each page.
func TestServedToReplayWeb(t *testing.T) {
	program := os.Getenv("REPLAYWEB")
	if program == "" {
		t.Skip("REPLAYWEB is not set")
	}
	launch := browser.Launch(t)
	folder, root := served(t)
	run := folder.Run(1)
	source, err := filepath.Glob(filepath.Join(string(run), "*.wacz"))
	if err != nil || len(source) == 0 {
		t.Fatal("the first run has no package", err)
	}
	r, err := quality.Check(t.Context(), folder, quality.Options{
		Pages: servedPages,
		Runs:  []harvest.Run{run},
	})
	if err != nil {
		t.Fatal(err)
	}
	reader, err := holdings.NewReader(folder)
	if err != nil {
		t.Fatal(err)
	}
	var pages []servedPage
	for i := range r.Pages {
		p := &r.Pages[i]
		f, err := holdings.Find(folder, p.URL, time.Unix(0, 0)) // the first capture
		if err != nil {
			t.Fatal(err)
		}
		d, err := reader.Read(f)
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Fields(d.Text)
		x := servedPage{
			URL: p.URL, Time: f.Time.UTC().Format("20060102150405"),
			Words: words[:min(len(words), 40)], Held: []page.URL{},
		}
		for _, q := range p.Requisites {
			if q.State == quality.Own && q.Run == run.Name() && !slices.Contains(x.Held, q.URL) {
				x.Held = append(x.Held, q.URL)
			}
		}
		pages = append(pages, x)
	}
	text, err := json.Marshal(pages)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "pages.json")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	at := root + "files/" + run.Name() + "/" + url.PathEscape(filepath.Base(source[0]))
	out := browser.Output(t, nil, "testdata/replayweb.cjs", launch, program, at, file,
		os.Getenv("DESK_PICTURES"))
	t.Logf("%s", out)
	if bytes.Contains(out, []byte("WRONG")) {
		t.Error("a page is not as it should be")
	}
}
