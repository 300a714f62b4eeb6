package extract

import (
	"fmt"
	"net/textproto"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"watershed/page"
)

// read reads markup with the driver that do calls, and gives the links that it finds.
func read(markup string, do func(*collector)) map[string]bool {
	o := Options{Lazy: true}.withDefaults()
	c := newCollector(&o)
	c.begin(Input{URL: base, Header: textproto.MIMEHeader{"Content-Type": {"text/html"}}})
	do(c)
	found := map[string]bool{}
	r := c.finish()
	for _, l := range r.Links {
		found[fmt.Sprint(l.Kind, " ", l.URL)] = true
	}
	found[fmt.Sprintf("%q %s %s %v %v", r.Title, r.Base, r.Canonical, r.NoIndex, r.NoFollow)] = true
	return found
}

// agree fails where a page that is read by its tags has other links in its tree. The tree is that of a
// parser that runs no scripts and ends a noscript before a base; in a browser both are text.
func agree(t interface{ Fatalf(string, ...any) }, markup string) (departs bool) {
	if at := strings.Index(markup, "<noscript"); at >= 0 && strings.Contains(markup[at:], "<base") {
		return true
	}
	tags := read(markup, func(c *collector) {
		if departs = c.departs(markup); !departs {
			c.scan(markup, false)
		}
	})
	if departs {
		return true
	}
	tree := read(markup, func(c *collector) { c.readTree(markup) })
	for link := range tree {
		if !tags[link] {
			t.Fatalf("%q: the tree has %s, the tags have %v", markup, link, tags)
		}
	}
	return false
}

// pieces of markup of which pages are made, well or badly.
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

func TestTagsHaveTheLinksOfTheTree(t *testing.T) {
	piece := rapid.SampledFrom(pieces)
	rapid.Check(t, func(t *rapid.T) {
		agree(t, strings.Join(rapid.SliceOfN(piece, 0, 24).Draw(t, "pieces"), ""))
	})
}

