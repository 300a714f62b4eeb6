// Package console has the streams to which commands print, and readers for the files of others.
//
// A Screen shows text of strangers, of whom some would steer a terminal. Damage tells of files of
// strangers that cannot be read.
package console

import "io"

// Streams are the outputs of a command: answers to Out, everything else to Err.
type Streams struct {
	Out, Err io.Writer
}
