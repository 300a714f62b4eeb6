// Package console is where commands of our programs print to, and read what others wrote from.
//
// A Screen shows text of strangers, of whom some would steer a terminal. Damage tells of files of
// strangers that cannot be read.
package console

import (
	"errors"
	"io"
	"os"
)

// Streams are what a command prints to: answers to Out, everything else to Err.
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
