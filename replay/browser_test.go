package replay

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"watershed/harvest"
	"watershed/lab/kit/browser"
)

// TestBrowser opens the hostile page in headless Chromium (testdata/browser.cjs).
func TestBrowser(t *testing.T) {
	launch := browser.Launch(t)
	folder := fixture(t)
	s := httptest.NewServer(&Server{
		Key:     "key",
		Folder:  func(name string) (harvest.Folder, bool) { return folder, name == "h" },
		Sheet:   []byte("iframe{width:100%}"),
		Allowed: func(*http.Request) bool { return true }, Text: func(s string) string { return s },
	})
	defer s.Close()
	browser.Run(t, "testdata/browser.cjs", launch, s.URL+at("view", "http://www.a.example/", 0))
}
