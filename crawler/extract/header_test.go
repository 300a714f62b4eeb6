package extract

import (
	"net/textproto"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Cases from RFC 8288, sections 3.2, 3.5 and appendix B, and from RFC 9110, 10.2.2 and 8.7.
func TestHeader(t *testing.T) {
	tests := []struct {
		name, field string
		values      []string
		status      int
		want        string
	}{
		{
			"next", "Link",
			[]string{`<two>; rel="next"; title="second page"`},
			200,
			"alternate - header/Link http://example.org/dir/two \"second page\"\n",
		},
		{
			"two in one field", "Link",
			[]string{`<a>;rel=prev, <b> ; rel = next`},
			200,
			"alternate - header/Link http://example.org/dir/a\nalternate - header/Link " +
				"http://example.org/dir/b\n",
		},
		{
			"two fields", "Link",
			[]string{`<a>;rel=preload`, `<b>;rel=canonical`},
			200,
			"embed - header/Link http://example.org/dir/a\ncanonical - header/Link " +
				"http://example.org/dir/b\n",
		},
		{
			"many relations", "Link",
			[]string{`<http://example.org/>; rel="start http://example.net/relation/other stylesheet"`},
			200,
			"alternate - header/Link http://example.org/\nembed - header/Link http://example.org/\n",
		},
		{
			"comma and semicolon in quotes", "Link",
			[]string{`<a>; title="x, <no>; rel=next"; rel=up`},
			200,
			"alternate - header/Link http://example.org/dir/a \"x, <no>; rel=next\"\n",
		},
		{
			"escaped quote", "Link",
			[]string{`<a>; title="x\"y"; rel=up`},
			200,
			"alternate - header/Link http://example.org/dir/a \"x\\\"y\"\n",
		},
		{
			"first rel counts", "Link",
			[]string{`<a>; rel=next; rel=icon`},
			200,
			"alternate - header/Link http://example.org/dir/a\n",
		},
		{
			"comma in the URL", "Link",
			[]string{`<a,b;c>; rel=next`},
			200,
			"alternate - header/Link http://example.org/dir/a,b;c\n",
		},
		{"about another page", "Link", []string{
			`<a>; rel=next; anchor="/other"`,
			`<b>; rel=next; anchor="#x"`,
		}, 200, "alternate - header/Link http://example.org/dir/b\n"},
		{
			"feed", "Link",
			[]string{`</f>; rel=alternate; type="application/atom+xml"`},
			200,
			"feed - header/Link http://example.org/f\n",
		},
		{
			"pictures", "Link",
			[]string{`</a.png>; rel=preload; as=image; imagesrcset="/b.png 1x, c.png 2x"`},
			200,
			"embed - header/Link http://example.org/a.png\nembed - header/Link http://example.org/b.png\n" +
				"embed - header/Link http://example.org/dir/c.png\n",
		},
		{
			"language", "Link",
			[]string{`</de>; rel=alternate; hreflang=de`},
			200,
			"alternate - header/Link http://example.org/de\n",
		},
		{
			"rubbish", "Link",
			[]string{`next, "x, y", <a>; rel=next, <b; rel=next`, `;;,,=`, `<`},
			200,
			"alternate - header/Link http://example.org/dir/a\n",
		},
		{"no relation", "Link", []string{`<a>`, `<b>; rel=preconnect`}, 200, ""},
		{
			"location", "Location",
			[]string{"../x?y#z"},
			302,
			"redirect - header/Location http://example.org/x?y\n",
		},
		{
			"location of what was made", "Location",
			[]string{"/x"},
			201,
			"navigation - header/Location http://example.org/x\n",
		},
		{"location that says nothing", "Location", []string{"/x"}, 200, ""},
		{
			"location in Latin-1", "Location",
			[]string{"/caf\xe9?q=\xfc"},
			302,
			"redirect - header/Location http://example.org/caf%E9?q=%FC\n",
		},
		{
			"location in UTF-8", "Location",
			[]string{"/caf\u00e9"},
			302,
			"redirect - header/Location http://example.org/caf%C3%A9\n",
		},
		{
			"location on a host with an umlaut", "Location",
			[]string{"http://b\u00fccher.example/"},
			302,
			"redirect - header/Location http://xn--bcher-kva.example/\n",
		},
		{
			"starts beyond ASCII", "Location",
			[]string{"\xe9"},
			302,
			"redirect - header/Location http://example.org/dir/%E9\n",
		},
		{"refresh", "Refresh", []string{"0; url=/x"}, 200, "refresh - header/Refresh http://example.org/x\n"},
		{
			"content location", "Content-Location",
			[]string{"page.en.html"},
			200,
			"alternate - header/Content-Location http://example.org/dir/page.en.html\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := textproto.MIMEHeader{"Content-Type": {"text/html"}, tt.field: tt.values}
			r := extract(t, Options{}, Input{Header: h, Status: tt.status})
			if diff := cmp.Diff(tt.want, lines(r.Links)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// References of the header are relative to the page, those of the body to its base; a redirect's
// body is not read.
func TestHeaderAndBody(t *testing.T) {
	h := textproto.MIMEHeader{"Content-Type": {"text/html"}, "Link": {"<x>; rel=next"}}
	body := []byte(`<base href=/b/><link rel=next href=x>`)
	r := extract(t, Options{}, Input{Header: h, Body: body})
	if want := "alternate - header/Link http://example.org/dir/x\nalternate - link/@href " +
		"http://example.org/b/x\n"; lines(r.Links) != want {
		t.Errorf("links:\n%swant\n%s", lines(r.Links), want)
	}
	h.Set("Location", "/y")
	r = extract(t, Options{}, Input{Header: h, Body: body, Status: 301})
	if want := "redirect - header/Location http://example.org/y\nalternate - header/Link " +
		"http://example.org/dir/x\n"; lines(r.Links) != want {
		t.Errorf("links of a redirect:\n%swant\n%s", lines(r.Links), want)
	}
	h.Set("Content-Language", " de , en")
	if r = extract(t, Options{}, Input{Header: h, Body: []byte("<p>")}); r.Language != "de" {
		t.Errorf("Language = %q, want de", r.Language)
	}
}

func FuzzLinkHeader(f *testing.F) {
	for _, s := range []string{
		`<a>; rel="next"; title="x\"y", <b>;rel=up`, `<a>;rel*=UTF-8''x;=;;,"`,
		`<a>; rel="`, `<<>>,`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, field string) {
		n := 0
		for l := (linkField{rest: field}); l.next(); n++ {
			if !strings.Contains(field, "<"+l.target) && l.target != "" &&
				!strings.Contains(field, l.target) {
				t.Errorf("target %q of %q", l.target, field)
			}
		}
		if n > strings.Count(field, "<") {
			t.Errorf("%d links in %q", n, field)
		}
	})
}
