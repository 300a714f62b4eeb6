package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
)

//go:generate go test -run ^TestManual$ -update .

// manualDir holds the manual pages that packages have.
const manualDir = "../../packaging/man"

// TestManual holds the manual pages of the package against the command line that they are made from,
// and has mandoc find fault with them, where it is installed.
func TestManual(t *testing.T) {
	model, err := commandLine()
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{}
	for _, p := range manualPages(model, manualSections()) {
		pages[p.Name] = string(p.Text)
		path := filepath.Join(manualDir, p.Name)
		if *update {
			if err := os.WriteFile(path, p.Text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		lint(t, path)
	}
	if d := cmp.Diff(files(t, manualDir), pages); d != "" {
		t.Errorf("packaging/man is not current: go generate ./cmd/watershed (-there +wanted):\n%s", d)
	}
}

func lint(t *testing.T, path string) {
	t.Helper()
	if _, err := exec.LookPath("mandoc"); err != nil {
		return
	}
	out, _ := exec.Command("mandoc", "-T", "lint", "-W", "warning", path).CombinedOutput() // its words count
	for line := range strings.Lines(string(out)) {
		if !strings.Contains(line, "missing date") { // on purpose: the page is the same on any day
			t.Error(line)
		}
	}
}

// commandLine is the model of the whole command line.
func commandLine() (*kong.Node, error) {
	parser, err := newParser(kong.Writers(io.Discard, io.Discard))
	if err != nil {
		return nil, err
	}
	return parser.Model.Node, nil
}

// manualSection is one that the model does not know, such as the exit codes.
type manualSection struct {
	Title string       // in capitals
	Text  string       // paragraphs, apart by an empty line
	Terms []manualTerm // what follows, explained one by one
}

// manualTerm is something and what it means.
type manualTerm struct{ Term, Meaning string }

// manualPage is a manual page, in the macros of man(7), which groff and mandoc read.
type manualPage struct {
	Name string // of its file, such as "watershed-mirrors.1"
	Text []byte
}

// manualPages are the manual of a program: a page of its name, which lists the commands and has the
// sections given, and one for each command right below it.
func manualPages(app *kong.Node, sections []manualSection) []manualPage {
	pages := []manualPage{{Name: app.Name + ".1", Text: mainPage(app, sections)}}
	for _, c := range app.Children {
		if !c.Hidden {
			pages = append(pages, manualPage{Name: app.Name + "-" + c.Name + ".1", Text: commandPage(app, c)})
		}
	}
	return pages
}

func mainPage(app *kong.Node, sections []manualSection) []byte {
	m := &manual{}
	m.head(app.Name, sentence(app.Help), app.Name)
	m.macro("SH", "SYNOPSIS")
	m.line(bold(app.Name) + " " + italic("command") + " [" + italic("argument") + " ...] [" +
		italic("option") + " ...]")
	m.macro("SH", "COMMANDS")
	for _, c := range app.Children {
		if !c.Hidden {
			m.term(bold(app.Name+" "+c.Name), escaped(c.Help)+" See "+bold(app.Name+"-"+c.Name)+"(1).")
		}
	}
	m.macro("SH", "OPTIONS")
	m.flags(app.Flags)
	for _, s := range sections {
		m.section(s)
	}
	return m.bytes()
}

func commandPage(app, c *kong.Node) []byte {
	m := &manual{}
	m.head(app.Name+"-"+c.Name, sentence(c.Help), app.Name)
	m.macro("SH", "SYNOPSIS")
	leaves := c.Leaves(true) // none of a command that can be given itself
	if c.Leaf() {
		leaves = []*kong.Node{c}
	}
	for i, leaf := range leaves {
		if i > 0 {
			m.macro("br")
		}
		m.line(synopsis(leaf))
	}
	if c.Leaf() {
		m.macro("SH", "DESCRIPTION")
		m.line(escaped(c.Help))
		m.values(app, c)
	} else {
		m.macro("SH", "COMMANDS")
		for _, leaf := range leaves {
			m.macro("SS", escaped(strings.TrimPrefix(pathOf(leaf), app.Name+" ")))
			m.line(escaped(leaf.Help))
			m.values(app, leaf)
		}
	}
	m.macro("SH", "SEE ALSO")
	m.line(bold(app.Name) + "(1)")
	return m.bytes()
}

func synopsis(c *kong.Node) string {
	text := bold(pathOf(c))
	for _, f := range slices.Concat(c.AllFlags(true)...) {
		if f.Required {
			text += " " + bold("--"+f.Name) + " " + italic(valueName(f))
		}
	}
	for _, a := range c.Positional {
		text += " " + argument(a)
	}
	return text + " [" + italic("option") + " ...]"
}

// pathOf is the command as it is typed, from the program's name on.
func pathOf(n *kong.Node) string {
	if n.Parent == nil {
		return n.Name
	}
	return pathOf(n.Parent) + " " + n.Name
}

func argument(v *kong.Value) string {
	text := italic(v.Name)
	if v.IsCumulative() {
		text += " ..."
	}
	if !v.Required {
		text = "[" + text + "]"
	}
	return text
}

// valueName is what the flag's value is called: as the model says, or as its type is.
func valueName(f *kong.Flag) string {
	switch {
	case f.PlaceHolder != "":
		return f.PlaceHolder
	case f.Tag.TypeName != "" && !f.HasDefault:
		return strings.ToUpper(f.Tag.TypeName)
	}
	return strings.ToUpper(f.Name)
}

// sentence is help without its full stop, for a line that has none.
func sentence(help string) string { return strings.TrimSuffix(help, ".") }

// manual is a page that is being written.
type manual struct{ b strings.Builder }

func (m *manual) bytes() []byte { return []byte(m.b.String()) }

// macro writes a request with its arguments, which are escaped already.
func (m *manual) macro(name string, args ...string) {
	m.b.WriteString("." + name)
	for _, a := range args {
		m.b.WriteString(` "` + strings.ReplaceAll(a, `"`, `\(dq`) + `"`)
	}
	m.b.WriteByte('\n')
}

// textColumns is how wide lines of text are, that are read as they stand on a terminal.
const textColumns = 78

// line writes text that is escaped already, which roff fills: a blank may become the end of a line.
func (m *manual) line(text string) {
	line, rest, _ := strings.Cut(text, " ")
	for rest != "" {
		word, after, _ := strings.Cut(rest, " ")
		if len(line)+1+len(word) > textColumns {
			m.whole(line)
			line = word
		} else {
			line += " " + word
		}
		rest = after
	}
	m.whole(line)
}

// whole writes a line of text as it is; a dot or an apostrophe at its begin is no request.
func (m *manual) whole(text string) {
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	m.b.WriteString(text + "\n")
}

func (m *manual) head(name, what, program string) {
	m.b.WriteString(`.\" Made from the command line of ` + program + ".\n")
	m.macro("TH", escaped(strings.ToUpper(name)), "1", "", escaped(program), "User Commands")
	m.macro("SH", "NAME")
	m.line(escaped(name) + ` \- ` + escaped(what))
}

// term writes a paragraph with a heading of its own; both are escaped already.
func (m *manual) term(head, text string) {
	m.macro("TP")
	m.whole(head)
	m.line(text)
}

// values writes the arguments of a command, and those of its flags that not all commands have.
func (m *manual) values(app, c *kong.Node) {
	for _, a := range c.Positional {
		m.term(italic(a.Name), escaped(a.Help)+choices(a))
	}
	flags := slices.Concat(c.AllFlags(true)...)
	m.flags(slices.DeleteFunc(flags, func(f *kong.Flag) bool { return slices.Contains(app.Flags, f) }))
}

func (m *manual) flags(flags []*kong.Flag) {
	for _, f := range flags {
		head, text := bold("--"+f.Name), escaped(f.Help)
		if f.Short != 0 {
			head = bold("-"+string(f.Short)) + ", " + head
		}
		if !f.IsBool() && !f.IsCounter() {
			head += " " + italic(valueName(f))
			text += choices(f.Value)
		}
		if !f.Hidden {
			m.term(head, text)
		}
	}
}

// choices are the words of a value and its default, where its help names them not.
func choices(v *kong.Value) (text string) {
	words := slices.DeleteFunc(v.EnumSlice(), func(w string) bool { return w == "" })
	if slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(v.Help, w) }) {
		text = " One of: " + escaped(strings.Join(words, ", ")) + "."
	}
	if v.HasDefault && v.Default != "" && !strings.Contains(strings.ToLower(v.Help), "default") {
		text += " Default: " + escaped(v.Default) + "."
	}
	return text
}

