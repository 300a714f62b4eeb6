// Package yamlbound looks at the tokens of a YAML file before the parser does. The parser calls itself for each level, tag and
// anchor, and a stack that overflows cannot be recovered from.
package yamlbound

import (
	"errors"
	"fmt"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// MaxNesting bounds how deep values lie within each other; no file of this program needs more than 6.
const MaxNesting = 40

// TooDeep gives the token at which nesting passes MaxNesting, nil if none does. Levels are made by brackets, and by "- ", "? ",
// tags and anchors that follow each other in one line. Indentation makes them too, but n levels of it take n²/2 bytes.
func TooDeep(tokens token.Tokens) *token.Token {
	brackets, line, inLine := 0, 0, 0
	for _, t := range tokens {
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			brackets++
		case token.SequenceEndType, token.MappingEndType:
			brackets--
		case token.SequenceEntryType, token.MappingKeyType, token.TagType, token.AnchorType:
			if t.Position.Line != line {
				line, inLine = t.Position.Line, 0
			}
			inLine++
		}
		if brackets+inLine > MaxNesting {
			return t
		}
	}
	return nil
}

// maxOpen bounds the brackets that are open in a text, whatever they mean, before it is cut into tokens, which take some hundred
// bytes each; maxLine bounds a line, in bytes.
const (
	maxOpen = 10_000
	maxLine = 1 << 20
)

// plausible reports a text that is worth cutting into tokens.
func plausible(text []byte) bool {
	open, line := 0, 0
	for _, c := range text {
		line++
		switch c {
		case '\n':
			line = 0
		case '[', '{':
			open++
		case ']', '}':
			open--
		}
		if open > maxOpen || line > maxLine {
			return false
		}
	}
	return true
}

// Parse parses a file that needs no anchors, aliases and tags: one that has some, or lies too deep, is refused with the line. What
// the parser panics on is an error, too.
func Parse(text []byte) (f *ast.File, err error) {
	defer func() {
		if r := recover(); r != nil { // the parser has panicked on odd input before
			f, err = nil, fmt.Errorf("the file could not be parsed: %v", r)
		}
	}()
	if !plausible(text) {
		return nil, errors.New("far too many brackets are open, or a line is longer than a megabyte")
	}
	tokens := lexer.Tokenize(string(text))
	if t := TooDeep(tokens); t != nil {
		return nil, fmt.Errorf("line %d: values lie more than %d deep", t.Position.Line, MaxNesting)
	}
	for _, t := range tokens {
		switch t.Type {
		case token.AnchorType, token.AliasType, token.TagType, token.MergeKeyType:
			return nil, fmt.Errorf("line %d: anchors, aliases and tags are not used here", t.Position.Line)
		}
	}
	return parser.Parse(tokens, 0)
}
