package usage

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// Texts gives commands, flags and arguments whose tag has no help the help that a text has of them.
// A line of the text that is not indented names one, and the indented lines below it are its help:
//
//	control stop
//	  End the process.
//	control limit --host
//	  Limit of this host.
//	decide in <rule>
//	  A rule.
//	--out
//	  Of each command with this flag whose own entry there is not.
//
// Lines that begin with # are comments. A help that is missing is an error, and so is one of
// nothing, so that the two cannot drift apart.
func Texts(text string) kong.Option {
	return kong.PostBuild(func(k *kong.Kong) error {
		t := texts{help: map[string]string{}, used: map[string]bool{}}
		name := ""
		for line := range strings.Lines(text) {
			switch said := strings.TrimSpace(line); {
			case said == "" || strings.HasPrefix(line, "#"):
			case !strings.HasPrefix(line, " "):
				name = said
			default:
				t.help[name] = strings.TrimSpace(t.help[name] + " " + said)
			}
		}
		t.node(k.Model.Node, "")
		for name := range t.help {
			if !t.used[name] {
				t.wrong = append(t.wrong, name+" is not there")
			}
		}
		if len(t.wrong) > 0 {
			return fmt.Errorf("the help of the command line: %s", strings.Join(t.wrong, ", "))
		}
		return nil
	})
}

// texts are helps by the names of what they are of.
type texts struct {
	help  map[string]string
	used  map[string]bool
	wrong []string
}

// node gives their help to a command of this path, and to what is below it.
func (t *texts) node(n *kong.Node, path string) {
	for _, f := range n.Flags {
		t.give(&f.Help, path+" --"+f.Name, "--"+f.Name)
	}
	for _, a := range n.Positional {
		t.give(&a.Help, path+" <"+a.Name+">", "<"+a.Name+">")
	}
	for _, c := range n.Children {
		below := strings.TrimSpace(path + " " + c.Name)
		t.give(&c.Help, below)
		t.node(c, below)
	}
}

// give puts in the help of the first of the names that has one, where the code says none.
func (t *texts) give(help *string, names ...string) {
	if *help != "" {
		return
	}
	for _, name := range names {
		if text, ok := t.help[name]; ok {
			*help, t.used[name] = text, true
			return
		}
	}
	t.wrong = append(t.wrong, names[0]+" has none")
}
