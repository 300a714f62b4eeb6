package extract

import (
	"bytes"
	"fmt"
	"net/textproto"
	"os"
	"strings"
	"testing"

	"watershed/page"
)

// fill repeats s up to n bytes.
func fill(s string, n int) string { return strings.Repeat(s, n/len(s)+1) }

// numbered repeats a format with a running number up to n bytes.
func numbered(format string, n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// hostile pages take quadratic time or unbounded memory where a reader is naive. None is long
// enough for Tree to refuse it for its size; under quadratic time the test would not end in its
// time.
func hostile() map[string]string {
	const n = 1 << 18
	unclosed := numbered("<b id=%d>", 4<<10)
	return map[string]string{
		"nested":                 fill("<div><span>", n),
		"nested lists":           fill("<ul><li>", n),
		"nested tables":          fill("<table><tr><td>", n),
		"nested anchors":         fill("<a href=1><p>", n),
		"reopened in blocks":     "<div>" + unclosed + "</div>" + fill("<div>x</div>", n-5000),
		"reopened in paragraphs": "<p>" + unclosed + fill("<p>x", n-5000),
		"reopened in cells":      "<p>" + unclosed + "<table>" + fill("<tr><td>x", n-5000),
		"hidden by a cell": unclosed + "<table><tr><td>" + fill("</b>", 4000) + "</table>" +
			fill("<div>x</div>", n-9000),
		"adopted":                fill("<b><p></b>", n),
		"adopted, attributes":    numbered("<i a%d b c d e f g h i j k l m n><p></i>", n),
		"fonts":                  numbered("<font color=%d><p>x", n),
		"attributes":             "<a " + numbered("x%d=1 ", n) + ">",
		"attributes, then tags":  "<a " + numbered("x%d=1 ", n/2) + ">" + fill("<b x>", n/2),
		"alike but for one":      numbered("<b "+numbered("a%d=1 ", 2000)+"z=%d>x", n/8),
		"html tags":              numbered("<html x%d=1>", n),
		"body tags":              numbered("<body x%d=1>", n),
		"less-than":              fill("<", n),
		"tags that do not end":   fill("<a href=\"", n),
		"end tags":               fill("</p>", n),
		"end tags that are none": fill("</", n),
		"comments that do not":   fill("<!--", n),
		"comment dashes":         "<!--" + fill("--!", n),
		"declarations":           fill("<!x", n),
		"scripts":                fill("<script><!--<script>", n),
		"script ends":            "<script><!--" + fill("</script", n),
		"titles":                 fill("<title></titl", n),
		"styles":                 fill("<style>@import url(", n),
		"style attributes":       fill(`<p style="a:url(x">`, n),
		"templates":              fill("<template>", n),
		"pictures":               fill("<svg><title>", n),
		"selects":                fill("<select><option>", n),
		"forms":                  fill("<form action=x>", n),
		"entities":               fill("&amp", n),
		"ampersands":             `<a href="` + fill("&", n) + `">`,
		"long entity":            `<a href="&` + fill("a", n) + `">`,
		"entities in text":       "<a href=x>" + fill("&notit;", n),
		"srcset":                 `<img srcset="` + fill("a (,", n) + `">`,
		"srcset commas":          `<img srcset="` + fill(",", n) + `">`,
		"documents in documents": `<iframe srcdoc="` + fill("&lt;iframe srcdoc=", n) + `">`,
		"documents side by side": fill(`<iframe srcdoc="<iframe srcdoc='<iframe srcdoc=x>'>">`, n),
		"noframes":               fill("<noframes><noframes>", n),
		"links":                  numbered("<a href=%d>x</a>", n),
		"links with one name":    fill("<a href=x>x</a>", n),
		"spellings of a link":    numbered("<a href=./x?#%d>x</a>", n),
		"kinds of a link": fill("<a href=x><img src=x><iframe src=x></iframe><link rel=next href=x>",
			n),
		"hosts":                   numbered("<a href=//xn--%d.example/>", n/4),
		"base":                    fill("<base href=x/>", n),
		"NUL":                     fill("\x00", n),
		"NUL in tags":             fill("<a\x00href=x\x00>\x00", n),
		"frames":                  fill("<frameset><frame src=x>", n),
		"plaintext":               "<plaintext>" + fill("<a href=x>", n),
		"meta":                    numbered("<meta charset=x%d>", n),
		"long reference":          "<a href=" + fill("x", n) + ">",
		"backslashes":             "<style>" + fill(`\`, n) + "</style>",
		"image-set":               "<style>" + fill("image-set(", n) + "</style>",
		"robots":                  "<meta name=robots content='" + fill("a,", n) + "'>",
		"foreign":                 fill("<math><mi><svg>", n),
		"ruby":                    fill("<ruby><rt>", n),
		"headings":                fill("<h1>", n),
		"CDATA":                   "<svg>" + fill("<![CDATA[", n),
		"buttons":                 fill("<button>", n),
		"nobr":                    fill("<nobr x>", n),
		"marquee":                 fill("<marquee><b>", n),
		"definition lists":        fill("<dl><dt><dd>", n),
		"anchors with attributes": numbered("<a x=%d><div>", n),
	}
}

func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	for name, html := range hostile() {
		t.Run(name, func(t *testing.T) {
			eachDriver(t, func(t *testing.T, d Driver) {
				r := extract(t, Options{Driver: d}, Input{Body: []byte(html), Text: func([]byte) {}})
				checkResult(t, r, defaultMaxLinks)
			})
		})
	}
}

// The same bytes as other formats and in other encodings.
func TestHostileElsewhere(t *testing.T) {
	const n = 1 << 18
	for _, contentType := range []string{
		"text/css", "application/xml", "image/svg+xml",
		"application/xhtml+xml", "application/rss+xml", "text/html; charset=utf-16le",
		"text/html; charset=gb18030", "text/html; charset=iso-2022-jp", "",
	} {
		for _, s := range []string{
			"url(", `"`, "\\", "/*", "@import ", "<item><link>", "<![CDATA[",
			"<a xml:base='x/'>", "\xff", "\x1b$B", "\x81", "&", "<?xml", "image-set(",
		} {
			h := textproto.MIMEHeader{"Content-Type": {contentType}}
			checkResult(t, extract(t, Options{}, Input{Header: h, Body: []byte(fill(s, n))}), defaultMaxLinks)
			checkResult(t, extract(t, Options{}, Input{
				Header: h, Body: []byte("<rss>" + fill(s, n)),
				Sitemap: true,
			}), defaultMaxLinks)
		}
	}
}

// A tree that would multiply is not built: the pages here would take gigabytes.
func TestTame(t *testing.T) {
	pages := hostile()
	for _, name := range []string{
		"reopened in blocks", "reopened in paragraphs", "hidden by a cell",
		"attributes", "html tags", "adopted, attributes",
	} {
		if newCollector(&Options{}).tame(pages[name]) {
			t.Errorf("%s: taken for tame", name)
		}
	}
	golden, err := os.ReadFile("testdata/page.html")
	if err != nil {
		t.Fatal(err)
	}
	if !newCollector(&Options{}).tame(string(golden)) {
		t.Error("an ordinary page is not taken for tame")
	}
}

// A page that the parser refuses is read all the same.
func TestTreeFallsBack(t *testing.T) {
	for name, html := range map[string]string{
		"too deep":  "<math>" + strings.Repeat("<div>", 600) + "<a href=1>x</a>",
		"too large": "<math>" + strings.Repeat("x", maxTree) + "<a href=1>x</a>",
	} {
		r := extract(t, Options{}, Input{Body: []byte(html)})
		if len(r.Links) != 1 || r.Err != nil {
			t.Errorf("%s: links %s, %v", name, lines(r.Links), r.Err)
		}
	}
}

// checkResult holds a result to what Result promises.
func checkResult(t testing.TB, r Result, maxLinks int) {
	t.Helper()
	if len(r.Links) > maxLinks {
		t.Errorf("%d links", len(r.Links))
	}
	if len(r.Title) > maxTitle || len(r.Language) > 64 {
		t.Errorf("title of %d bytes, language of %d", len(r.Title), len(r.Language))
	}
	type key struct {
		url  page.URL
		kind page.LinkKind
	}
	seen := map[key]bool{}
	for i, l := range r.Links {
		if seen[key{l.URL, l.Kind}] {
			t.Fatalf("%s %s twice", l.Kind, l.URL)
		}
		seen[key{l.URL, l.Kind}] = true
		if len(l.Text) > maxLinkText || strings.TrimSpace(l.Text) != l.Text ||
			strings.ToValidUTF8(l.Text, "") != l.Text {
			t.Fatalf("text %q", l.Text)
		}
		if l.Context == "" {
			t.Fatalf("%s without a context", l.URL)
		}
		if i < 1000 {
			if u, err := page.ParseURL(string(l.URL)); err != nil || u != l.URL {
				t.Fatalf("%q is not canonical: %q, %v", l.URL, u, err)
			}
		}
	}
}

// extractors are one of each driver, that take little.
func extractors(t testing.TB) (each [drivers]*Extractor) {
	t.Helper()
	var err error
	for d := range drivers {
		if each[d], err = New(Options{
			Driver: d, Lazy: true, MaxLinks: 50, MaxText: 1000,
		}); err != nil {
			t.Fatal(err)
		}
	}
	return each
}

// The seeds are small: what fuzzing finds in a page of kilobytes it shortens for minutes.
func FuzzExtract(f *testing.F) {
	for _, s := range []string{
		"<base href=//x><a href=1>", "<iframe srcdoc='&lt;a href=1>'>", "<svg><use href=a#b></svg>",
		"<meta charset=gbk>\xb0\xa1", "\xff\xfe<\x00a\x00>\x00",
		"<noframes><a href=1></noframes><noscript><template>", "<urlset><url><loc>http://x/</loc>",
		"@import 'x';", "<a href='http://%zz/?\xe4'>",
		"<title>a</title><p>b <img srcset='c 2x'>", "<asx><base href=/v/><ref href=a><location>b",
		"[playlist]\nFile1=a\n",
	} {
		f.Add([]byte(s), "text/html")
		f.Add([]byte(s), "application/xml")
		f.Add([]byte(s), "text/css")
	}
	each := extractors(f)
	f.Fuzz(func(t *testing.T, body []byte, contentType string) { extractTwice(t, &each, body, contentType) })
}

func TestExtractTwiceFromGoldenPage(t *testing.T) {
	golden, err := os.ReadFile("testdata/page.html")
	if err != nil {
		t.Fatal(err)
	}
	each := extractors(t)
	extractTwice(t, &each, golden, "text/html")
}

// extractTwice extracts by each driver: within the bounds, and the same twice, the first time from a body
// of which a result may hold nothing.
func extractTwice(t *testing.T, each *[drivers]*Extractor, body []byte, contentType string) {
	h := textproto.MIMEHeader{"Content-Type": {contentType}, "Link": {contentType}}
	for d := range drivers {
		text := 0
		in := Input{
			URL: base, Header: h, Body: bytes.Clone(body), Sitemap: len(body)%2 == 1,
			Text: func(p []byte) { text += len(p) },
		}
		first := each[d].Extract(in)
		clear(in.Body)
		in.Body = body
		checkResult(t, first, 50)
		if text > 1000 {
			t.Errorf("%d bytes of text", text)
		}
		if again := each[d].Extract(in); describe(again) != describe(first) {
			t.Errorf("%d: two readings differ:\n%s\n%s", d, describe(first), describe(again))
		}
	}
}
