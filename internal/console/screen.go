package console

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// Screen is where all that a command says goes through. Much of it was written by others:
// addresses, titles, header fields, messages of servers. Characters that could steer a terminal or
// turn the direction of writing are shown by their number, as the desk shows them: ⟨U+001B⟩. Line
// feeds and tabs stay. It is safe for concurrent use.
type Screen struct {
	w   io.Writer
	tty *os.File // w where that is a terminal; nil otherwise

	mu   sync.Mutex
	tail []byte // the beginning of a character whose other bytes have not come yet
	err  error  // of the first text that could not be written
	keep bool   // see KeepOn
}

// NewScreen makes the screen of a writer, which may be a terminal.
func NewScreen(w io.Writer) *Screen {
	s := &Screen{w: w}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		s.tty = f
	}
	return s
}

// KeepOn has text go nowhere, without an error, once nobody reads out any more.
func KeepOn(out io.Writer) {
	if s, ok := Whole(out).(*Screen); ok {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.keep = true
	}
}

// Terminal is the terminal that out shows its text on, nil where it is none.
func Terminal(out io.Writer) *os.File {
	if s, ok := Whole(out).(*Screen); ok {
		return s.tty
	}
	return nil
}

// Width is how many columns the terminal has on which out shows its text, 0 where it is none: there
// a line may have any length.
func Width(out io.Writer) int {
	tty := Terminal(out)
	if tty == nil {
		return 0
	}
	width, _, err := term.GetSize(int(tty.Fd()))
	if err != nil || width <= 0 {
		return 80 // as wide as a terminal is that does not say
	}
	return width
}

// Data is where a command writes bytes that are data and no text: as they are, but for a terminal.
func Data(out io.Writer) io.Writer {
	out = Whole(out)
	if s, ok := out.(*Screen); ok && s.tty == nil {
		return s.w
	}
	return out
}

// The codes that colour words. All have as many bytes, so that the cells of a table's column stay
// aligned where each of them is coloured.
const (
	Strong = "\x1b[01m"
	Red    = "\x1b[31m"
	Green  = "\x1b[32m"
	Yellow = "\x1b[33m"
	End    = "\x1b[0m"
)

// Write reports all of p as written unless w failed.
func (s *Screen) Write(p []byte) (int, error) {
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
	if _, err := s.w.Write(out.Bytes()); err != nil && !(s.keep && errors.Is(err, syscall.EPIPE)) {
		s.err = cmp.Or(s.err, err)
		return 0, err
	}
	return len(p), nil
}

// code is the length of one of our own codes at the beginning of a text. Only a terminal gets any.
func (s *Screen) code(text []byte) int {
	if s.tty == nil || text[0] != 0x1b {
		return 0
	}
	return colour(string(text[:min(len(text), len(Strong))]))
}

// colour is the length of one of our own codes at the beginning of a text, 0 where there is none.
func colour(text string) int {
	for _, code := range []string{Strong, Red, Green, Yellow, End} {
		if strings.HasPrefix(text, code) {
			return len(code)
		}
	}
	return 0
}

// Flush shows what is left of a character that never became whole. The error is also that of a text
// before, which was not written: most who print do not look.
func (s *Screen) Flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.tail {
		if _, err := fmt.Fprintf(s.w, "⟨%02X⟩", b); err != nil {
			return err
		}
	}
	s.tail = nil
	return s.err
}

// steers reports a character that does something to a terminal or to the text around it in place of
// being seen.
func steers(c rune) bool {
	return c != '\n' && c != '\t' &&
		(unicode.IsControl(c) || unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp))
}
