package extract

import (
	"flag"
	"fmt"
	"net/textproto"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"watershed/page"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const base = page.URL("http://example.org/dir/page.html")

// eachDriver runs a test for both ways of reading markup.
func eachDriver(t *testing.T, test func(t *testing.T, d Driver)) {
	for d := range drivers {
		t.Run([]string{"tree", "scan"}[d], func(t *testing.T) { test(t, d) })
	}
}

func extract(t testing.TB, o Options, in Input) Result {
	t.Helper()
	e, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if in.URL == "" {
		in.URL = base
	}
	if in.Header == nil {
		in.Header = textproto.MIMEHeader{"Content-Type": {"text/html; charset=utf-8"}}
	}
	return e.Extract(in)
}

// lines writes links as text: kind, nofollow, context, URL and text.
func lines(links []page.Link) string {
	var b strings.Builder
	for _, l := range links {
		mark := "-"
		if l.NoFollow {
			mark = "nofollow"
		}
		fmt.Fprintf(&b, "%s %s %s %s", l.Kind, mark, l.Context, l.URL)
		if l.Text != "" {
			fmt.Fprintf(&b, " %q", l.Text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func describe(r Result) string {
	return fmt.Sprintf("title %q\nlanguage %q\ncharset %s\nformat %s\nbase %s\ncanonical %s\nnoindex %v "+
		"nofollow %v\n", r.Title, r.Language, r.Charset, r.Format, r.Base,
		r.Canonical, r.NoIndex, r.NoFollow) + lines(r.Links)
}

func TestGolden(t *testing.T) {
	body, err := os.ReadFile("testdata/page.html")
	if err != nil {
		t.Fatal(err)
	}
	eachDriver(t, func(t *testing.T, d Driver) {
		r := extract(t, Options{Driver: d}, Input{Body: body})
		if r.Err != nil {
			t.Error(r.Err)
		}
		got := describe(r)
		if *update {
			if err := os.WriteFile("testdata/page.txt", []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile("testdata/page.txt")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Error(diff)
		}
		if strings.Contains(got, "no-") {
			t.Error("a link that is none was found")
		}
	})
}

func TestLinks(t *testing.T) {
	tests := []struct{ name, html, want string }{
		{
			"unquoted, spaced, capitals", `<A HREF = g.html >x</A>`,
			"navigation - a/@href http://example.org/dir/g.html \"x\"\n",
		},
		{
			"first of two attributes", `<a href=1 href=2>x</a>`,
			"navigation - a/@href http://example.org/dir/1 \"x\"\n",
		},
		{
			"anchors do not nest", `<a href=1>one <a href=2>two</a></a>`,
			"navigation - a/@href http://example.org/dir/1 \"one\"\nnavigation - a/@href " +
				"http://example.org/dir/2 \"two\"\n",
		},
		{
			"text of the first that has one", `<a href=1><img></a><a href=1>one</a>`,
			"navigation - a/@href http://example.org/dir/1 \"one\"\n",
		},
		{
			"followed somewhere", `<a rel=nofollow href=1>a</a><a href=1#x>b</a>`,
			"navigation - a/@href http://example.org/dir/1 \"a\"\n",
		},
		{
			"user content", `<a rel="ugc" href=1></a><a rel="Sponsored noopener" href=2></a>`,
			"navigation nofollow a/@href http://example.org/dir/1\nnavigation nofollow a/@href " +
				"http://example.org/dir/2\n",
		},
		{
			"two kinds of one URL", `<a href=1.png>x</a><img src=1.png>`,
			"navigation - a/@href http://example.org/dir/1.png \"x\"\nembed - img/@src " +
				"http://example.org/dir/1.png\n",
		},
		{
			"spellings of one URL",
			`<a href="/a"><a href="http://example.org/a"><a href="./../a"><a href="//EXAMPLE.org/a">`,
			"navigation - a/@href http://example.org/a\n",
		},
		{
			"base after the link", `<a href=x></a><base href=/b/>`,
			"navigation - a/@href http://example.org/b/x\n",
		},
		{
			"base without http", `<base href="data:,x"><a href=x></a>`,
			"navigation - a/@href http://example.org/dir/x\n",
		},
		{
			"base of a picture", `<svg><base href=/b/></base></svg><a href=x></a>`,
			"navigation - a/@href http://example.org/dir/x\n",
		},
		{
			"base of a picture before the page's",
			`<svg><g><base href=/b/></g></svg><base href=/c/><a href=x></a>`,
			"navigation - a/@href http://example.org/c/x\n",
		},
		{"no target", `<a name=x>x</a><img alt=x><form><iframe></iframe><script></script>`, ""},
		{
			"tag that does not end", `<a href=1>x</a><a href="2`,
			"navigation - a/@href http://example.org/dir/1 \"x\"\n",
		},
		{
			"comment that does not end", `<a href=1>x</a><!-- <a href=2>`,
			"navigation - a/@href http://example.org/dir/1 \"x\"\n",
		},
		{
			"comment ends at once", `<!--><a href=1>x</a>-->`,
			"navigation - a/@href http://example.org/dir/1 \"x\"\n",
		},
		{
			"comment ends oddly", `<!-- --!><a href=1>x</a>`,
			"navigation - a/@href http://example.org/dir/1 \"x\"\n",
		},
		{
			"less-than in text", `1 < 2 <3 <a href=1>x < y</a>`,
			"navigation - a/@href http://example.org/dir/1 \"x < y\"\n",
		},
		{
			"NUL", "<a href=\"x\x00y\">a\x00b</a>",
			"navigation - a/@href http://example.org/dir/x%EF%BF%BDy \"ab\"\n",
		},
		{
			"script within a comment in a script",
			`<script><!-- <script> </script> <a href=1> --></script><a href=2>x</a>`,
			"navigation - a/@href http://example.org/dir/2 \"x\"\n",
		},
		{
			"frames", `<frameset><frame src=1><frame src=2><noframes><a href=3>x</a></noframes></frameset>`,
			"frame - frame/@src http://example.org/dir/1\nframe - frame/@src " +
				"http://example.org/dir/2\nnavigation - a/@href http://example.org/dir/3 \"x\"\n",
		},
		{
			"layers", `<layer src=1></layer><ilayer src=2></ilayer>`,
			"frame - layer/@src http://example.org/dir/1\nframe - ilayer/@src http://example.org/dir/2\n",
		},
		{"form without a method", `<form action=s></form>`, "form - form/@action http://example.org/dir/s\n"},
		{
			"formmethod wins", `<form method=post action=s><button formmethod=GET formaction=t></form>`,
			"form - @formaction http://example.org/dir/t\n",
		},
		{"dialog", `<form method=dialog action=s>`, ""},
		{
			"refresh", `<meta http-equiv=refresh content="0;url=next.html">`,
			"refresh - meta/@content http://example.org/dir/next.html\n",
		},
		{"refresh to itself", `<meta http-equiv=refresh content="60;url=/dir/page.html">`, ""},
		{"refresh without URL", `<meta http-equiv=refresh content="60">`, ""},
		{
			"page-wide nofollow",
			`<meta name=robots content=none><a href=1>x</a><img src=2><link rel=canonical href=3>`,
			"navigation nofollow a/@href http://example.org/dir/1 \"x\"\nembed - img/@src " +
				"http://example.org/dir/2\ncanonical - link/@href http://example.org/dir/3\n",
		},
		{"image is img", `<image src=1>`, "embed - img/@src http://example.org/dir/1\n"},
		{
			"relations in many words", `<link rel="next up NEXT" href=2>`,
			"alternate - link/@href http://example.org/dir/2\n",
		},
		{
			"text is cut at a rune", `<a href=1>` + strings.Repeat("ab", 99) + `äöü</a>`,
			"navigation - a/@href http://example.org/dir/1 \"" + strings.Repeat("ab", 99) + "ä\"\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			eachDriver(t, func(t *testing.T, d Driver) {
				r := extract(t, Options{Driver: d}, Input{Body: []byte(tt.html)})
				if diff := cmp.Diff(tt.want, lines(r.Links)); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

func TestOptions(t *testing.T) {
	const html = `<a rel=nofollow href=1>x</a><a href=2>y</a>` +
		`<img data-src=late.png data-srcset="late2.png 2x">` +
		`<iframe data-src=late.html></iframe>`
	tests := []struct {
		name    string
		options Options
		want    []string
	}{
		{"default", Options{}, []string{"1 nofollow", "2"}},
		{"ignore", Options{Follow: true}, []string{"1", "2"}},
		{"lazy", Options{Lazy: true}, []string{"1 nofollow", "2", "late.png", "late2.png", "late.html"}},
		{"one link", Options{MaxLinks: 1}, []string{"1 nofollow"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := extract(t, tt.options, Input{Body: []byte(html)})
			var got []string
			for _, l := range r.Links {
				s := strings.TrimPrefix(string(l.URL), "http://example.org/dir/")
				if l.NoFollow {
					s += " nofollow"
				}
				got = append(got, s)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if cut := tt.options.MaxLinks > 0; r.LinksCut != cut {
				t.Errorf("LinksCut = %v, want %v", r.LinksCut, cut)
			}
		})
	}
	for _, bad := range []Options{{Driver: 9}, {MaxLinks: -1}, {MaxText: -1}} {
		if _, err := New(bad); err == nil {
			t.Errorf("New(%+v): no error", bad)
		}
	}
}

func TestText(t *testing.T) {
	const html = `<title>no</title><style>no</style><h1>One &amp; <b>t</b>wo</h1>` +
		`<p>three<br>four<script>no</script> five<noscript>no</noscript>` +
		`<textarea>no</textarea><template>no</template><table><tr><td>six<td>seven</table>` +
		`<nav><a href=1>eight</a><a href=2>n<b>in</b>e</a><a>ten</a></nav>elev<a href=3>en</a>th`
	eachDriver(t, func(t *testing.T, d Driver) {
		collect := func(limit int) (string, bool) {
			var b strings.Builder
			r := extract(t, Options{Driver: d, MaxText: limit},
				Input{Body: []byte(html), Text: func(p []byte) { b.Write(p) }})
			return b.String(), r.TextCut
		}
		text, wasCut := collect(0)
		if got, want := strings.Join(strings.Fields(text), " "),
			"One & two three four five six seven eight nine ten eleventh"; got != want || wasCut {
			t.Errorf("text = %q, cut = %v, want %q", got, wasCut, want)
		}
		if text, wasCut := collect(7); len(text) > 7 || !wasCut {
			t.Errorf("text of at most 7 bytes = %q, cut = %v", text, wasCut)
		}
	})
}

func TestFormat(t *testing.T) {
	tests := []struct {
		name, declared, body string
		sitemap              bool
		want                 Format
		links                int
	}{
		{"html", "text/html", `<a href=1>`, false, HTML, 1},
		{"no type", "", `<html><a href=1>`, false, HTML, 1},
		{"unknown type", "application/octet-stream", `<!DOCTYPE HTML><a href=1>`, false, HTML, 1},
		{"text stays text", "text/plain", `<html><a href=1>`, false, Opaque, 0},
		{"picture called html", "text/html", "\x89PNG\r\n\x1a\n<a href=1>", false, Opaque, 0},
		{"text that begins like a picture", "text/html", "BMW: <a href=1>", false, HTML, 1},
		{
			"xhtml", "application/xhtml+xml",
			`<html xmlns="http://www.w3.org/1999/xhtml"><head><script src="a.js"/><title/></head><body>` +
				`<a href="1"/></body></html>`, false, HTML, 2,
		},
		{
			"xhtml as xml", "text/xml; charset=utf-8",
			`<?xml version="1.0"?><!DOCTYPE html><html><a href="1"/></html>`, false, HTML, 1,
		},
		{
			"svg", "image/svg+xml",
			`<svg xmlns:xlink="x"><a xlink:href="1"/><image xlink:href="2.png"/><style><![CDATA[ ` +
				`@import "3.css"; ]]></style></svg>`, false, SVG, 3,
		},
		{"css", "text/css", `a{background:url(1)}`, false, CSS, 1},
		{
			"rss", "application/rss+xml",
			`<rss><channel><item><link>http://example.org/1</link></item></channel></rss>`, false, Feed, 1,
		},
		{
			"rss as html", "text/html",
			`<?xml version="1.0"?><rss version="2.0"><channel><item><link>http://example.org/1</link>` +
				`</item></channel></rss>`, false, Feed, 1,
		},
		{
			"atom as xml", "application/xml",
			`<feed><entry><link href="http://example.org/1"/></entry></feed>`,
			false, Feed, 1,
		},
		{
			"sitemap", "application/xml", `<urlset><url><loc>http://example.org/1</loc></url></urlset>`,
			false, Sitemap, 1,
		},
		{"text sitemap", "text/plain", "http://example.org/1\nhttp://example.org/2\n", true, Sitemap, 2},
		{"text that is no sitemap", "text/plain", "http://example.org/1\n", false, Opaque, 0},
		{"html in place of a sitemap", "text/html", `<!doctype html><a href=1>`, true, HTML, 1},
		{"other xml", "application/xml", `<data><a href="1"/></data>`, false, Opaque, 0},
		{
			"mets", "application/xml", `<mets:mets xmlns:xlink="x"><mets:FLocat LOCTYPE="URL" ` +
				`xlink:href="http://example.org/1.tif"/></mets:mets>`, false, Opaque, 1,
		},
		{
			"tei", "text/xml", `<?xml version="1.0"?><TEI><ref target="a.xml #n1 b.xml"/><graphic ` +
				`url="1.jpg"/><note target="#n2"/></TEI>`, false, Opaque, 3,
		},
		{
			"xml that a style sheet draws", "text/xml", `<?xml version="1.0"?>` +
				`<?xml-stylesheet href="s.xsl"?><list xmlns="http://example.org/ns"><i href="1"/>` +
				`<i id="/2"/><u> /3?a&amp;b </u><t>one/two</t><p src="4.png"/></list>`, false, Opaque, 5,
		},
		{
			"wml", "text/vnd.wap.wml", `<?xml version="1.0"?><wml><card><a href="1">x</a><go href="2.wml"/>` +
				`<option onpick="/3">x</option><setvar value="/$(v)"/></card></wml>`, false, Opaque, 3,
		},
		{"json", "application/json", `{"a":"<a href=1>"}`, false, Opaque, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := textproto.MIMEHeader{}
			if tt.declared != "" {
				h.Set("Content-Type", tt.declared)
			}
			r := extract(t, Options{}, Input{Header: h, Body: []byte(tt.body), Sitemap: tt.sitemap})
			if r.Format != tt.want || len(r.Links) != tt.links {
				t.Errorf("format %s with links\n%swant %s with %d", r.Format, lines(r.Links),
					tt.want, tt.links)
			}
			if want, _, _ := strings.Cut(tt.declared, ";"); r.Declared != want {
				t.Errorf("Declared = %q, want %q", r.Declared, want)
			}
		})
	}
}

func TestFeedAndSitemap(t *testing.T) {
	xml := textproto.MIMEHeader{"Content-Type": {"application/xml"}}
	r := extract(t, Options{}, Input{
		Header: xml,
		Body:   []byte(`<sitemapindex><sitemap><loc>/two.xml</loc></sitemap></sitemapindex>`),
	})
	if want := "sitemap - sitemap/loc http://example.org/two.xml\n"; lines(r.Links) != want {
		t.Errorf("index:\n%swant\n%s", lines(r.Links), want)
	}
	r = extract(t, Options{},
		Input{
			Header: xml,
			Body: []byte(
				`<urlset><url><loc>http://example.org/p</loc><xhtml:link rel="alternate" hreflang="fr" ` +
					`href="http://example.org/f"/></url></urlset>`),
		})
	if want := "alternate - url/link http://example.org/f\nsitemap - url/loc http://example.org/p\n"; lines(
		r.Links) != want {
		t.Errorf("urlset:\n%swant\n%s", lines(r.Links), want)
	}
	r = extract(t, Options{MaxLinks: 2},
		Input{
			Header: xml,
			Body: []byte(
				`<rss><channel><link>/</link><item><link>/1</link><enclosure url="/1.mp3"/></item>` +
					`</channel></rss>`),
		})
	if want := "navigation - item/link http://example.org/\nembed - item/enclosure " +
		"http://example.org/1.mp3\n"; lines(r.Links) != want || !r.LinksCut || r.Err != nil {
		t.Errorf("feed:\n%scut %v, %v", lines(r.Links), r.LinksCut, r.Err)
	}
	r = extract(t, Options{}, Input{Header: xml, Sitemap: true, Body: []byte("nothing")})
	if r.Err == nil {
		t.Error("no error for what is no sitemap")
	}
}

// An Extractor serves many goroutines, and nothing that a page leaves in it shows in another page.
func TestConcurrent(t *testing.T) {
	golden, err := os.ReadFile("testdata/page.html")
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(Options{Driver: Scan})
	if err != nil {
		t.Fatal(err)
	}
	bodies := [][]byte{
		golden, []byte(`<base href=/x/><svg><a href=1>`),
		[]byte(`<noscript><template><a href=2>`), []byte("<a href=3?ä>\xe4</a>"),
	}
	header := textproto.MIMEHeader{"Content-Type": {"text/html; charset=windows-1252"}}
	read := func(i int) string {
		return describe(e.Extract(Input{URL: base, Header: header, Body: bodies[i]}))
	}
	var want []string
	for i := range bodies {
		fresh, err := New(Options{Driver: Scan})
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, describe(fresh.Extract(Input{URL: base, Header: header, Body: bodies[i]})))
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for n := range 100 {
				i := (g + n) % len(bodies)
				if got := read(i); got != want[i] {
					t.Errorf("page %d: %s", i, cmp.Diff(want[i], got))
					return
				}
			}
		})
	}
	wg.Wait()
}
