package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
)

// JSON prints a value as JSON, indented. Characters that steer a terminal are escaped, which
// changes no value.
func JSON(out io.Writer, v any) error {
	out = Whole(out)
	var b bytes.Buffer
	w := json.NewEncoder(&b)
	w.SetIndent("", "  ")
	if err := w.Encode(v); err != nil {
		return err
	}
	var text strings.Builder
	for _, c := range b.String() { // in JSON such characters stand in strings only
		if !steers(c) {
			text.WriteRune(c)
			continue
		}
		for _, unit := range utf16.Encode([]rune{c}) {
			fmt.Fprintf(&text, `\u%04x`, unit)
		}
	}
	_, err := io.WriteString(out, text.String())
	return err
}
