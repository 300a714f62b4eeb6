package extract

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"watershed/page"
)

// readProlog takes the style sheets that an XML document names before its root element, without
// which it is shown as source or not at all.
func (c *parts) readProlog(text string) {
	for _, said := range styles(text) {
		c.embed("xml-stylesheet/@href", html.UnescapeString(pseudoAttribute(said, "href")))
	}
}

// transformed reports an XML document with a style sheet in XSLT.
func transformed(text string) bool {
	return slices.ContainsFunc(styles(text), func(said string) bool {
		t := strings.ToLower(pseudoAttribute(said, "type"))
		return t == "text/xsl" || strings.Contains(t, "xml")
	})
}

// styles is what an XML document says of the style sheets that it names before its root element.
// Source: W3C, Associating Style Sheets with XML documents 1.0, 2nd edition.
func styles(text string) (all []string) {
	for {
		at := strings.IndexByte(text, '<')
		if at < 0 || len(text) < at+2 {
			return all
		}
		text = text[at:]
		end := ">"
		switch {
		case strings.HasPrefix(text, "<?"):
			end = "?>"
		case strings.HasPrefix(text, "<!--"):
			end = "-->"
		case text[1] != '!':
			return all // the root
		}
		piece, rest, ok := strings.Cut(text, end)
		if !ok {
			return all
		}
		if said, ok := strings.CutPrefix(piece, "<?xml-stylesheet"); ok {
			all = append(all, said)
		}
		text = rest
	}
}

// readTransform takes the files that a style sheet in XSLT needs, and those that the pages need which
// it makes; a value with a brace is computed. Source: W3C, XSL Transformations 1.0, 2.6 (combining
// stylesheets) and 7.6.2 (attribute value templates).
func (c *collector) readTransform(text string) {
	s := newScanner(text)
	s.xml = true
	for s.next() {
		switch {
		case s.kind == textRun && s.within == atom.Style:
			c.readStyle(s.text, "style/url", "style/@import")
		case s.kind != startTag:
		case strings.HasSuffix(s.name, ":import"), strings.HasSuffix(s.name, ":include"):
			c.embed("xsl/@href", attr(s.attrs, "href"))
		default:
			switch s.atom {
			case atom.Link, atom.Img, atom.Script, atom.Iframe, atom.Body, atom.Table, atom.Td:
				computed := func(a html.Attribute) bool { return strings.Contains(a.Val, "{") }
				c.readElement(s.atom, s.name, slices.DeleteFunc(s.attrs, computed))
			}
		}
	}
}

// readXML takes the links of an XML document that is no page: the xlink:href of METS, EAD, DocBook and
// others, and the pointers of TEI. Source: W3C, XLink 1.1, 5.4 and 5.6.1; TEI P5, att.pointing and
// att.resourced. Of one that is for readers, WML or with a style sheet of its own, which may make links of
// anything, also each address counts that stands alone.
func (c *collector) readXML(text, root string) {
	tei, shown := root == "tei" || root == "teicorpus", root == "wml" || strings.Contains(
		text[:min(len(text), maxHead)], "<?xml-stylesheet")
	s := newScanner(text)
	s.xml = true
	for s.next() {
		if s.kind != startTag {
			if ref := strings.TrimSpace(s.text); shown && s.kind == textRun && pageName.MatchString(ref) {
				c.add(page.Navigation, "xml/text", html.UnescapeString(ref))
			}
			continue
		}
		for _, a := range s.attrs {
			key, value := strings.ToLower(a.Key), strings.TrimSpace(a.Val)
			switch {
			case key == "xlink:href" && attr(s.attrs, "xlink:show") == "embed":
				c.embed("xml/@xlink:href", value)
			case key == "xlink:href":
				c.add(page.Navigation, "xml/@xlink:href", value)
			case tei && key == "url":
				c.embed("tei/@url", value)
			case tei && key == "target":
				for pointer := range strings.FieldsSeq(value) {
					if !strings.HasPrefix(pointer, "#") {
						c.add(page.Navigation, "tei/@target", pointer)
					}
				}
			case !shown, strings.HasPrefix(key, "xmlns"):
			case key == "src":
				c.embed("xml/@src", value)
			case key == "href", pageName.MatchString(value):
				c.add(page.Navigation, "xml/@href", value)
			}
		}
	}
}

// pseudoAttribute is the value of an attribute of a processing instruction, "" for none.
func pseudoAttribute(said, name string) string {
	for {
		key, rest, ok := strings.Cut(said, "=")
		rest = strings.TrimLeft(rest, " \t\r\n")
		if !ok || rest == "" || !isQuote(rest[0]) {
			return ""
		}
		value, after, ok := strings.Cut(rest[1:], rest[:1])
		if !ok {
			return ""
		}
		if strings.TrimSpace(key) == name {
			return value
		}
		said = after
	}
}
