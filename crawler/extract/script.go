package extract

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// IsScript reports a JavaScript media type. Source: WHATWG, MIME Sniffing, section 4.6.
func IsScript(t string) bool {
	switch t {
	case "text/javascript", "application/javascript", "application/x-javascript", "text/ecmascript",
		"application/ecmascript", "application/x-ecmascript", "text/x-javascript":
		return true
	}
	return false
}

// MayBeProgram reports a media type of documents in XML, any of which may be a program.
func MayBeProgram(t string) bool { return isXML(t) }

// IsProgram reports a document in XML that says by a program what it shows: a picture in SVG with a
// script, or any other with a style sheet in XSLT. Feeds, site maps and answers of OAI-PMH are
// data.
func IsProgram(body []byte) bool {
	switch head := body[:min(len(body), maxHead)]; xmlFormat(body) {
	case SVG:
		return bytes.Contains(body, []byte("<script"))
	case Opaque:
		data := slices.Contains([]string{"stylesheet", "transform", "oai-pmh"}, rootOf(body))
		return !data && transformed(ascii(head))
	}
	return false
}

// The kinds of script element.
type scriptKind uint8

const (
	dataBlock scriptKind = iota // text for scripts, and no script
	classicScript
	moduleScript
	importMap
	linkedData // JSON-LD
)

// scriptKindOf tells the kind of a script element. Source: HTML standard, 4.12.1.1 (prepare the
// script element).
func scriptKindOf(attrs []html.Attribute) scriptKind {
	kind, given := find(attrs, "type")
	switch kind = strings.ToLower(strings.TrimSpace(kind)); {
	case kind == "module":
		return moduleScript
	case kind == "importmap":
		return importMap
	case kind == "application/ld+json":
		return linkedData
	case !given && attr(attrs, "language") != "" &&
		!strings.HasPrefix(strings.ToLower(attr(attrs, "language")), "javascript"):
		return dataBlock
	case kind == "" || IsScript(kind):
		return classicScript
	}
	return dataBlock
}

// readInline takes the links in the text of a script element.
func (c *collector) readInline(text string) {
	if c.template == 0 && c.script != importMap && c.script != linkedData {
		c.inlays.script(text)
	}
	switch c.script {
	case moduleScript:
		c.readScript(text)
		c.readCalls(text, true)
		c.readOpens("script/opens", text, false)
		c.readSources(text)
	case classicScript:
		c.readCalls(text, true)
		c.readOpens("script/opens", text, false)
		c.readSources(text)
		c.readWritten(text)
	case linkedData:
		c.readLinkedData(text)
	case importMap:
		c.readImportMap(text)
	}
}

// readScript takes the modules that a module names before it does anything: without them nothing of
// it runs.
func (c *parts) readScript(text string) {
	if c.template > 0 {
		return
	}
	for s := (moduleRefs{src: text}); s.next(); {
		if isAddress(s.ref) {
			c.embed("script/import", s.ref)
		} else if prefix := c.mapped(s.ref); prefix != "" {
			c.embed("script/import", c.imports[prefix]+s.ref[len(prefix):])
		}
	}
}

// mapped is the longest prefix of a name for which the page's import map has a folder.
func (c *parts) mapped(name string) string {
	for i := len(name) - 1; i > 0; i-- {
		if name[i] == '/' && c.imports[name[:i+1]] != "" {
			return name[:i+1]
		}
	}
	return ""
}

// moduleRefs finds the addresses and names in the import and export declarations that a module begins
// with, one after the other; it ends at the first other statement, which is where bundlers and custom
// end them, and before which there are no regular expressions. Time is linear in the source. Source:
// ECMAScript 2025, sections 16.2.2 and 16.2.3; HTML standard, "resolve a module specifier".
type moduleRefs struct {
	src string
	pos int
	ref string
}

func (s *moduleRefs) next() bool {
	for {
		s.ref = ""
		s.blank()
		switch {
		case s.take(";"):
		case s.pos < len(s.src) && isQuote(s.src[s.pos]): // a directive such as "use strict"
			if _, ok := s.text(); !ok {
				return false
			}
		case s.word("import"):
			if !s.declaration(false) {
				return false
			}
		case s.word("export"):
			if !s.declaration(true) {
				return false
			}
		default:
			return false
		}
		if s.ref != "" {
			return true
		}
	}
}

