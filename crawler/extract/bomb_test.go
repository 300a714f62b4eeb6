package extract

import (
	"errors"
	"net/textproto"
	"strings"
	"testing"

	"watershed/internal/guard"
	"watershed/lab/kit/bomb"
)

// TestDepth: what opens ten million times, in whatever format, is read to its end.
func TestDepth(t *testing.T) {
	for contentType, texts := range map[string][]string{
		"text/html": {
			"<div>", "<svg>", "<iframe srcdoc='", "<noframes>",
			"<template>", "<table>", "<svg><a d=1>",
		},
		"text/css":                                    {"(", "{", "url(", "image-set("},
		"text/javascript":                             {"import(", "`${", "{"},
		"application/manifest+json":                   {"[", `{"icons":[`},
		"application/feed+json":                       {`{"items":[`},
		"application/rss+xml":                         {"<a>", "<rss>", "<![", "<item>"},
		"application/dash+xml":                        {"<MPD><Period>", "<AdaptationSet>"},
		"text/x-opml":                                 {"<opml><outline>", "<asx>", "<smil base='"},
		"audio/x-scpls [playlist]\n":                  {"File1=a\n", "URL="},
		"audio/x-pn-realaudio":                        {"http:", "http:\n"},
		"application/vnd.apple.mpegurl":               {"#EXT-X-MEDIA:", "#EXT-X-STREAM-INF:BANDWIDTH=1,"},
		"application/xml":                             {"<urlset><url>"},
		"text/html <script type=application/ld+json>": {"[", `{"url":`, `{"image":[`},
		"text/html <script type=importmap>":           {"[", `{"imports":`},
		"text/html <script>": {
			`"\\`, "'\"", "`", "//", "1.", "a:", `document.write("<`, "document.write('<'+",
			"document.write/*", `document.write("<script>`, ".src='a.gif'",
		},
		"text/html <a onclick=\"":                      {"(", "f('a.pdf',", "='", "f ("},
		"text/html <a onload=\"":                       {"('a.gif',", "='"},
		"text/html <style>":                            {"@import url(", "(", "{"},
		"text/html <a style='":                         {"url(", "("},
		"text/html <img srcset='":                      {"(", ",", "a "},
		"text/html <meta http-equiv=refresh content='": {"0;url=", ";"},
		"application/pdf %PDF-1.5\n1 0 obj ":           {"["},
	} {
		for _, text := range texts {
			t.Run(contentType+"/"+text, func(t *testing.T) {
				contentType, head, _ := strings.Cut(contentType, " ")
				in := Input{
					Header: textproto.MIMEHeader{"Content-Type": {contentType}},
					Body:   append([]byte(head), bomb.Nested(text)...), Text: func([]byte) {},
				}
				bomb.Holds(t, 1<<30, func() { checkResult(t, extract(t, Options{}, in), defaultMaxLinks) })
			})
		}
	}
}

// TestWork: what made the whole page be looked through, or a long base be written, for each of its
// elements.
func TestWork(t *testing.T) {
	long := "<base href='http://h.example/" + strings.Repeat("a", 15<<10) + "/'>"
	for name, html := range map[string]string{
		"pictures": strings.Repeat("<svg></svg>", 1<<16),
		"base":     long + numbered("<a href=%d>x</a>", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			bomb.Holds(t, 512<<20, func() {
				r := extract(t, Options{}, Input{Body: []byte(html)})
				bytes := 0
				for _, l := range r.Links {
					bytes += len(l.URL)
				}
				if bytes > 2*maxLinkBytes || name == "base" && !r.LinksCut {
					t.Errorf("%d bytes of links, cut %v", bytes, r.LinksCut)
				}
			})
		})
	}
}

// TestPanic: a panic while a page is read is an error of that page, and the next page is read.
func TestPanic(t *testing.T) {
	e, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	in := Input{URL: base, Body: []byte("<a href=/x>text</a>"), Text: func([]byte) { panic("odd") }}
	if r := e.Extract(in); !errors.Is(r.Err, guard.ErrPanic) || len(r.Links) > 0 {
		t.Errorf("%v, %d links", r.Err, len(r.Links))
	}
	in.Text = nil
	if r := e.Extract(in); r.Err != nil || len(r.Links) != 1 {
		t.Errorf("the next page: %v, %d links", r.Err, len(r.Links))
	}
}
