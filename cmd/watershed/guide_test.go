package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"watershed/configs"
)

// documents are those that archivists read: commands and keys in them must be such as there are.
func documents(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range []string{
		"README.md", "docs/*.md", "docs/guide/*.md", "docs/formats/answers.md",
		"packaging/README.md",
	} {
		paths, err := filepath.Glob(filepath.Join("../..", pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(paths), err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			texts[path] = string(text)
		}
	}
	return texts
}

var (
	// typedCommand is a line of an indented block, perhaps behind a prompt, the times of cron or
	// sudo; two may stand side by side.
	typedCommand = regexp.MustCompile(
		`(?m)^    (?:\$ |[-0-9* ]+  |sudo -u watershed )?(?:\./|go run \./cmd/)?watershed +([a-z][^\n]*)$`)
	// continued joins a line with the next.
	continued = regexp.MustCompile(`\\\n *`)
	// namedCommand stands in running text, often without its arguments.
	namedCommand = regexp.MustCompile("`(?:\\./)?watershed ([a-z][^`\\n]*)`")
	// siblings are commands that a comment names beside the one that is shown.
	siblings = regexp.MustCompile(`(?m)watershed ([a-z]+) [a-z]+ [^\n#]*#[^\n]*\balso ([a-z]+(?:, [a-z]+)*)$`)
)

// TestDocumentedCommands has the parser read every command that the documents show.
func TestDocumentedCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("short: the race detector takes eight times as long to read texts")
	}
	count := 0
	for path, text := range documents(t) {
		text = continued.ReplaceAllString(text, " ")
		for _, m := range typedCommand.FindAllStringSubmatch(text, -1) {
			for c := range strings.SplitSeq(m[1], "./watershed ") {
				count++
				if err := parses(c); err != nil {
					t.Errorf("%s: watershed %s: %v", path, c, err)
				}
			}
		}
		for _, m := range siblings.FindAllStringSubmatch(text, -1) {
			for c := range strings.SplitSeq(m[2], ", ") {
				count++
				if err := parses(m[1] + " " + c); err != nil && !incomplete(err) {
					t.Errorf("%s: watershed %s %s: %v", path, m[1], c, err)
				}
			}
		}
		for _, m := range namedCommand.FindAllStringSubmatch(text, -1) {
			count++
			if err := parses(m[1]); err != nil && !incomplete(err) {
				t.Errorf("%s: watershed %s: %v", path, m[1], err)
			}
		}
	}
	if count < 90 {
		t.Errorf("only %d commands were found", count)
	}
}

// TestPrintedCommands has the parser read every command that a message of the program advises to
// run: words behind the program's name, with the flags and the names in capitals behind them.
func TestPrintedCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("short: the race detector takes eight times as long to read texts")
	}
	advised := regexp.MustCompile(`\bwatershed ((?:[a-z]+ )?[a-z]+)((?: (?:--[a-z-]+|[A-Z]{3,}|…))*)`)
	k, err := newParser()
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, text := range sourceTexts(t) {
		for _, m := range advised.FindAllStringSubmatch(text, -1) {
			name, below, _ := strings.Cut(m[1], " ")
			n := slices.IndexFunc(k.Model.Children, func(c *kong.Node) bool { return c.Name == name })
			if n < 0 {
				if below == "" && strings.Contains(m[2], "--") {
					t.Errorf("%q advises watershed %s, which is no command", text, name)
				}
				continue // prose
			}
			line := m[1] + m[2]
			if !slices.ContainsFunc(k.Model.Children[n].Children,
				func(c *kong.Node) bool { return c.Name == below }) && below != "" {
				line = name // prose follows
			}
			count++
			if err := parses(line); err != nil && !incomplete(err) &&
				!strings.Contains(err.Error(), ": expected ") { // the value of a flag
				t.Errorf("%q advises watershed %s: %v", text, line, err)
			}
		}
	}
	if count < 40 {
		t.Errorf("only %d commands were found", count)
	}
}

// typedArgs are the words of a line, without its comment and what its output goes to.
func typedArgs(line string) (args []string) {
	for _, end := range []string{" #", " | ", " > ", "; "} {
		line, _, _ = strings.Cut(line, end)
	}
	for line = strings.TrimLeft(line, " "); line != ""; line = strings.TrimLeft(line, " ") {
		end := " "
		if line[0] == '"' || line[0] == '\'' {
			end, line = line[:1], line[1:]
		}
		var word string
		word, line, _ = strings.Cut(line, end)
		args = append(args, strings.ReplaceAll(word, "OFFSET", "0"))
	}
	return args
}

// incomplete reports that only arguments are missing.
func incomplete(err error) bool {
	text := err.Error()
	return strings.HasPrefix(text, "expected ") || strings.HasPrefix(text, "missing flags")
}

func parses(line string) error {
	k, err := newParser(kong.Writers(io.Discard, io.Discard), kong.Exit(func(int) {}))
	if err != nil {
		return err
	}
	_, err = k.Parse(withHarvest(k.Model.Node, typedArgs(line)))
	if err != nil && strings.Contains(err.Error(), "no such file") {
		return nil // the files of examples are not there
	}
	return err
}

