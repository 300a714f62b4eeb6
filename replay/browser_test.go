package replay

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"

	"watershed/harvest"
)

// TestBrowser opens the hostile page in headless Chromium (testdata/browser.cjs). PLAYWRIGHT names
// the folder of playwright-core; without it, without node or in short mode, the test is skipped.
func TestBrowser(t *testing.T) {
	playwright := os.Getenv("PLAYWRIGHT")
	node, err := exec.LookPath("node")
	if playwright == "" || err != nil || testing.Short() {
		t.Skip("PLAYWRIGHT is not set, or node is not there")
	}
	s := httptest.NewServer(&Server{
		Key: "key", Harvests: map[string]harvest.Folder{"h": fixture(t)}, Sheet: []byte("iframe{width:100%}"),
		Allowed: func(*http.Request) bool { return true }, Text: func(s string) string { return s },
	})
	defer s.Close()
	out, err := exec.CommandContext(t.Context(), node, "testdata/browser.cjs", playwright,
		s.URL+at("view", "http://www.a.example/", 0)).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}
