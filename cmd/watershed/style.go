package main

import (
	"io"
	"os"
	"strings"
	"unicode"

	"watershed/internal/console"
	"watershed/report"
)

// style colours words for people. It does so on a terminal only, and not where NO_COLOR is set
// (no-color.org) or TERM is dumb. Coloured text reads the same without its colour: no colour says
// anything that no word says.
type style bool

// styleOf is the style for what is printed to out.
func styleOf(out io.Writer) style {
	return style(console.Terminal(out) != nil && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb")
}

func (s style) in(code, text string) string {
	if !s || text == "" {
		return text
	}
	return code + text + console.End
}

func (s style) strong(text string) string { return s.in(console.Strong, text) }
func (s style) good(text string) string   { return s.in(console.Green, text) }
func (s style) open(text string) string   { return s.in(console.Yellow, text) }
func (s style) bad(text string) string    { return s.in(console.Red, text) }

// ending is how a run ended.
func (s style) ending(e *report.Ending) string {
	text := visible(e.String())
	switch e.Ended {
	case report.Complete:
		return s.good(text)
	case report.Failed:
		return s.bad(text)
	}
	return s.open(text)
}

// visible is a text that may come from the web, such as a line of robots.txt, with what a terminal
// would obey or not show replaced.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}
