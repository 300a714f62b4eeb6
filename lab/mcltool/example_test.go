package mcltool_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"watershed/lab/mcltool"
	"watershed/mcl"
)

// As the command mcl does with --abc: labels in, labels out.
func ExampleReadABC() {
	text := `# the cat and the hat example, mcxio(5)
cat hat  0.2
hat bat  0.16
bat cat  1.0
bat bit  0.125
bit fit  0.25
fit hit  0.5
hit bit  0.16
`
	g, labels, err := mcltool.ReadABC(strings.NewReader(text))
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := g.Cluster(context.Background(), mcl.Options{Inflation: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := mcltool.WriteClusters(os.Stdout, result, labels); err != nil {
		fmt.Println(err)
	}
	// Output:
	// cat	hat	bat
	// bit	fit	hit
}
