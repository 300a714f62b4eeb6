package extract

import (
	"net/textproto"
	"strings"
	"testing"
)

// TestDataRefs: the pages that a script names are links where it is nothing but data.
func TestDataRefs(t *testing.T) {
	for src, want := range map[string]string{
		"/* (c) 2020, f(x) */\nvar menu={children:[\n{text:\"Main\",url:\"index.html\"},\n" +
			"{text:'More',url:'more/a.html#x'," +
			"children:[{text:\"It's \\\"b.html\\\"\",url:\"../c.htm?d=1\"}]}]}":
		//
		"index.html more/a.html#x ../c.htm?d=1",
		`var t = [ [ "H5", "h5.html", "h5" ], [ "end", "H6.HTML", null ] ]; // "no.html"` + "\n" +
			`const n = -1.5;`:
		//
		"h5.html H6.HTML",
		`window.names = {a: "a page.html", b: "http://b.example/x.html", d: "x.js"}`: "",

		`var c = "//c.example/x.html"`:     "",
		`var a = ["a.html"]; show(a)`:      "",
		`var a = x ? "a.html" : "b.html"`:  "",
		`var a = "a" + "/b.html"`:          "",
		"var a = [`a.html`]":               "",
		`var a = ["a.html", "b.html`:       "",
		`var a = ["a.html", /* "b.html"] `: "a.html",
		"":                                 "",
	} {
		refs, only := dataRefs(src)
		if got := strings.Join(refs, " "); got != want || only && strings.Contains(src, "(a)") {
			t.Errorf("%s\nnames %q, %v; want %q", src, got, only, want)
		}
	}
}

// A script of data makes links, and they count from its own address.
func TestDataScripts(t *testing.T) {
	in := Input{
		URL: "http://a.example/d/menudata.js", Status: 200,
		Header: textproto.MIMEHeader{"Content-Type": {"text/javascript"}},
		Body:   []byte(`var m={url:"files.html"}`),
	}
	e, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := e.Extract(in)
	if len(r.Links) != 1 || r.Links[0].URL != "http://a.example/d/files.html" ||
		r.Links[0].Context != "script/data" {
		t.Errorf("links: %v", r.Links)
	}
}
