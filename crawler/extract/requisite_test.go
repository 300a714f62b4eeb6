package extract

import (
	"net/textproto"
	"testing"

	"github.com/google/go-cmp/cmp"

	"watershed/page"
)

// TestRequisites has all the ways in which pages name the files that they need to be shown.
// Sources: HTML standard, SVG 2, CSS Images 4, CSS Cascade 5, amp.dev, and the documents of
// lazysizes and vanilla-lazyload for the attributes of late images.
func TestRequisites(t *testing.T) {
	for _, tt := range []struct{ name, html, want string }{
		{
			"icons",
			`<link rel="shortcut icon" href=1><link rel=apple-touch-icon href=2><link rel=mask-icon ` +
				`href=3><link rel=manifest href=4>`, "1 2 3 4",
		},
		{
			"preloads",
			`<link rel=preload as=font href=1 crossorigin><link rel=modulepreload href=2>` +
				`<link rel=preload as=image imagesrcset="3 1x, 4 2x">`, "1 2 3 4",
		},
		{
			"srcset with data and commas",
			`<img srcset="data:image/gif;base64,R0lG,ODlh 1x, a,b.png 2x,c.png 3x">` +
				`<img srcset="w_300,h_200/d.png 300w, w_600/e.png 600w">`,
			"a,b.png c.png w_300,h_200/d.png w_600/e.png",
		},
		{"picture", `<picture><source srcset="1 1x,2 2x" type=image/avif><img src=3></picture>`, "1 2 3"},
		{
			"video, audio, track",
			`<video src=1 poster=2><source src=3><track src=4></video><audio src=5></audio><bgsound src=6>`,
			"1 2 3 4 5 6",
		},
		{
			"object, embed, input, background",
			`<body background=1><object codebase=/no/ data=2></object><embed src=3><input type=image src=4>` +
				`<table background=5></table>`, "1 2 3 4 5",
		},
		{"noscript", `<noscript><img src=1></noscript>`, "1"},
		{
			"styles",
			`<p style="background:url(1)"><style>@import "2" layer(a) supports(display:grid);@import ` +
				`url(3) layer;a{background:image-set("4" 1x,url(5) 2x)}</style>`, "1 2 3 4 5",
		},
		{"svg", `<svg><use href="1#a"/><image xlink:href=2 /><feImage href=3 /><rect fill="url(4#g)" ` +
			`filter="url('5#f')" mask="url(#m)"/></svg>`, "1 2 3 4 5"},
		{"painted outside of pictures", `<p fill="url(1)" mask="url(2)">`, ""},
		{"AMP", `<amp-img src=1 srcset="2 2x"></amp-img><amp-video src=3 poster=4></amp-video><amp-anim ` +
			`src=5></amp-anim>`, "1 2 3 4 5"},
		{
			"late",
			`<img data-src=1 data-srcset="2 2x"><div data-bg=3.jpg></div><div data-bg="url(4)"></div>` +
				`<div data-background-image=/5></div><div data-bgset="6 1x"></div>` +
				`<video data-poster=7></video>`, "1 2 3.jpg 4 /5 6 7",
		},
		{
			"no late image",
			`<div data-bg=dark></div><div data-background="#fff"></div>` +
				`<div data-bg="linear-gradient(red, blue)"></div>`, "",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			eachDriver(t, func(t *testing.T, d Driver) {
				r := extract(t, Options{Driver: d, Lazy: true},
					Input{Body: []byte("<!doctype html>" + tt.html)})
				got := ""
				for _, l := range r.Links {
					if l.Kind.Requisite() {
						ref := string(l.URL)[len("http://example.org/"):]
						if len(ref) > 4 && ref[:4] == "dir/" {
							ref = ref[4:]
						} else {
							ref = "/" + ref
						}
						got += " " + ref
					}
				}
				if want := tt.want; got != "" && got[1:] != want || got == "" && want != "" {
					t.Errorf("got %q, want %q", got, want)
				}
			})
		})
	}
}

// A page that names no icon has the one that browsers ask for; others have not.
func TestIconByConvention(t *testing.T) {
	const icon = "embed - favicon http://example.org/favicon.ico\n"
	for _, tt := range []struct {
		name, html, link string
		status           int
		want             string
	}{
		{name: "none", html: `<p>x`, want: icon},
		{name: "beside a base", html: `<base href=//cdn.example/>`, want: icon},
		{
			name: "named", html: `<link rel="shortcut icon" href=/i.png>`,
			want: "embed - link/@href http://example.org/i.png\n",
		},
		{name: "named to be none", html: `<link rel=icon href="data:,">`},
		{
			name: "for telephones alone", html: `<link rel=apple-touch-icon href=/i.png>`,
			want: "embed - link/@href http://example.org/i.png\n" + icon,
		},
		{
			name: "in the header", html: `<p>x`, link: `</i.png>; rel=icon`,
			want: "embed - header/Link http://example.org/i.png\n",
		},
		{name: "of an error", html: `<p>x`, status: 404},
		{name: "of no page", html: ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := Input{
				Status: tt.status, Header: textproto.MIMEHeader{"Content-Type": {"text/html"}},
				Body: []byte(tt.html),
			}
			if tt.link != "" {
				in.Header["Link"] = []string{tt.link}
			}
			if diff := cmp.Diff(tt.want, lines(extract(t, Options{Icons: true}, in).Links)); diff != "" {
				t.Error(diff)
			}
		})
	}
	in := Input{Header: textproto.MIMEHeader{"Content-Type": {"text/css"}}, Body: []byte("a{}")}
	if got := lines(extract(t, Options{Icons: true}, in).Links); got != "" {
		t.Error(got)
	}
}

