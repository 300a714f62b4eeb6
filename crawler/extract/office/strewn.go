package office

import (
	"bufio"
	"bytes"
	"unicode/utf8"
)

// strewn reads XML and breaks long runs of text by empty elements: a decoder holds each run whole. At a
// tag, a comment or a section that is as long it ends with ErrTooLarge.
type strewn struct {
	r    *bufio.Reader
	next []byte // given before anything else is read
	end  string // what ends the tag, comment or section that is being read; "" in text
	last [3]byte
	run  int // bytes since a tag began, or text did
	amp  int // the run at the last &, which may begin a reference
}

const (
	maxRun       = 64 << 10 // bytes of text
	maxToken     = 1 << 20  // bytes of a tag, comment or section; no program writes such
	maxReference = 16       // bytes, as of &#x10ffff;
	mark         = "<z/>"   // holds no text, and ends no word
)

// Read is that of io.Reader.
func (s *strewn) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(s.next) > 0 {
			k := copy(p[n:], s.next)
			n, s.next = n+k, s.next[k:]
			continue
		}
		c, err := s.r.ReadByte()
		if err != nil {
			return n, err
		}
		s.run++
		s.last = [3]byte{s.last[1], s.last[2], c}
		switch {
		case s.end != "":
			if bytes.HasSuffix(s.last[:], []byte(s.end)) {
				s.end, s.run, s.amp = "", 0, 0
			} else if s.run > maxToken {
				return n, ErrTooLarge
			}
		case c == '<':
			s.begin()
		case c == '&':
			s.amp = s.run
		case s.run > maxRun && s.run > s.amp+maxReference && utf8.RuneStart(c):
			s.next, s.run, s.amp = append([]byte(mark), c), 0, 0
			continue
		}
		p[n] = c
		n++
	}
	return n, nil
}

// begin sees by what follows how a tag, comment or section ends.
func (s *strewn) begin() {
	head, _ := s.r.Peek(len("![CDATA[")) // less where the file ends
	switch s.run = 0; {
	case bytes.HasPrefix(head, []byte("!--")):
		s.end = "-->"
	case bytes.HasPrefix(head, []byte("![CDATA[")):
		s.end = "]]>"
	case bytes.HasPrefix(head, []byte("?")):
		s.end = "?>"
	default:
		s.end = ">"
	}
}
