// Package yamlbound looks at the tokens of a YAML file before the parser does. The parser calls
// itself for each level, tag and anchor, and a stack that overflows cannot be recovered from; and
// it compares each key of a mapping with those before it.
package yamlbound

import (
	"errors"
	"fmt"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// MaxNesting bounds how deep values lie within each other; no file of this program needs more than
// 6.
const MaxNesting = 40

// TooDeep gives the token at which nesting passes MaxNesting, nil if none does. Levels are made by
// brackets, and by "- ", "? ", tags and anchors that follow each other in one line. Indentation
// makes them too, but n levels of it take n²/2 bytes.
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

// maxKeys bounds the keys of one mapping: the parser compares each with all before it. No file of
// this program needs a tenth of that.
const maxKeys = 1000

// TooWide gives the token at which a mapping has more keys than maxKeys, or a second document
// begins, nil if none does: for both the parser takes a time that grows with the square of the
// file. Keys of equal column are taken for those of one mapping until something stands further
// left, and so are those between two braces.
func TooWide(tokens token.Tokens) *token.Token {
	var levels []level // from left to right
	braces, headers := 0, 0
	for _, t := range tokens {
		switch t.Type {
		case token.DocumentHeaderType, token.DocumentEndType:
			if headers++; headers > 2 { // one before the file's document and one behind it
				return t
			}
		case token.MappingStartType:
			braces++
		case token.MappingEndType:
			braces--
			levels = upTo(levels, beyond+braces)
		case token.SequenceEntryType:
			levels = upTo(levels, t.Position.Column)
		case token.MappingValueType:
			column := t.Position.Column
			if braces > 0 {
				column = beyond + braces
			} else if t.Prev != nil {
				column = t.Prev.Position.Column
			}
			levels = upTo(levels, column)
			if n := len(levels); n == 0 || levels[n-1].column < column {
				levels = append(levels, level{column: column})
			}
			l := &levels[len(levels)-1]
			if l.keys++; l.keys > maxKeys {
				return t
			}
		}
	}
	return nil
}

// level is the mapping whose keys stand in a column.
type level struct{ column, keys int }

// beyond is right of all columns.
const beyond = 1 << 40

// upTo leaves out the levels right of a column.
func upTo(levels []level, column int) []level {
	for len(levels) > 0 && levels[len(levels)-1].column > column {
		levels = levels[:len(levels)-1]
	}
	return levels
}

// maxOpen bounds the brackets that are open in a text, whatever they mean, before it is cut into
// tokens, which take some hundred bytes each; maxLine bounds a line, in bytes.
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

// Parse parses a file that needs no anchors, aliases and tags: one that has some, or lies too deep,
// is refused with the line. A panic of the parser is an error, too.
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
	if t := TooWide(tokens); t != nil {
		return nil, fmt.Errorf("line %d: a mapping has more than %d keys, or another document begins",
			t.Position.Line, maxKeys)
	}
	for _, t := range tokens {
		switch t.Type {
		case token.AnchorType, token.AliasType, token.TagType, token.MergeKeyType:
			return nil, fmt.Errorf("line %d: anchors, aliases and tags are not used here", t.Position.Line)
		}
	}
	return parser.Parse(tokens, 0)
}
