package extract

import (
	"fmt"
	"net/textproto"
	"strings"
	"testing"

	"watershed/page"
)

// inlayOf is what a page with a body holds in itself, which both drivers tell alike.
func inlayOf(t *testing.T, body string) page.Inlay {
	t.Helper()
	var found []page.Inlay
	for _, driver := range []Driver{Scan, Tree} {
		e, err := New(Options{Driver: driver})
		if err != nil {
			t.Fatal(err)
		}
		r := e.Extract(Input{
			URL: "http://a.example/", Body: []byte("<!doctype html><title>T</title>" + body),
			Header: textproto.MIMEHeader{"Content-Type": {"text/html; charset=utf-8"}},
		})
		found = append(found, r.Inlay)
	}
	if found[0] != found[1] {
		t.Errorf("%.200s\nscan %x, tree %x", body, found[0], found[1])
	}
	return found[0]
}

// TestInlay: pages that differ in what they hold in themselves have other digests, and two loads of one
// page have the same.
func TestInlay(t *testing.T) {
	numbers := func(from int) (s string) {
		for i := range 12 {
			s += fmt.Sprint(from+i*i, ",")
		}
		return strings.TrimSuffix(s, ",")
	}
	run := func(text string) string { return "<script>" + text + "</script>" }
	state := func(text string) string { return `<script type="application/json">` + text + "</script>" }
	linked := func(text string) string { return `<script type="application/ld+json">` + text + "</script>" }
	base64 := strings.Repeat("AbC9+/", 30)
	for _, c := range []struct {
		name, a, b string
		same       bool
	}{
		{"nothing", "<p>a", "<p>b", true},
		{"a data URL", `<img src="data:image/gif,AAA">`, `<img src="data:image/gif,AAB">`, false},
		{"in a set", `<img srcset="data:image/gif,A 2x">`, `<img srcset="data:image/gif,B 2x">`, false},
		{
			"in a style", `<style>p{background:url("data:image/gif,A")}</style>`,
			`<style>p{background:url("data:image/gif,B")}</style>`, false,
		},
		{
			"in an attribute", `<p style="background:url(data:,A)">`, `<p style="background:url(data:,B)">`,
			false,
		},
		{"a frame", `<iframe srcdoc="<p>one"></iframe>`, `<iframe srcdoc="<p>two"></iframe>`, false},
		{
			"a path", `<svg viewBox="0 0 9 9"><path d="M0 0L9 9"/></svg>`,
			`<svg viewBox="0 0 9 9"><path d="M0 0L9 8"/></svg>`, false,
		},
		{
			"a colour", `<svg><circle r="4" fill="red"></circle></svg>`,
			`<svg><circle r="4" fill="green"></circle></svg>`, false,
		},
		{
			"a symbol", `<svg><use xlink:href="#flag-france"/></svg>`,
			`<svg><use xlink:href="#flag-italy"/></svg>`, false,
		},
		{
			"names", `<svg id="x1" class="a"><path id="p7" clip-path="url(#c1)" d="M0 0"/></svg>`,
			`<svg id="x2" class="b"><path id="p8" clip-path="url(#c2)" d="M0 0"/></svg>`, true,
		},
		{
			"attributes in another order", `<svg viewBox="0 0 9 9"><path d="M0 0" fill="red"/></svg>`,
			`<svg viewBox="0 0 9 9"><path fill="red" d="M0 0"></path></svg>`, true,
		},
		{"a made symbol", `<svg><use href="#g17"/></svg>`, `<svg><use href="#g18"/></svg>`, true},
		{"a canvas", run("draw([" + numbers(1) + "])"), run("draw([" + numbers(2) + "])"), false},
		{"calls", run("c.rect(1,2,3,4);c.rect(5,6,7,8)"), run("c.rect(1,2,3,4);c.rect(5,6,7,9)"), false},
		{"a long string", run("show('" + base64 + "1')"), run("show('" + base64 + "2')"), false},
		{"between other marks", run("show(`" + base64 + "1`)"), run("show(`" + base64 + "2`)"), false},
		{
			"a state", state(`{"title":"The first of all of the long letters of May"}`),
			state(`{"title":"The second of all of the long letters of May"}`), false,
		},
		{
			"a nonce and a time",
			run(`set({"key":"Zx81bQ","id":"7","at":1700000000,"on":"2024-01-02T03:04:05Z",` +
				`"said":"Tue, 2 Jan 2024 03:04:05 GMT","x":[` + numbers(1) + `]})`),
			run(`set({"key":"Qp93kL","id":"8","at":1800000001,"on":"2025-02-03T04:05:06Z",` +
				`"said":"Wed, 3 Feb 2025 04:05:06 GMT","x":[` + numbers(1) + `]})`), true,
		},
		{
			"addresses", run(`go("https://a.example/x", "//a.example/", [` + numbers(1) + `])`),
			run(`go("https://b.example/x", "//b.example/", [` + numbers(1) + `])`), true,
		},
		{"settings", run(`site(7, 12)`), run(`site(8, 13)`), true},
		{"linked data", linked(`{"n":[` + numbers(1) + `]}`), linked(`{"n":[` + numbers(2) + `]}`), true},
		{
			"comments", run("f([" + numbers(1) + "]) // 1 2 3 4 5 6 7 8\n"),
			run("f([" + numbers(1) + "]) // 2 3 4 5 6 7 8 9\n"), true,
		},
	} {
		a, b := inlayOf(t, c.a), inlayOf(t, c.b)
		if (a == b) != c.same || a.Within(b) != c.same {
			t.Errorf("%s: %x and %x, the same: %v", c.name, a, b, !c.same)
		}
	}
}

// TestInlayWithin: the one that has more holds the other one, and one of too many things is only like
// itself.
func TestInlayWithin(t *testing.T) {
	const one, two = `<img src="data:,1">`, `<img src="data:,2">`
	var many strings.Builder
	for i := range maxInlays + 1 {
		fmt.Fprintf(&many, `<img src="data:,%d">`, i)
	}
	less, more, all := inlayOf(t, one), inlayOf(t, one+two), inlayOf(t, many.String())
	for _, c := range []struct {
		a, b page.Inlay
		want bool
	}{
		{less, more, true},
		{more, less, false},
		{inlayOf(t, "<p>"), less, true},
		{"", less, true},
		{less, "", true},
		{less, all, false},
		{all, all, true},
		{all, inlayOf(t, many.String()+`<img src="data:,more">`), false},
	} {
		if got := c.a.Within(c.b); got != c.want {
			t.Errorf("%x within %x: %v", c.a, c.b, got)
		}
	}
}
