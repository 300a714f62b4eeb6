package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// TestSecretsStayInMemory: a proxy's user name and password are in no file of a harvest, and in
// nothing that a command or the desk says; a run that goes on has them all the same.
func TestSecretsStayInMemory(t *testing.T) {
	const user, password = "annthearchivist", "hunter2secret"
	login := base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
	secrets := []string{user, password, login}
	var asked, strangers atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Proxy-Authorization") != "Basic "+login {
			strangers.Add(1)
		}
		asked.Add(1)
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w,
			`<title>a page</title><p>one two three<a href="/a">a</a><a href="http://gone.invalid/">b</a>`)
	}))
	defer server.Close()
	dir := t.TempDir()
	file := filepath.Join(dir, "a.yaml")
	text := fmt.Sprintf(`harvest: a # once proxy: http://%[1]s@old.example:3128
operator: {name: Test, contact: "mailto:test@a.example"}
politeness: {min_delay: 0s, max_delay: 0s, address_delay: 0s,
  retry: {attempts: 1, delay: 1s, host_attempts: 3}}
network:
  proxy: "http://%[1]s@%[2]s"
  allow_private: [127.0.0.0/8]
archive: {wacz: true}
sites: [{name: a, seeds: ["http://a.example/"], boundary: host}]
`, user+":"+password, strings.TrimPrefix(server.URL, "http://"))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	for _, args := range [][]string{
		{"harvest", "--json-log", "--words", file},
		{"harvest", file}, // the recrawl
		{"config", "check", file},
		{"config", "show", file},
		{"config", "show", "--json", file},
		{"status", file},
		{"status", "--json", file},
		{"report", file, "hosts"},
		{"explain", file, "http://a.example/a"},
		{"skipped", file},
		{"quality", file},
		{"scales", file},
		{"changes", file},
		{"mirrors", "list", file},
		{"forecast", file},
	} {
		fmt.Fprintf(&said, "%v: ", args)
		if code := run(t.Context(), args, &said, &said); code == exitUsage || code == exitConfig {
			t.Fatalf("%v: exit %d\n%s", args, code, said.String())
		}
	}
	if n := asked.Load(); n < 4 || strangers.Load() > 0 {
		t.Errorf("%d requests, %d of them without the password", n, strangers.Load())
	}
	seeded := filepath.Join(dir, "seeded.yaml")
	text = strings.Replace(text, "http://a.example/", "http://"+user+":"+password+"@a.example/", 1)
	if err := os.WriteFile(seeded, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := run(t.Context(), []string{"harvest", seeded}, &said, &said); code != exitConfig {
		t.Errorf("a seed with a password: exit %d\n%s", code, said.String())
	}
	tellsNone(t, "what commands print", said.Bytes(), secrets)
	files := 0
	err := filepath.WalkDir(filepath.Join(dir, "harvests"),
		func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(path)
			files++
			tellsNone(t, path, b, secrets)
			return err
		})
	if err != nil || files < 20 {
		t.Errorf("%d files, %v", files, err)
	}
	kept, err := os.ReadFile(filepath.Join(dir, "harvests", "a", "run-0001", "harvest.yaml"))
	if want := "http://redacted@" + strings.TrimPrefix(server.URL, "http://"); err != nil ||
		strings.Count(string(kept), "redacted") != 2 || !strings.Contains(string(kept), want) {
		t.Errorf("%v\n%s", err, kept)
	}
}

// tellsNone looks for secrets in bytes, and in what they hold compressed.
func tellsNone(t *testing.T, name string, b []byte, secrets []string) {
	t.Helper()
	for _, secret := range secrets {
		if i := bytes.Index(b, []byte(secret)); i >= 0 {
			t.Errorf("%s has %s: %.200q", name, secret, b[max(0, i-60):])
		}
	}
	if bytes.HasPrefix(b, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		whole, err := io.ReadAll(z)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		tellsNone(t, name+" unzipped", whole, secrets)
	}
	if z, err := zip.NewReader(bytes.NewReader(b), int64(len(b))); err == nil {
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			inner, err := io.ReadAll(r)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			tellsNone(t, name+" "+f.Name, inner, secrets)
		}
	}
}
