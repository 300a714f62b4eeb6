package sitemap

import (
	"slices"
	"testing"

	"watershed/page"
)

// TestMenuOfScript: the pages that a script of a page names belong where they lie within, and are no
// evidence of what lies elsewhere.
func TestMenuOfScript(t *testing.T) {
	w := parseWeb(t, `
		http://a.example/ -> i=menu.js
		http://a.example/menu.js -> s=files.html s=http://b.example/other.html s=gone.html
		http://a.example/files.html -> more.html
		http://a.example/more.html -> /
		http://b.example/other.html -> more.html
	`)
	_, m := w.surveyed(t, Site{Seeds: []page.URL{"http://a.example/"}}, Options{})
	want := []string{"a.example/", "a.example/files.html", "a.example/more.html"}
	if got := members(m); !slices.Equal(got, want) {
		t.Errorf("members: %v, want %v", got, want)
	}
}