func (m *manual) section(s manualSection) {
	m.macro("SH", escaped(s.Title))
	for i, p := range strings.Split(strings.TrimSpace(s.Text), "\n\n") {
		if i > 0 {
			m.macro("PP")
		}
		if p != "" {
			m.line(escaped(strings.Join(strings.Fields(p), " ")))
		}
	}
	for _, t := range s.Terms {
		m.term(bold(t.Term), escaped(t.Meaning))
	}
}

func bold(text string) string   { return `\fB` + escaped(text) + `\fR` }
func italic(text string) string { return `\fI` + escaped(text) + `\fR` }

// escaped is a text as roff shows it: a hyphen is the sign that is typed, and what is not ASCII is
// named by its number.
func escaped(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r >= utf8.RuneSelf:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// exitMeanings tell of the exit codes, in their order.
var exitMeanings = []struct {
	code    int
	meaning string
}{
	{exitOK, "Done; of a harvest: complete, nothing that was asked for is missing."},
	{exitUsage, "The command line is wrong, or nothing that it names is there."},
	{exitNoSpace, "The disk stayed full; make room and start again."},
	{exitConfig, "The harvest's YAML is wrong; the message says where."},
	{exitFailed, "The command failed, or no page was captured; the message says why."},
	{exitInterrupted, "Interrupted by SIGINT, SIGTERM or SIGHUP; all is saved, the same command goes on."},
	{exitBytes, "A limit of bytes, of the harvest, a site or a host, was reached; what there is " +
		"was delivered."},
	{exitTime, "The harvest's limit of time was reached; what there is was delivered."},
	{exitPages, "A limit of pages or files, of the harvest, a site or a host, was reached; what there is " +
		"was delivered."},
	{exitLosses, "The harvest is complete with losses: seeds without a page, pages or required files that " +
		"could not be had, hosts given up, pages that no browser drew, or captures that are in no WARC " +
		"file, which the report \"losses\" names, or not all of it is at the store of its upload."},
	{exitAborted, "A fault of the program ended it by SIGABRT; all is saved, the same command goes on. " +
		"Report what it printed."},
}

// manualSections are what the model does not know.
func manualSections() []manualSection {
	exits := manualSection{Title: "EXIT STATUS"}
	for _, x := range exitMeanings {
		exits.Terms = append(exits.Terms, manualTerm{Term: strconv.Itoa(x.code), Meaning: x.meaning})
	}
	return []manualSection{
		{
			Title: "CONFIGURATION",
			Text: `A harvest is told in YAML. "watershed config example site" prints the shortest one, ` +
				`"watershed config example reference"` + "\n" +
				"one with every option, its default and the reason for it.",
		},
		exits,
		{Title: "ENVIRONMENT", Terms: []manualTerm{
			{
				Term: "NO_COLOR",
				Meaning: "Set to anything: nothing is coloured. Colours are for terminals only, and no " +
					"terminal with TERM=dumb.",
			},
			{
				Term:    "DISPLAY, WAYLAND_DISPLAY",
				Meaning: "Where neither is set, ui --open prints its link and starts no browser.",
			},
			{Term: "TMPDIR", Meaning: "Folder for sorting and for long bodies. Default: /tmp."},
		}},
		{Title: "FILES", Terms: []manualTerm{
			{
				Term: "harvests/NAME",
				Meaning: "The harvest of that name, below the YAML's folder or archive.dir; run-0001, " +
					"run-0002 and so on are its runs.",
			},
			{Term: "/etc/watershed/NAME.yaml", Meaning: "Read by the service watershed@NAME of the package."},
		}},
		{
			Title: "EXAMPLES",
			Text: "watershed config example site > site.yaml; watershed config check site.yaml; " +
				"watershed harvest --dry-run site.yaml;\nwatershed harvest site.yaml",
		},
	}
}
