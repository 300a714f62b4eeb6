package extract

import "golang.org/x/net/html/atom"

// isBlock reports an element that closes a paragraph and means nothing else to the parser. Source:
// HTML standard, 13.2.6.4.7.
func isBlock(a atom.Atom) bool {
	switch a {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Center, atom.Details, atom.Dialog,
		atom.Dir, atom.Div, atom.Dl,
		atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Header, atom.Hgroup, atom.Main,
		atom.Menu, atom.Nav, atom.Ol,
		atom.Section, atom.Summary, atom.Ul:
		return true
	}
	return false
}

func isHeading(a atom.Atom) bool {
	switch a {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return true
	}
	return false
}

func isParagraph(a atom.Atom) bool { return a == atom.P }

func isItem(a atom.Atom) bool { return a == atom.Li }

func isTerm(a atom.Atom) bool { return a == atom.Dd || a == atom.Dt }

func isCell(a atom.Atom) bool { return a == atom.Td || a == atom.Th }

func isRowGroup(a atom.Atom) bool { return a == atom.Tbody || a == atom.Thead || a == atom.Tfoot }

// isImplied reports an element whose end tag is implied by that of an element around it. Source:
// HTML standard, 13.2.6.3.
func isImplied(a atom.Atom) bool {
	switch a {
	case atom.Dd, atom.Dt, atom.Li, atom.Optgroup, atom.Option, atom.P:
		return true
	}
	return false
}

// isSpecial reports an open element beyond which the parser does not look. Source: HTML standard,
// 13.2.4.2.
func isSpecial(a atom.Atom) bool {
	switch a {
	case atom.Dialog: // not among them
		return false
	case atom.Pre, atom.P, atom.Li, atom.Dd, atom.Dt, atom.Form, atom.Button, atom.Select, atom.Object,
		atom.Noscript, atom.Caption,
		atom.Colgroup:
		return true
	}
	return isBlock(a) || isHeading(a) || isCell(a) || isRowGroup(a) || a == atom.Tr || a == atom.Table
}

// loose reports an element that may be closed by the end of one around it, and then leaves no
// trace.
func loose(a atom.Atom) bool {
	if formatting(a) {
		return false
	}
	switch a {
	case atom.Dd, atom.Dt, atom.Li, atom.P, atom.Pre:
		return true
	}
	return !isSpecial(a) || isBlock(a) || isHeading(a)
}

// endsScope and its like report where the parser stops to look for an open element. Source: HTML
// standard, 13.2.4.2.
func endsScope(a atom.Atom) bool {
	switch a {
	case atom.Caption, atom.Table, atom.Td, atom.Th, atom.Object:
		return true
	}
	return false
}

func endsButtonScope(a atom.Atom) bool { return a == atom.Button || endsScope(a) }

func endsListScope(a atom.Atom) bool { return a == atom.Ol || a == atom.Ul || endsScope(a) }

func endsTableScope(a atom.Atom) bool { return a == atom.Table }

// foreign reports an element whose tree departs from its tags, or that is too rare to be worth
// following.
func foreign(a atom.Atom) bool {
	switch a {
	case atom.Html, atom.Head, atom.Body, atom.Frameset, atom.Frame, atom.Noframes, atom.Noembed,
		atom.Template, atom.Math,
		atom.Plaintext, atom.Xmp, atom.Listing, atom.Applet, atom.Marquee, atom.Image, atom.Isindex,
		atom.Ruby, atom.Rb, atom.Rtc, atom.Rt,
		atom.Rp, atom.Search:
		return true
	}
	return false
}

// drawn reports an element of pictures that means nothing to the parser. Source: SVG 2, appendix F
// (element index).
func drawn(name string) bool {
	switch name {
	case "g", "path", "circle", "ellipse", "line", "polyline", "polygon", "rect", "defs", "use", "symbol",
		"clippath", "mask", "pattern", "marker",
		"lineargradient", "radialgradient", "stop", "filter", "text", "tspan", "animate", "animatetransform":
		return true
	}
	return false
}
