package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// screen is where all that a command says goes through. Much of it was written by others: addresses, titles, header fields,
// messages of servers. Characters that could steer a terminal or turn the direction of writing are shown by their number, as
// the desk shows them: ⟨U+001B⟩. Line feeds and tabs stay. It is safe for concurrent use.
type screen struct {
	w   io.Writer
	tty *os.File // w where that is a terminal; nil otherwise

	mu   sync.Mutex
	tail []byte // the beginning of a character whose other bytes have not come yet
}

func newScreen(w io.Writer) *screen {
	s := &screen{w: w}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		s.tty = f
	}
	return s
}

// terminalOf is the terminal that out shows its text on, nil where it is none.
func terminalOf(out io.Writer) *os.File {
	if s, ok := out.(*screen); ok {
		return s.tty
	}
	return nil
}

// dataTo is where a command writes bytes that are data and no text: as they are, but for a terminal.
func dataTo(out io.Writer) io.Writer {
	if s, ok := out.(*screen); ok && s.tty == nil {
		return s.w
	}
	return out
}

// Write reports all of p as written unless w failed.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := append(s.tail, p...)
	var out bytes.Buffer
	for len(text) > 0 && utf8.FullRune(text) {
		if n := s.code(text); n > 0 {
			out.Write(text[:n])
			text = text[n:]
			continue
		}
		c, size := utf8.DecodeRune(text)
		switch {
		case c == utf8.RuneError && size == 1:
			fmt.Fprintf(&out, "⟨%02X⟩", text[0])
		case steers(c):
			fmt.Fprintf(&out, "⟨U+%04X⟩", c)
		default:
			out.Write(text[:size])
		}
		text = text[size:]
	}
	s.tail = slices.Clone(text)
	if _, err := s.w.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// code is the length of one of style's own codes at the beginning of a text. Only a terminal gets any.
func (s *screen) code(text []byte) int {
	if s.tty == nil || text[0] != 0x1b {
		return 0
	}
	for _, code := range []string{plainCode, strongCode, redCode, greenCode, yellowCode, endCode} {
		if bytes.HasPrefix(text, []byte(code)) {
			return len(code)
		}
	}
	return 0
}

// flush shows what is left of a character that never became whole.
func (s *screen) flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.tail {
		if _, err := fmt.Fprintf(s.w, "⟨%02X⟩", b); err != nil {
			return err
		}
	}
	s.tail = nil
	return nil
}

// steers reports a character that does something to a terminal or to the text around it in place of being seen.
func steers(c rune) bool {
	return c != '\n' && c != '\t' && (unicode.IsControl(c) || unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp))
}
