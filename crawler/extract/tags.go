package extract

import (
	"unsafe"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Piece is a tag, or a run of text, of an HTML document. Its parts are lent until the next one.
type Piece struct {
	Start, End bool      // a start tag, an end tag; neither for text
	Name       string    // of a tag, in lower case
	Atom       atom.Atom // of a tag, 0 when the name is not a usual one
	Attrs      []html.Attribute
	Text       string    // as in the source
	Within     atom.Atom // of a text: the script or the like that holds it, 0 for markup
}

// Attr is the value of an attribute; "" for none.
func (p *Piece) Attr(name string) string { return attr(p.Attrs, name) }

// Pieces calls a function with each piece of an HTML document, in time linear in its length and
// without copying it; the body must not change meanwhile. The contents of noscript are markup, and
// comments are left out.
func Pieces(body []byte, each func(*Piece)) {
	if len(body) == 0 {
		return
	}
	var p Piece
	for s := newScanner(unsafe.String(&body[0], len(body))); s.next(); {
		if p.take(s) {
			each(&p)
		}
	}
}

// take makes it the piece that was scanned; false for what is none.
func (p *Piece) take(s *scanner) bool {
	switch s.kind {
	case startTag, endTag:
		*p = Piece{Start: s.kind == startTag, End: s.kind == endTag, Name: s.name, Atom: s.atom}
		p.Attrs = s.attrs
	case textRun:
		*p = Piece{Text: s.text, Within: s.within}
	default:
		return false
	}
	return true
}
