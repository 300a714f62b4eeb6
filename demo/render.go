package demo

import (
	"fmt"
	"html"
	"strings"
	"time"

	"watershed/page"
)

// published is when the pages of epoch 0 were last changed, each a whole number of days before; an
// epoch is a week.
var published = time.Date(2026, time.January, 5, 9, 0, 0, 0, time.UTC)

// modified is when a document was last changed.
func (d *document) modified() time.Time {
	if d.changed > 0 {
		return published.AddDate(0, 0, 7*d.changed)
	}
	return published.AddDate(0, 0, -int(d.url.Key()%400))
}

// render makes the bytes of a document and says what they are.
func (d *document) render() {
	switch d.form {
	case htmlPage:
		d.mime = "text/html"
		if d.charset.told() {
			d.mime += "; charset=" + d.charset.String()
		}
		d.body = d.charset.encode(d.html())
	case style:
		d.mime, d.body = "text/css", []byte(d.css())
	case feed:
		d.mime, d.body = "application/rss+xml", []byte(d.rss())
	case siteMap:
		d.mime, d.body = "application/xml", []byte(d.urlset())
	}
}

func (d *document) html() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("<!DOCTYPE html>\n<html lang=\"en\">\n<head>")
	if d.charset != latin1 {
		line(`<meta charset="%s">`, d.charset)
	}
	line("<title>%s</title>", html.EscapeString(d.title))
	if d.noFollow {
		line(`<meta name="robots" content="nofollow">`)
	}
	d.heads(line)
	line("</head>\n<body>")
	d.menu(line, nav, "nav")
	line("<h1>%s</h1>", html.EscapeString(d.title))
	d.images(line)
	d.text(line)
	d.menu(line, foot, "footer")
	line("</body>\n</html>")
	return b.String()
}

type printer func(format string, args ...any)

// ref is the reference to an address as an attribute has it.
func (d *document) ref(address string) string { return html.EscapeString(reference(d.url, address)) }

func (d *document) heads(line printer) {
	for _, n := range d.needs {
		switch n.as {
		case asStyle:
			line(`<link rel="stylesheet" href="%s">`, d.ref(n.to.written()))
		case asIcon:
			line(`<link rel="icon" href="%s">`, d.ref(n.to.written()))
		case asScript:
			line(`<script src="%s"></script>`, d.ref(n.to.written()))
		}
	}
	for _, l := range d.links {
		if l.kind == page.Feed {
			line(`<link rel="alternate" type="application/rss+xml" title="%s" href="%s">`,
				html.EscapeString(l.text), d.ref(l.written()))
		}
	}
}

func (d *document) images(line printer) {
	for _, n := range d.needs {
		switch {
		case n.as != asImage:
		case n.more != nil:
			line(`<img src="%s" srcset="%s 320w, %s 640w" alt="">`, d.ref(n.to.written()),
				d.ref(n.to.written()),
				d.ref(n.more.written()))
		default:
			line(`<img src="%s" alt="">`, d.ref(n.to.written()))
		}
	}
}

// text has the paragraphs, a link at the end of each, and the links that are left as a list.
func (d *document) text(line printer) {
	var rest []link
	for _, l := range d.links {
		switch {
		case l.kind == page.Frame:
			line(`<iframe src="%s"></iframe>`, d.ref(l.written()))
		case l.kind == page.Navigation && l.place == body:
			rest = append(rest, l)
		}
	}
	for _, p := range d.paras {
		if len(rest) == 0 {
			line("<p>%s</p>", html.EscapeString(p))
			continue
		}
		line("<p>%s See %s.</p>", html.EscapeString(p), d.anchor(rest[0]))
		rest = rest[1:]
	}
	if len(rest) > 0 {
		line("<ul>")
		for _, l := range rest {
			line("<li>%s</li>", d.anchor(l))
		}
		line("</ul>")
	}
}

func (d *document) anchor(l link) string {
	rel := ""
	if l.rel != "" {
		rel = fmt.Sprintf(` rel="%s"`, l.rel)
	}
	return fmt.Sprintf(`<a href="%s"%s>%s</a>`, d.ref(l.written()), rel, html.EscapeString(l.text))
}

// menu has the links of a place, if there are any.
func (d *document) menu(line printer, where place, element string) {
	var list []string
	for _, l := range d.links {
		if l.kind == page.Navigation && l.place == where {
			list = append(list, d.anchor(l))
		}
	}
	if len(list) > 0 {
		line("<%s>\n%s\n</%s>", element, strings.Join(list, " |\n"), element)
	}
}

func (d *document) css() string {
	var b strings.Builder
	for _, n := range d.needs {
		ref := reference(d.url, n.to.written())
		switch n.as {
		case asImport:
			fmt.Fprintf(&b, "@import \"%s\";\n", ref)
		case asBackground:
			fmt.Fprintf(&b, "body { background: #fffdf6 url(%s) repeat; }\n", ref)
		case asFont:
			fmt.Fprintf(&b, "@font-face { font-family: Book; src: url('%s') format('woff2'); }\n", ref)
		}
	}
	b.WriteString("body { font-family: Book, serif; max-width: 40em; margin: 1em auto; }\n")
	return b.String()
}

func (d *document) rss() string {
	var b strings.Builder
	fmt.Fprintf(&b,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss "+
			"version=\"2.0\"><channel>\n<title>%s</title>\n<link>%s</link>\n"+
			"<description>%[1]s</description>\n",
		html.EscapeString(d.title), html.EscapeString(string(d.url.Root())))
	for _, l := range d.links {
		fmt.Fprintf(&b, "<item><title>%s</title><link>%s</link></item>\n", html.EscapeString(l.text),
			html.EscapeString(l.written()))
	}
	b.WriteString("</channel></rss>\n")
	return b.String()
}

func (d *document) urlset() string {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset " +
		"xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n")
	for _, l := range d.links {
		fmt.Fprintf(&b, "<url><loc>%s</loc>", html.EscapeString(l.written()))
		if l.to != nil {
			fmt.Fprintf(&b, "<lastmod>%s</lastmod>", l.to.modified().Format(time.DateOnly))
		}
		b.WriteString("</url>\n")
	}
	b.WriteString("</urlset>\n")
	return b.String()
}
