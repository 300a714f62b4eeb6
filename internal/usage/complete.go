package usage

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Complete gives the words that may stand at the end of a line, which begins with the program's name:
// subcommands, flags, or the words of an enum, as far as they begin as the line's last word does.
// Where anything else may stand, such as the name of a file, it gives none.
func Complete(app *kong.Node, line string) []string {
	typed := strings.Fields(line)
	if len(typed) == 0 || strings.HasSuffix(line, " ") {
		typed = append(typed, "")
	}
	at, last := app, typed[len(typed)-1]
	var value *kong.Value // of the flag that the word before names
	given := 0            // arguments of the command
	for _, word := range typed[min(1, len(typed)-1) : len(typed)-1] {
		below := slices.IndexFunc(at.Children, func(n *kong.Node) bool { return n.Name == word })
		switch {
		case value != nil:
			value = nil
		case strings.HasPrefix(word, "-"):
			value = valueOf(at, word)
		case below >= 0:
			at = at.Children[below]
		default:
			given++
		}
	}
	return slices.DeleteFunc(choices(at, value, given, last), func(word string) bool {
		return word == "" || !strings.HasPrefix(word, last)
	})
}

// valueOf is what follows a flag of a command; nil for a switch, and where the flag is not known.
func valueOf(n *kong.Node, flag string) *kong.Value {
	for _, f := range flagsOf(n) {
		if slices.Contains(namesOf(f), flag) && !f.IsBool() && !f.IsCounter() {
			return f.Value
		}
	}
	return nil
}

// choices are the words that may stand behind so many arguments of a command, or be the value.
func choices(n *kong.Node, value *kong.Value, given int, last string) (words []string) {
	switch args := n.Positional; {
	case value != nil:
		return enumOf(value)
	case strings.HasPrefix(last, "-"):
		for _, f := range flagsOf(n) {
			words = append(words, namesOf(f)...)
		}
	case len(n.Children) > 0:
		for _, c := range n.Children {
			if !c.Hidden {
				words = append(words, c.Name)
			}
		}
	case given < len(args):
		return enumOf(args[given])
	case len(args) > 0 && args[len(args)-1].IsCumulative():
		return enumOf(args[len(args)-1])
	}
	return words
}

// flagsOf are the flags of a command and of those above it.
func flagsOf(n *kong.Node) (flags []*kong.Flag) { return slices.Concat(n.AllFlags(true)...) }

// namesOf are the ways to write a flag, the long one first.
func namesOf(f *kong.Flag) []string {
	if f.Short == 0 {
		return []string{"--" + f.Name}
	}
	return []string{"--" + f.Name, "-" + string(f.Short)}
}

// enumOf are the words of which a value is one, if it is.
func enumOf(v *kong.Value) []string {
	if v.Enum == "" {
		return nil
	}
	return slices.DeleteFunc(v.EnumSlice(), func(w string) bool { return w == "" })
}
