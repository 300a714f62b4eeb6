package configs

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed *.yaml
var files embed.FS

// Reference is the text of reference.yaml: every option with its default, its unit and its reason.
func Reference() []byte {
	b, err := files.ReadFile("reference.yaml")
	if err != nil {
		panic("configs: reference.yaml is not embedded: " + err.Error()) // a fault of the build
	}
	return b
}

// Examples names the harvests that come with the program, reference among them: Example gives their
// text.
func Examples() []string {
	names, err := fs.Glob(files, "*.yaml")
	if err != nil {
		panic("configs: " + err.Error()) // the pattern is a constant
	}
	for i, n := range names {
		names[i] = strings.TrimSuffix(n, ".yaml")
	}
	return names
}

// Example is the text of one of Examples.
func Example(name string) ([]byte, error) {
	b, err := files.ReadFile(name + ".yaml")
	if err != nil {
		known := Examples()
		return nil, fmt.Errorf("there is no example %q; %sknown: %s", name, spaced(meant(name, known)),
			strings.Join(known, ", "))
	}
	return b, nil
}

func spaced(s string) string {
	if s == "" {
		return ""
	}
	return s + " "
}
