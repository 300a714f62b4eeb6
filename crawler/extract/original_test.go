package extract

import (
	"testing"

	"watershed/page"
)

// The spelling of a reference is kept where the canonical URL has lost it.
func TestOriginal(t *testing.T) {
	tests := []struct{ ref, url, want string }{
		{"b.html", "http://a.example/x/b.html", ""},
		{"../b.html#top", "http://a.example/b.html", ""},
		{"//b.example/c", "http://b.example/c", ""},
		{"http://b.example", "http://b.example/", ""},
		{"..", "http://a.example/", ""},
		{"%7euser/", "http://a.example/x/%7Euser/", "%7euser/"},
		{"HTTP://B.example/C", "http://b.example/C", "HTTP://B.example/C"},
		{"a b.html", "http://a.example/x/a%20b.html", "a b.html"},
		{"x/../y", "http://a.example/x/y", "x/../y"},
	}
	for _, tt := range tests {
		e, err := New(Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := e.Extract(Input{URL: "http://a.example/x/", Body: []byte(`<!DOCTYPE html><a href="` + tt.ref + `">x</a>`), Header: map[string][]string{"Content-Type": {"text/html"}}})
		if len(r.Links) != 1 || r.Links[0].URL != page.URL(tt.url) || r.Links[0].Original != tt.want {
			t.Errorf("%q: %+v, want %s with original %q", tt.ref, r.Links, tt.url, tt.want)
		}
	}
}
