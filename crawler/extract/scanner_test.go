package extract

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"pgregory.net/rapid"
)

// tokens writes what the scanner finds, adjacent text joined.
func tokens(src string) (out []string) {
	s := newScanner(src)
	text := ""
	flush := func() {
		if text != "" {
			out = append(out, fmt.Sprintf("text %q", text))
			text = ""
		}
	}
	for s.next() {
		switch s.kind {
		case textRun:
			text += normal(plainText(s))
			if s.within != 0 {
				flush()
			}
		case startTag:
			flush()
			out = append(out, "<"+named(s.name)+attributes(s.attrs)+">")
		case endTag:
			flush()
			out = append(out, "</"+named(s.name)+">")
		}
	}
	flush()
	return out
}

// oracle is the same by the tokenizer of x/net.
func oracle(src string) (out []string) {
	z := html.NewTokenizer(strings.NewReader(src))
	text := ""
	flush := func() {
		if text != "" {
			out = append(out, fmt.Sprintf("text %q", text))
			text = ""
		}
	}
	raw := false
	for {
		switch tt := z.Next(); tt {
		case html.ErrorToken:
			flush()
			return out
		case html.TextToken:
			text += normal(string(z.Text()))
			if raw {
				flush()
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			flush()
			t := z.Token()
			switch t.DataAtom {
			case atom.Noscript, atom.Noframes, atom.Noembed:
				z.NextIsNotRawText()
			}
			raw = rawElement(t.DataAtom) != 0
			out = append(out, "<"+t.Data+attributes(t.Attr)+">")
			continue
		case html.EndTagToken:
			flush()
			out = append(out, "</"+z.Token().Data+">")
		}
		raw = false
	}
}

// normal evens out what does not matter for links: NUL and line ends in text.
func normal(s string) string {
	return strings.NewReplacer("\x00", "", "\uFFFD", "", "\r", "", "\n", "").Replace(s)
}

// named has NUL as the tokenizer reports it; the scanner, to which such names mean nothing, does
// not care.
func named(s string) string { return strings.ReplaceAll(s, "\x00", "\uFFFD") }

func attributes(attrs []html.Attribute) string {
	var b strings.Builder
	for i, a := range attrs {
		if _, before := find(attrs[:i], a.Key); !before {
			fmt.Fprintf(&b, " %s=%q", named(a.Key), a.Val)
		}
	}
	return b.String()
}

// astray are sources of which the tokenizer of x/net is no oracle: at a "<" without a tag it leaves
// the part of a script that "<!--" escapes, which the standard does not (13.2.5.23, script data
// escaped less-than sign state). TestEscapedScript has such ones.
var astray = regexp.MustCompile(`(?is)<script.*<!--.*<([^a-z/]|$)`)

func TestScannerAgreesWithTokenizer(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		"<a", "<A ", "<b>", "</", "</a>", "</a x=1>", ">", "/", "/>", " ", "\n", "\r\n", "\f", "=", "\"", "'",
		"href", "HREF=", "href=x", " href='y z'", ` title="<>"`,
		"<!--", "-->", "--!>", "--", "-", "<!", "<!doctype html>", "<?php ?>", "<script>", "<script ",
		"</script>", "</SCRIPT ", "<style>", "</style>", "<title>", "</title>",
		"<textarea>", "</textarea>", "<iframe>", "</iframe>", "<noscript>", "<noframes>", "<xmp>", "</xmp>",
		"text", "&amp;", "&amp", "&copy=", "&copy;", "&notit;", "&notit", "&#65;", "&#x41", "&#0;", "&;", "&",
		"&lt", "&AMP;x", "<", "<1", "</1>", "</>", "é", "x", "\x00",
	})
	rapid.Check(t, func(t *rapid.T) {
		src := strings.Join(rapid.SliceOfN(piece, 0, 16).Draw(t, "pieces"), "")
		if astray.MatchString(src) {
			return
		}
		if diff := cmp.Diff(oracle(src), tokens(src)); diff != "" {
			t.Fatalf("%q: %s", src, diff)
		}
	})
}

// TestEscapedScript: within "<!--" a "<script>" hides one "</script>", whatever stands before it.
func TestEscapedScript(t *testing.T) {
	for _, before := range []string{"", "<", "<<", "< ", "<1", "<!", "<!--", "</x", "<x", "-"} {
		hidden := "<!--" + before + "<script></script>"
		for rest, want := range map[string][]string{
			"-->x</script>": {fmt.Sprintf("text %q", hidden+"-->x"), "</script>"},
			"x</script>":    {fmt.Sprintf("text %q", hidden+"x"), "</script>"},
			"":              {fmt.Sprintf("text %q", hidden)},
		} {
			want = append([]string{"<script>"}, want...)
			if diff := cmp.Diff(want, tokens("<script>"+hidden+rest)); diff != "" {
				t.Errorf("%q before %q: %s", before, rest, diff)
			}
		}
	}
}

func FuzzScanner(f *testing.F) {
	for _, s := range []string{
		"<a href='x'>y</a>", "<script><!--<script></script>--></script>",
		"<title>&amp</title", "<a b=c/d e>", "<a =x>", "</a\n/>", "<textarea></textarea x>",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if strings.Count(src, " ")+strings.Count(src, "/") > maxAttrs/2 || astray.MatchString(src) {
			return
		}
		if diff := cmp.Diff(oracle(src), tokens(src)); diff != "" {
			t.Errorf("%q: %s", src, diff)
		}
	})
}

func TestAttributeText(t *testing.T) {
	// Source: HTML standard, 13.2.5.72 and 13.2.5.73, with its own example "I'm &notit; I tell
	// you".
	for in, want := range map[string]string{
		"a&amp;b": "a&b", "a&ampb": "a&ampb", "a&amp=b": "a&amp=b", "a&amp": "a&", "a&amp b": "a& b",
		"I'm &notit; I tell you": "I'm &notit; I tell you",
		"&notin;":                "∉", "&not": "¬", "&#60;": "<", "&#60": "<", "&#60=": "<=", "&#x3c;": "<",
		"&#X3Cg": "<g", "&#;": "&#;", "&#x;": "&#x;", "&nosuch;": "&nosuch;",
		"&": "&", "&&amp;": "&&", "&semi;": ";", "&fjlig;": "fj", "&CounterClockwiseContourIntegral;": "∳",
		"a\r\nb\rc": "a\nb\nc", "\x00": "\uFFFD",
		"?x=1&copy=2&reg;=3&lt;": "?x=1&copy=2®=3<",
	} {
		if got := attributeText(in); got != want {
			t.Errorf("attributeText(%q) = %q, want %q", in, got, want)
		}
	}
}
