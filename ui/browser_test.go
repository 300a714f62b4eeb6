package ui

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"testing"

	"watershed/search"
)

// TestBrowser looks at every view in headless Chromium (testdata/browser.cjs). PLAYWRIGHT names the folder of playwright-core;
// without it, without node or in short mode, the test is skipped. DESK_PICTURES names a folder for screenshots.
func TestBrowser(t *testing.T) {
	playwright := os.Getenv("PLAYWRIGHT")
	node, err := exec.LookPath("node")
	if playwright == "" || err != nil || testing.Short() {
		t.Skip("PLAYWRIGHT is not set, or node is not there")
	}
	d := newDesk(t)
	writePages(t, d.folder.Run(1), map[string]string{
		"http://www.gemo.example/a": "<title>" + evil + "</title><p>the old page says <b onclick='alert(1)'>much</b> here<script>alert(1)</script><img src=lost.png>",
		"http://m0.example/a":       "<p>the new page says nothing here <a href='http://live.example/'>away</a>",
	})
	if _, err := search.Update(t.Context(), d.folder, nil); err != nil {
		t.Fatal(err)
	}
	paths, err := json.Marshal(map[string]string{
		"home": "/", "harvest": "/harvests/gemo", "sites": "/harvests/gemo/sites", "site": "/harvests/gemo/sites/000-gemo",
		"control": "/harvests/gemo/control", "decisions": "/harvests/gemo/decisions",
		"scales":  "/harvests/gemo/sites/001-scaled/scales?at=0.2",
		"explain": "/harvests/gemo/explain?url=http://h1.example/d1/p1", "skipped": "/harvests/gemo/skipped?page=3",
		"mirrors": "/harvests/gemo/mirrors", "changes": "/harvests/gemo/changes", "captures": "/harvests/gemo/captures",
		"quality": "/harvests/gemo/quality?pages=5", "search": "/harvests/gemo/search?q=page", "compare": "/harvests/gemo/mirrors/compare?from=m0.example",
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	links, done := make(chan string, 1), make(chan error, 1)
	go func() { done <- d.server.Serve(ctx, func(link string) { links <- link }) }()
	var out []byte
	select {
	case link := <-links:
		out, err = exec.CommandContext(ctx, node, "testdata/browser.cjs", playwright, link, string(paths), os.Getenv("DESK_PICTURES")).CombinedOutput()
	case err = <-done:
		done <- nil
	}
	stop()
	if err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
