// Package parameters reads the options of an algorithm from a file, so that a command of the
// laboratory reaches each parameter of a paper.
package parameters

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

// Read reads a file of JSON over options: {"Terms": {"Reject": 50}}. The names are those of the
// fields, and what the file does not name stays as it is. A name that the options do not have is an
// error. An empty path reads nothing.
func Read(path string, options any) error {
	if path == "" {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(options); err != nil {
		return fmt.Errorf("read parameters of %s: %w", path, err)
	}
	return nil
}
