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

// Pieces calls a function with each piece of an HTML document, in time linear in its length and
// without copying it; the body must not change meanwhile. The contents of noscript are markup, and
// comments are left out.
func Pieces(body []byte, each func(*Piece)) {
	if len(body) == 0 {
		return
	}
	s, p := newScanner(unsafe.String(&body[0], len(body))), new(Piece)
	for s.next() {
		*p = Piece{}
		switch s.kind {
		case startTag, endTag:
			p.Start, p.End, p.Name, p.Atom = s.kind == startTag, s.kind == endTag, s.name, s.atom
			p.Attrs = s.attrs
		case textRun:
			p.Text, p.Within = s.text, s.within
		default:
			continue
		}
		each(p)
	}
}
