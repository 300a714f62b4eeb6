package usage

import (
	"strings"

	"github.com/alecthomas/kong"
)

// Zsh is a function file for zsh's completion system, to be named _PROGRAM in a folder of fpath, or
// sourced after compinit.
func Zsh(app *kong.Node) []byte {
	root := commandOf(app)
	b := &script{name: root.name}
	b.line("#compdef %s", root.name)
	b.line("# zsh completion for %s, made from its command line", root.name)
	root.each(func(c *command) { b.zshCommand(c) })
	b.line("")
	b.line("if [[ $funcstack[1] == %s ]]; then", b.function(""))
	b.line("\t%s \"$@\"", b.function(""))
	b.line("else")
	b.line("\tcompdef %s %s", b.function(""), root.name)
	b.line("fi")
	return b.bytes()
}

// zshCommand writes the function of a command.
func (b *script) zshCommand(c *command) {
	b.line("")
	b.line("%s() {", b.function(c.words()))
	if len(c.subs) > 0 {
		b.line("\tlocal curcontext=$curcontext state line")
		b.line("\tlocal -a commands=(")
		for _, s := range c.subs {
			b.line("\t\t%s", quoted(zshEscaped(s.name)+":"+zshEscaped(s.help)))
		}
		b.line("\t)")
	}
	b.text("\t_arguments -S")
	if len(c.subs) > 0 {
		b.text(" -C")
	}
	for i := range c.flags {
		b.text(" \\\n\t\t" + zshFlag(&c.flags[i]))
	}
	for i := range c.args {
		b.text(" \\\n\t\t" + zshArgument(&c.args[i]))
	}
	if len(c.subs) == 0 {
		b.line("")
		b.line("}")
		return
	}
	b.line(" \\\n\t\t'1: :{_describe command commands}' \\\n\t\t'*::argument:->argument'")
	b.line("\t[[ $state == argument ]] || return")
	b.line("\tcase $words[1] in")
	for _, s := range c.subs {
		b.line("\t%s) %s ;;", s.name, b.function(s.words()))
	}
	b.line("\tesac")
	b.line("}")
}

func zshFlag(f *option) string {
	many := ""
	if f.value != nil && f.value.many {
		many = "*"
	}
	long, short, action := f.long, f.short, ""
	if f.value != nil {
		long, short = long+"=", short+"+"
		action = ":" + zshEscaped(f.value.name) + ":" + zshAction(f.value)
	}
	help := "[" + zshEscaped(f.help) + "]"
	switch {
	case f.short == "":
		return quoted(many + long + help + action)
	case many != "":
		return quoted(many+long+help+action) + " " + quoted(many+short+help+action)
	}
	both := "(" + f.long + " " + f.short + ")"
	return quoted(both+long+help+action) + " " + quoted(both+short+help+action)
}

func zshArgument(v *value) string {
	text := zshEscaped(v.name) + ":" + zshAction(v)
	switch {
	case v.many:
		return quoted("*:" + text)
	case v.must:
		return quoted(":" + text)
	}
	return quoted("::" + text)
}

func zshAction(v *value) string {
	switch v.kind {
	case file:
		return "_files"
	case dir:
		return "_files -/"
	case words:
		return "(" + strings.Join(v.words, " ") + ")"
	}
	return " "
}

// zshEscaped is a text in a specification of _arguments or _describe.
func zshEscaped(text string) string {
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, ":", `\:`).Replace(text)
}
