package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

type tokenKind uint8

const (
	textRun tokenKind = 1 + iota
	startTag
	endTag
	conditionalText // markup in a conditional comment
)

// scanner cuts HTML into tags and runs of text, in one pass and without copying: it gives parts of
// the source, and decodes only where it must. It follows the tokenizer of the HTML standard,
// section 13.2.5, with two differences made for crawlers: the contents of noscript, noframes and
// noembed are markup, and comments and declarations are not reported.
//
// Time is linear in the source: each byte is looked at a fixed number of times, also where the
// source is hostile.
type scanner struct {
	src string
	pos int

	kind   tokenKind
	name   string    // of a tag, in lower case
	atom   atom.Atom // of a tag, 0 when the name is not a usual one
	attrs  []html.Attribute
	empty  bool      // of a start tag: <name/>
	source string    // of a tag, from its name to its ">"
	text   string    // of a text run, as in the source
	plain  bool      // the text has no entities to decode: script, style and the like
	within atom.Atom // of a text run: the element that holds nothing but text, 0 for markup

	skim  bool // attributes are only counted
	count int  // of a tag's attributes, those that are not kept too

	raw atom.Atom // the element whose content comes next and is text up to its end tag
	xml bool      // <title/> is empty and <![CDATA[ ]]> is text, as in XHTML and SVG
}

// maxAttrs bounds the attributes kept of one tag; more are read past.
const maxAttrs = 256

func newScanner(src string) *scanner { return &scanner{src: src} }

func (s *scanner) reset(src string) {
	clear(s.attrs[:cap(s.attrs)])
	*s = scanner{src: src, attrs: s.attrs[:0]}
}

// next finds the next token; false at the end of the source.
func (s *scanner) next() bool {
	if s.raw != 0 && s.rawText() {
		return true
	}
	from := s.pos
	for s.pos < len(s.src) {
		i := strings.IndexByte(s.src[s.pos:], '<')
		if i < 0 {
			break
		}
		s.pos += i
		switch {
		case !opens(s.src[s.pos:]):
			s.pos++
		case s.pos > from:
			return s.textToken(from, s.pos)
		case s.markup():
			return true
		default:
			from = s.pos
		}
	}
	s.pos = len(s.src)
	return s.textToken(from, s.pos)
}

