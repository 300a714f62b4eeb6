package sketch

import (
	"math/rand/v2"
	"net/textproto"
	"strings"
	"testing"

	"watershed/crawler/extract"
	"watershed/page"
)

// extracted sketches the text that package crawler/extract sees in a page.
func extracted(t testing.TB, b *Builder, e *extract.Extractor, body string) Sketch {
	t.Helper()
	u, err := page.ParseURL("http://example.org/")
	if err != nil {
		t.Fatal(err)
	}
	e.Extract(extract.Input{
		URL: u, Body: []byte(body), Text: b.Text,
		Header: textproto.MIMEHeader{"Content-Type": {"text/html; charset=utf-8"}},
	})
	return b.Sketch()
}

func extractor(t testing.TB, d extract.Driver) *extract.Extractor {
	t.Helper()
	e, err := extract.New(extract.Options{Driver: d})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestHTML(t *testing.T) {
	b, e := builder(t, Options{Width: 1}), extractor(t, extract.Scan)
	for _, tt := range []struct{ name, html, want string }{
		{"inline and block", "<p>o<b>n</b>e<p>two<br>three<td>four", "one two three four"},
		{
			"entities", "caf&eacute; &amp;amp; a&nbsp;b &#x41;&#66; &notaname; R&ampD &copy2",
			"café amp a b AB aname R D 2",
		},
		{
			"hidden",
			"a<script>x<!--<script></script>y--></script>b<style>z</style><title>t</title>" +
				"<textarea>u</textarea><noscript>v</noscript>c<template>w</template>d", "a b c d",
		},
		{
			"picture", "<title>t</title>a<svg><title>b &amp; c</title><path d=''/></svg>d<svg/>" +
				"<title>t</title>",
			"a b c d",
		},
		{
			"shadow tree", "<template shadowrootmode=open>a</template><template shadowrootmode>b</template>",
			"a",
		},
		{"comments", "a<!-- > x -->b<!-->c<!--->d<!--x--!>e<!doctype x>f<?x y>g</ z>h", "abcdefgh"},
		{"attributes", `a<b title="x > y" class='>' z=">">c</b><i a=b>d`, "acd"},
		{"broken", "1 < 2 <3 a<b", "1 2 3 a"},
		{"NUL", "a\x00b", "ab"},
		{"unfinished script", "a<script>b", "a"},
		{"plaintext", "a<plaintext>b</plaintext>c", "a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := extracted(t, b, e, "<html>"+tt.html)
			b.Text([]byte(tt.want))
			if want := b.Sketch(); got.Lexical != want.Lexical {
				t.Errorf("%d tokens, want %d of %q", got.Tokens, want.Tokens, tt.want)
			}
		})
	}
}

// manual is a well-formed page.
func manual() string {
	var page strings.Builder
	page.WriteString("<!DOCTYPE html><html><head><title>T</title><style>p{}</style></head><body>")
	words := strings.Fields("harvest archive boundary größe mirror &amp; record caf&eacute; while 中文 " +
		"every page")
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		page.WriteString("<div class=\"section\"><p>")
		for range 20 {
			w := words[r.IntN(len(words))]
			if r.IntN(6) == 0 {
				w = "<code class=\"x\">" + w + "</code>"
			}
			page.WriteString(w + " ")
		}
		page.WriteString("</p></div>\n")
	}
	page.WriteString("</body></html>")
	return page.String()
}

// TestSameTokensEverywhere reads one page by its tags and, for a formula in it, by its tree.
func TestSameTokensEverywhere(t *testing.T) {
	b := builder(t, Options{})
	body := manual() + "<math></math>"
	want := extracted(t, b, extractor(t, extract.Scan), body)
	got := extracted(t, b, extractor(t, extract.Tree), body)
	if got.Lexical != want.Lexical || got.fingerprint() != want.fingerprint() {
		t.Errorf("%d tokens by tree, %d by tags", got.Tokens, want.Tokens)
	}
	if want.Tokens < 3000 {
		t.Errorf("%d tokens", want.Tokens)
	}
}
