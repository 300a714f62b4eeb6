package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"watershed/lab/mcltool"
)

var (
	// typed is a line of an indented block that begins with a command; continued joins it with the
	// next.
	typed     = regexp.MustCompile(`(?m)^    lab ([a-z][^\n]*)$`)
	continued = regexp.MustCompile(`\\\n *`)
	// named stands in running text, perhaps over two lines, often without its arguments.
	named = regexp.MustCompile("`lab ([a-z][^`]*)`")
)

// TestDocumentedCommands has the parser read every command of the laboratory that the documents
// show.
func TestDocumentedCommands(t *testing.T) {
	count := 0
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/formats/*.md", "docs/decisions/*.md"} {
		paths, err := filepath.Glob(filepath.Join("../..", pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(paths), err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			whole := continued.ReplaceAllString(string(text), " ")
			for _, m := range append(typed.FindAllStringSubmatch(whole, -1),
				named.FindAllStringSubmatch(whole, -1)...) {
				count++
				if err := parses(m[1]); err != nil {
					t.Errorf("%s: lab %s: %v", path, m[1], err)
				}
			}
		}
	}
	if count < 50 {
		t.Errorf("only %d commands were found", count)
	}
}

// parses reads a command, and gives an error where it names a command or an option that there is
// not.
func parses(line string) error {
	for _, end := range []string{" > ", " #", "; "} {
		line, _, _ = strings.Cut(line, end)
	}
	var args []string
	for rest := strings.TrimSpace(line); rest != ""; rest = strings.TrimSpace(rest) {
		end := " "
		if rest[0] == '"' || rest[0] == '\'' {
			end, rest = rest[:1], rest[1:]
		}
		var word string
		word, rest, _ = strings.Cut(strings.ReplaceAll(rest, "\n", " "), end)
		switch word = strings.Trim(word, "[],"); word {
		case "":
		case "N", "P", "I", "PORT", "…":
			args = append(args, "1")
		default:
			args = append(args, word)
		}
	}
	parser, err := newParser(kong.Writers(io.Discard, io.Discard), kong.Exit(func(int) {}))
	if err != nil {
		return err
	}
	_, err = parser.Parse(mcltool.Arguments(args))
	for _, mistake := range []string{"unknown flag", "unexpected argument"} {
		if err != nil && strings.Contains(err.Error(), mistake) && !strings.Contains(line, "…") {
			return err
		}
	}
	return nil
}
