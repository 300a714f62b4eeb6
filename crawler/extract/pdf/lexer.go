package pdf

import (
	"bytes"
	"strconv"

	"watershed/page"
)

// lexer reads objects from bytes. Section 7.2 and 7.3. Time is linear in the bytes that it passes,
// and the stack is maxDepth high at most, whatever they are.
type lexer struct {
	b    []byte
	at   int
	room int // values that may still be kept in lists and dicts
}

// maxDepth bounds lists and dicts within each other: what lies deeper is passed over, and the list
// or dict at the bound is empty.
const maxDepth = 32

// end is what next gives at the end of the bytes; closers are of lists and dicts.
type end struct{}

const (
	openList  = operator("[")
	openDict  = operator("<<")
	closeList = operator("]")
	closeDict = operator(">>")
)

// The classes of bytes. Section 7.2.2.
const (
	space = 1 + iota
	delimiter
)

var class = func() (c [256]uint8) {
	for _, b := range []byte(" \n\r\t\f\x00") {
		c[b] = space
	}
	for _, b := range []byte("()<>[]{}/%") {
		c[b] = delimiter
	}
	return c
}()

func isSpace(c byte) bool { return class[c] == space }

// skip passes over white space and comments.
func (l *lexer) skip() {
	for l.at < len(l.b) {
		switch c := l.b[l.at]; {
		case isSpace(c):
			l.at++
		case c == '%':
			for l.at < len(l.b) && l.b[l.at] != '\n' && l.b[l.at] != '\r' {
				l.at++
			}
		default:
			return
		}
	}
}

// next reads an object, or an operator: any other word. depth is the number of lists and dicts
// around it.
func (l *lexer) next(depth int) value {
	v := l.token()
	o, ok := v.(operator)
	switch {
	case ok && o == openList:
		return l.list(depth)
	case ok && o == openDict:
		return l.dict(depth)
	}
	return v
}

// token is next without what lists and dicts consist of: their brackets are operators.
func (l *lexer) token() value {
	l.skip()
	if l.at >= len(l.b) {
		return end{}
	}
	switch c := l.b[l.at]; c {
	case '/':
		l.at++
		return name(unescape(l.word()))
	case '(':
		return l.literal()
	case '<':
		if l.at+1 < len(l.b) && l.b[l.at+1] == '<' {
			l.at += 2
			return openDict
		}
		return l.hex()
	case '>':
		if l.at+1 < len(l.b) && l.b[l.at+1] == '>' {
			l.at += 2
			return closeDict
		}
		l.at++
		return operator(">")
	case '[':
		l.at++
		return openList
	case ']':
		l.at++
		return closeList
	case '{', '}', ')':
		l.at++
		return operator(c)
	}
	return l.plain()
}

// word is the bytes up to white space or a delimiter.
func (l *lexer) word() []byte {
	start := l.at
	for l.at < len(l.b) && class[l.b[l.at]] == 0 {
		l.at++
	}
	return l.b[start:l.at]
}

// plain reads a number, a reference or a word.
func (l *lexer) plain() value {
	w := l.word()
	switch string(w) {
	case "true":
		return true
	case "false":
		return false
	case "null":
		return nil
	}
	n, ok := numberOf(w)
	if !ok {
		return operator(w)
	}
	if n >= 0 && n == float64(int(n)) {
		if r, ok := l.reference(int(n)); ok {
			return r
		}
	}
	return n
}

// reference reads the rest of "12 0 R".
func (l *lexer) reference(number int) (reference, bool) {
	at := l.at
	for range 2 {
		if l.skip(); l.at >= len(l.b) {
			break
		}
		w := l.word()
		if len(w) == 1 && w[0] == 'R' {
			return reference(number), true
		}
		if _, ok := digits(w); !ok {
			break
		}
	}
	l.at = at
	return 0, false
}

