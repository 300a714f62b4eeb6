package extract

import (
	"cmp"
	"iter"
	"strings"
	"unicode/utf8"

	"watershed/page"
)

// readStyle takes the references of a stylesheet, a style element or a style attribute.
func (c *parts) readStyle(text, url, imported string) {
	if c.template > 0 {
		return
	}
	for s := (styleRefs{src: text}); s.next(); {
		context := url
		if s.imported {
			context = imported
		}
		c.embed(context, s.ref)
	}
}

// StyleRef is a reference in a style sheet.
type StyleRef struct {
	From, To int    // bytes of the string, or of the function from its name on to its closing bracket
	Ref      string // as it stands there, escapes decoded
	Imported bool   // it names a style sheet that belongs to this one
	Quoted   bool   // it is a string, and no function such as url()
}

// StyleRefs gives the references of a style sheet in their order, which are those that Extract
// follows. Time is linear in the text.
func StyleRefs(text string) iter.Seq[StyleRef] {
	return func(yield func(StyleRef) bool) {
		for s := (styleRefs{src: text}); s.next(); {
			if !yield(StyleRef{From: s.from, To: s.pos, Ref: s.ref, Imported: s.imported, Quoted: s.quoted}) {
				return
			}
		}
	}
}

// styleRefs finds the references of CSS, one after the other: url(), the strings of @import, src()
// and image-set(). Comments and other strings are no references, nor are the names of namespaces.
// Time is linear in the source. Source: CSS Syntax Module Level 3, section 4 (tokenization); CSS
// Images Level 4, 2.4; CSS Values Level 5 (src).
type styleRefs struct {
	src string
	pos int

	ref      string // escapes decoded
	imported bool   // by @import
	from     int    // where the string or function begins that gives the reference; it ends at pos
	quoted   bool   // it is a string, no function

	rule  atRule
	depth int // open parentheses
	set   int // the depth of an image-set, 0 outside of one
}

// atRule is the kind of at-rule whose prelude is being read.
type atRule uint8

const (
	otherRule  atRule = iota
	importRule        // @import: its first string is a reference
	namedRule         // @namespace, @charset, @document: their strings are no references
)

func (s *styleRefs) next() bool {
	for s.pos < len(s.src) {
		// Most of a stylesheet is made of characters that mean nothing here.
		c := s.src[s.pos]
		s.from, s.quoted = s.pos, false
		switch {
		case c == '/' && strings.HasPrefix(s.src[s.pos:], "/*"):
			s.comment()
		case c == '"' || c == '\'':
			if text, ok := s.str(); ok && s.stringIsRef() {
				s.quoted = true
				return s.found(text)
			}
		case c == '@':
			s.pos++
			s.rule = ruleOf(s.name())
		case c == '(':
			s.pos++
			s.depth++
		case c == ')':
			s.pos++
			s.closeParen()
		case c == ';' || c == '{' || c == '}':
			s.pos++
			s.rule, s.depth, s.set = otherRule, 0, 0
		case nameByte(c) || c == '\\':
			if s.word() {
				return true
			}
		default:
			s.pos++
		}
	}
	return false
}

func (s *styleRefs) found(ref string) bool {
	s.ref, s.imported = ref, s.rule == importRule
	s.rule = otherRule
	return true
}

func (s *styleRefs) stringIsRef() bool {
	return s.rule == importRule && s.depth == 0 || s.set > 0 && s.depth == s.set && s.rule != namedRule
}

func (s *styleRefs) closeParen() {
	if s.depth > 0 {
		s.depth--
	}
	if s.depth < s.set {
		s.set = 0
	}
}

// word reads a name or a number; true when it is a function that gives a reference.
func (s *styleRefs) word() bool {
	from := s.pos
	name := s.name()
	if s.pos == from { // a backslash that escapes nothing
		s.pos++
		return false
	}
	if name == "" || s.pos >= len(s.src) || s.src[s.pos] != '(' || digit(name[0]) {
		return false
	}
	s.pos++
	switch {
	case strings.EqualFold(name, "url") || strings.EqualFold(name, "src"):
		if text, ok := s.url(len(name) == 3 && name[0]|0x20 == 'u'); ok && s.rule != namedRule {
			return s.found(text)
		}
		return false
	case strings.EqualFold(name, "image-set") || strings.EqualFold(name, "-webkit-image-set"):
		s.depth++
		s.set = cmp.Or(s.set, s.depth)
	default:
		s.depth++
	}
	return false
}

// url reads the rest of url( or src(, up to and with ")". Only url may go without quotes.
func (s *styleRefs) url(bare bool) (string, bool) {
	s.white()
	if s.pos >= len(s.src) {
		return "", false
	}
	if c := s.src[s.pos]; c == '"' || c == '\'' {
		text, ok := s.str()
		s.pastParen() // modifiers
		return text, ok
	}
	if !bare {
		s.depth++ // src(var(--x)): what is in it is not known
		return "", false
	}
	return s.bareURL()
}

