package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestWatched measures what those who watch cost a harvest: it takes the processor time of the
// harvest's process, its desk in it, by turns with nobody who watches and with twenty who follow
// the map of its first site. Each watcher does what a browser does: it keeps the stream of events
// open, and asks for the page anew whenever the run shows a newer state.
//
//	go build -o watershed ./cmd/watershed
//	WATERSHED=$PWD/watershed WATCHED=$PWD/site.yaml go test ./cmd/watershed -run Watched -v
//
// ROUNDS is how often, 3 by default. The harvest starts over in each, and what there was of it is
// kept aside.
func TestWatched(t *testing.T) {
	program, file := os.Getenv("WATERSHED"), os.Getenv("WATCHED")
	if program == "" || file == "" {
		t.Skip("WATERSHED or WATCHED is not set")
	}
	rounds, err := strconv.Atoi(os.Getenv("ROUNDS"))
	if err != nil {
		rounds = 3
	}
	var sum [2]time.Duration
	for round := range rounds {
		for i, n := range []int{0, 20} {
			cpu, wall, pages := watched(t, program, file, n)
			sum[i] += cpu
			t.Logf("round %d: %2d watch: %.2f s of processor time, %.1f s; %d pages were shown", round+1, n,
				cpu.Seconds(), wall.Seconds(), pages)
		}
	}
	t.Logf("with 20 who watch %+.1f %%", 100*(float64(sum[1])/float64(sum[0])-1))
}

// watched harvests, with so many who watch, and tells what it took.
func watched(t *testing.T, program, file string, watchers int) (cpu, wall time.Duration, pages int64) {
	t.Helper()
	const token = "correct horse battery"
	secret := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(secret, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), program, "harvest", file, "--fresh", "--ui", "--token-file", secret)
	told, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	c.Stdout = &out
	begun := time.Now()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var group sync.WaitGroup
	var shown atomic.Int64
	lines := bufio.NewScanner(told)
	for lines.Scan() {
		if _, link, ok := strings.Cut(lines.Text(), "The desk, for one browser: "); ok {
			u, err := url.Parse(link)
			if err != nil {
				t.Fatal(err)
			}
			w := watcher{host: u.Host, token: token, shown: &shown}
			for range watchers {
				group.Go(func() {
					if err := w.follow(ctx); err != nil && ctx.Err() == nil {
						t.Log(err) // the harvest has ended
					}
				})
			}
		}
	}
	if err := c.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	wall = time.Since(begun)
	stop()
	group.Wait()
	return c.ProcessState.UserTime() + c.ProcessState.SystemTime(), wall, shown.Load()
}

// watcher follows the only harvest of a desk.
type watcher struct {
	host  string
	token string
	shown *atomic.Int64
}

func (w *watcher) get(ctx context.Context, path string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+w.host+path, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+w.token)
	return http.DefaultClient.Do(r)
}

func (w *watcher) ask(ctx context.Context, path string, answer any) error {
	r, err := w.get(ctx, path)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: status %d", path, r.StatusCode)
	}
	if answer == nil {
		_, err = io.Copy(io.Discard, r.Body)
		return err
	}
	return json.NewDecoder(r.Body).Decode(answer)
}

// follow watches until the run is over.
func (w *watcher) follow(ctx context.Context) error {
	var home struct{ Harvests []struct{ Name string } }
	if err := w.ask(ctx, "/api/v1/harvests", &home); err != nil {
		return err
	}
	root := "/harvests/" + url.PathEscape(home.Harvests[0].Name)
	var events *http.Response
	for tick := time.NewTicker(100 * time.Millisecond); ; <-tick.C { // until there is a run to be watched
		var err error
		if events, err = w.get(ctx, root+"/events"); err != nil {
			return err
		}
		if events.StatusCode == http.StatusOK {
			break
		}
		events.Body.Close()
	}
	defer events.Body.Close()
	lines := bufio.NewScanner(events.Body)
	lines.Buffer(nil, 1<<20)
	latest := ""
	for lines.Scan() {
		text, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e struct{ Present string }
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			return err
		}
		if e.Present == "" || e.Present == latest {
			continue
		}
		latest = e.Present
		var sites struct{ Sites []struct{ Folder string } }
		if err := w.ask(ctx, "/api/v1"+root+"/sites", &sites); err != nil || len(sites.Sites) == 0 {
			return err
		}
		if err := w.ask(ctx, root+"/sites/"+sites.Sites[0].Folder, nil); err != nil {
			return err
		}
		w.shown.Add(1)
	}
	return lines.Err()
}