// TestNestedTagsHaveTheLinksOfTheTree draws pages whose elements nearly all have their end tags,
// with a piece put in anywhere.
func TestNestedTagsHaveTheLinksOfTheTree(t *testing.T) {
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

func FuzzDeparts(f *testing.F) {
	f.Add(strings.Join(pieces, ""))
	f.Add(string(manual()))
	f.Add("<table><tr><td><a href=x>y</a><tr><td><p>z</table><ul><li>a<li>b</ul><dl><dt>a<dd>b</dl>")
	f.Fuzz(func(t *testing.T, markup string) { agree(t, markup) })
}

// TestBaseInPictures: a base within SVG or MathML does not count, but one of HTML within these does,
// where a picture has HTML or has been ended by it. Source: HTML standard, 4.2.3 and 13.2.6.5.
func TestBaseInPictures(t *testing.T) {
	for markup, want := range map[string]page.URL{
		"<svg><base href=/b/><a href=x>":                                base,
		"<svg/><base href=/b/><a href=x>":                               "http://example.org/b/",
		"<SVG><g><BASE HREF=/b/></g></SVG><base href=/c/>":              "http://example.org/c/",
		"<svg><foreignObject><base href=/b/></foreignObject></svg>":     "http://example.org/b/",
		"<svg><desc><base href=/b/></desc></svg>":                       "http://example.org/b/",
		"<svg><title><base href=/b/></title></svg>":                     "http://example.org/b/",
		"<svg><p><base href=/b/>":                                       "http://example.org/b/",
		"<svg><foreignObject><svg><base href=/b/></svg><base href=/c/>": "http://example.org/c/",
		"<math><base href=/b/></math>":                                  base,
		"<math><mi><base href=/b/></mi></math>":                         "http://example.org/b/",
		"<noscript><base href=/b/></noscript><base href=/c/>":           "http://example.org/c/",
	} {
		if r := extract(t, Options{}, Input{Body: []byte(markup)}); r.Base != want {
			t.Errorf("%s: base %s, want %s", markup, r.Base, want)
		}
	}
}

// TestDeparts: a tree is built for few pages, and for all that need one.
func TestDeparts(t *testing.T) {
	for markup, want := range map[string]bool{
		string(manual()): false,
		"<p>a<p>b<ul><li>c<li>d</ul><table><tr><td>e<td>f<tr><th>g</table>": false,
		"<p>1<b>2<i>3</b>4</i>5</p></div>":                                  false,
		"<table><b><tr><td>aaa</td></tr>bbb</table>ccc":                     false,
		"<template><a href=x></a></template>":                               false,
		"<template><a href=x></a>":                                          true,
		"<svg><title>a</title><path d='x'/></svg>":                          false,
		"<svg><title>a<a href=x></title></svg>":                             true,
		"<svg><p>a</svg><title>t</title>":                                   true,
		"<svg><base href=/b/></svg>":                                        true,
		"<form action=f></form><form action=g></form>":                      false,
		"<form action=f><form method=post action=g><button formaction=h>":   true,
		"<form action=f></form><button formaction=g>":                       true,
		"<form action=f></form><button></button><input name=formaction2>":   true,
		"<form action=f></form><button></button><input type=image src=g>":   false,
		"<form action=f><x-y></form><button formaction=g>":                  true,
		"<frameset><frame src=a></frameset><a href=x>":                      true,
		"<math><a href=x></math>":                                           true,
		"<title>a\x00</title>":                                              true,
		"<p>a\x00b<a href=x>":                                               true,
	} {
		if got := agree(t, markup); got != want {
			t.Errorf("%.60q: departs %v, want %v", markup, got, want)
		}
	}
}

// TestFormOfButton: the form of a button is the one in which it lies in the tree.
func TestFormOfButton(t *testing.T) {
	for markup, want := range map[string]int{
		"<form action=f></form><button formaction=g>":                                             1,
		"<form action=f><x-y></form><button formaction=g>":                                        2,
		"<form method=post><x-y></form><button formaction=g>":                                     0,
		"<form action=f><x-y></form><form method=post></form><button formaction=g>":               2,
		"<form action=f><x-y></form><form method=post><button formaction=g>":                      1,
		"<form method=post><x-y></form><form action=f></form><button formaction=g>":               1,
		"<form action=f><x-y></form></x-y><p><BUTTON FormAction=g>a</BUTTON><input formaction=h>": 1,
	} {
		n := 0
		for _, l := range extract(t, Options{}, Input{Body: []byte(markup)}).Links {
			if l.Kind == page.Form {
				n++
			}
		}
		if n != want {
			t.Errorf("%s: %d links of forms, want %d", markup, n, want)
		}
	}
}

// TestStrayTitleEnd: an end tag that ends no title leaves the title to come.
func TestStrayTitleEnd(t *testing.T) {
	for _, markup := range []string{
		"</title><title>b</title>", "<svg><title>a</title></svg><title>b</title>",
	} {
		if r := extract(t, Options{Driver: Scan}, Input{Body: []byte(markup)}); r.Title != "b" {
			t.Errorf("%q: title %q", markup, r.Title)
		}
	}
}

// TestEach: a page is given piece by piece while it is read, whichever way, without documents in it.
func TestEach(t *testing.T) {
	for _, markup := range []string{
		`<p a=b>one<!--[if IE]><i>two</i><![endif]--><script>"three"</script><br><title>four</title>`,
		"<iframe srcdoc='<b>one</b>'></iframe><table><tr><a href=x>two", "<p>\x00one<select><p>two", "",
	} {
		var want, got []string
		keep := func(all *[]string) func(*Piece) {
			return func(p *Piece) { *all = append(*all, fmt.Sprintf("%+v", *p)) }
		}
		Pieces([]byte(markup), keep(&want))
		e, err := New(Options{})
		if err != nil {
			t.Fatal(err)
		}
		e.Extract(Input{
			URL: base, Header: textproto.MIMEHeader{"Content-Type": {"text/html"}}, Body: []byte(markup),
			Each: keep(&got),
		})
		if !slices.Equal(got, want) {
			t.Errorf("%q:\n%q\nwant\n%q", markup, got, want)
		}
	}
}
