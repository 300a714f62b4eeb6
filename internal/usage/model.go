package usage

import (
	"slices"
	"strings"
	"unicode"

	"github.com/alecthomas/kong"
)

// kind is how a value is completed.
type kind uint8

const (
	anything kind = iota // not at all
	words                // one of value.words
	file
	dir
)

// value is what follows a flag, or a positional argument.
type value struct {
	name  string // as help prints it
	help  string
	kind  kind
	words []string
	many  bool // may be given several times
	must  bool

	standard string // the default, "" where there is none or help tells of it
}

// option is a flag of a command.
type option struct {
	long  string // with its dashes
	short string // with its dash, "" for none
	help  string
	value *value // nil for a switch

	common bool // of the program itself, so that all commands have it
}

// names are the ways to write the flag.
func (f *option) names() []string {
	if f.short == "" {
		return []string{f.long}
	}
	return []string{f.long, f.short}
}

// command is a node of the model.
type command struct {
	name  string
	path  []string
	help  string
	flags []option // those of the commands above it, too
	args  []value
	subs  []*command
}

// words are the path as it is typed.
func (c *command) words() string { return strings.Join(c.path, " ") }

// each calls yield with the command and all below it, in the order of help.
func (c *command) each(yield func(*command)) {
	yield(c)
	for _, s := range c.subs {
		s.each(yield)
	}
}

// commandOf reads a node of the model.
func commandOf(n *kong.Node) *command {
	c := &command{name: n.Name, help: n.Help}
	for at := n; at.Parent != nil; at = at.Parent {
		c.path = slices.Insert(c.path, 0, at.Name)
	}
	for _, group := range n.AllFlags(true) {
		for _, f := range group {
			x := flagOf(f)
			x.common = slices.Contains(rootOf(n).Flags, f)
			c.flags = append(c.flags, x)
		}
	}
	for _, a := range n.Positional {
		c.args = append(c.args, *valueOf(a, a.Name))
	}
	for _, s := range n.Children {
		if !s.Hidden {
			c.subs = append(c.subs, commandOf(s))
		}
	}
	return c
}

func rootOf(n *kong.Node) *kong.Node {
	for n.Parent != nil {
		n = n.Parent
	}
	return n
}

func flagOf(f *kong.Flag) option {
	x := option{long: "--" + f.Name, help: f.Help}
	if f.Short != 0 {
		x.short = "-" + string(f.Short)
	}
	if !f.IsBool() && !f.IsCounter() {
		x.value = valueOf(f.Value, nameOf(f))
	}
	return x
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

func valueOf(v *kong.Value, name string) *value {
	x := &value{name: name, help: v.Help, many: v.IsCumulative(), must: v.Required}
	if v.HasDefault && !strings.Contains(strings.ToLower(v.Help), "default") {
		x.standard = v.Default
	}
	if v.Enum != "" {
		x.words = slices.DeleteFunc(v.EnumSlice(), func(w string) bool { return w == "" })
		x.kind = words
		return x
	}
	switch v.Tag.Type {
	case "path", "existingfile", "file":
		x.kind = file
	case "existingdir":
		x.kind = dir
	default:
		x.kind = kindOf(name)
	}
	return x
}

func kindOf(name string) kind {
	for _, part := range strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return !unicode.IsLetter(r)
	}) {
		switch strings.TrimSuffix(part, "s") {
		case "file", "path", "table":
			return file
		case "dir", "folder":
			return dir
		}
	}
	return anything
}
