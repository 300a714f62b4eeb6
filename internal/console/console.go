// Package console has the streams to which commands print, and readers for the files of others.
//
// A Screen shows text of strangers, of whom some would steer a terminal. Damage tells of files of
// strangers that cannot be read.
package console

import (
	"errors"
	"io"
	"os"
)

// Streams are the outputs of a command: answers to Out, everything else to Err.
type Streams struct {
	Out, Err io.Writer
}

// WriteFile makes a file, or writes it anew, by a call.
func WriteFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
