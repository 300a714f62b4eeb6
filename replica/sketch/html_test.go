package sketch

import (
	"math/rand/v2"
	"net/textproto"
	"strings"
	"testing"
	"unicode/utf8"

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
	b := builder(t, Options{Width: 1})
	for _, tt := range []struct{ name, html, want string }{
		{"inline and block", "<p>o<b>n</b>e<p>two<br>three<td>four", "one two three four"},
		{
			"entities", "caf&eacute; &amp;amp; a&nbsp;b &#x41;&#66; &notaname; R&ampD &copy2",
			"café amp a b AB aname R D 2",
		},
		{
			"hidden",
			"a<script>x<!--<script></script>y--></script>b<style>z</style><title>t</title><textarea>u</textarea><noscript>v</noscript>c<template>w</template>d", "a b c d",
		},
		{
			"picture", "<title>t</title>a<svg><title>b &amp; c</title><path d=''/></svg>d<svg/><title>t</title>",
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
			b.HTML([]byte(tt.html))
			got := b.Sketch()
			b.Text([]byte(tt.want))
			if want := b.Sketch(); got.Lexical != want.Lexical {
				t.Errorf("%d tokens, want %d of %q", got.Tokens, want.Tokens, tt.want)
			}
		})
	}
}

var markup = []string{
	"<p>", "</p>", "<b>", "</b>", "<a href='x'>", "</A>", "<br/>", "<script>", "</script>", "<!--", "-->",
	"<style>", "</style >", "<title>", "</title>",
	"<template>", "</template>", "<template shadowrootmode=open>", "<noscript>", "</noscript>", "<textarea>",
	"</textarea>", "<iframe src=x>", "</iframe>",
	"<svg>", "</svg>", "<custom-el>", "<SPAN class=\"a>b\">", "<img alt=x>", "<xmp>", "</xmp>", "<td", " x='",
	"'", "\"", ">", "<", "</", "/>", "&amp;", "&eacute;",
	"&#65;", "&#x42", "&lt", "&copy", "&", ";", "word", "Wörter", " ", "\n", "中文", "a", "1", "=", "\x00",
	"<!", "<?", "!-", "<plaintextual>", "<h1>", "<wbr>", "<strong>",
}

// TestHTMLAgainstExtract compares with the text hook of the extractor on random soup.
func TestHTMLAgainstExtract(t *testing.T) {
	b, e := builder(t, Options{}), extractor(t, extract.Scan)
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		var soup strings.Builder
		soup.WriteString("<html>")
		for range r.IntN(40) {
			soup.WriteString(markup[r.IntN(len(markup))])
		}
		body := soup.String()
		want := extracted(t, b, e, body)
		b.HTML([]byte(body))
		if got := b.Sketch(); got.Lexical != want.Lexical {
			t.Fatalf("%q: %d tokens, extract gives %d", body, got.Tokens, want.Tokens)
		}
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

// TestSameTokensEverywhere gives one page as text, as HTML, and by both readers of the extractor.
func TestSameTokensEverywhere(t *testing.T) {
	b := builder(t, Options{})
	body := manual()
	b.HTML([]byte(body))
	want := b.Sketch()
	for _, d := range []extract.Driver{extract.Scan, extract.Tree} {
		if got := extracted(t, b, extractor(t, d), body); got.Lexical != want.Lexical ||
			got.fingerprint() != want.fingerprint() {
			t.Errorf("%v: %d tokens, want %d", d, got.Tokens, want.Tokens)
		}
	}
	if want.Tokens < 3000 {
		t.Errorf("%d tokens", want.Tokens)
	}
}

func FuzzHTML(f *testing.F) {
	f.Add("<p>a<b>c</b><!-- x -->&eacute;<script>")
	f.Add(strings.Join(markup, ""))
	b, e := builder(f, Options{}), extractor(f, extract.Scan)
	f.Fuzz(func(t *testing.T, body string) {
		if body = "<html>" + body; !utf8.ValidString(body) {
			return // the extractor would guess another encoding
		}
		want := extracted(t, b, e, body)
		b.HTML([]byte(body))
		if got := b.Sketch(); got.Lexical != want.Lexical {
			t.Fatalf("%q: %d tokens, extract gives %d", body, got.Tokens, want.Tokens)
		}
	})
}

func BenchmarkHTML(b *testing.B) {
	body := []byte(manual())
	x := builder(b, Options{})
	var s Sketch
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		x.HTML(body)
		x.Finish(&s)
	}
}
