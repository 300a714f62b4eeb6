package usage

import (
	"strings"

	"github.com/alecthomas/kong"
)

// Fish is a script that completes the command line in fish 3.
func Fish(app *kong.Node) []byte {
	root := commandOf(app)
	b := &script{name: root.name}
	at := "_" + b.function("at")
	b.line("# fish completion for %s, made from its command line", root.name)
	b.line("")
	b.line("# Succeeds where the words before the cursor lead to the command given.")
	b.line("function %s", at)
	b.line("    set -l path")
	b.line("    for word in (commandline -opc)[2..-1]")
	b.line("        switch (string join ' ' -- $path $word)")
	root.each(func(c *command) {
		if len(c.path) > 0 {
			b.line("            case %s", quoted(c.words()))
			b.line("                set -a path $word")
		}
	})
	b.line("        end")
	b.line("    end")
	b.line("    test \"$path\" = \"$argv\"")
	b.line("end")
	b.line("")
	b.line("complete -c %s -f", root.name)
	root.each(func(c *command) { b.fishCommand(c, at) })
	return b.bytes()
}

func (b *script) fishCommand(c *command, at string) {
	head := "complete -c " + b.name + " -n " + fishQuoted(at+" "+c.words())
	b.line("")
	for _, s := range c.subs {
		b.line("%s -a %s -d %s", head, s.name, fishQuoted(s.help))
	}
	for i := range c.flags {
		f := &c.flags[i]
		text := head + " -l " + strings.TrimPrefix(f.long, "--")
		if f.short != "" {
			text += " -s " + strings.TrimPrefix(f.short, "-")
		}
		if f.value != nil {
			text += fishAction(f.value, " -x")
		}
		b.line("%s -d %s", text, fishQuoted(f.help))
	}
	for i := range c.args {
		if v := &c.args[i]; v.kind != anything {
			b.line("%s%s", head, fishAction(v, ""))
		}
	}
}

// fishAction says what is offered; only keeps files out.
func fishAction(v *value, only string) string {
	switch v.kind {
	case file:
		if only != "" {
			return " -r -F"
		}
		return " -F"
	case dir:
		return only + " -a '(__fish_complete_directories)'"
	case words:
		return only + " -a " + fishQuoted(strings.Join(v.words, " "))
	}
	return only
}

// fishQuoted is a text as one word, in which fish knows two escapes.
func fishQuoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}