// digits reads a whole number of up to nine digits.
func digits(w []byte) (n int, ok bool) {
	for _, c := range w {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, len(w) > 0 && len(w) <= 9
}

func numberOf(w []byte) (float64, bool) {
	if n, ok := digits(w); ok {
		return float64(n), true
	}
	if len(w) == 0 || len(w) > 32 || bytes.IndexByte([]byte("0123456789+-."), w[0]) < 0 {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(w), 64)
	if err != nil || n > 1e9 || n < -1e9 {
		return 0, false
	}
	return n, true
}

func (l *lexer) list(depth int) value {
	var out list
	if depth >= maxDepth {
		l.passOver()
		return out
	}
	for {
		switch v := l.next(depth + 1).(type) {
		case end:
			return out
		case operator:
			if v == closeList {
				return out
			}
		default:
			if l.keeps() {
				out = append(out, v)
			}
		}
	}
}

func (l *lexer) dict(depth int) value {
	out := dict{}
	if depth >= maxDepth {
		l.passOver()
		return out
	}
	for {
		key := l.next(depth + 1)
		k, ok := key.(name)
		if !ok {
			if _, over := key.(end); over || isOperator(key, closeDict) {
				return out
			}
			continue
		}
		v := l.next(depth + 1)
		if _, over := v.(end); over || isOperator(v, closeDict) {
			return out
		}
		if l.keeps() {
			out[k] = v
		}
	}
}

// keeps reports that there is room for one more value, and takes it.
func (l *lexer) keeps() bool {
	if l.room == 0 {
		return false
	}
	l.room--
	return true
}

// passOver reads up to the end of the list or dict that was just opened, without a stack: brackets
// of both kinds are counted alike.
func (l *lexer) passOver() {
	for open := 1; open > 0; {
		if l.skip(); l.at >= len(l.b) {
			return
		}
		c := l.b[l.at]
		twice := l.at+1 < len(l.b) && l.b[l.at+1] == c
		switch {
		case c == '(':
			l.literal()
		case c == '<' && !twice:
			l.hex()
		case c == '[':
			open++
			l.at++
		case c == ']':
			open--
			l.at++
		case c == '<':
			open++
			l.at += 2
		case c == '>' && twice:
			open--
			l.at += 2
		case class[c] == delimiter:
			l.at++
		default:
			l.word()
		}
	}
}

func isOperator(v value, o operator) bool {
	x, ok := v.(operator)
	return ok && x == o
}

// unescape reads #20 and the like in names.
func unescape(w []byte) []byte {
	if bytes.IndexByte(w, '#') < 0 {
		return w
	}
	var out []byte
	for i := 0; i < len(w); i++ {
		if w[i] == '#' && i+2 < len(w) {
			if n, err := strconv.ParseUint(string(w[i+1:i+3]), 16, 8); err == nil {
				out = append(out, byte(n))
				i += 2
				continue
			}
		}
		out = append(out, w[i])
	}
	return out
}

// literal reads a string in parentheses.
func (l *lexer) literal() value {
	var out text
	open := 0
	for ; l.at < len(l.b); l.at++ {
		switch c := l.b[l.at]; c {
		case '(':
			if open++; open > 1 {
				out = append(out, c)
			}
		case ')':
			if open--; open == 0 {
				l.at++
				return out
			}
			out = append(out, c)
		case '\\':
			l.at++
			out = l.escaped(out)
		default:
			out = append(out, c)
		}
	}
	l.at = len(l.b) // a backslash may be the last byte
	return out
}

// escaped adds what stands behind a backslash, and ends on its last byte.
func (l *lexer) escaped(out text) text {
	if l.at >= len(l.b) {
		return out
	}
	switch c := l.b[l.at]; c {
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'b', 'f':
		return append(out, ' ')
	case '\r':
		if l.at+1 < len(l.b) && l.b[l.at+1] == '\n' {
			l.at++
		}
		return out
	case '\n':
		return out
	case '0', '1', '2', '3', '4', '5', '6', '7':
		n := 0
		for k := 0; k < 3 && l.at < len(l.b) && l.b[l.at] >= '0' && l.b[l.at] <= '7'; k++ {
			n = n*8 + int(l.b[l.at]-'0')
			l.at++
		}
		l.at--
		return append(out, byte(n))
	default:
		return append(out, c)
	}
}

// hex reads a string in angle brackets.
func (l *lexer) hex() value {
	var out text
	digits, n := 0, byte(0)
	for l.at++; l.at < len(l.b) && l.b[l.at] != '>'; l.at++ {
		d, ok := page.Hex(l.b[l.at])
		if !ok {
			continue
		}
		if n = n<<4 | d; digits%2 == 1 {
			out = append(out, n)
		}
		digits++
	}
	l.at = min(l.at+1, len(l.b))
	if digits%2 == 1 {
		out = append(out, n<<4)
	}
	return out
}
