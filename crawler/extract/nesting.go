package extract

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// nesting follows the tags of a page and tells whether its tree would hold anything that the tags
// do not say in the same order. A browser's parser departs from the tags where elements overlap,
// where formatting elements are left open, in tables with content outside their cells, in
// templates, pictures and framesets; nesting gives such a page up at the first sign. Most pages of
// the web are not given up: each of their elements is closed before the element around it, but for
// end tags that may be left out. To such pages the parser adds elements without attributes (html,
// head, body, tbody) and nothing else.
//
// Invariant: as long as nothing was given up, open is the parser's stack of open elements above
// body, and each formatting element that is open stands on it, so that none will be opened anew.
// Source: HTML standard, 13.2.6 (tree construction).
//
// Time is linear in the number of tags: the stack is at most maxNesting high.
type nesting struct {
	open []element
	mode insertion
	raw  atom.Atom // the element whose content is text and whose end tag comes next
	over bool      // </body> or </html> was there: what follows goes on where it stood, which text must not
	svg  int       // elements of a picture that are open

	sections int // where the last CDATA section of the page begins, -1 for none
}

type element struct {
	atom atom.Atom
	name string
}

// insertion is the insertion mode, as far as it matters here. Source: HTML standard, 13.2.4.1.
type insertion uint8

const (
	beforeHTML insertion = iota
	beforeHead
	inHead
	inHeadNoscript
	afterHead
	inBody
)

// maxNesting bounds the elements within each other; a deeper page goes to the parser, which takes
// 512.
const maxNesting = 256

// regular reports that Scan finds in a page what Tree finds: the same links in the same order, the
// same title, and the same words of text.
func (c *collector) regular(text string) bool {
	if strings.IndexByte(text, 0) >= 0 {
		return false
	}
	s := &c.scanner
	s.reset(text)
	s.skim = true
	n := &c.nesting
	*n = nesting{open: n.open[:0], sections: strings.LastIndex(text, "<![CDATA[")}
	for s.next() {
		ok := true
		switch s.kind {
		case textRun:
			ok = n.text(s)
		case startTag:
			ok = s.count < maxAttrs && n.start(s)
		case endTag:
			ok = n.end(s.atom, s.name)
		}
		if !ok {
			return false
		}
	}
	return true
}

// text takes a run of text. Within a table, outside of its cells, there is only white space.
func (n *nesting) text(s *scanner) bool {
	if s.within != 0 {
		return n.svg == 0 || strings.IndexByte(s.text, '<') < 0 // in a picture it would be markup
	}
	text := trimSpaceLeft(s.text)
	if text == "" {
		return true
	}
	// which may stand for white space
	if n.mode == inHeadNoscript || n.over || n.inTable() || n.mode != inBody && text[0] == '&' {
		return false
	}
	n.mode = inBody
	return true
}

func (n *nesting) push(a atom.Atom, name string) bool {
	n.open = append(n.open, element{a, name})
	return len(n.open) <= maxNesting
}

// top is the innermost open element, body where none is.
func (n *nesting) top() atom.Atom {
	if len(n.open) == 0 {
		return atom.Body
	}
	return n.open[len(n.open)-1].atom
}

func (n *nesting) has(a atom.Atom) bool {
	for _, e := range n.open {
		if e.atom == a {
			return true
		}
	}
	return false
}

// inTable reports that the next content would be in a table and in none of its cells.
func (n *nesting) inTable() bool {
	switch n.top() {
	case atom.Table, atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr, atom.Colgroup:
		return true
	}
	return false
}

// find is the place of the innermost of some elements in a scope, -1 when there is none.
func (n *nesting) find(is, ends func(atom.Atom) bool) int {
	for i := len(n.open) - 1; i >= 0; i-- {
		switch a := n.open[i].atom; {
		case is(a):
			return i
		case ends(a):
			return -1
		}
	}
	return -1
}

// closeTo closes the element at i and those within it; false when one of them is more than its end:
// a formatting element would be opened anew, and of others the parser, or Scan, keeps account.
func (n *nesting) closeTo(i int) bool {
	for _, e := range n.open[i+1:] {
		if !loose(e.atom) {
			return false
		}
	}
	n.open = n.open[:i]
	return true
}

// closeParagraph closes a paragraph that is open, as blocks do.
func (n *nesting) closeParagraph() bool {
	i := n.find(isParagraph, endsButtonScope)
	return i < 0 || n.closeTo(i)
}

