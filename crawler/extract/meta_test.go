package extract

import (
	"net/textproto"
	"testing"
)

// Cases from the HTML standard, 4.2.5.3, and the web-platform-tests, parsing.html of
// html/semantics/document-metadata/the-meta-element/pragma-directives/attr-meta-http-equiv-refresh.
func TestRefreshURL(t *testing.T) {
	tests := []struct {
		in, want string
		ok       bool
	}{
		{"", "", false},
		{"1", "", false},
		{"1;", "", false},
		{"1; url=foo", "foo", true},
		{"1 ;url=foo", "foo", true},
		{"1,url=foo", "foo", true},
		{"1 url=foo", "foo", true},
		{"\t\n 1; url=foo", "foo", true},
		{"1; URL = 'foo' bar", "foo", true},
		{"1; url=\"foo\"\"bar", "foo", true},
		{"1; url='foo", "foo", true},
		{"1; foo", "foo", true},
		{"1; 'foo'bar", "foo", true},
		{"1; url", "url", true},
		{"1; url=", "", false},
		{"1; urlfoo", "urlfoo", true},
		{"1.5; url=foo", "foo", true},
		{"1..5 url=foo", "foo", true},
		{".9; url=foo", "foo", true},
		{"; url=foo", "", false},
		{"url=foo", "", false},
		{"-1; url=foo", "", false},
		{"+1; url=foo", "", false},
		{"1x; url=foo", "", false},
		{"1;; url=foo", "; url=foo", true},
		{"0;url= 'a b.html' ", "a b.html", true},
	}
	for _, tt := range tests {
		if got, ok := refreshURL(tt.in); got != tt.want || ok != tt.ok {
			t.Errorf("refreshURL(%q) = %q, %v; want %q, %v", tt.in, got, ok, tt.want, tt.ok)
		}
	}
}

func TestRobots(t *testing.T) {
	tests := []struct {
		name, meta        string
		header            []string
		noIndex, noFollow bool
	}{
		{name: "nothing"},
		{name: "both", meta: `<meta name=robots content="noindex,nofollow">`, noIndex: true, noFollow: true},
		{name: "none", meta: `<meta NAME=Robots content=" NONE ">`, noIndex: true, noFollow: true},
		{
			name: "without commas", meta: `<meta name=robots content="noindex nofollow">`, noIndex: true,
			noFollow: true,
		},
		{
			name: "two elements", meta: `<meta name=robots content=noindex><meta name=robots ` +
				`content=nofollow>`,
			noIndex: true, noFollow: true,
		},
		{name: "another crawler", meta: `<meta name=otherbot content=none>`},
		{name: "this crawler", meta: `<meta name=Watershed content=nofollow>`, noFollow: true},
		{name: "header", header: []string{"noindex, nofollow"}, noIndex: true, noFollow: true},
		{
			name: "headers", header: []string{"noindex", "max-snippet: 20, nofollow"}, noIndex: true,
			noFollow: true,
		},
		{name: "header for another", header: []string{"otherbot: noindex, nofollow"}},
		{name: "header for this one", header: []string{"watershed: noindex"}, noIndex: true},
		{name: "header with a date", header: []string{"unavailable_after: 25 Jun 2010 15:00:00 PST"}},
		{
			name: "header with a colon later", header: []string{"nofollow, max-image-preview: large"},
			noFollow: true,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := textproto.MIMEHeader{"Content-Type": {"text/html"}, "X-Robots-Tag": tt.header}
			r := extract(t, Options{Agent: "watershed"}, Input{Header: h, Body: []byte(tt.meta)})
			if r.NoIndex != tt.noIndex || r.NoFollow != tt.noFollow {
				t.Errorf("noindex %v, nofollow %v; want %v, %v", r.NoIndex, r.NoFollow,
					tt.noIndex, tt.noFollow)
			}
		})
	}
}
