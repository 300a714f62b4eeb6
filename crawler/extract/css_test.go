package extract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func refsOf(css string) (got []string) {
	for s := (styleRefs{src: css}); s.next(); {
		if s.imported {
			got = append(got, "@"+s.ref)
		} else {
			got = append(got, s.ref)
		}
	}
	return got
}

// The sections are those of CSS Syntax Module Level 3 where no other source stands.
func TestStyleRefs(t *testing.T) {
	tests := []struct {
		name, css string
		want      []string
	}{
		{"bare", `a{background:url(x.png)}`, []string{"x.png"}},
		{"quoted", `a{background:url("x.png") url('y.png')}`, []string{"x.png", "y.png"}},
		{"white space, 4.3.6", "url( \t\n x.png \n )", []string{"x.png"}},
		{"any case", `URL(x) uRl("y")`, []string{"x", "y"}},
		{"escaped name, 4.3.11", `\75 rl(x) u\072 l(y) \000055RL(z)`, []string{"x", "y", "z"}},
		{"escapes in a URL, 4.3.7", `url(a\)b\ c\26 d) url("\"e\000022 f")`, []string{"a)b c&d", `"e"f`}},
		{"escape beyond Unicode, 4.3.7", `url("\110000 \d800 \0 x")`, []string{"\uFFFD\uFFFD\uFFFDx"}},
		{"line continued, 4.3.5", "url(\"a\\\nb\\\r\nc\")", []string{"abc"}},
		{"bad string, 4.3.5", "content:\"a\nb; c: url(x)", []string{"x"}},
		{"bad URL, 4.3.14", `url(a b) url(c"d) url(e(f) url(g\)h i) url(j)`, []string{"j"}},
		{"comment, 4.3.2", `/* url(no) */ url(x) /* "*/ url(y) /**/url(z)/*url(no)`, []string{"x", "y", "z"}},
		{"no comment in a bare URL", `url(a/*b*/c)`, []string{"a/*b*/c"}},
		{"open at the end, 4.3.6", `url(x`, []string{"x"}},
		{"string open at the end", `url("x`, []string{"x"}},
		{"other strings", `a{content:"no";font-family:'no'}`, nil},
		{
			"other functions", `a{width:calc(1px + var(--x));color:rgb(1 2 3)} b{background:url(x)}`,
			[]string{"x"},
		},
		{"longer names", `a{b:notaurl(x) url-prefix(y) my-url(z)}`, nil},
		{"number and name, 4.3.3", `a{b:3url(x)}`, nil},
		{"import string", `@import "a.css" screen; @IMPORT 'b.css';`, []string{"@a.css", "@b.css"}},
		{
			"import url", `@import url(a.css); @import url("b.css") layer(x) supports(display:grid) print;`,
			[]string{"@a.css", "@b.css"},
		},
		{"import after a comment", `@import/**/"a.css";`, []string{"@a.css"}},
		{"import ends", `@import; a{content:"no"}`, nil},
		{"namespace", `@namespace url(http://no/); @namespace svg "http://no/"; a{b:url(x)}`, []string{"x"}},
		{"charset", `@charset "utf-8"; @import "a";`, []string{"@a"}},
		{"document", `@document url(http://no/) { a{b:url(x)} }`, []string{"x"}},
		{
			"font face",
			`@font-face{src:url(a.eot?#iefix) format("embedded-opentype"),url(a.woff)format('woff')}`,
			[]string{"a.eot?#iefix", "a.woff"},
		},
		{
			"image-set, CSS Images 4, 2.4",
			`a{b:image-set("x.avif" type("image/avif"), url(y.png) 2x), -webkit-image-set("z" 1x)} c{d:"no"}`,
			[]string{"x.avif", "y.png", "z"},
		},
		{"src, CSS Values 5", `a{b:src("x.png") src(var(--y)); c:url(z)}`, []string{"x.png", "z"}},
		{
			"url with modifiers, CSS Values 4", `@import url("a" crossorigin(anonymous)); a{b:url(y)}`,
			[]string{"@a", "y"},
		},
		{"in HTML comments", `<!-- a{b:url(x)} -->`, []string{"x"}},
		{"custom property", `:root{--x:url(y)}`, []string{"y"}},
		{"UTF-8", `a{b:url(größe.png)} ü{c:url("日本.png")}`, []string{"größe.png", "日本.png"}},
		{"empty", `url() url("")`, []string{"", ""}},
		{"lone backslash", "\\", nil},
		{"backslash at a line end", "\\\nurl(x)", []string{"x"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, refsOf(tt.css)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzStyleRefs(f *testing.F) {
	for _, s := range []string{
		`@import "a"; b{c:url(d)}`, `url(\`, `u\72l(x)`, `image-set("a" 1x`, "/*",
		`url("a\`, `\110000 (`, `@import\`, "url(a\\\nb)",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, css string) {
		refs := refsOf(css)
		if len(refs) > len(css) {
			t.Errorf("%d references in %d bytes", len(refs), len(css))
		}
		// A rule after a sheet that is closed adds its own reference, and changes none before it.
		if !strings.ContainsAny(css, "\\\"'(/<@") {
			if got := refsOf(css + ";}a{b:url(x)}"); len(got) != len(refs)+1 {
				t.Errorf("%q hides what follows: %q", css, got)
			}
		}
	})
}
