package usage

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/kong"
)

// Section is one that the model does not know, such as the exit codes.
type Section struct {
	Title string // in capitals
	Text  string // paragraphs, apart by an empty line
	Terms []Term // what follows, explained one by one
}

// Term is something and what it means.
type Term struct{ Term, Meaning string }

// Page is a manual page, in the macros of man(7), which groff and mandoc read.
type Page struct {
	Name string // of its file, such as "watershed-mirrors.1"
	Text []byte
}

// Pages are the manual of a program: a page of its name, which lists the commands and has the
// sections given, and one for each command right below it.
func Pages(app *kong.Node, sections []Section) []Page {
	pages := []Page{{Name: app.Name + ".1", Text: mainPage(app, sections)}}
	for _, c := range app.Children {
		if !c.Hidden {
			pages = append(pages, Page{Name: app.Name + "-" + c.Name + ".1", Text: commandPage(app, c)})
		}
	}
	return pages
}

func mainPage(app *kong.Node, sections []Section) []byte {
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
	for _, f := range flagsOf(c) {
		if f.Required {
			text += " " + bold("--"+f.Name) + " " + italic(nameOf(f))
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

// nameOf is what the flag's value is called: as the model says, or as its type is.
func nameOf(f *kong.Flag) string {
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
		m.term(italic(a.Name), escaped(a.Help)+choice(a))
	}
	m.flags(slices.DeleteFunc(flagsOf(c), func(f *kong.Flag) bool { return slices.Contains(app.Flags, f) }))
}

func (m *manual) flags(flags []*kong.Flag) {
	for _, f := range flags {
		head, text := bold("--"+f.Name), escaped(f.Help)
		if f.Short != 0 {
			head = bold("-"+string(f.Short)) + ", " + head
		}
		if !f.IsBool() && !f.IsCounter() {
			head += " " + italic(nameOf(f))
			text += choice(f.Value)
		}
		if !f.Hidden {
			m.term(head, text)
		}
	}
}

// choice are the words of a value and its default, where its help names them not.
func choice(v *kong.Value) (text string) {
	words := enumOf(v)
	if slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(v.Help, w) }) {
		text = " One of: " + escaped(strings.Join(words, ", ")) + "."
	}
	if v.HasDefault && v.Default != "" && !strings.Contains(strings.ToLower(v.Help), "default") {
		text += " Default: " + escaped(v.Default) + "."
	}
	return text
}

func (m *manual) section(s Section) {
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
