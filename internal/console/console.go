// Package console has the streams to which commands print, and readers for the files of others.
//
// A Screen shows text of strangers, of whom some would steer a terminal. Damage tells of files of
// strangers that cannot be read.
package console

import (
	"fmt"
	"io"
)

// Streams are the outputs of a command: answers to Out, everything else to Err.
type Streams struct {
	Out, Err io.Writer
}

// Plural is a number with the noun that fits: "1 page", "2 pages".
func Plural[T int | int64](n T, one, more string) string {
	if n == 1 {
		more = one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// Size is a number of bytes for people.
func Size(n int64) string {
	for _, u := range []struct {
		n    int64
		name string
	}{{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}} {
		if n >= u.n {
			return fmt.Sprintf("%.1f %s", float64(n)/float64(u.n), u.name)
		}
	}
	return fmt.Sprintf("%d B", n)
}