// opens reports whether a "<" begins markup rather than text.
func opens(s string) bool {
	if len(s) < 2 {
		return false
	}
	c := s[1]
	return letter(c) || c == '!' || c == '?' || c == '/' && len(s) > 2
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func (s *scanner) textToken(from, to int) bool {
	s.kind, s.text, s.plain, s.within = textRun, s.src[from:to], false, 0
	return to > from
}

// markup reads what begins with "<" at pos; false when it has no tag to report.
func (s *scanner) markup() bool {
	rest := s.src[s.pos:]
	switch c := rest[1]; {
	case c == '!' && strings.HasPrefix(rest, "<!--"):
		from := s.pos
		s.comment()
		return s.conditional(s.src[from:s.pos])
	case s.xml && strings.HasPrefix(rest, "<![CDATA["):
		return s.cdata()
	case c == '!' || c == '?':
		s.past('>')
		return false
	case c == '/' && !letter(rest[2]):
		s.past('>')
		return false
	case c == '/':
		s.kind = endTag
		s.pos += 2
	default:
		s.kind = startTag
		s.pos++
	}
	return s.tag()
}

func (s *scanner) past(c byte) {
	if i := strings.IndexByte(s.src[s.pos:], c); i >= 0 {
		s.pos += i + 1
	} else {
		s.pos = len(s.src)
	}
}

// cdata reads a CDATA section as text; false when it is empty.
func (s *scanner) cdata() bool {
	from := s.pos + len("<![CDATA[")
	to := len(s.src)
	s.pos = to
	if i := strings.Index(s.src[from:], "]]>"); i >= 0 {
		to = from + i
		s.pos = to + len("]]>")
	}
	some := s.textToken(from, to)
	s.plain = true
	return some
}

// conditional reports the markup in a comment that old versions of Internet Explorer read; false for
// any other comment. Source: Microsoft, "About conditional comments".
func (s *scanner) conditional(comment string) bool {
	s.text = conditionalMarkup(strings.TrimPrefix(comment, "<!--"))
	s.kind = conditionalText
	return s.text != ""
}

// conditionalMarkup is the markup in "[if lt IE 9]>markup<![endif]"; "" where there is none.
func conditionalMarkup(text string) string {
	if len(text) < 4 || !strings.EqualFold(text[:3], "[if") {
		return ""
	}
	_, inner, ok := strings.Cut(text, "]>")
	if !ok {
		return ""
	}
	inner, _, _ = strings.Cut(inner, "<![")
	return inner
}

// comment reads past a comment. It ends at "-->" or "--!>", at once for "<!-->" and "<!--->", or
// with the source.
func (s *scanner) comment() {
	at := s.pos + len("<!--")
	rest := s.src[at:]
	switch {
	case strings.HasPrefix(rest, ">"):
		s.pos = at + 1
		return
	case strings.HasPrefix(rest, "->"):
		s.pos = at + 2
		return
	}
	for i := 0; ; {
		j := strings.Index(rest[i:], "--")
		if j < 0 {
			s.pos = len(s.src)
			return
		}
		i += j
		switch after := rest[i+2:]; {
		case strings.HasPrefix(after, ">"):
			s.pos = at + i + 3
			return
		case strings.HasPrefix(after, "!>"):
			s.pos = at + i + 4
			return
		}
		i++
	}
}

// tag reads name and attributes from pos, up to and with ">". It is false where the source ends
// within the tag.
func (s *scanner) tag() bool {
	src, i := s.src, s.pos
	for i < len(src) && !space(src[i]) && src[i] != '>' && src[i] != '/' {
		i++
	}
	s.setName(src[s.pos:i])
	s.attrs, s.count = s.attrs[:0], 0
	s.empty = false
	for {
		for i < len(src) && (space(src[i]) || src[i] == '/') {
			s.empty = src[i] == '/'
			i++
		}
		if i >= len(src) {
			s.pos = len(src)
			return false
		}
		if src[i] == '>' {
			break
		}
		i = s.attribute(i)
		s.empty = false
	}
	s.source = src[s.pos:i]
	s.pos = i + 1
	if s.kind == startTag && !(s.xml && s.empty) {
		s.raw = rawElement(s.atom)
	}
	return true
}

// attribute reads one attribute from i and gives the place after it.
func (s *scanner) attribute(i int) int {
	src, from := s.src, i
	i++ // a "=" that stands first belongs to the name
	for i < len(src) && src[i] != '=' && src[i] != '>' && src[i] != '/' && !space(src[i]) {
		i++
	}
	key := src[from:i]
	for i < len(src) && space(src[i]) {
		i++
	}
	val := ""
	if i < len(src) && src[i] == '=' {
		i++
		for i < len(src) && space(src[i]) {
			i++
		}
		val, i = s.value(i)
	}
	if s.count++; s.kind == startTag && !s.skim && len(s.attrs) < maxAttrs {
		s.keep(lower(key), val)
	}
	return i
}

// keep takes an attribute, unless the tag has one of that name already.
func (s *scanner) keep(key, val string) {
	if _, again := find(s.attrs, key); !again {
		s.attrs = append(s.attrs, html.Attribute{Key: key, Val: attributeText(val)})
	}
}

func (s *scanner) value(i int) (string, int) {
	src := s.src
	if i >= len(src) {
		return "", i
	}
	if q := src[i]; q == '"' || q == '\'' {
		n := strings.IndexByte(src[i+1:], q)
		if n < 0 {
			return src[i+1:], len(src)
		}
		return src[i+1 : i+1+n], i + n + 2
	}
	from := i
	for i < len(src) && src[i] != '>' && !space(src[i]) {
		i++
	}
	return src[from:i], i
}

func (s *scanner) setName(name string) {
	var b [maxName]byte
	if s.atom = lookup(name, &b); s.atom != 0 {
		s.name = s.atom.String()
	} else {
		s.name = asciiLower(name)
	}
}

// maxName is more than the longest name that package atom knows.
const maxName = 32

// lookup finds the atom of a name in any case; 0 for an unusual name.
func lookup(name string, b *[maxName]byte) atom.Atom {
	if len(name) > maxName {
		return 0
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		b[i] = c
	}
	return atom.Lookup(b[:len(name)])
}

// rawElement is a itself when the content of the element is text, 0 for others.
func rawElement(a atom.Atom) atom.Atom {
	switch a {
	case atom.Script, atom.Style, atom.Textarea, atom.Title, atom.Xmp, atom.Iframe, atom.Plaintext:
		return a
	}
	return 0
}

// rawText reads the content of a raw element up to its end tag, or to the end of the source; false
// when it is empty.
func (s *scanner) rawText() bool {
	element := s.raw
	s.raw = 0
	rest := s.src[s.pos:]
	end := -1
	switch element {
	case atom.Plaintext:
	case atom.Script:
		end = scriptEnd(rest)
	default:
		end = closing(rest, element.String())
	}
	if end < 0 {
		end = len(rest)
	}
	from := s.pos
	s.pos += end
	s.textToken(from, s.pos)
	s.plain = element != atom.Title && element != atom.Textarea
	s.within = element
	return end > 0
}

// closing is the place of the end tag of that name, -1 when there is none.
func closing(s, name string) int {
	for i := 0; ; {
		j := strings.Index(s[i:], "</")
		if j < 0 {
			return -1
		}
		i += j
		if isTag(s[i+2:], name) {
			return i
		}
		i += 2
	}
}

// isTag reports whether s begins with the name and a byte that ends a name.
func isTag(s, name string) bool {
	if len(s) <= len(name) || !strings.EqualFold(s[:len(name)], name) {
		return false
	}
	after := s[len(name)]
	return space(after) || after == '/' || after == '>'
}

// scriptEnd is the place of the end tag of a script whose content s is, -1 when there is none.
// Within "<!--" and "-->" another "<script>" hides one "</script>". Source: HTML standard,
// 13.2.5.15 to 13.2.5.31 (script data states).
func scriptEnd(s string) int {
	escaped, double := false, false
	arrow := -1 // place of the next "-->", once looked for
	for i := 0; i < len(s); {
		j := strings.IndexByte(s[i:], '<')
		if escaped {
			if arrow < i {
				if arrow = strings.Index(s[i:], "-->"); arrow < 0 {
					arrow = len(s)
				} else {
					arrow += i
				}
			}
			if arrow < len(s) && (j < 0 || arrow < i+j) {
				escaped, double = false, false
				i = arrow + 3
				continue
			}
		}
		if j < 0 {
			return -1
		}
		i += j
		rest := s[i+1:]
		switch {
		case !escaped && strings.HasPrefix(rest, "!--"):
			escaped = true
			i += 2 // so that "<!-->" is seen to end at once
		case strings.HasPrefix(rest, "/") && isTag(rest[1:], "script"):
			if !double {
				return i
			}
			double = false
			i += 2
		case escaped && !double && isTag(rest, "script"):
			double = true
			i += 2
		default:
			i++
		}
	}
	return -1
}

func space(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' }

// lower is a name in lower case; names that are so already, and the usual ones, cost no memory.
func lower(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; 'A' <= c && c <= 'Z' {
			var b [maxName]byte
			if a := lookup(s, &b); a != 0 {
				return a.String()
			}
			return asciiLower(s)
		}
	}
	return s
}

func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}
