package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"watershed/demo"
	"watershed/lab/kit/browser"
)

// TestRunningInBrowser looks at a harvest that is under way, slowed down, in headless Chromium
// (ui/testdata/live.cjs): every view shows its present state and says when that was, and follows it
// without taking anything from under who reads. DESK_PICTURES names a folder for a picture of each
// view.
func TestRunningInBrowser(t *testing.T) {
	t.Parallel()
	launch := browser.Launch(t)
	dir := t.TempDir()
	web := demo.New(demo.Options{})
	err := web.Serve(t.Context(), func(ctx context.Context) error {
		file := filepath.Join(dir, "demo.yaml")
		if err := os.WriteFile(file, slowly(t, demoYAML(web)), 0o666); err != nil {
			return err
		}
		ctx, stop := context.WithCancel(ctx)
		told, stderr := io.Pipe()
		exit := make(chan int, 1)
		go func() {
			exit <- run(ctx, []string{"harvest", file, "--ui"}, io.Discard, stderr)
			stderr.Close()
		}()
		link := ""
		lines := bufio.NewScanner(told)
		for lines.Scan() && !strings.HasPrefix(lines.Text(), "crawling:") {
			if _, text, ok := strings.Cut(lines.Text(), "The desk, for one browser: "); ok {
				link = text
			}
		}
		go io.Copy(io.Discard, told) // until it is closed
		browser.Run(t, "../../ui/testdata/live.cjs", launch, link, "/harvests/demo",
			os.Getenv("DESK_PICTURES"))
		stop()
		if code := <-exit; code != exitInterrupted {
			t.Errorf("the harvest had ended before it was looked at: exit %d", code)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// slowly has a harvest ask a host once in two seconds at most.
func slowly(t *testing.T, yaml []byte) []byte {
	t.Helper()
	const fast, slow = "min_delay: 20ms\n  max_delay: 200ms", "min_delay: 2s\n  max_delay: 3s"
	if !bytes.Contains(yaml, []byte(fast)) {
		t.Fatalf("the demo has another delay:\n%s", yaml)
	}
	return bytes.Replace(yaml, []byte(fast), []byte(slow), 1)
}
