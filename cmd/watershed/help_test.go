package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// The command line is for people: so many names and commands can be kept in mind, and no more. The
// last of both is node, which came when the others were settled.
const (
	mostNames    = 24 + 1
	mostCommands = 45 + 1
	first        = 12
)

// TestCommandsByTask: help lists every command under the heading of a task, the program alone those
// that a first harvest needs, and there are not more than a person can look through.
func TestCommandsByTask(t *testing.T) {
	model, err := commandLine()
	if err != nil {
		t.Fatal(err)
	}
	names, leaves := model.Children, 0
	for _, n := range names {
		leaves += max(1, len(n.Children))
	}
	if len(names) > mostNames || leaves > mostCommands {
		t.Errorf("%d names, %d commands", len(names), leaves)
	}
	var all, some bytes.Buffer
	if code := run(t.Context(), []string{"--help"}, &all, &all); code != exitOK {
		t.Errorf("--help: exit %d", code)
	}
	if code := run(t.Context(), nil, &some, &some); code != exitUsage {
		t.Errorf("no command: exit %d", code)
	}
	shown := 0
	for _, n := range names {
		if !strings.Contains(all.String(), "\n  "+n.Name+" ") {
			t.Errorf("--help has no %s", n.Name)
		}
		if strings.Contains(some.String(), "\n  "+n.Name+" ") {
			shown++
		}
		for _, c := range n.Children {
			if !strings.Contains(strings.Join(strings.Fields(all.String()), " "), c.Name) {
				t.Errorf("--help has no %s", c.Path())
			}
		}
	}
	if shown != first {
		t.Errorf("the program alone shows %d commands, not %d", shown, first)
	}
}

// TestInstead: who types a word of another program is told where it is here, by a command that
// there is.
func TestInstead(t *testing.T) {
	model, err := commandLine()
	if err != nil {
		t.Fatal(err)
	}
	for word, to := range elsewhere {
		var out bytes.Buffer
		if code := run(t.Context(), []string{word, "x.yaml"}, &out, &out); code != exitUsage ||
			!strings.Contains(out.String(), "Try: "+to+"\n") {
			t.Errorf("%s: exit %d: %s", word, code, out.String())
		}
		for part := range strings.SplitSeq(to, "watershed ") {
			name, _, _ := strings.Cut(strings.TrimSpace(part), " ")
			if name != "" && !isCommand(model, name) && !isFlag(model, name) {
				t.Errorf("%s leads to %s, which is no command", word, name)
			}
		}
	}
}

func isFlag(model *kong.Node, name string) bool {
	return slices.ContainsFunc(model.Flags, func(f *kong.Flag) bool { return "--"+f.Name == name })
}

func isCommand(model *kong.Node, name string) bool {
	for _, n := range model.Children {
		if n.Name == name {
			return true
		}
	}
	return false
}
