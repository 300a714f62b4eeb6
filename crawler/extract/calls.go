package extract

import "strings"

// readCalls takes the files that a script loads by name: their addresses stand in it as strings, so
// nothing is guessed. inline says that the script is part of a page.
func (c *parts) readCalls(text string, inline bool) {
	if c.template > 0 || !strings.Contains(text, "import") && !strings.Contains(text, "Worker") {
		return
	}
	for s := (scriptCalls{moduleRefs: moduleRefs{src: text}}); s.next(); {
		// A worker's address counts from the page, which a script in a file of its own may not be
		// beside.
		if s.kind != workerCall || inline || isAddress(s.ref) && s.ref[0] != '.' {
			c.embed(callContexts[s.kind], s.ref)
		}
	}
}

// callKind is the way in which a script loads another file.
type callKind uint8

const (
	importCall  callKind = iota // import("./a.js"): a module, counted from the script
	scriptsCall                 // importScripts("a.js"): counted from the worker, which is the script
	workerCall                  // new Worker("a.js"): counted from the page
	fileCall                    // new URL("a.png", import.meta.url): counted from the script
)

var callContexts = [...]string{
	importCall: "script/import()", scriptsCall: "script/importScripts",
	workerCall: "script/Worker", fileCall: "script/URL",
}

// scriptCalls finds those calls that have a string for an address, one after the other. It tells
// code from comments, strings, templates and regular expressions; where a division looks like one
// of the latter, the rest of the line may be passed over. Time is linear in the source.
//
// Sources: ECMAScript 2025, 12 (lexical grammar) and 13.3.10 (import calls); HTML standard,
// 10.2.6.3 (Worker) and 10.3.1 (importScripts); WHATWG, URL, and webpack's "Asset Modules" for new
// URL with import.meta.url.
type scriptCalls struct {
	moduleRefs
	kind callKind

	braces []int  // open braces within each template that is open
	value  bool   // what came last is a value: "/" divides it
	last   string // the name that came last, "" after anything else
	member bool   // it stood behind a "."
	args   bool   // the strings that come next are arguments of importScripts
	line   int    // where the line ends in which a regular expression did not: up to there "/" divides
}

// maxTemplates bounds the templates within each other.
const maxTemplates = 64

func (s *scriptCalls) next() bool {
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		switch {
		case c <= ' ':
			s.pos++
		case strings.HasPrefix(s.src[s.pos:], "//"):
			s.past("\n")
		case strings.HasPrefix(s.src[s.pos:], "/*"):
			s.pos += 2
			s.past("*/")
		case isQuote(c):
			text, ok := s.text()
			if !ok { // the script is broken here
				s.past("\n")
			}
			s.value, s.last = true, ""
			if s.args && ok && text != "" {
				return s.found(scriptsCall, text)
			}
		case c == '`':
			s.pos++
			if !s.templateText() {
				return false
			}
		case c == '/':
			s.slash()
		case ofName(c):
			s.name()
		case c == '(':
			if s.open() {
				return true
			}
		default:
			s.mark(c)
		}
	}
	return false
}

func (s *scriptCalls) found(kind callKind, ref string) bool {
	s.kind, s.ref = kind, ref
	return true
}

// name reads a name or a number.
func (s *scriptCalls) name() {
	from := s.pos
	s.last, s.args = s.identifier(), false
	behind := strings.TrimRight(s.src[max(0, from-8):from], " \t\r\n")
	s.member = strings.HasSuffix(behind, ".") && !strings.HasSuffix(behind, "..")
	s.value = s.member || !beforeValue[s.last]
}

// beforeValue are the words after which "/" begins a regular expression.
var beforeValue = map[string]bool{
	"return": true, "typeof": true, "instanceof": true, "in": true, "of": true, "new": true, "delete": true,
	"void": true, "throw": true,
	"case": true, "do": true, "else": true, "yield": true, "await": true,
}

// mark reads any other character.
func (s *scriptCalls) mark(c byte) {
	s.pos++
	s.last = ""
	s.value = c == ')' || c == ']'
	if c != ',' {
		s.args = false
	}
	n := len(s.braces)
	switch {
	case n == 0:
	case c == '{':
		s.braces[n-1]++
	case c == '}' && s.braces[n-1] > 0:
		s.braces[n-1]--
	case c == '}':
		s.braces = s.braces[:n-1]
		s.templateText()
	}
}

// open reads an opening parenthesis; true when a call begins with it that names a file.
func (s *scriptCalls) open() bool {
	called, member := s.last, s.member
	s.pos++
	s.value, s.last = false, ""
	switch called {
	case "import":
		if ref, ok := s.argument(); ok && !member && isAddress(ref) {
			return s.found(importCall, ref)
		}
	case "importScripts":
		s.args = true
	case "Worker", "SharedWorker":
		if ref, ok := s.argument(); ok && ref != "" {
			return s.found(workerCall, ref)
		}
	case "URL":
		if ref, ok := s.beside(); ok && ref != "" {
			return s.found(fileCall, ref)
		}
	}
	return false
}

// argument is the string that comes next, if it is a whole argument. It is not passed.
func (s *scriptCalls) argument() (string, bool) {
	m := s.moduleRefs
	ref, ok := m.argument()
	return ref, ok && (m.follow(',') || m.follow(')'))
}

// beside is the string that comes next, if import.meta.url is the second argument. It is not
// passed.
func (s *scriptCalls) beside() (string, bool) {
	m := s.moduleRefs
	ref, ok := m.argument()
	if !ok || !m.follow(',') {
		return "", false
	}
	for _, part := range [...]string{",", "import", ".", "meta", ".", "url"} {
		m.blank()
		if !m.take(part) {
			return "", false
		}
	}
	return ref, m.follow(')')
}

// argument reads a string, or a template without expressions.
func (m *moduleRefs) argument() (string, bool) {
	m.blank()
	if m.pos == len(m.src) {
		return "", false
	}
	if isQuote(m.src[m.pos]) {
		return m.text()
	}
	if m.src[m.pos] != '`' {
		return "", false
	}
	text, _, ok := strings.Cut(m.src[m.pos+1:min(len(m.src), m.pos+maxRef)], "`")
	m.pos += len(text) + 2
	return text, ok && !strings.ContainsAny(text, "\\$\n")
}

// follow reports that a character comes next, behind blanks and comments. It is not passed.
func (m *moduleRefs) follow(c byte) bool {
	m.blank()
	return m.pos < len(m.src) && m.src[m.pos] == c
}

// templateText passes the text of a template up to its end, or to the next expression in it; false
// when it does not end, or too many are within each other.
func (s *scriptCalls) templateText() bool {
	s.value, s.last = true, ""
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == '\\':
			s.pos += 2
		case c == '`':
			s.pos++
			return true
		case c == '$' && strings.HasPrefix(s.src[s.pos:], "${"):
			s.pos += 2
			s.braces = append(s.braces, 0)
			s.value = false
			return len(s.braces) <= maxTemplates
		default:
			s.pos++
		}
	}
	s.pos = len(s.src)
	return false
}

// slash passes a division, or a regular expression, which does not reach beyond its line.
func (s *scriptCalls) slash() {
	s.last = ""
	if s.value || s.pos < s.line {
		s.pos++
		s.value = false
		return
	}
	class := false
	for i := s.pos + 1; i < len(s.src); i++ {
		switch c := s.src[i]; {
		case c == '\\':
			i++
		case c == '\n' || c == '\r':
			s.pos, s.line = s.pos+1, i
			return
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			s.pos, s.value = i+1, true
			return
		}
	}
	s.pos, s.line = s.pos+1, len(s.src)
}