// start takes a start tag.
func (n *nesting) start(s *scanner) bool {
	a, name := s.atom, s.name
	if n.raw != 0 {
		return false
	}
	if n.svg > 0 {
		return n.startPicture(s)
	}
	if n.mode != inBody {
		if done, ok := n.startHead(a); done {
			return ok
		}
		n.mode = inBody
		if a == atom.Body {
			return true
		}
	}
	if n.over && inline(a) {
		return false
	}
	n.over = false
	switch a {
	case atom.Script, atom.Style:
		n.raw = a
		return n.top() != atom.Colgroup
	case atom.Caption, atom.Colgroup, atom.Col, atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr, atom.Td, atom.Th:
		return n.startTable(a, name)
	}
	if n.inTable() {
		return false
	}
	if a == atom.Svg {
		return n.startPicture(s)
	}
	return n.startBody(a, name)
}

// startHead takes a start tag before the body; done is false for one that begins it.
func (n *nesting) startHead(a atom.Atom) (done, ok bool) {
	switch a {
	case atom.Html:
		ok = n.mode == beforeHTML
		n.mode = beforeHead
		return true, ok
	case atom.Head:
		ok = n.mode <= beforeHead
		n.mode = inHead
		return true, ok
	case atom.Basefont, atom.Bgsound, atom.Link, atom.Meta:
		n.enterHead()
		return true, true
	case atom.Style:
		n.enterHead()
		n.raw = a
		return true, true
	case atom.Noscript:
		if n.mode == afterHead {
			return false, true
		}
		ok = n.mode != inHeadNoscript
		n.mode = inHeadNoscript
		return true, ok
	}
	if n.mode == inHeadNoscript {
		return true, false
	}
	switch a {
	case atom.Base:
		n.enterHead()
		return true, true
	case atom.Script, atom.Title:
		n.enterHead()
		n.raw = a
		return true, true
	}
	return false, true
}

// enterHead begins the head where no tag did.
func (n *nesting) enterHead() {
	if n.mode <= beforeHead {
		n.mode = inHead
	}
}

// startTable takes a start tag that only tables know.
func (n *nesting) startTable(a atom.Atom, name string) bool {
	if i := n.find(isCell, endsTableScope); i >= 0 && !n.closeTo(i) {
		return false
	}
	if n.top() == atom.Colgroup && a != atom.Col {
		n.pop()
	}
	if a == atom.Td || a == atom.Th {
		return n.top() == atom.Tr && n.push(a, name)
	}
	if n.top() == atom.Tr {
		n.pop()
	}
	if a == atom.Tr {
		if n.top() == atom.Table {
			n.push(atom.Tbody, "tbody")
		}
		return isRowGroup(n.top()) && n.push(a, name)
	}
	if isRowGroup(n.top()) {
		n.pop()
	}
	if a == atom.Col {
		return n.top() == atom.Table || n.top() == atom.Colgroup
	}
	return n.top() == atom.Table && n.push(a, name)
}

func (n *nesting) pop() { n.open = n.open[:len(n.open)-1] }

// startBody takes any other start tag.
func (n *nesting) startBody(a atom.Atom, name string) bool {
	switch {
	case isBlock(a), a == atom.Pre:
		return n.closeParagraph() && n.push(a, name)
	case isHeading(a):
		if !n.closeParagraph() {
			return false
		}
		if isHeading(n.top()) {
			n.pop()
		}
		return n.push(a, name)
	case formatting(a):
		return (a != atom.A && a != atom.Nobr || !n.has(a)) && n.push(a, name)
	case foreign(a):
		return false
	}
	switch a {
	case atom.P:
		return n.closeParagraph() && n.push(a, name)
	case atom.Form:
		return !n.has(a) && n.closeParagraph() && n.push(a, name)
	case atom.Button:
		return !n.has(a) && n.push(a, name)
	case atom.Li:
		return n.startItem(isItem, a, name)
	case atom.Dd, atom.Dt:
		return n.startItem(isTerm, a, name)
	case atom.Table:
		// Without a doctype a table does not close a paragraph.
		return n.find(isParagraph, endsButtonScope) < 0 && n.push(a, name)
	case atom.Select:
		return !n.has(a) && n.push(a, name)
	case atom.Option, atom.Optgroup:
		return n.startOption(a, name)
	case atom.Hr:
		return !n.has(atom.Select) && n.closeParagraph()
	case atom.Input:
		return !n.has(atom.Select)
	case atom.Area, atom.Base, atom.Basefont, atom.Bgsound, atom.Br, atom.Embed, atom.Img, atom.Keygen,
		atom.Link, atom.Meta, atom.Param,
		atom.Source, atom.Track, atom.Wbr:
		return true
	case atom.Textarea, atom.Title, atom.Iframe:
		n.raw = a
		return true
	}
	return n.push(a, name)
}

