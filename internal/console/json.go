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
	for _, c := range b.String() { // in JSON such characters stand in strings only
		if steers(c) {
			return escapeJSON(out, b.String())
		}
	}
	_, err := b.WriteTo(out)
	return err
}

// escapeJSON writes JSON with the characters that steer a terminal as JSON escapes them, which
// changes no value.
func escapeJSON(out io.Writer, text string) error {
	var b strings.Builder
	for _, c := range text {
		if !steers(c) {
			b.WriteRune(c)
			continue
		}
		for _, unit := range utf16.Encode([]rune{c}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}
