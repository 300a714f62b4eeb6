package console

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"
)

// Fit makes lines that people read fit the terminal that out shows its text on. A longer line is
// broken between words, and its rest is indented by two columns more than its beginning; a tab is
// two blanks. Where out is no terminal, Fit gives out itself: programs that read on get each line
// whole.
func Fit(out io.Writer) io.Writer {
	s, ok := out.(*Screen)
	if !ok || s.tty == nil {
		return out
	}
	return &fitted{screen: s}
}

// Whole is where lines that must stay whole are written to, as data and links must, on a terminal
// too.
func Whole(out io.Writer) io.Writer {
	if f, ok := out.(*fitted); ok {
		return f.screen
	}
	return out
}

// fitted breaks lines. It is safe for concurrent use.
type fitted struct {
	screen *Screen

	mu   sync.Mutex
	tail []byte // the beginning of a line whose end has not come yet
}

// Write reports all of p as written unless the screen failed.
func (f *fitted) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	text := append(f.tail, p...)
	end := bytes.LastIndexByte(text, '\n') + 1
	f.tail = bytes.Clone(text[end:])
	var b strings.Builder
	most := Width(f.screen)
	for line := range strings.Lines(string(text[:end])) {
		fold(&b, strings.TrimSuffix(line, "\n"), most)
	}
	if _, err := io.WriteString(f.screen, b.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes what a screen, or what Fit made of it, holds back of a line or a character that
// never ended.
func Flush(out io.Writer) error {
	if f, ok := out.(*fitted); ok {
		f.mu.Lock()
		defer f.mu.Unlock()
		_, err := f.screen.Write(f.tail)
		f.tail = nil
		return errors.Join(err, f.screen.Flush())
	}
	if s, ok := out.(*Screen); ok {
		return s.Flush()
	}
	return nil
}

// fold writes a line as one or more of at most most columns.
func fold(b *strings.Builder, line string, most int) {
	line = strings.ReplaceAll(line, "\t", "  ")
	if Columns(line) <= most {
		b.WriteString(line + "\n")
		return
	}
	text := strings.TrimLeft(line, " ")
	indent := min(len(line)-len(text), most/2)
	rest := min(indent+2, most/2)
	for i, part := range wrap(text, max(most-indent, 1), max(most-rest, 1)) {
		if i == 1 {
			indent = rest
		}
		b.WriteString(strings.Repeat(" ", indent) + part + "\n")
	}
}