// startItem takes an item of a list, which ends the one before.
func (n *nesting) startItem(is func(atom.Atom) bool, a atom.Atom, name string) bool {
	for i := len(n.open) - 1; i >= 0; i-- {
		switch b := n.open[i].atom; {
		case is(b):
			if !n.closeTo(i) {
				return false
			}
		case b == atom.Address, b == atom.Div, b == atom.P, !isSpecial(b):
			continue
		}
		break
	}
	return n.closeParagraph() && n.push(a, name)
}

func (n *nesting) startOption(a atom.Atom, name string) bool {
	if !n.has(atom.Select) {
		return false
	}
	if n.top() == atom.Option {
		n.pop()
	}
	if a == atom.Optgroup && n.top() == atom.Optgroup {
		n.pop()
	}
	return (n.top() == atom.Select || n.top() == atom.Optgroup) && n.push(a, name)
}

// end takes an end tag. An end tag that ends nothing makes nesting give the page up: the parser
// passes over it, and a reader of tags breaks the text there.
func (n *nesting) end(a atom.Atom, name string) bool {
	if n.raw != 0 {
		ok := a == n.raw
		n.raw = 0
		return ok
	}
	if n.mode != inBody {
		return n.endHead(a)
	}
	if n.svg > 0 {
		n.svg--
		return n.endTop(a, name)
	}
	switch {
	case isBlock(a), a == atom.Pre, a == atom.Button, a == atom.Select:
		i := n.find(func(b atom.Atom) bool { return b == a }, endsScope)
		return i >= 0 && n.closeTo(i)
	case isHeading(a):
		i := n.find(isHeading, endsScope)
		return i >= 0 && n.closeTo(i)
	}
	switch a {
	case atom.Body, atom.Html:
		n.over = true
		return n.find(endsScope, endsScope) < 0
	case atom.Form:
		for isImplied(n.top()) {
			n.pop()
		}
		return n.endTop(a, name)
	case atom.P:
		i := n.find(isParagraph, endsButtonScope)
		return i >= 0 && n.closeTo(i)
	case atom.Li:
		i := n.find(isItem, endsListScope)
		return i >= 0 && n.closeTo(i)
	case atom.Dd, atom.Dt:
		i := n.find(func(b atom.Atom) bool { return b == a }, endsScope)
		return i >= 0 && n.closeTo(i)
	case atom.Table, atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr:
		return n.endTable(a)
	case atom.Td, atom.Th, atom.Caption:
		i := n.find(func(b atom.Atom) bool { return b == a }, endsTableScope)
		return i >= 0 && n.closeTo(i)
	}
	return n.endTop(a, name)
}

// endHead takes an end tag before the body.
func (n *nesting) endHead(a atom.Atom) bool {
	switch {
	case a == atom.Head && n.mode == inHead:
		n.mode = afterHead
	case a == atom.Noscript && n.mode == inHeadNoscript:
		n.mode = inHead
	default:
		return false
	}
	return true
}

// endTop takes the end tag of the innermost element.
func (n *nesting) endTop(a atom.Atom, name string) bool {
	if len(n.open) == 0 {
		return false
	}
	last := n.open[len(n.open)-1]
	if last.atom != a || last.name != name {
		return false
	}
	n.pop()
	return true
}

// endTable takes the end tag of a table, or of a row or rows in it.
func (n *nesting) endTable(a atom.Atom) bool {
	if i := n.find(isCell, endsTableScope); i >= 0 && !n.closeTo(i) {
		return false
	}
	if n.top() == atom.Tr && a != atom.Tr {
		n.pop()
	}
	if a == atom.Table && (isRowGroup(n.top()) || n.top() == atom.Colgroup) {
		n.pop()
	}
	if n.top() != a {
		return false
	}
	n.pop()
	return true
}

// startPicture takes the start tag of a picture, or of what it consists of. Elements without
// content end in "/>" there.
func (n *nesting) startPicture(s *scanner) bool {
	slash := strings.HasSuffix(s.src[:s.pos-1], "/")
	switch {
	// "<path d=x/>": the parser takes it for empty, though the slash is part of the value
	case slash != s.empty:
		return false
	case s.atom == atom.Svg && n.svg == 0 && n.sections >= s.pos:
		return false
	case s.atom == atom.Title && !slash:
		n.raw = s.atom
		return true
	case s.atom != atom.Svg && !drawn(s.name):
		return false
	case slash:
		return true
	}
	n.svg++
	return n.push(s.atom, s.name)
}
