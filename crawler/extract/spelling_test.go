package extract

import (
	"testing"

	"watershed/page"
)

// A link tells how its URL is written, also where that comes from the page's own address or its
// base.
func TestSpelling(t *testing.T) {
	tests := []struct{ base, ref, url, want string }{
		{"", "b.html", "http://a.example/%D0%BF/b.html", "http://a.example/%d0%bf/b.html"},
		{"", "/%7euser/", "http://a.example/%7Euser/", "http://a.example/%7euser/"},
		{"", "/%7Euser/", "http://a.example/%7Euser/", ""},
		{"", "?q=%2f&x=%2F", "http://a.example/%D0%BF/?q=%2F&x=%2F", "http://a.example/%d0%bf/?q=%2f&x=%2F"},
		{"", "/50%off", "http://a.example/50%off", ""},
		{"", "/%u0431", "http://a.example/%u0431", ""},
		{"", "/п", "http://a.example/%D0%BF", ""},
		{"", "HTTP://B.example/%c3", "http://b.example/%C3", "http://b.example/%c3"},
		{"/%C3/", "b.html", "http://a.example/%C3/b.html", ""},
		{"/%c3/", "b.html", "http://a.example/%C3/b.html", "http://a.example/%c3/b.html"},
	}
	e, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		head := ""
		if tt.base != "" {
			head = `<base href="` + tt.base + `">`
		}
		r := e.Extract(Input{
			URL: "http://a.example/%D0%BF/", Spelled: "http://a.example/%d0%bf/",
			Body:   []byte(`<!DOCTYPE html><meta charset=utf-8>` + head + `<a href="` + tt.ref + `">x</a>`),
			Header: map[string][]string{"Content-Type": {"text/html"}},
		})
		want := page.Link{
			URL: page.URL(tt.url), Spelled: page.Spelling(tt.want), Kind: page.Navigation,
			Context: "a/@href", Text: "x",
		}
		if len(r.Links) != 1 || r.Links[0] != want {
			t.Errorf("%q on %q: %+v, want %+v", tt.ref, tt.base, r.Links, want)
		}
	}
}
