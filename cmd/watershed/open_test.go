package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// lineWriter hands over the first line that is written to it.
type lineWriter struct{ first chan string }

func (w *lineWriter) Write(p []byte) (int, error) {
	select {
	case w.first <- string(p):
	default:
	}
	return len(p), nil
}

// TestOpen has a script in the place of the browser's starter: it hands the link back through a
// pipe, or fails, or is missing.
func TestOpen(t *testing.T) {
	sh, err := exec.LookPath("sh")
	mkfifo, err2 := exec.LookPath("mkfifo")
	if err != nil || err2 != nil {
		t.Skip("there is no shell or no mkfifo")
	}
	for _, c := range []struct{ name, script string }{
		{"started", "#!" + sh + "\nprintf %s \"$1\" >\"$PIPE\"\n"},
		{"failed", "#!" + sh + "\nexit 3\n"},
		{"none", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			yaml, pipe := filepath.Join(dir, "site.yaml"), filepath.Join(dir, "pipe")
			text := "harvest: site\noperator: {name: Example Library, contact: " +
				"\"mailto:archive@example.org\"}\nsites:\n  - name: site\n    seeds: " +
				"[\"http://www.site.example/\"]\n"
			if err := os.WriteFile(yaml, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.CommandContext(t.Context(), mkfifo, pipe).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			t.Setenv("PIPE", pipe)
			t.Setenv("PATH", dir)
			t.Setenv("DISPLAY", ":0")
			if c.script != "" {
				for _, name := range []string{"xdg-open", "open"} {
					if err := os.WriteFile(filepath.Join(dir, name), []byte(c.script), 0o777); err != nil {
						t.Fatal(err)
					}
				}
			}
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			out, code := &lineWriter{make(chan string, 1)}, make(chan int, 1)
			var stderr bytes.Buffer
			var link string
			go func() { code <- run(ctx, []string{"ui", "--open", yaml}, out, &stderr) }()
			if c.name == "started" {
				p, err := os.Open(pipe) // waits for the script
				if err != nil {
					t.Fatal(err)
				}
				text, err := io.ReadAll(p)
				if err != nil {
					t.Fatal(err)
				}
				if err := p.Close(); err != nil {
					t.Error(err)
				}
				link = string(text)
			} else {
				link = <-out.first
			}
			stop()
			if n := <-code; n != exitOK {
				t.Errorf("exit code %d: %s", n, stderr.String())
			}
			if !strings.HasPrefix(link, "http://127.0.0.1:") || !strings.Contains(link, "/enter?token=") {
				t.Errorf("link %q", link)
			}
			if c.name == "started" && len(out.first) > 0 {
				t.Error("the link was printed too")
			}
			if failed := strings.Contains(stderr.String(), "was not started"); failed !=
				(c.name == "failed") {
				t.Error(stderr.String())
			}
		})
	}
}

// TestBrowserProgram: without a desktop no browser is started, whatever programs there are.
func TestBrowserProgram(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte("#!/bin/sh\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	if got := browserProgram("linux"); got != "" {
		t.Errorf("without a desktop: %q", got)
	}
	t.Setenv("WAYLAND_DISPLAY", "wayland-0")
	if got := browserProgram("linux"); got != filepath.Join(dir, "xdg-open") {
		t.Errorf("with a desktop: %q", got)
	}
	if got := browserProgram("darwin"); got != "" {
		t.Errorf("without the program: %q", got)
	}
}