func (s *styleRefs) bareURL() (string, bool) {
	from, escaped := s.pos, false
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == ')' || space(c):
			to := s.pos
			s.white()
			if s.pos < len(s.src) && s.src[s.pos] != ')' { // white space within a bare URL
				s.pastParen()
				return "", false
			}
			s.pos = min(s.pos+1, len(s.src))
			return s.text(from, to, escaped), true
		case c == '\\' && s.escapes():
			escaped = true
			s.escape()
		case c == '"' || c == '\'' || c == '(' || c == '\\' || c < ' ' || c == 0x7f:
			s.pastParen()
			return "", false
		default:
			s.pos++
		}
	}
	return s.text(from, s.pos, escaped), true // the sheet ends within the URL, which counts all the same
}

// pastParen reads up to and with the next ")" that is not escaped.
func (s *styleRefs) pastParen() {
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case ')':
			s.pos++
			return
		case '\\':
			s.pos = min(s.pos+2, len(s.src))
		default:
			s.pos++
		}
	}
}

// str reads a string, at whose quote pos is. A line end that is not escaped makes it none.
func (s *styleRefs) str() (string, bool) {
	quote := s.src[s.pos]
	s.pos++
	from, escaped := s.pos, false
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; c {
		case quote:
			s.pos++
			return s.text(from, s.pos-1, escaped), true
		case '\n', '\r', '\f':
			return "", false
		case '\\':
			escaped = true
			s.escape()
		default:
			s.pos++
		}
	}
	return s.text(from, s.pos, escaped), true
}

// escapes reports whether the backslash at pos begins an escape: not before a line end or the end.
// (Within strings it does even there.)
func (s *styleRefs) escapes() bool {
	return s.pos+1 < len(s.src) && s.src[s.pos+1] != '\n' && s.src[s.pos+1] != '\r' && s.src[s.pos+1] != '\f'
}

// escape reads past the escape at pos: a backslash and up to six hexadecimal digits with one white
// space after them, or and any one character.
func (s *styleRefs) escape() {
	s.pos++
	from := s.pos
	for s.pos < len(s.src) && s.pos < from+6 && isHex(s.src[s.pos]) {
		s.pos++
	}
	if s.pos > from && (s.pos == len(s.src) || !space(s.src[s.pos])) {
		return
	}
	if strings.HasPrefix(s.src[s.pos:], "\r\n") {
		s.pos++
	}
	s.pos = min(s.pos+1, len(s.src))
}

func (s *styleRefs) text(from, to int, escaped bool) string {
	if escaped {
		return unescapeCSS(s.src[from:to])
	}
	return s.src[from:to]
}

// name reads name characters and escapes.
func (s *styleRefs) name() string {
	from, escaped := s.pos, false
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case nameByte(c):
			s.pos++
		case c == '\\' && s.escapes():
			escaped = true
			s.escape()
		default:
			return s.text(from, s.pos, escaped)
		}
	}
	return s.text(from, s.pos, escaped)
}

func (s *styleRefs) comment() {
	if i := strings.Index(s.src[s.pos+2:], "*/"); i >= 0 {
		s.pos += i + 4
	} else {
		s.pos = len(s.src)
	}
}

func (s *styleRefs) white() {
	for s.pos < len(s.src) && space(s.src[s.pos]) {
		s.pos++
	}
}

func ruleOf(name string) atRule {
	switch {
	case strings.EqualFold(name, "import"):
		return importRule
	case strings.EqualFold(name, "namespace"), strings.EqualFold(name, "charset"),
		strings.EqualFold(name, "document"),
		strings.EqualFold(name, "-moz-document"):
		return namedRule
	}
	return otherRule
}

func nameByte(c byte) bool {
	return letter(c) || digit(c) || c == '-' || c == '_' || c >= utf8.RuneSelf
}

func isHex(c byte) bool {
	_, ok := page.Hex(c)
	return ok
}

// unescapeCSS decodes escapes: up to six hexadecimal digits and one white space after them, or any
// other character for itself; an escaped line end is nothing. Source: CSS Syntax Module Level 3,
// 4.3.7.
func unescapeCSS(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			i++
			continue
		}
		i++
		if i >= len(s) {
			b.WriteRune(utf8.RuneError)
			break
		}
		if !isHex(s[i]) {
			switch {
			case s[i] == '\r' && i+1 < len(s) && s[i+1] == '\n':
				i += 2
			case s[i] == '\n' || s[i] == '\r' || s[i] == '\f':
				i++
			default:
				_, n := utf8.DecodeRuneInString(s[i:])
				b.WriteString(s[i : i+n])
				i += n
			}
			continue
		}
		var r rune
		for n := 0; n < 6 && i < len(s) && isHex(s[i]); n++ {
			d, _ := page.Hex(s[i])
			r = r<<4 | rune(d)
			i++
		}
		if i < len(s) && space(s[i]) {
			if s[i] == '\r' && i+1 < len(s) && s[i+1] == '\n' {
				i++
			}
			i++
		}
		if r == 0 || r > utf8.MaxRune || 0xd800 <= r && r <= 0xdfff {
			r = utf8.RuneError
		}
		b.WriteRune(r)
	}
	return b.String()
}
