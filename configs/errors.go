package configs

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// Position is a place in a file; lines and columns count from 1, columns in characters. The zero
// Position is no place.
type Position struct {
	File   string
	Line   int
	Column int
}

// String is "file:line:column", or the file alone where no line is known.
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Error is one thing that is wrong in a file.
type Error struct {
	Position
	Key     string // the option concerned, for example "sites[0].limits.pages"; may be ""
	Message string
	Hint    string // what to do about it; may be ""
	Source  string // the line at Position; may be ""
}

// excerpt bounds how much of a source line is shown, in characters.
const excerpt = 110

// Error gives the place, the message, the source line with a caret under the column, and the hint:
//
//	gemo.yaml:7:3: politeness has no key "min_dealy"
//	   7 |   min_dealy: 2s
//	     |   ^
//	     = did you mean "min_delay"?
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", e.Position, e.Message)
	if e.Line > 0 && e.Source != "" {
		line, caret := clip(e.Source, e.Column)
		fmt.Fprintf(&b, "\n%5d | %s\n      | %s^", e.Line, line, caret)
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, "\n      = %s", e.Hint)
	}
	return b.String()
}

// clip cuts a long line to what lies around the column, and gives the white space that brings a
// caret under it. Control characters become spaces, so that nothing moves.
func clip(source string, column int) (line, caret string) {
	runes := []rune(source)
	for i, r := range runes {
		if r < ' ' || r == utf8.RuneError || r == 0x7f {
			runes[i] = ' '
		}
	}
	at := min(max(column-1, 0), len(runes))
	from := 0
	if at > excerpt*3/4 {
		from = at - excerpt/2
	}
	to := min(len(runes), from+excerpt)
	line = string(runes[from:to])
	at -= from
	if from > 0 {
		line = "… " + line
		at += 2
	}
	if to < len(runes) {
		line += " …"
	}
	return line, strings.Repeat(" ", at)
}

// Errors is all that is wrong in a harvest, in the order of the file; it is never empty. Load and
// Parse return it for whatever the archivist can mend in the text; errors.As finds it and the
// single *Error.
type Errors []*Error

// Error gives all of them, a blank line between each.
func (es Errors) Error() string {
	texts := make([]string, len(es))
	for i, e := range es {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "\n\n")
}

// Unwrap gives the single errors.
func (es Errors) Unwrap() []error {
	out := make([]error, len(es))
	for i, e := range es {
		out[i] = e
	}
	return out
}

// maxErrors bounds how many errors of a harvest are kept: who sees so many has one cause to look
// for.
const maxErrors = 100

// sorted puts errors in the order of their places, the harvest's own file before its lists, and
// drops what is too many; unkept is how many were dropped before.
func (es Errors) sorted(file string, unkept int) Errors {
	sort.SliceStable(es, func(i, j int) bool {
		a, b := es[i].Position, es[j].Position
		if a.File != b.File {
			return a.File == file || b.File != file && a.File < b.File
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Column < b.Column
	})
	if len(es) > maxErrors {
		more := len(es) - maxErrors + unkept
		es = append(es[:maxErrors:maxErrors],
			&Error{Position: Position{File: file}, Message: fmt.Sprintf("and %d errors more", more)})
	}
	return es
}
