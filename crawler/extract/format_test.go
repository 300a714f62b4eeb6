package extract

import (
	"net/textproto"
	"strings"
	"testing"
)

// A file that a sitemap lists is read as the format that it has; a file that is named as a sitemap
// is read as a sitemap.
func TestListedBySitemap(t *testing.T) {
	const xhtml = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd">
<html xmlns="http://www.w3.org/1999/xhtml"><body><a href="/next">next</a></body></html>`
	for _, c := range []struct {
		name, declared, body string
		want                 Format
	}{
		{"XHTML as HTML", "text/html", xhtml, HTML},
		{"XHTML", "application/xhtml+xml", xhtml, HTML},
		{"HTML", "text/html", "<html><body>", HTML},
		{"HTML from its title on", "text/html", "<title>t</title><a href='/next'>next</a>", HTML},
		{"HTML from a comment on", "text/html", "<!-- made by hand --><p><a href='/next'>next</a>", HTML},
		{"HTML behind an XML declaration", "text/html", "<?xml version='1.0'?><body><p>words", HTML},
		{"markup of no declared type", "", "<p>words", HTML},
		{"broken sitemap", "text/xml", "<url><loc>http://a.example/</loc></url>", Sitemap},
		{"HTML, said twice", "text/html, text/html; charset=utf-8", "<html><body>", HTML},
		{"HTML, said last", "text/plain|text/html", "<html><body>", HTML},
		{"HTML, and nothing", "text/html, */*|html", "<html><body>", HTML},
		{"plain text, said last", "text/html; charset=utf-8, text/plain", "<html><body>", Opaque},
		{"plain text", "text/plain", "Notes of a meeting", Opaque},
		{"a word that is no type", "text", "<!doctype html><body>", HTML},
		{"style sheet", "text/css", "a{}", CSS},
		{"PDF", "application/pdf", "%PDF-1.4", Opaque},
		{"feed", "application/rss+xml", "<rss version='2.0'></rss>", Feed},
		{
			"sitemap", "application/xml",
			`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>`, Sitemap,
		},
		{"sitemap as HTML", "text/html", `<?xml version="1.0"?><urlset></urlset>`, Sitemap},
		{"list of addresses", "text/plain", "\ufeffhttps://a.example/\nhttps://a.example/b\n", Sitemap},
		{"compressed", "application/octet-stream", "\x1f\x8b\x08", Sitemap},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := textproto.MIMEHeader{"Content-Type": strings.Split(c.declared, "|")}
			r := extract(t, Options{}, Input{
				URL: "http://a.example/x", Header: h, Sitemap: true,
				Body: []byte(c.body),
			})
			if r.Format != c.want {
				t.Errorf("read as %s, want %s (%v)", r.Format, c.want, r.Err)
			}
		})
	}
}
