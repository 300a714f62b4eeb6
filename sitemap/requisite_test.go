package sitemap

import (
	"slices"
	"strings"
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

// TestExcludedRequisites: what a page needs and a rule keeps out is told as outside, once, by that
// rule; what only a page outside needs is not told.
func TestExcludedRequisites(t *testing.T) {
	w := parseWeb(t, `
		http://a.example/ -> more.html http://b.example/ i=http://cdn.example/1.png i=own.png
		http://a.example/more.html -> / i=http://cdn.example/1.png i=style.css http://cdn.example/2.png
		http://a.example/style.css -> i=http://cdn.example/2.png i=http://cdn.example/3.png
		http://b.example/ -> i=http://cdn.example/b.png
		http://a.example/own.png ->
	`)
	for _, boundary := range []Mode{Logical, HostOnly} {
		s, m := w.surveyed(t, Site{
			Seeds: []page.URL{"http://a.example/"}, Boundary: boundary,
			Exclude: []page.Rule{mustRule(t, "host:cdn.example")},
		}, Options{})
		var got []page.URL
		for i := range m.Outside {
			if x := &m.Outside[i]; x.Reason == byRule && x.Note == "host:cdn.example" && m.Excludes(x.URL) {
				got = append(got, x.URL)
			}
		}
		want := []page.URL{"http://cdn.example/1.png", "http://cdn.example/2.png", "http://cdn.example/3.png"}
		if !slices.Equal(got, want) || len(m.Requisites) != 2 {
			t.Errorf("%s: left out %v, want %v; requisites %v", boundary, got, want, m.Requisites)
		}
		e := m.Explain(want[0]).String()
		if !strings.HasSuffix(e, "is outside: a rule keeps it out (host:cdn.example)") {
			t.Errorf("%s: %s", boundary, e)
		}
		if p := s.sites[0]; p.files.parts != 0 {
			t.Errorf("%s: %d requisites are waited for", boundary, p.files.parts)
		}
	}
}
