package suites

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"text/scanner"
)

// tokens are those of a text in C++, Java or the text form of protocol buffers; string literals
// begin with a quotation mark. Escapes are as in Go.
func tokens(text []byte) []string {
	var s scanner.Scanner
	s.Init(strings.NewReader(string(text)))
	s.Error = func(*scanner.Scanner, string) {} // what is odd is no string, and no case
	s.Mode = scanner.ScanIdents | scanner.ScanFloats | scanner.ScanStrings | scanner.ScanComments |
		scanner.SkipComments
	var all []string
	for t := s.Scan(); t != scanner.EOF; t = s.Scan() {
		all = append(all, s.TokenText())
	}
	return all
}

// readSpecification reads the cases of robotstxt-spec-test.
func readSpecification(text []byte) (cases []robotsCase, unread int) {
	var hashes []string // comments of this form begin with "#"
	for line := range strings.SplitSeq(string(text), "\n") {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			hashes = append(hashes, line)
		}
	}
	var c robotsCase
	all := tokens([]byte(strings.Join(hashes, "\n")))
	for i := 0; i+2 < len(all); i++ {
		if all[i+1] != ":" {
			continue
		}
		switch value, _, _ := (&source{}).text(all[i+2:]); all[i] {
		case "robotstxt":
			c.text = value
		case "testurl":
			c.url = value
		case "useragent":
			c.agent = value
		case "expected_outcome":
			c.want = strings.ToLower(all[i+2])
			cases = append(cases, c)
		}
	}
	return cases, 0
}

// source reads the tests of programs in C++ and Java, as far as they are texts, rules made of them,
// and expectations of these rules.
type source struct {
	path  string
	test  string
	texts map[string]string
	rules map[string]robotsCase // by the name of a variable: the text and the agent
	cases []robotsCase
	// unread counts expectations that concern something else, or texts that are computed.
	unread int
}

// readSource reads the cases of a test in C++ or Java.
func readSource(path string, text []byte) ([]robotsCase, int) {
	s := source{path: path, rules: map[string]robotsCase{}}
	text = textBlock.ReplaceAllFunc(text, quoteBlock)
	all := tokens(text)
	var rows [][]string
	for i := 0; i+2 < len(all); i++ {
		switch {
		case all[i] == "CsvSource":
			rows = table(all[i+1 : i+1+closing(all[i+1:])])
		case (all[i] == "void" || all[i] == "Robotstxt" || all[i] == "TEST") && beginsTest(all[i:]):
			open := i + strings.Count(all[i], "void") + strings.Count(all[i], "Robotstxt")
			if all[i] == "TEST" {
				s.test = all[i+4]
			} else {
				s.test = all[i+1]
			}
			head := open + 1 + closing(all[open+1:])
			for all[head] != "{" {
				head++
			}
			end := head + closing(all[head:])
			s.run(all[open+1:head], all[head+1:end], rows)
			rows, i = nil, end
		}
	}
	return s.cases, s.unread
}

// textBlock is a literal of several lines in Java.
var textBlock = regexp.MustCompile(`(?s)"""\n.*?"""`)

func quoteBlock(block []byte) []byte {
	var b strings.Builder
	lines := strings.SplitAfter(string(block[4:len(block)-3]), "\n")
	for _, line := range lines {
		b.WriteString(strings.TrimLeft(line, " "))
	}
	return strconv.AppendQuote(nil, b.String())
}

// beginsTest reports a function that is defined: a name, parameters, and a body.
func beginsTest(all []string) bool {
	open := 1
	if all[0] != "TEST" {
		open = 2
	}
	if len(all) < open+3 || all[open] != "(" {
		return false
	}
	end := open + closing(all[open:]) + 1
	for end < len(all) && (all[end] == "throws" || strings.HasSuffix(all[end], "Exception")) {
		end++
	}
	return end < len(all) && all[end] == "{"
}

