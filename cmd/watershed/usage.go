package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/alecthomas/kong"

	"watershed/internal/usage"
)

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
