package configs

import (
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"

	"watershed/internal/yamlbound"
	"watershed/page"
)

// maxFile bounds a YAML file, in bytes: the parser takes time quadratic in the keys of one mapping.
// Sites by the thousand come from a list.
const maxFile = 1 << 20

// document reads YAML text into a decoder and the tree's root; ok is false when errs says why there
// is none.
func document(name string, data []byte) (d *decoder, root ast.Node, ok bool) {
	text := normal(data)
	d = &decoder{
		file:    name,
		anchors: map[string]ast.Node{},
		open:    map[string]bool{},
		budget:  maxNodes,
		origins: map[string]Position{},
		sources: map[string][]string{},
		spelled: map[page.URL]page.Spelling{},
	}
	if len(text) > maxFile {
		d.syntax(0, 0, fmt.Sprintf("the file has %d bytes, more than %s", len(text), Size(maxFile)),
			"put long lists of sites into a file of their own: list: sites.csv")
		return d, nil, false
	}
	d.lines = strings.Split(text, "\n")
	d.sources[name] = d.lines
	if !d.clean() {
		return d, nil, false
	}
	root, ok = d.tree(text)
	return d, root, ok
}

// normal is a text without a byte order mark, and with the line ends of Unix: the parser counts
// some others and some not.
func normal(data []byte) string {
	text := strings.TrimPrefix(string(data), "\ufeff")
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

func (d *decoder) syntax(line, column int, message, hint string) {
	d.add(d.errorAt("", Position{d.file, line, column}, hint, message))
}

// clean tells of the first character that no YAML file may have, and of tabs where the parser would
// say something obscure.
func (d *decoder) clean() bool {
	for i, line := range d.lines {
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		for j, r := range line {
			message, hint := "", ""
			switch {
			case r == utf8.RuneError && !strings.HasPrefix(line[j:], "\ufffd"):
				message, hint = "the text is not UTF-8 here", "save the file as UTF-8"
			case r == '\t' && j < indent && indent < len(line):
				message, hint = "a tab cannot indent", "indent with spaces"
			case r < ' ' && r != '\t' || r == 0x7f:
				message = fmt.Sprintf("control character %U", r)
			default:
				continue
			}
			d.syntax(i+1, utf8.RuneCountInString(line[:j])+1, message, hint)
			return false
		}
	}
	return true
}

// tree parses the text. The parser is another's: whatever it may still panic on is an error of the
// file.
func (d *decoder) tree(text string) (root ast.Node, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			d.syntax(0, 0, "the YAML parser gave up on this file", fmt.Sprint(r))
			root, ok = nil, false
		}
	}()
	tokens := lexer.Tokenize(text)
	if t := yamlbound.TooDeep(tokens); t != nil {
		d.syntax(t.Position.Line, t.Position.Column, fmt.Sprintf("values lie more than %d deep",
			yamlbound.MaxNesting), "")
		return nil, false
	}
	if t := yamlbound.TooWide(tokens); t != nil {
		d.syntax(t.Position.Line, t.Position.Column,
			"a mapping has far too many keys, or another document begins", "one file is one harvest")
		return nil, false
	}
	// duplicates are told by the decoder, all of them
	f, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		d.parserError(err)
		return nil, false
	}
	var bodies []ast.Node
	for _, doc := range f.Docs {
		if doc.Body != nil {
			bodies = append(bodies, doc.Body)
		}
	}
	switch {
	case len(bodies) == 0:
		d.syntax(0, 0, "the file has no harvest in it", "start from an example: watershed config example")
		return nil, false
	case len(bodies) > 1:
		p := d.position(bodies[1])
		d.syntax(p.Line, p.Column, "a second document begins here",
			"one file is one harvest: leave out the --- line")
		return nil, false
	}
	if _, ok := d.pairs("", bodies[0]); !ok {
		return nil, false
	}
	ast.Walk(anchorVisitor{d}, bodies[0])
	return bodies[0], true
}

func (d *decoder) parserError(err error) {
	var line, column int
	message := err.Error()
	if e, ok := err.(yaml.Error); ok {
		message = e.GetMessage()
		if t := e.GetToken(); t != nil && t.Position != nil {
			line, column = t.Position.Line, t.Position.Column
		}
	}
	d.syntax(line, column, message, syntaxHints[message])
}

// syntaxHints say what to do about what the parser says in its own words, where that is mostly the
// same.
var syntaxHints = map[string]string{
	"mapping value is not allowed in this context":       "a text with \": \" in it stands in quotes",
	"value is not allowed in this context":               "the keys of one group begin in the same column",
	"could not find end character of double-quoted text": "the quotation mark that begins here has no end",
	"could not find end character of single-quoted text": "the quotation mark that begins here has no end; " +
		"within such a text an apostrophe is written twice",
	"could not find flow mapping end token '}'": "the brace that begins here has no end",
}

// anchorVisitor notes every anchor of a tree.
type anchorVisitor struct{ d *decoder }

func (v anchorVisitor) Visit(n ast.Node) ast.Visitor {
	if a, ok := n.(*ast.AnchorNode); ok {
		name := a.Name.GetToken().Value
		if _, twice := v.d.anchors[name]; twice {
			v.d.fail("", a, "", "anchor &%s is there twice", name)
		}
		v.d.anchors[name] = a.Value
	}
	return v
}

// decode reads the root into a harvest that has its defaults.
func (d *decoder) decode(root ast.Node) Harvest {
	h := Default()
	d.site = defaultSite()
	d.structure("", root, reflect.ValueOf(&h).Elem())
	d.prefer(&h.Copies)
	h.file, h.origins, h.spelled = d.file, d.origins, d.spelled
	return h
}
