package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"watershed/internal/guard"
)

// mostTold bounds the places of damage that are printed.
const mostTold = 10

// Damage tells of files of others that cannot be read, or not to their end, and makes the command
// fail when it is done: the others were read all the same. Not safe for concurrent use: damage of a
// corpus is told from one goroutine at a time.
type Damage struct {
	Out    io.Writer
	places int
	told   int // files of which a place was printed, as far as Read reads them
	files  map[string]bool
}

// Tell prints a place in a file, unless many were printed.
func (d *Damage) Tell(file string, place fmt.Stringer) {
	d.count(file)
	if d.places <= mostTold {
		fmt.Fprintf(d.Out, "damaged: %s\n", place)
	}
}

func (d *Damage) count(file string) {
	if d.files == nil {
		d.files = map[string]bool{}
	}
	d.places++
	d.files[file] = true
}

// Read reads one file of several. A failure, a panic of the reader too, is told, of each file one and
// of all a few; it ends nothing else.
func (d *Damage) Read(file string, read func() error) {
	for _, err := range places(guard.Try(read)) {
		if errors.Is(err, context.Canceled) {
			continue
		}
		d.count(file)
		if many, is := err.(interface{ Places() int }); is { // that are not told one by one
			d.places += many.Places() - 1
		}
		if d.places <= mostTold || len(d.files) > d.told {
			d.told = len(d.files)
			fmt.Fprintf(d.Out, "damaged: %s: %v\n", file, err)
		}
	}
}

// places are the errors that an error joins, each a place in a file; none for nil.
func places(err error) (list []error) {
	joined, ok := err.(interface{ Unwrap() []error })
	switch {
	case err == nil:
		return nil
	case !ok || !strings.Contains(err.Error(), "\n"):
		return []error{err}
	}
	for _, err := range joined.Unwrap() {
		list = append(list, places(err)...)
	}
	return list
}

// Err is the error of a command that has read what it could; nil where nothing was damaged.
func (d *Damage) Err() error {
	if d.places == 0 {
		return nil
	}
	return fmt.Errorf("damage at %s in %s; what could be read of them, and all others, was read",
		Plural(d.places, "place", "places"), Plural(len(d.files), "file", "files"))
}

// Files is the number of files that were damaged.
func (d *Damage) Files() int { return len(d.files) }
