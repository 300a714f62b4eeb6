package usage

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// Bash is a script that completes the command line in bash 3.2 and later. It needs nothing but
// bash.
func Bash(app *kong.Node) []byte {
	root := commandOf(app)
	b := &script{name: root.name}
	b.line("# bash completion for %s, made from its command line", root.name)
	b.line("")
	b.line("# What can follow the words of a command: subcommands, flags, those of them that take a value, " +
		"and the kinds of arguments.")
	b.line("%s() {", b.function("model"))
	b.line("\tsubs= flags= valued= args=")
	b.line("\tcase $1 in")
	root.each(func(c *command) { b.bashCommand(c) })
	b.line("\tesac")
	b.line("}")
	b.line("")
	b.line("# What the value of a flag is, or that of a kind of argument.")
	b.line("%s() {", b.function("value"))
	b.line("\twords= kind=")
	b.line("\tcase $1 in")
	root.each(func(c *command) { b.bashValues(c) })
	b.line("\tfile | dir) kind=$1 ;;")
	b.line("\tesac")
	b.line("}")
	b.text(strings.NewReplacer("@model", b.function("model"), "@value", b.function("value"), "@main",
		b.function(""), "@name", b.name).Replace(bashMain))
	return b.bytes()
}

// bashMain walks over the words before the cursor. Words are split at "=", too.
const bashMain = `
@main() {
	local cur=${COMP_WORDS[COMP_CWORD]} flag= path= i word n=0 skip= subs flags valued args words kind
	COMPREPLY=()
	@model ""
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ -n $skip && $word == "=" ]]; then
			continue
		elif [[ -n $skip ]]; then
			skip=
		elif [[ $word == -* ]]; then
			[[ " $valued " == *" $word "* ]] && skip=$word
		elif [[ " $subs " == *" $word "* ]]; then
			path="${path:+$path }$word"
			@model "$path"
		else
			n=$((n + 1))
		fi
	done
	[[ $cur == "=" ]] && cur=
	if [[ -n $skip ]]; then
		@value "$path $skip"
	elif [[ $cur == -* ]]; then
		words=$flags kind=
	elif [[ -n $subs ]]; then
		words=$subs kind=
	else
		set -- $args
		for ((i = 0; i < n && $# > 1; i++)); do shift; done
		[[ $1 == *"+" || $i -eq $n ]] && @value "${1%+}"
	fi
	case $kind in
	file) compopt -o filenames 2>/dev/null; words=$(compgen -f -- "$cur") ;;
	dir) compopt -o filenames 2>/dev/null; words=$(compgen -d -- "$cur") ;;
	*) words=$(compgen -W "$words" -- "$cur") ;;
	esac
	[[ -z $words ]] && return
	while IFS= read -r word; do COMPREPLY+=("$word"); done <<<"$words"
}
complete -F @main @name
`

func (b *script) bashCommand(c *command) {
	var subs, flags, valued, args []string
	for _, s := range c.subs {
		subs = append(subs, s.name)
	}
	for i := range c.flags {
		f := &c.flags[i]
		flags = append(flags, f.names()...)
		if f.value != nil {
			valued = append(valued, f.names()...)
		}
	}
	for i := range c.args {
		args = append(args, bashKind(c, &c.args[i]))
	}
	b.line("\t%s) subs=%s flags=%s valued=%s args=%s ;;", quoted(c.words()), quoted(strings.Join(subs, " ")),
		quoted(strings.Join(flags, " ")),
		quoted(strings.Join(valued, " ")), quoted(strings.Join(args, " ")))
}

// bashKind is an argument as the model's args have it, with a plus where more may follow.
func bashKind(c *command, v *value) string {
	text := map[kind]string{
		anything: "any", file: "file", dir: "dir",
		words: strings.ReplaceAll(c.words(), " ", "_") + "_" + v.name,
	}[v.kind]
	if v.many {
		text += "+"
	}
	return text
}

func (b *script) bashValues(c *command) {
	for i := range c.flags {
		f := &c.flags[i]
		if f.value == nil || f.value.kind == anything {
			continue
		}
		var at []string
		for _, n := range f.names() {
			at = append(at, quoted(c.words()+" "+n))
		}
		b.line("\t%s) %s ;;", strings.Join(at, " | "), bashValue(f.value))
	}
	for i := range c.args {
		if v := &c.args[i]; v.kind == words {
			b.line("\t%s) %s ;;", quoted(strings.TrimSuffix(bashKind(c, v), "+")), bashValue(v))
		}
	}
}

func bashValue(v *value) string {
	switch v.kind {
	case file:
		return "kind=file"
	case dir:
		return "kind=dir"
	}
	return "words=" + quoted(strings.Join(v.words, " "))
}

// script is one that is being written.
type script struct {
	name string // of the program
	b    strings.Builder
}

func (s *script) line(format string, args ...any) { fmt.Fprintf(&s.b, format+"\n", args...) }
func (s *script) text(text string)                { s.b.WriteString(text) }
func (s *script) bytes() []byte                   { return []byte(s.b.String()) }

// function is the name of a function of the script.
func (s *script) function(of string) string {
	name := "_" + s.name
	if of != "" {
		name += "_" + of
	}
	return strings.Map(func(r rune) rune {
		if r == '-' || r == ' ' {
			return '_'
		}
		return r
	}, name)
}

// quoted is a text as one word of a shell: the form is the same in bash, zsh and, without a
// backslash in it, fish.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
