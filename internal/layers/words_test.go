package layers

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"watershed/lab/kit/sources"
)

// A sentence that begins with one of these words hides its noun behind a pronoun.
var (
	pronoun = regexp.MustCompile(
		`(?:^|[.!?][)"”*_]*\s+)(?:\*\*[^*]*\*\*\s+)?[("“*_]*((?:What|One|Those)\s)`)
	quoted = regexp.MustCompile("`[^`]*`")
	marked = regexp.MustCompile(`^\s*(?:[-*>]|\d+\.|#+)\s+`) // a list's item, a heading, a quotation
	remark = regexp.MustCompile(`(?m)^\s*#\s?(.*)$`)         // of YAML
)

// pronouns are the sentences of a text that begin with such a word. Questions may, and so may text
// between backquotes.
func pronouns(text string) (found []string) {
	for _, p := range paragraphs(text) {
		p = quoted.ReplaceAllString(p, "code")
		for _, at := range pronoun.FindAllStringSubmatchIndex(p, -1) {
			sentence := p[at[2]:]
			if end := strings.IndexAny(sentence, ".!?"); end >= 0 {
				sentence = sentence[:end+1]
			}
			if !strings.HasSuffix(sentence, "?") {
				found = append(found, sentence)
			}
		}
	}
	return found
}

// paragraphs are those of a comment or of a document, each on a line, without code between fences.
// Items of lists, headings and the cells of tables are paragraphs, too.
func paragraphs(text string) (list []string) {
	open, fenced := false, false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch trimmed := strings.TrimSpace(line); {
		case strings.HasPrefix(trimmed, "```"):
			open, fenced = false, !fenced
		case fenced || trimmed == "":
			open = false
		case strings.HasPrefix(trimmed, "|"):
			for cell := range strings.SplitSeq(trimmed, "|") {
				list = append(list, strings.TrimSpace(cell))
			}
			open = false
		case !open || marked.MatchString(line):
			list = append(list, strings.TrimSpace(marked.ReplaceAllString(line, "")))
			open = true
		default:
			list[len(list)-1] += " " + trimmed
		}
	}
	return list
}

// nameNouns: the sentences of comments name their nouns.
func nameNouns(t *testing.T, list []sources.Source) {
	for _, s := range list {
		for _, group := range s.File.Comments {
			for _, sentence := range pronouns(group.Text()) {
				t.Errorf("%s:%d: %q names no noun", s.Path, s.Lines.Line(group.Pos()), sentence)
			}
		}
	}
}

// TestDocumentsNameNouns holds documents, the help of commands, and the remarks in YAML, to the
// same.
func TestDocumentsNameNouns(t *testing.T) {
	read := 0
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		kind := filepath.Ext(path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() != ".." && strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case d.IsDir() || kind != ".md" && kind != ".yaml" && d.Name() != "help.txt":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if kind == ".yaml" {
			text = []byte(remarks(string(text)))
		}
		for _, sentence := range pronouns(string(text)) {
			t.Errorf("%s: %q names no noun", path, sentence)
		}
		read++
		return nil
	})
	if err != nil || read < 50 {
		t.Errorf("%d documents were read (%v)", read, err)
	}
}

// remarks are those of a file of YAML; other lines part them.
func remarks(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if m := remark.FindStringSubmatch(line); m != nil {
			b.WriteString(m[1])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestPronouns(t *testing.T) {
	for text, want := range map[string][]string{
		"What is confirmed is left out.":             {"What is confirmed is left out."},
		"A page. One that\nfailed is asked again.":   {"One that failed is asked again."},
		"A page.\nOne that failed is asked again":    {"One that failed is asked again"},
		"(Two hosts.) Those of the site count. Yes.": {"Those of the site count."},
		"**cut** One arc.\n**toll** What a page pays.": {
			"One arc.",
			"What a page pays.",
		},
		"## What follows":                      {"What follows"},
		" 2. **What it costs** is bounded.":    {"What it costs** is bounded."},
		"a list:\n  - One host\n  - two hosts": {"One host"},
		"| key | What it does |\n|---|---|":    {"What it does"},
		"Which page is like it? What is not.":  {"What is not."},
		"What is like this page? A page knows what is and which one, of those that stand.": nil,
		"The page `What is on` lists One. One.":                                            nil,
		"```\nWhat a command prints.\n```\nA page.":                                        nil,
		"One-way links count":                                                              nil,
	} {
		if got := pronouns(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got, want := remarks("# What is\n# one\nkey: 1 # no\n"), "What is\none\n\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
