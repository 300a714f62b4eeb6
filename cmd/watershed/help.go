package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/alecthomas/kong"

	"watershed/internal/console"
)

// choice is which commands help lists.
type choice bool

const (
	firstCommands choice = false // those that a first harvest needs
	allCommands   choice = true
)

// printHelp prints the whole command line by tasks for the program, and what kong prints for a
// command.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	if ctx.Selected() != nil {
		_ = kong.DefaultHelpPrinter(options, ctx) // the output keeps the error, and is not the command line's
		return nil
	}
	printCommands(ctx.Stdout, ctx.Model.Node, allCommands)
	return nil
}

// printCommands lists commands under the headings of their tasks, with their subcommands.
func printCommands(out io.Writer, root *kong.Node, which choice) {
	fmt.Fprintln(out, "watershed: a web-archiving crawler that works out where a website ends.")
	width := cmp.Or(console.Width(out), 80)
	shown := 0
	for i := range groups {
		titled := false
		for _, n := range root.Children {
			if n.Group == nil || n.Group.Key != groups[i].Key ||
				which == firstCommands && !n.Tag.Has("first") {
				continue
			}
			if !titled {
				fmt.Fprintf(out, "\n%s\n", groups[i].Title)
				titled = true
			}
			shown++
			printCommand(out, n, width)
		}
	}
	fmt.Fprintln(out, "\nwatershed https://www.example.org/ harvests a site at once, and writes its YAML.")
	if shown < len(root.Children) {
		fmt.Fprintf(out, "These are the first %d of %d commands: watershed --help lists all.\n", shown,
			len(root.Children))
	}
	fmt.Fprintln(out, "watershed COMMAND --help tells of one.")
}

// printCommand prints a command's name and task, and its subcommands, in lines no wider than width.
func printCommand(out io.Writer, n *kong.Node, width int) {
	const column = 13
	text := n.Help
	if len(n.Children) > 0 {
		names := make([]string, len(n.Children))
		for i, c := range n.Children {
			names[i] = c.Name
		}
		text = strings.TrimSuffix(text, ".") + ": " + strings.Join(names, ", ")
	}
	name := n.Name
	for _, line := range console.Wrap(text, max(width-column, 20)) {
		fmt.Fprintf(out, "  %-*s%s\n", column-2, name, line)
		name = ""
	}
}

// elsewhere has the words that people ask for first, and where their commands are.
var elsewhere = map[string]string{
	"stop": "watershed control stop FILE", "pause": "watershed control pause FILE",
	"resume": "watershed control resume FILE", "open": "watershed ui --open FILE",
	"list": "watershed status FOLDER, watershed search FILE WORDS or watershed copies list FILE",
	"ls":   "watershed warc ls FILE", "tail": "watershed log -f FILE",
	"crawl": "watershed harvest FILE", "init": "watershed config example",
	"check":   "watershed config check FILE",
	"mirror":  "watershed copies list FILE",
	"mirrors": "watershed copies list FILE",
	"version": "watershed --version", "rates": "watershed forecast FILE",
	"export": "watershed wacz FILE, or watershed scales FILE --export surt",
}

// instead is what to try in place of a command line that is wrong.
func instead(args []string) string {
	if to, ok := elsewhere[args[0]]; ok {
		return to
	}
	names := []string{"copies", "mirrors", "control", "decide", "warc", "config"}
	if slices.Contains(names, args[0]) {
		return "watershed " + args[0] + " --help"
	}
	return "watershed --help"
}

// commandName is how the command was called, so that what is printed can be called too.
func commandName() string {
	if strings.Contains(os.Args[0], "go-build") { // "go run" takes its program away afterwards
		return "go run ./cmd/watershed"
	}
	if strings.ContainsRune(os.Args[0], filepath.Separator) && filepath.Base(os.Args[0]) == "watershed" {
		return quoted(os.Args[0])
	}
	return "watershed"
}

// command is a command line of this program, as a shell takes it.
func command(words ...string) string {
	line := commandName()
	for _, word := range words {
		line += " " + quoted(word)
	}
	return line
}

// quoted is a word as a shell takes it for one.
func quoted(word string) string {
	plain := func(r rune) bool {
		return r > unicode.MaxASCII || unicode.IsLetter(r) || unicode.IsDigit(r) ||
			strings.ContainsRune("%+,-./:=@_", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