// TestDocumentedKeys looks up every key of the YAML that the guide names in quotes.
func TestDocumentedKeys(t *testing.T) {
	reference, err := configs.Parse("reference.yaml", configs.Reference())
	if err != nil {
		t.Fatal(err)
	}
	index := regexp.MustCompile(`\[\d+\]`)
	var keys []string
	for _, o := range reference.Effective() {
		keys = append(keys, index.ReplaceAllString(o.Key, "")+".")
	}
	key := regexp.MustCompile(
		"`((?:limits|traps|politeness|fetch|network|archive|replicas|" +
			"boundary|operator|sites)(?:\\.[a-z_]+)+)[:`]")
	found := 0
	for path, text := range documents(t) {
		if !strings.Contains(path, "guide") {
			continue
		}
		for _, m := range key.FindAllStringSubmatch(text, -1) {
			found++
			if !slices.ContainsFunc(keys, func(k string) bool { return strings.HasPrefix(k, m[1]+".") }) {
				t.Errorf("%s: there is no key %s", path, m[1])
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d keys were found", found)
	}
}

// TestMessages looks for every message of the guide in the sources: each piece of it, between what
// stands for names and numbers, must stand in one text of the program.
func TestMessages(t *testing.T) {
	guide, err := os.ReadFile("../../docs/guide/messages.md")
	if err != nil {
		t.Fatal(err)
	}
	literals := sourceTexts(t)
	messages := regexp.MustCompile("\\*\\*`([^`]+)`\\*\\*").FindAllStringSubmatch(string(guide), -1)
	if len(messages) < 30 {
		t.Errorf("only %d messages were found", len(messages))
	}
	for _, m := range messages {
		if !printed(m[1], literals) {
			t.Errorf("no text of the program is %q", m[1])
		}
	}
}

// printed reports that each piece of a message is in some text; at least one piece must be long
// enough to mean something.
func printed(message string, literals []string) bool {
	longest := 0
	for _, piece := range strings.Split(message, "…") {
		piece = strings.Trim(piece, ` :"`)
		longest = max(longest, len(piece))
		if piece != "" &&
			!slices.ContainsFunc(literals, func(l string) bool { return strings.Contains(l, piece) }) {
			return false
		}
	}
	return longest >= 8
}

// sourceTexts are all string literals of the program, with the verbs of formats taken for an
// ellipsis.
func sourceTexts(t *testing.T) (texts []string) {
	t.Helper()
	verb := regexp.MustCompile(`%[-+# 0-9.*]*[a-zA-Z]`)
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "lab" { // of another program
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			x, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			text, whole := literal(x)
			if whole {
				texts = append(texts, verb.ReplaceAllString(text, "…"))
			}
			return !whole
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// literal is the text of a string literal, or of several that are joined on two lines or more.
func literal(x ast.Expr) (text string, ok bool) {
	switch x := x.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(x.Value)
		return text, x.Kind == token.STRING && err == nil
	case *ast.BinaryExpr:
		left, ok := literal(x.X)
		right, both := literal(x.Y)
		return left + right, ok && both && x.Op == token.ADD
	}
	return "", false
}

// A text that stands nowhere in the sources is not taken for a message.
func TestMessagesFail(t *testing.T) {
	literals := []string{"the state is in use by another process", "run …: nothing"}
	for message, want := range map[string]bool{
		"the state is in use": true, "the state is in … another process": true, "the state is free": false,
		"…": false, "run": false,
	} {
		if got := printed(message, literals); got != want {
			t.Errorf("%q: %v, want %v", message, got, want)
		}
	}
}

// TestDocumentedYAML reads the YAML that the documents show, with what a harvest must have besides.
func TestDocumentedYAML(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "seeds.txt"), []byte("https://www.village.example/\n"),
		0o666); err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```yaml\n(.*?)```")
	read := 0
	for path, text := range documents(t) {
		for _, m := range block.FindAllStringSubmatch(text, -1) {
			if strings.HasPrefix(m[1], " ") {
				continue // a part of what stands before
			}
			whole := m[1]
			for _, need := range []string{
				"harvest: shown\n", "operator: {name: A, contact: \"mailto:a@b.example\"}\n",
				"sites: [{name: A, seeds: [\"http://a.example/\"]}]\n",
			} {
				key, _, _ := strings.Cut(need, ":")
				if !strings.HasPrefix(m[1], key+":") && !strings.Contains(m[1], "\n"+key+":") {
					whole = need + whole
				}
			}
			file := filepath.Join(dir, "shown.yaml")
			if err := os.WriteFile(file, []byte(whole), 0o666); err != nil {
				t.Fatal(err)
			}
			read++
			if _, err := configs.Load(file); err != nil {
				t.Errorf("%s:\n%s\n%v", path, whole, err)
			}
		}
	}
	if read < 4 {
		t.Errorf("only %d were found", read)
	}
}
