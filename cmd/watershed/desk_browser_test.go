package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"watershed/demo"
)

// TestRunningInBrowser looks at a harvest that is under way, slowed down, in headless Chromium
// (ui/testdata/live.cjs): every view shows its present state and says when that was, and follows it
// without taking anything from under who reads. PLAYWRIGHT names the folder of playwright-core;
// without it, without node or in short mode, the test is skipped. AXE names the file axe.min.js of
// axe-core, whose judgement is asked for where it is there, and DESK_PICTURES a folder for a
// picture of each view.
func TestRunningInBrowser(t *testing.T) {
	playwright := os.Getenv("PLAYWRIGHT")
	node, err := exec.LookPath("node")
	if playwright == "" || err != nil || testing.Short() {
		t.Skip("PLAYWRIGHT is not set, or node is not there")
	}
	dir := t.TempDir()
	web := demo.New(demo.Options{})
	err = web.Serve(t.Context(), func(ctx context.Context) error {
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
		out, err := exec.CommandContext(ctx, node, "../../ui/testdata/live.cjs", playwright, link,
			"/harvests/demo", os.Getenv("DESK_PICTURES")).CombinedOutput()
		if err != nil || len(out) > 0 {
			t.Errorf("%v\n%s", err, out)
		}
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
