package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/alecthomas/kong"

	"watershed/internal/console"
	"watershed/internal/usage"
)

//go:generate go run . man -o ../../packaging/man

// complete prints what may stand at the end of the line that is typed in a shell, whose completion
// calls the program with the line in COMP_LINE and the cursor in COMP_POINT: see packaging/completion.
func complete(out io.Writer, model *kong.Node, line, point string) error {
	if n, err := strconv.Atoi(point); err == nil && n >= 0 && n < len(line) {
		line = line[:n]
	}
	for _, word := range usage.Complete(model, line) {
		if _, err := fmt.Fprintln(out, word); err != nil {
			return err
		}
	}
	return nil
}

// manCommand prints manual pages.
type manCommand struct {
	Command string `arg:"" optional:""`
	Out     string `short:"o" placeholder:"DIR"`
}

func (c *manCommand) Run(s console.Streams) error {
	model, err := commandLine()
	if err != nil {
		return err
	}
	pages := usage.Pages(model, manualSections())
	if c.Out != "" {
		for _, p := range pages {
			if err := writeInto(c.Out, p.Name, p.Text); err != nil {
				return err
			}
		}
		return nil
	}
	name := "watershed.1"
	if c.Command != "" {
		name = "watershed-" + c.Command + ".1"
	}
	for _, p := range pages {
		if p.Name == name {
			_, err := console.Whole(s.Out).Write(p.Text)
			return err
		}
	}
	return &exitError{exitUsage, fmt.Errorf("there is no command %q", c.Command)}
}

// commandLine is the model of the whole command line.
func commandLine() (*kong.Node, error) {
	parser, err := newParser(kong.Writers(io.Discard, io.Discard))
	if err != nil {
		return nil, err
	}
	return parser.Model.Node, nil
}

func writeInto(dir, name string, text []byte) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), text, 0o666)
}

// manualSections are what the model does not know.
func manualSections() []usage.Section {
	exits := usage.Section{Title: "EXIT STATUS"}
	for _, x := range exitMeanings {
		exits.Terms = append(exits.Terms, usage.Term{Term: strconv.Itoa(x.code), Meaning: x.meaning})
	}
	return []usage.Section{
		{
			Title: "CONFIGURATION",
			Text: `A harvest is told in YAML. "watershed config example site" prints the shortest one, ` +
				`"watershed config example reference"` + "\n" +
				"one with every option, its default and the reason for it.",
		},
		exits,
		{Title: "ENVIRONMENT", Terms: []usage.Term{
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
		{Title: "FILES", Terms: []usage.Term{
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
