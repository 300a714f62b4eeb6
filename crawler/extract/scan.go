package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxNested bounds documents within documents.
const maxNested = 2

// readNested takes the links of markup that stands within a page as text: iframe/@srcdoc, noframes,
// noembed.
func (c *collector) readNested(text string) {
	if c.nested >= maxNested || c.template > 0 {
		return
	}
	outer := *c
	c.nested++
	c.scanner = scanner{}
	c.scan(text, false)
	c.endAnchor()
	c.nested, c.scanner, c.anchor, c.inner = outer.nested, outer.scanner, outer.anchor, outer.inner
	c.svg, c.noscript, c.formGets, c.template = outer.svg, outer.noscript, outer.formGets, outer.template
}

// scan reads markup as a stream of tags.
func (c *collector) scan(text string, xml bool) {
	s := &c.scanner
	s.reset(text)
	s.xml = xml
	var p Piece
	each := c.in.Each
	if c.nested > 0 {
		each = nil
	}
	for s.next() {
		if each != nil && p.take(s) {
			each(&p)
		}
		switch s.kind {
		case textRun:
			c.scanText(s)
		case startTag:
			c.scanStart(s)
		case endTag:
			c.scanEnd(s)
		case conditionalText:
			c.readNested(s.text)
		}
	}
	c.endAnchor()
}

// scanText takes a run of text, or the content of an element that holds nothing else.
func (c *collector) scanText(s *scanner) {
	switch s.within {
	case 0:
		if c.wantsText() {
			c.readText(plainText(s))
		}
	case atom.Style:
		c.readStyle(lineEnds(s.text), "style/url", "style/@import")
	case atom.Script:
		c.readInline(lineEnds(s.text))
	case atom.Title:
		switch {
		case c.svg == 0:
			c.readTitle(plainText(s))
		case c.wantsText():
			c.readText(plainText(s))
		}
	}
}

// plainText is a run of text with its entities decoded, and then its NUL dropped, which ends an
// entity as any other byte does.
func plainText(s *scanner) string {
	t := lineEnds(s.text)
	if !s.plain {
		t = html.UnescapeString(t)
	}
	return strings.ReplaceAll(t, "\x00", "")
}

func (c *collector) scanStart(s *scanner) {
	switch s.atom {
	case atom.Template:
		if !s.bare() && (c.template > 0 || !shown(s.attrs)) {
			c.template++
		}
	case atom.Noscript:
		if !s.bare() {
			c.noscript++
		}
	case atom.Svg:
		if !s.empty {
			c.svg++
		}
	case atom.Title:
		c.titling = c.svg == 0 && c.template == 0
	}
	if c.template > 0 {
		return
	}
	c.foreign = c.svg > 0
	c.readElement(s.atom, s.name, s.attrs)
	c.breakText(s.atom, false)
}

func (c *collector) scanEnd(s *scanner) {
	switch s.atom {
	case atom.A:
		c.endAnchor()
	case atom.Form:
		c.formGets = false
	case atom.Title:
		if c.titling {
			c.endTitle()
		}
		c.titling = false
	case atom.Template:
		c.template = max(0, c.template-1)
	case atom.Noscript:
		c.noscript = max(0, c.noscript-1)
	case atom.Svg:
		c.svg = max(0, c.svg-1)
	}
	c.breakText(s.atom, true)
}

// bare reports an XML element without content. In HTML the "/" of a tag means nothing.
func (s *scanner) bare() bool { return s.xml && s.empty }
