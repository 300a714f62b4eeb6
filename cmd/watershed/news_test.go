package main

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"watershed/cluster"
	"watershed/crawler"
	"watershed/notify"
)

// TestToldOfTheEnd: whoever waits for a harvest is told how it ended and that a host refuses, by a
// signed webhook; a mail server that is down changes nothing; no secret is kept with the run.
func TestToldOfTheEnd(t *testing.T) {
	const secret, token = "hunter2secret", "t0kenInTheAddress"
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/b" {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<title>a</title><p>one two three <a href="/b">b</a>`)
	}))
	defer site.Close()
	var mu sync.Mutex
	var got []notify.News
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var n notify.News
		if err := json.Unmarshal(body, &n); err != nil || r.URL.Path != "/"+token ||
			r.Header.Get(notify.SignatureField) != notify.Signature(secret, body) {
			t.Errorf("%v: %s %v", err, body, r.Header)
		}
		mu.Lock()
		got = append(got, n)
		mu.Unlock()
	}))
	defer hook.Close()
	dir := t.TempDir()
	t.Setenv("HOOK", hook.URL+"/"+token)
	if err := os.WriteFile(filepath.Join(dir, "hook.secret"), []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "a.yaml")
	text := fmt.Sprintf(`harvest: a
operator: {name: Test, contact: "mailto:test@a.example"}
politeness: {min_delay: 0s, address_delay: 0s, retry: {attempts: 2, delay: 2s, host_attempts: 3}}
network: {allow_private: [127.0.0.0/8], dial_ports: {80: %s}, resolve: [{match: "*", address: 127.0.0.1}]}
sites: [{name: a, seeds: ["http://a.example/"], boundary: host}]
notify:
  mail: {server: "127.0.0.1:1", from: w@a.example, to: [ann@a.example], tls: none}
  webhook: {url: "env:HOOK", secret: "file:hook.secret"}
`, site.URL[strings.LastIndexByte(site.URL, ':')+1:])
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, said := ends(t, t.Context(), exitLosses, "harvest", "--json-log", file)
	ends(t, t.Context(), exitOK, "config", "show", file)
	if len(got) == 0 {
		t.Fatalf("nobody was told\n%s", said)
	}
	last := got[len(got)-1]
	if last.Kinds[0] != notify.Losses || last.Run != "run-0001" || last.Subject != "Harvest a: "+
		"complete with losses" ||
		!strings.Contains(last.Text, "1 page") || !strings.Contains(fmt.Sprint(last.Data), "losses") {
		t.Errorf("told %+v", last)
	}
	if !strings.Contains(said, "could not be told") ||
		!strings.Contains(said, "See notify.mail in "+file) ||
		!strings.Contains(said, `"Harvest a: complete with losses" could not be told by mail: to `) {
		t.Errorf("nothing is said of the mail:\n%s", said)
	}
	tellsNone(t, "what is said", []byte(out+said), []string{secret, token})
	err := filepath.WalkDir(filepath.Join(dir, "harvests"), func(path string, d fs.DirEntry,
		err error,
	) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		tellsNone(t, path, b, []string{secret, token})
		return err
	})
	if err != nil {
		t.Error(err)
	}
	t.Setenv("HOOK", "")
	if _, said := ends(t, t.Context(), exitConfig, "harvest", file); !strings.Contains(said, "no HOOK") {
		t.Errorf("without the variable it says %s", said)
	}
}

// TestNewsOfProgress: a full disk is told each time that it fills, hosts that refuse once a run.
func TestNewsOfProgress(t *testing.T) {
	var got []string
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get(notify.KindField)) // a single teller: one after the other
	}))
	defer hook.Close()
	o := notify.Options{
		On: []notify.Kind{notify.Disk, notify.Refused}, Webhook: &notify.Webhook{URL: hook.URL},
		Grace: time.Minute,
	}
	err := notify.With(t.Context(), o, func(x *notify.Teller) error {
		n := &news{teller: x, name: "a"}
		for _, p := range []crawler.Progress{
			{}, {Backoff: 1}, {Backoff: 2}, {Paused: true}, {Paused: true}, {}, {Backoff: 1}, {Paused: true},
		} {
			n.watch(&p)
		}
		return nil
	})
	if want := "[refused disk disk]"; err != nil || fmt.Sprint(got) != want {
		t.Errorf("told %v, want %s; %v", got, want, err)
	}
}

// TestNewsOfShards: a shard whose harvest breaks off again and again is told of once, until it came further;
// whoever follows the harvest sees each time. News of a shard's own process name its node.
func TestNewsOfShards(t *testing.T) {
	var got []notify.News
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var n notify.News
		if err := json.NewDecoder(r.Body).Decode(&n); err != nil {
			t.Error(err)
		}
		got = append(got, n) // a single teller: one after the other
	}))
	defer hook.Close()
	o := notify.Options{
		On: []notify.Kind{notify.Losses, notify.Refused}, Webhook: &notify.Webhook{URL: hook.URL},
		Grace: time.Minute,
	}
	var said strings.Builder
	err := notify.With(t.Context(), o, func(x *notify.Teller) error {
		n, before := &news{teller: x, name: "a"}, 0
		for _, times := range []int{1, 2, 4, 5, 1, 3, 4} {
			n.broke(cluster.ShardID{Harvest: "a", Shard: 7},
				&cluster.ShardRecord{Node: "two", Broken: times, Said: "why"}, before, &said)
			before = times
		}
		(&news{teller: x, name: "a-007", node: "two"}).watch(&crawler.Progress{Backoff: 1})
		return nil
	})
	var subjects []string
	for _, n := range got {
		subjects = append(subjects, n.Subject)
	}
	const broke = "Harvest a: shard a-007 breaks off again and again"
	want := []string{broke, broke, "Harvest a-007 at node two: 1 host refuse or do not answer"}
	if err != nil || !slices.Equal(subjects, want) || !strings.Contains(got[0].Text, "4 times") ||
		!strings.Contains(got[0].Text, "at node two: why") || strings.Count(said.String(), "broke off") != 7 {
		t.Errorf("%v: told are %+v; said was %s", err, got, said.String())
	}
}
