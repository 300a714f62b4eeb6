package extract

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/gabriel-vasile/mimetype"
)

// Format is the format as which a body is read.
type Format uint8

// The formats that are told apart.
const (
	// read for little: plain text, the text of PDF and office documents, the imports of scripts,
	// the style sheets of XML; images, archives
	Opaque  Format = iota
	HTML           // HTML and XHTML
	SVG            // a picture with links in it
	CSS            // a stylesheet
	Feed           // RSS or Atom
	Sitemap        // sitemaps.org XML; text and gzip when the input says so
	formats
)

var formatNames = [formats]string{"opaque", "html", "svg", "css", "feed", "sitemap"}

func (f Format) String() string {
	if f >= formats {
		return fmt.Sprintf("Format(%d)", uint8(f))
	}
	return formatNames[f]
}

// format decides by the declared type where that says something, and by the bytes where it does
// not. As in browsers, text/plain stays text, and what is declared as HTML is HTML unless it has
// the marks of something else. Source: WHATWG, MIME Sniffing, section 7.
func (c *gathering) format() Format {
	if c.in.Sitemap && mayBeSitemap(c.in.Body, c.result.Declared) {
		return Sitemap
	}
	declared, sniffed := c.result.Declared, c.result.Sniffed
	switch {
	case declared == "text/html":
		if isXML(sniffed) {
			if f := xmlFormat(c.in.Body); f == Feed || f == Sitemap { // the standard's "feed or HTML" rule
				return f
			}
		} else if sniffed != unknownType && !strings.HasPrefix(sniffed, "text/") && binary(c.in.Body) {
			return Opaque
		}
		return HTML
	case declared == "application/xhtml+xml":
		return HTML
	case declared == "text/css":
		return CSS
	case isXML(declared):
		return xmlFormat(c.in.Body)
	case saysNothing(declared):
		switch {
		case sniffed == "text/html":
			return HTML
		case isXML(sniffed):
			return xmlFormat(c.in.Body)
		}
	}
	return Opaque
}

// mayBeSitemap reports a body that can be read as a sitemap where a URL is known as one: gzip, XML
// that is no page, or lines of addresses. A page that a sitemap lists is no sitemap, nor is XHTML.
func mayBeSitemap(body []byte, declared string) bool {
	if bytes.HasPrefix(body, []byte{0x1f, 0x8b}) {
		return true
	}
	// a byte order mark is no character
	text := strings.TrimLeft(ascii(body[:min(len(body), 512)]), "\ufeff\ufffd \t\r\n\f")
	if strings.HasPrefix(text, "<") || isXML(declared) {
		f := xmlFormat(body)
		return f == Sitemap ||
			f == Opaque && (isXML(declared) || declared != "text/html" && strings.HasPrefix(text, "<?xml"))
	}
	return hasPrefixFold([]byte(text), "http://") || hasPrefixFold([]byte(text), "https://")
}

const unknownType = "application/octet-stream"

// saysNothing reports a declared type that stands for none.
func saysNothing(t string) bool {
	switch t {
	case "", unknownType, "unknown/unknown", "application/unknown", "*/*":
		return true
	}
	return false
}

func isXML(t string) bool {
	switch t {
	case "text/xml", "text/xsl", "application/xml", "application/rss", "application/atom",
		"text/vnd.wap.wml":
		return true
	}
	return strings.HasSuffix(t, "+xml")
}

// binary reports a byte that text does not have, in what the standard takes for the header of a
// resource. Source: WHATWG, MIME Sniffing, sections 3 (binary data byte) and 5.2.
func binary(body []byte) bool {
	return slices.ContainsFunc(body[:min(len(body), 1445)], func(b byte) bool {
		return b <= 0x08 || b == 0x0b || 0x0e <= b && b <= 0x1a || 0x1c <= b && b <= 0x1f
	})
}

// sniff is the media type that the first bytes of a body look like, without parameters.
func sniff(body []byte) string {
	if len(body) == 0 {
		return ""
	}
	if LooksLikeHTML(body) {
		return "text/html"
	}
	t, _, _ := strings.Cut(mimetype.Detect(body).String(), ";")
	return t
}

// LooksLikeHTML knows the commonest beginnings, which spares the full detection.
func LooksLikeHTML(b []byte) bool {
	b = bytes.TrimLeft(b[:min(len(b), 256)], " \t\r\n\f")
	return hasPrefixFold(b, "<!doctype html") || hasPrefixFold(b, "<html")
}

func hasPrefixFold(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && strings.EqualFold(string(b[:len(prefix)]), prefix)
}

// xmlFormat tells XML documents apart by their root element.
func xmlFormat(body []byte) Format {
	switch rootOf(body) {
	case "html":
		return HTML
	case "svg":
		return SVG
	case "rss", "rdf", "feed":
		return Feed
	case "urlset", "sitemapindex":
		return Sitemap
	}
	return Opaque
}

// rootOf is the name of an XML document's root element in lower case, without its prefix.
func rootOf(body []byte) string {
	s := newScanner(ascii(body[:min(len(body), 8<<10)]))
	for s.next() {
		if s.kind == startTag {
			return s.name[strings.LastIndexByte(s.name, ':')+1:]
		}
	}
	return ""
}

// ascii is text in any encoding with its NUL bytes left out, so that markup can be recognised in
// UTF-16 too.
func ascii(b []byte) string {
	if bytes.IndexByte(b, 0) < 0 {
		return string(b)
	}
	return string(bytes.ReplaceAll(b, []byte{0}, nil))
}