// closing is where the bracket closes that is the first token.
func closing(all []string) int {
	depth := 0
	for i, t := range all {
		switch t {
		case "(", "{", "[":
			depth++
		case ")", "}", "]":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(all) - 1
}

// table are the rows of a CsvSource.
func table(all []string) [][]string {
	var rows [][]string
	for _, t := range all {
		if row, err := strconv.Unquote(t); err == nil {
			fields := strings.Split(row, ",")
			for i := range fields {
				fields[i] = strings.TrimSpace(fields[i])
			}
			rows = append(rows, fields)
		}
	}
	return rows
}

// run reads the statements of a test, for each row of its table.
func (s *source) run(parameters, body []string, rows [][]string) {
	s.texts = map[string]string{"CRLF": "\r\n", "LF": "\n", "CR": "\r"}
	var names []string
	for i, t := range parameters {
		if i+1 < len(parameters) && (parameters[i+1] == "," || parameters[i+1] == ")") {
			names = append(names, t)
		}
	}
	if rows == nil {
		rows, names = [][]string{nil}, nil
	}
	for _, row := range rows {
		for i, name := range names[:min(len(names), len(row))] {
			s.texts[name] = row[i]
		}
		start := 0
		for i, t := range body {
			if t == ";" || (t == "{" || t == "}") && (i == start || body[i-1] == ")") {
				s.statement(body[start:i])
				start = i + 1
			}
		}
	}
}

func (s *source) statement(all []string) {
	if len(all) == 0 {
		return
	}
	for i, t := range all[:min(len(all), 8)] {
		if t == "=" && i > 0 {
			s.assign(all[i-1], all[i+1:])
			return
		}
	}
	if i := find(all, "StrAppend", "("); i >= 0 && i+3 < len(all) {
		delete(s.texts, all[i+3]) // computed: it is not known any more
	}
	if strings.HasPrefix(all[0], "assert") || strings.HasPrefix(all[0], "EXPECT_") {
		s.expect(all)
	}
}

// assign notes a text, or rules.
func (s *source) assign(name string, all []string) {
	for _, call := range []struct {
		name        string
		agent, text int
	}{{"createRobotRules", 0, 1}, {"parseContent", 3, 1}} {
		i := find(all, call.name, "(")
		if i < 0 {
			continue
		}
		delete(s.rules, name)
		args := arguments(all[i+1:])
		if len(args) <= max(call.agent, call.text) {
			return
		}
		agent, ok := s.agent(args[call.agent])
		if text, _, known := s.text(args[call.text]); ok && known {
			s.rules[name] = robotsCase{agent: agent, text: text}
		}
		return
	}
	if i := find(all, "StringReader", "("); i >= 0 {
		delete(s.rules, "r")
		if text, _, ok := s.text(all[i+2:]); ok {
			s.rules["r"] = robotsCase{text: text}
		}
		return
	}
	if len(all) > 1 && all[1] == "." {
		delete(s.rules, name) // made in another way
	}
	if text, _, ok := s.text(all); ok {
		s.texts[name] = text
	}
}

// agent is a crawler's name; a set of several is not read.
func (s *source) agent(all []string) (string, bool) {
	if find(all, "of", "(") >= 0 || find(all, "asList", "(") >= 0 {
		all = all[find(all, "(")+1:]
	}
	agent, rest, ok := s.text(all)
	return agent, ok && (len(rest) == 0 || rest[0] == ")")
}

// expect notes the case of an assertion, and counts those of another form.
func (s *source) expect(all []string) {
	args := arguments(all[1:])
	c, ok := s.subject(all)
	c.name = s.test
	if delay := find(all, "getCrawlDelay", "("); ok && delay >= 0 {
		c.delay = true
		c.want, ok = milliseconds(args)
	} else if ok {
		c.url, ok = s.address(all)
		allowed := strings.HasSuffix(strings.ToUpper(all[0]), "TRUE")
		if all[0] == "assertEquals" {
			var word string
			word, _, ok = s.text(append(args[0], ","))
			allowed = strings.EqualFold(word, "true")
		}
		c.want = verdict(allowed)
	}
	if !ok {
		s.unread++
		return
	}
	s.cases = append(s.cases, c)
}

// subject is the robots.txt and the crawler that an assertion is about.
func (s *source) subject(all []string) (c robotsCase, ok bool) {
	if i := find(all, "IsUserAgentAllowed", "("); i >= 0 {
		args := arguments(all[i+1:])
		text, _, known := s.text(args[0])
		agent, _, named := s.text(args[1])
		return robotsCase{text: text, agent: agent}, known && named
	}
	if i := find(all, "getDirectivesFor", "("); i >= 0 {
		c, known := s.rules["r"]
		agent, _, named := s.text(all[i+2:])
		c.agent = agent
		return c, known && named
	}
	for _, name := range []string{"isAllowed", "getCrawlDelay"} {
		if i := find(all, ".", name, "("); i > 0 {
			c, ok = s.rules[all[i-1]]
			return c, ok
		}
	}
	return c, false
}

// address is the URL that an assertion is about.
func (s *source) address(all []string) (url string, ok bool) {
	if i := find(all, "IsUserAgentAllowed", "("); i >= 0 {
		url, _, ok = s.text(arguments(all[i+1:])[2])
	} else if i := find(all, "isAllowed", "("); i >= 0 {
		url, _, ok = s.text(all[i+2:])
	} else if i := find(all, "allows", "("); i >= 0 {
		url, _, ok = s.text(all[i+2:])
		url = "http://example.org" + url
	}
	return url, ok
}

// milliseconds is the number among two arguments; Heritrix gives seconds, as a float.
func milliseconds(args [][]string) (want string, ok bool) {
	for _, arg := range args {
		n, err := strconv.Atoi(arg[0])
		if err != nil {
			continue
		}
		if arg[len(arg)-1] == "f" {
			n *= 1000
		}
		return fmt.Sprintf("a delay of %d ms", n), true
	}
	return "", false
}

// arguments are those of a call, from its "(".
func arguments(all []string) [][]string {
	var args [][]string
	end, start := closing(all), 1
	for i := 1; i < end; i++ {
		switch all[i] {
		case "(", "{", "[":
			i += closing(all[i:])
		case ",":
			args = append(args, all[start:i])
			start = i + 1
		}
	}
	return append(args, all[min(start, end):end])
}

// text is the text that an expression begins with, and what follows it: literals and names, one
// after the other or joined by "+", and what a file has.
func (s *source) text(all []string) (value string, rest []string, ok bool) {
	for len(all) > 0 {
		part, err := strconv.Unquote(all[0])
		known, is := s.texts[all[0]]
		switch {
		case err == nil && all[0][0] == '"':
			value, ok = value+part, true
		case is:
			value, ok = value+known, true
		case all[0] == "+":
		case all[0] == "." && len(all) > 4 && all[1] == "getBytes":
			end := closing(all[2:])
			if value, ok = encode(value, all[2:2+end]); !ok {
				return "", nil, false
			}
			all = all[2+end:]
		case all[0] == "readFile" && len(all) > 3:
			name, _, _ := s.text(all[2:])
			dir, _, _ := strings.Cut(filepath.ToSlash(s.path), "/java/")
			file, err := os.ReadFile(filepath.FromSlash(dir + "/resources" + name))
			if err != nil {
				return "", nil, false
			}
			value, ok, all = string(file), true, all[closing(all[1:])+1:]
		default:
			return value, all, ok && (all[0] == ")" || all[0] == "," || all[0] == "}")
		}
		all = all[1:]
	}
	return value, nil, ok
}

// encode is a text in the encoding that the arguments of getBytes name.
func encode(text string, args []string) (string, bool) {
	switch args[len(args)-1] {
	case "UTF_8":
		return text, true
	case "ISO_8859_1":
		var b []byte
		for _, r := range text {
			b = append(b, byte(r)) // its texts have no others
		}
		return string(b), true
	}
	return "", false
}

// find is where the tokens stand one after the other, or -1.
func find(all []string, want ...string) int {
	for i := 0; i+len(want) <= len(all); i++ {
		if strings.Join(all[i:i+len(want)], " ") == strings.Join(want, " ") {
			return i
		}
	}
	return -1
}
