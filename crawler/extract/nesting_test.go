package extract

import (
	"net/textproto"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// reading is what a driver finds in a page: its result, and the words of its text.
type reading struct {
	Result Result
	Words  []string
	Cut    bool
}

// read reads markup with the driver that do calls; false when do says so.
func read(markup string, do func(*collector, string) bool) (reading, bool) {
	o := Options{Lazy: true, Previews: true}.withDefaults()
	c := newCollector(&o)
	var text strings.Builder
	c.begin(Input{
		URL: base, Header: textproto.MIMEHeader{"Content-Type": {"text/html"}},
		Text: func(b []byte) { text.Write(b) },
	})
	ok := do(c, markup)
	return reading{Result: c.finish(), Words: strings.Fields(text.String()), Cut: c.result.TextCut}, ok
}

// agree fails where a page that is taken for regular reads otherwise by tags than by its tree.
func agree(t interface{ Fatalf(string, ...any) }, markup string) (regular bool) {
	tags, regular := read(markup, func(c *collector, s string) bool {
		if !c.regular(s) {
			return false
		}
		c.scan(s, false)
		return true
	})
	if !regular {
		return false
	}
	tree, _ := read(markup, (*collector).readTree)
	if diff := cmp.Diff(tree, tags); diff != "" {
		t.Fatalf("%q\n tree - tags + %s", markup, diff)
	}
	return true
}

// pieces of markup: what regular pages are made of, and what makes them irregular.
var pieces = []string{
	"<!doctype html>", "<html lang=de>", "</html>", "<head>", "</head>", "<body background=b.png>", "</body>",
	"<meta name=robots content=nofollow>", "<base href=/e/>",
	"<link rel=stylesheet href=s.css>", "<link rel=canonical href=c>", "<title>", "</title>",
	"<title>A &amp; B</title>", "<script>", "</script>", "<script src=s.js></script>",
	"<style>", "</style>", "<style>a{background:url(i.png)}</style>", "<noscript>", "</noscript>",
	"<div>", "</div>", "<div style='background:url(b)' style='background:url(c)'>", "<section>", "</section>",
	"<p>", "</p>", "<ul>", "</ul>", "<ol>", "</ol>", "<li>", "</li>",
	"<dl>", "</dl>", "<dt>", "</dt>", "<dd>", "</dd>", "<h1>", "</h1>", "<h2>", "</h2>", "<pre>\n", "<pre>",
	"</pre>", "<hr>", "<br>", "</br>", "<center>", "</center>",
	"<a href=x>", "<a href=y rel=nofollow>", "<a>", "</a>", "<b>", "</b>", "<i>", "</i>", "<code>", "</code>",
	"<font>", "</font>", "<nobr>", "</nobr>", "<span>", "</span>",
	"<x-y>", "</x-y>", "<x-z/>", "<label>", "</label>", "<dialog>", "</dialog>", "<summary>", "</summary>",
	"<table>", "</table>", "<caption>", "</caption>", "<colgroup>", "</colgroup>", "<col>", "<tbody>",
	"</tbody>", "<thead>", "</thead>", "<tr>", "</tr>", "<td background=d.png>", "<td>", "</td>",
	"<th>", "</th>",
	"<form action=f>", "<form method=post action=g>", "</form>", "<input type=image src=i>",
	"<input type=hidden>", "<button formaction=h>", "</button>", "<select>", "</select>",
	"<option>", "</option>",
	"<optgroup>", "</optgroup>", "<textarea>", "</textarea>", "<iframe src=f>", "</iframe>",
	"<iframe srcdoc='<a href=n>n</a>'></iframe>", "<img src=i.png alt='An image'>",
	"<img data-src=l data-src=m>",
	"<object data=o>", "</object>", "<param name=movie value=v>", "<video src=v>", "</video>",
	"<source src=w>", "<svg>", "</svg>", "<svg/>", "<g>", "</g>", "<path d=x/>", "<path d='x'/>",
	"<use href=u />", "<use xlink:href=w></use>", "<template>", "</template>", "<frameset>", "<frame src=r>",
	"<noframes>", "</noframes>",
	"<ruby>", "<rt>", "</ruby>", "<plaintext>", "<xmp>", "</xmp>", "<math>", "</math>", "<image src=j>",
	"<listing>", "</listing>", "<search>", "</search>",
	"<!-- c -->", "<![CDATA[x]]>", "text", "word ", " ", "\n", "\r\n", "&nbsp;", "&#32;", "&amp", "<", "é",
}

func TestRegularPagesReadAlike(t *testing.T) {
	piece := rapid.SampledFrom(pieces)
	rapid.Check(t, func(t *rapid.T) {
		agree(t, strings.Join(rapid.SliceOfN(piece, 0, 24).Draw(t, "pieces"), ""))
	})
}

// TestNestedPagesReadAlike draws pages that are nearly always regular, which those of single pieces
// are not, with a piece put in anywhere.
func TestNestedPagesReadAlike(t *testing.T) {
	blocks := []string{
		"div", "section", "p", "ul", "li", "dl", "dt", "dd", "h1", "pre", "form", "button",
		"select", "option", "optgroup", "noscript", "object",
	}
	inlines := []string{"a href=x", "b", "i", "code", "span", "x-y", "label", "a"}
	pictures := []string{"svg", "svg", "g", "path d='x'/", "use href=u /", "title", "text", "desc"}
	tables := []string{"table", "caption", "colgroup", "tbody", "thead", "tr", "td", "th"}
	var inside func(t *rapid.T, depth int) string
	inside = func(t *rapid.T, depth int) string {
		var b strings.Builder
		for range rapid.IntRange(0, 4).Draw(t, "children") {
			kind := rapid.IntRange(0, 10).Draw(t, "kind")
			if depth == 0 || kind < 3 {
				b.WriteString(rapid.SampledFrom([]string{
					"text", "word ", " ", "<br>", "<img src=i>", "<hr>",
					"<input>", "<!-- c -->", "&nbsp;",
				}).Draw(t, "leaf"))
				continue
			}
			names := [][]string{blocks, blocks, blocks, inlines, inlines, tables, tables, pictures}[kind-3]
			tag := rapid.SampledFrom(names).Draw(t, "tag")
			b.WriteString("<" + tag + ">" + inside(t, depth-1))
			name, _, _ := strings.Cut(tag, " ")
			if rapid.IntRange(0, 3).Draw(t, "ends") > 0 {
				b.WriteString("</" + name + ">")
			}
		}
		return b.String()
	}
	rapid.Check(t, func(t *rapid.T) {
		markup :=
			rapid.SampledFrom([]string{"", "<title>t</title>", "<!doctype html><html><head></head><body>"}).
				Draw(t, "head") + inside(t, 5)
		at := rapid.IntRange(0, len(markup)).Draw(t, "at")
		agree(t, markup[:at]+rapid.SampledFrom(append([]string{""}, pieces...)).Draw(t, "piece")+markup[at:])
	})
}

func FuzzRegular(f *testing.F) {
	f.Add(strings.Join(pieces, ""))
	f.Add(string(manual()))
	f.Add("<table><tr><td><a href=x>y</a><tr><td><p>z</table><ul><li>a<li>b</ul><dl><dt>a<dd>b</dl>")
	f.Fuzz(func(t *testing.T, markup string) { agree(t, markup) })
}

func TestRegular(t *testing.T) {
	for markup, want := range map[string]bool{
		string(manual()): true,
		// end tags that may be left out (HTML standard, 13.1.2.4)
		"<p>a<p>b<ul><li>c<li>d</ul><table><tr><td>e<td>f<tr><th>g</table>":  true,
		"<html><head><title>t</title></head><body><br><img></body></html>\n": true,
		"<div><span>a</div>b":                           true,
		"<select><option>a<option>b</select>":           true,
		"<b><p>a</b>b</p>":                              false, // 13.2.10.1, misnested formatting elements
		"<p>1<b>2<i>3</b>4</i>5</p>":                    false, // ibidem
		"<table><b><tr><td>aaa</td></tr>bbb</table>ccc": false, // 13.2.10.3, unexpected markup in tables
		"<a href=a>a<div><a href=b>b</a></div></a>":     false,
		"a</div>b":          false,
		"<svg><path></svg>": false,
		"<svg><g><path d='x'/></g><title>t</title><use href=u /></svg>": true,
		"<svg><p>a</svg>":                     false,
		"<svg><![CDATA[a]]></svg>":            false,
		"a</body>b":                           false,
		"<p><b>a<p>b":                         false,
		"<p>\x00":                             false,
		"<frameset><frame src=a></frameset>":  false,
		strings.Repeat("<div>", 2*maxNesting): false,
	} {
		if got := agree(t, markup); got != want {
			t.Errorf("%.60q: regular %v, want %v", markup, got, want)
		}
	}
}