// An answer that says it leads elsewhere, and not where to, is shown as a page; one that does is
// not.
func TestRedirectsThatLeadNowhere(t *testing.T) {
	const there = "navigation - a/@href http://example.org/dir/b \"b\"\n"
	for _, tt := range []struct {
		status   int
		location string
		want     string
	}{
		{302, "", there},
		{301, "/a", "redirect - header/Location http://example.org/a\n"},
		{300, "", there},
		{300, "/a", "redirect - header/Location http://example.org/a\n" + there},
	} {
		in := Input{
			Status: tt.status, Header: textproto.MIMEHeader{"Content-Type": {"text/html"}},
			Body: []byte("<a href=b>b</a>"),
		}
		if tt.location != "" {
			in.Header["Location"] = []string{tt.location}
		}
		if diff := cmp.Diff(tt.want, lines(extract(t, Options{}, in).Links)); diff != "" {
			t.Errorf("%d %q: %s", tt.status, tt.location, diff)
		}
	}
}

// Of several types that are declared the last counts that makes sense.
func TestTypeDeclaredTwice(t *testing.T) {
	for _, tt := range []struct {
		types []string
		want  string
	}{
		{nil, ""},
		{[]string{"text/plain", "text/html; charset=utf-8"}, "text/html"},
		{[]string{"Text/HTML", "*/*"}, "text/html"},
		{[]string{"text/html", ""}, "text/html"},
		{[]string{"html", "text/css"}, "text/css"},
		{[]string{`text/html; x="a,image/png"`, "html"}, "text/html"},
		{[]string{`text/html; x="a\",image/png"; y, text/css`}, "text/css"},
		{[]string{`text/html; x="a,image/png`, "text/css"}, "text/html"},
	} {
		if got := contentType(textproto.MIMEHeader{"Content-Type": tt.types}); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.types, got, tt.want)
		}
	}
}

// Where each file lies that stands before the base of its page. Source: Chromium 156, by what it asked
// a server for.
func TestBaseBehindFiles(t *testing.T) {
	for _, tt := range []struct{ markup, want string }{
		{"<img src=x>", "/dir/x"},
		{"<img srcset='x 1x'>", "/dir/x"},
		{"<script src=x></script>", "/dir/x"},
		{"<link rel=stylesheet href=x>", "/dir/x"},
		{"<style>p{background:url(x)}</style>", "/dir/x"},
		{"<p style='background:url(x)'>", "/dir/x"},
		{"<iframe src=x></iframe>", "/dir/x"},
		{"<svg><image href=x /></svg>", "/dir/x"},
		{"<picture><source srcset=x></picture>", "/dir/x"},
		{"<meta http-equiv=refresh content='9;url=x'>", "/dir/x"},
		{"<link rel=icon href=x>", "/b/x"},
		{"<object data=x></object>", "/b/x"},
		{"<embed src=x>", "/b/x"},
		{"<video src=x></video>", "/b/x"},
		{"<audio><source src=x></audio>", "/b/x"},
		{"<table background=x></table>", "/b/x"},
		{"<img data-src=x>", "/b/x"},
		{"<a href=x>x</a>", "/b/x"},
		{"<iframe srcdoc='<img src=x><base href=/c/>'></iframe>", "/dir/x"},
		{"<iframe srcdoc='<base href=/c/><base href=/d/><img src=x>'></iframe>", "/c/x"},
		{"<iframe srcdoc='<base href=/c/>'></iframe><embed src=x>", "/b/x"},
	} {
		eachDriver(t, func(t *testing.T, d Driver) {
			in := Input{Body: []byte("<!DOCTYPE html>" + tt.markup + "<base href=/b/><img src=y>")}
			r := extract(t, Options{Driver: d, Lazy: true}, in)
			if len(r.Links) != 2 || r.Links[0].URL != page.URL("http://example.org"+tt.want) ||
				r.Links[1].URL != "http://example.org/b/y" {
				t.Errorf("%s: %v", tt.markup, r.Links)
			}
		})
	}
	same := "<img src=x><base href=/b/><img src=x><link rel=canonical href=x>"
	r := extract(t, Options{}, Input{Body: []byte(same)})
	want := "embed - img/@src http://example.org/dir/x\nembed - img/@src http://example.org/b/x\n" +
		"canonical - link/@href http://example.org/b/x\n"
	if diff := cmp.Diff(want, lines(r.Links)); diff != "" {
		t.Error(diff)
	}
}
