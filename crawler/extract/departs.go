package extract

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// departs reports a page whose tree may hold links that Scan does not find, or show that others
// which Scan finds are no part of the page: it has an element whose content a browser drops or reads
// by other rules. Such pages are few, and building a tree takes four times as long as Scan. Of all
// other pages Scan finds each link that the tree has; where tags overlap it may put them in another
// order, and where a browser drops a tag, such as a cell outside of a table, it takes its link too.
func (c *collector) departs(text string) bool {
	if strings.IndexByte(text, 0) >= 0 {
		return true // NUL is dropped in some places, and replaced in others
	}
	s := &c.scanner
	s.reset(text)
	s.skim = true
	pictures, templates, form, ended := 0, 0, false, false
	for s.next() {
		switch {
		case s.kind == textRun && s.within != 0 && pictures > 0:
			// a title or style of a picture may hold elements
			if strings.IndexByte(s.text, '<') >= 0 {
				return true
			}
		case s.kind == endTag && s.atom == atom.Svg:
			pictures = max(0, pictures-1)
		case s.kind == endTag && s.atom == atom.Template:
			templates = max(0, templates-1)
		case s.kind == endTag && s.atom == atom.Form:
			form, ended = false, ended || form
		case s.kind != startTag:
		case departing(s.atom), pictures > 0 && (breaksOut(s.atom) || s.atom == atom.Base),
			form && s.atom == atom.Form,
			ended && !form && submits(s):
			return true
		case s.atom == atom.Svg && !s.empty:
			pictures++
		case s.atom == atom.Template:
			templates++
		case s.atom == atom.Form:
			form = true
		}
	}
	return templates > 0
}

// submits reports a button that names the address of its form. Behind the end tag of a form it may
// be part of that form nevertheless: of an element that has no end tag before it.
func submits(s *scanner) bool {
	return (s.atom == atom.Button || s.atom == atom.Input) &&
		strings.Contains(strings.ToLower(s.source), "formaction")
}

// departing reports an element whose content the tree has otherwise than the tags, or not at all.
// Source: HTML standard, 13.2.6 (tree construction).
func departing(a atom.Atom) bool {
	switch a {
	case atom.Frameset, atom.Frame, atom.Noframes, atom.Noembed, atom.Math, atom.Plaintext,
		atom.Xmp, atom.Image:
		return true
	}
	return false
}

// breaksOut reports an element that ends the picture in which it stands. Source: HTML standard,
// 13.2.6.5 (tokens in foreign content).
func breaksOut(a atom.Atom) bool {
	switch a {
	case atom.B, atom.Big, atom.Blockquote, atom.Body, atom.Br, atom.Center, atom.Code, atom.Dd, atom.Div,
		atom.Dl, atom.Dt, atom.Em, atom.Embed, atom.Font, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5,
		atom.H6, atom.Head, atom.Hr, atom.I, atom.Img, atom.Li, atom.Listing, atom.Menu, atom.Meta,
		atom.Nobr, atom.Ol, atom.P, atom.Pre, atom.Ruby, atom.S, atom.Small, atom.Span, atom.Strong,
		atom.Strike, atom.Sub, atom.Sup, atom.Table, atom.Tt, atom.U, atom.Ul, atom.Var:
		return true
	}
	return false
}