// declaration reads the text behind import or export; false when it is no declaration of this kind.
// ref is the address, "" where a list of exports has none.
func (s *moduleRefs) declaration(export bool) bool {
	for first := true; ; first = false {
		s.blank()
		switch {
		case s.pos == len(s.src):
			return false
		case isQuote(s.src[s.pos]):
			var ok bool
			if s.ref, ok = s.text(); !ok || export && first {
				return false
			}
			s.attributes()
			return true
		case s.take("{"):
			if !s.names() {
				return false
			}
			if s.blank(); export && !s.follows("from") {
				return true // of what the module itself has
			}
		case s.take("*"), s.take(","):
		case export && first: // export const, export default
			return false
		case s.identifier() == "":
			return false // import(), import.meta
		}
	}
}

// names passes a list in braces, the first of which is passed.
func (s *moduleRefs) names() bool {
	for {
		s.blank()
		switch {
		case s.pos == len(s.src):
			return false
		case s.take("}"):
			return true
		case isQuote(s.src[s.pos]):
			if _, ok := s.text(); !ok {
				return false
			}
		case s.take(","), s.identifier() != "":
		default:
			return false
		}
	}
}

// attributes passes over import attributes behind an address: with {type: "json"}.
func (s *moduleRefs) attributes() {
	before := s.pos
	s.blank()
	if (s.word("with") || s.word("assert")) && s.open() {
		if end := strings.IndexByte(s.src[s.pos:], '}'); end >= 0 {
			s.pos += end + 1
			return
		}
	}
	s.pos = before
}

func (s *moduleRefs) open() bool {
	s.blank()
	return s.take("{")
}

// blank passes white space and comments.
func (s *moduleRefs) blank() {
	for s.pos < len(s.src) {
		rest := s.src[s.pos:]
		switch {
		case rest[0] <= ' ':
			s.pos++
		case strings.HasPrefix(rest, "\ufeff"), strings.HasPrefix(rest, "\u2028"),
			strings.HasPrefix(rest, "\u2029"):
			s.pos += 3
		case strings.HasPrefix(rest, "//"), s.pos == 0 && strings.HasPrefix(rest, "#!"):
			s.past("\n")
		case strings.HasPrefix(rest, "/*"):
			s.pos += 2
			s.past("*/")
		default:
			return
		}
	}
}

// past goes behind the next end, or to the end of the source.
func (s *moduleRefs) past(end string) {
	if i := strings.Index(s.src[s.pos:], end); i >= 0 {
		s.pos += i + len(end)
	} else {
		s.pos = len(s.src)
	}
}

func (s *moduleRefs) take(mark string) bool {
	if !strings.HasPrefix(s.src[s.pos:], mark) {
		return false
	}
	s.pos += len(mark)
	return true
}

// follows reports that a word comes next.
func (s *moduleRefs) follows(word string) bool {
	rest, ok := strings.CutPrefix(s.src[s.pos:], word)
	return ok && (rest == "" || !ofName(rest[0]))
}

func (s *moduleRefs) word(word string) bool { return s.follows(word) && s.take(word) }

// identifier passes a name, "" for none.
func (s *moduleRefs) identifier() string {
	from := s.pos
	for s.pos < len(s.src) && ofName(s.src[s.pos]) {
		s.pos++
	}
	return s.src[from:s.pos]
}

// ofName reports a byte of a name; what is not ASCII counts.
func ofName(c byte) bool {
	return letter(c) || digit(c) || c == '_' || c == '$' || c == '\\' || c >= 0x80
}

func isQuote(c byte) bool { return c == '"' || c == '\'' }

// text passes a string; false for one that has no end in its line. A string with an escape is given
// as empty: nobody writes addresses so.
func (s *moduleRefs) text() (string, bool) {
	quote, from := s.src[s.pos], s.pos+1
	escaped := false
	for i := from; i < len(s.src); i++ {
		switch s.src[i] {
		case quote:
			s.pos = i + 1
			if escaped {
				return "", true
			}
			return s.src[from:i], true
		case '\\':
			escaped = true
			i++
		case '\n', '\r':
			return "", false
		}
	}
	return "", false
}

// isAddress reports a specifier that is an address as it stands, and no name that an import map may
// explain.
func isAddress(ref string) bool {
	return strings.HasPrefix(ref, "/") || strings.HasPrefix(ref, "./") || strings.HasPrefix(ref, "../") ||
		hasPrefixFold([]byte(ref), "http://") || hasPrefixFold([]byte(ref), "https://")
}
