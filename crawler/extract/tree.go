package extract

import (
	"strings"
	"unsafe"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// readMarkup reads HTML by the driver that is chosen and fit.
func (c *collector) readMarkup(text string) {
	xml := c.isXML()
	if c.options.Driver == Tree && !xml && len(text) <= maxTree &&
		c.departs(text) && c.tame(text) && c.readTree(text) {
		if c.in.Each != nil {
			Pieces(unsafe.Slice(unsafe.StringData(text), len(text)), c.in.Each)
		}
		return
	}
	c.scan(text, xml)
}

// isXML reports a document that browsers give to their XML parser, whose rules for empty elements
// differ.
func (c *gathering) isXML() bool { return c.result.Format == SVG || isXML(c.result.Declared) }

// readTree parses the text into one goquery document and walks it; false when the parser refuses
// it, which it does for more than 512 elements within each other. Nothing has been taken then.
func (c *collector) readTree(text string) bool {
	// Scripts are not run, so what noscript holds is the page.
	root, err := html.ParseWithOptions(strings.NewReader(text), html.ParseOptionEnableScripting(false))
	if err != nil {
		return false
	}
	for _, n := range goquery.NewDocumentFromNode(root).Nodes {
		c.walk(n)
	}
	return true
}

// walk visits the nodes below root, in the order of the page, without recursion.
func (c *collector) walk(root *html.Node) {
	n := root
	for {
		if c.enter(n) && n.FirstChild != nil {
			n = n.FirstChild
			continue
		}
		for {
			c.leave(n)
			if n == root {
				return
			}
			if n.NextSibling != nil {
				n = n.NextSibling
				break
			}
			n = n.Parent
		}
	}
}

// enter takes a node; false when its children need no visit.
func (c *collector) enter(n *html.Node) bool {
	switch n.Type {
	case html.TextNode:
		if c.wantsText() {
			c.readText(n.Data)
		}
		return false
	case html.CommentNode:
		c.readNested(conditionalMarkup(n.Data))
		return false
	case html.DocumentNode:
		return true
	case html.ElementNode:
	default:
		return false
	}
	switch n.DataAtom {
	case atom.Template:
		if !shown(n.Attr) {
			return false
		}
	case atom.Noscript:
		c.noscript++
	case atom.Svg:
		c.svg++
	}
	c.foreign = n.Namespace != ""
	c.readElement(n.DataAtom, n.Data, n.Attr)
	c.breakText(n.DataAtom, false)
	return c.content(n)
}

// content takes those elements whose content is not markup; false when there is nothing left to
// visit.
func (c *collector) content(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script:
		for t := n.FirstChild; t != nil; t = t.NextSibling {
			c.readInline(t.Data)
		}
		return n.Namespace != ""
	case atom.Iframe, atom.Textarea, atom.Xmp:
		return n.Namespace != ""
	case atom.Style:
		for t := n.FirstChild; t != nil; t = t.NextSibling {
			if t.Type == html.TextNode {
				c.readStyle(t.Data, "style/url", "style/@import")
			}
		}
		return false
	case atom.Title:
		if n.Namespace != "" {
			return true
		}
		for t := n.FirstChild; t != nil; t = t.NextSibling {
			c.readTitle(t.Data)
		}
		c.endTitle()
		return false
	case atom.Noframes, atom.Noembed:
		for t := n.FirstChild; t != nil; t = t.NextSibling {
			c.readNested(t.Data)
		}
		return false
	}
	return true
}

func (c *collector) leave(n *html.Node) {
	if n.Type != html.ElementNode {
		return
	}
	switch n.DataAtom {
	case atom.A:
		c.endAnchor()
	case atom.Form:
		c.formGets = formAbove(n)
	case atom.Noscript:
		c.noscript--
	case atom.Svg:
		c.svg--
	}
	c.breakText(n.DataAtom, true)
}

// formAbove reports whether the form in which an element lies is sent by GET; false where it lies in
// none.
func formAbove(n *html.Node) bool {
	for n = n.Parent; n != nil; n = n.Parent {
		if n.DataAtom == atom.Form {
			return sentByGet(attr(n.Attr, "method"))
		}
	}
	return false
}

// shown reports a template that the page shows as it stands: a declarative shadow tree. Others wait
// for a script.
func shown(attrs []html.Attribute) bool { return attr(attrs, "shadowrootmode") != "" }
