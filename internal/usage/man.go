package usage

import (
	"fmt"
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
	root := commandOf(app)
	pages := []Page{{Name: root.name + ".1", Text: mainPage(root, sections)}}
	for _, c := range root.subs {
		pages = append(pages, Page{Name: root.name + "-" + c.name + ".1", Text: commandPage(root, c)})
	}
	return pages
}

func mainPage(root *command, sections []Section) []byte {
	m := &manual{}
	m.head(root.name, sentence(root.help), root.name)
	m.macro("SH", "SYNOPSIS")
	m.line(bold(root.name) + " " + italic("command") + " [" + italic("argument") + " ...] [" +
		italic("option") + " ...]")
	m.macro("SH", "COMMANDS")
	for _, c := range root.subs {
		m.term(bold(root.name+" "+c.name), escaped(c.help)+" See "+bold(root.name+"-"+c.name)+"(1).")
	}
	m.macro("SH", "OPTIONS")
	m.flags(root)
	for _, s := range sections {
		m.section(s)
	}
	return m.bytes()
}

func commandPage(root, c *command) []byte {
	m := &manual{}
	m.head(root.name+"-"+c.name, sentence(c.help), root.name)
	m.macro("SH", "SYNOPSIS")
	first := true
	c.each(func(c *command) {
		if len(c.subs) > 0 {
			return
		}
		if !first {
			m.macro("br")
		}
		first = false
		m.line(synopsis(root, c))
	})
	if len(c.subs) > 0 {
		m.macro("SH", "COMMANDS")
		for _, s := range c.subs {
			s.each(func(s *command) {
				m.macro("SS", escaped(s.words()))
				m.line(escaped(s.help))
				m.values(s)
			})
		}
	} else {
		m.macro("SH", "DESCRIPTION")
		m.line(escaped(c.help))
		m.values(c)
	}
	m.macro("SH", "SEE ALSO")
	m.line(bold(root.name) + "(1)")
	return m.bytes()
}

func synopsis(root, c *command) string {
	text := bold(root.name + " " + c.words())
	for i := range c.flags {
		if f := &c.flags[i]; f.value != nil && f.value.must {
			text += " " + bold(f.long) + " " + italic(f.value.name)
		}
	}
	for i := range c.args {
		text += " " + argument(&c.args[i])
	}
	return text + " [" + italic("option") + " ...]"
}

func argument(v *value) string {
	text := italic(v.name)
	if v.many {
		text += " ..."
	}
	if !v.must {
		text = "[" + text + "]"
	}
	return text
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

// line writes text that is escaped already; a dot or an apostrophe at its begin is no request.
func (m *manual) line(text string) {
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
	m.line(head)
	m.line(text)
}

// values writes the arguments of a command, and those of its flags that not all commands have.
func (m *manual) values(c *command) {
	for i := range c.args {
		v := &c.args[i]
		m.term(italic(v.name), escaped(v.help)+choice(v))
	}
	m.flags(c)
}

func (m *manual) flags(c *command) {
	for i := range c.flags {
		f := &c.flags[i]
		if f.common && len(c.path) > 0 {
			continue
		}
		var names []string
		for j := len(f.names()) - 1; j >= 0; j-- { // the short one first
			names = append(names, bold(f.names()[j]))
		}
		head, text := strings.Join(names, ", "), escaped(f.help)
		if f.value != nil {
			head += " " + italic(f.value.name)
			text += choice(f.value)
		}
		m.term(head, text)
	}
}

// choice are the words of a value and its default, where its help names them not.
func choice(v *value) string {
	text := ""
	for _, w := range v.words {
		if !strings.Contains(v.help, w) {
			text = " One of: " + escaped(strings.Join(v.words, ", ")) + "."
			break
		}
	}
	if v.standard != "" {
		text += " Default: " + escaped(v.standard) + "."
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
