package main

import (
	"fmt"
	"io"

	"watershed/corpus"
	"watershed/internal/guard"
)

// mostTold bounds the places of damage that are printed.
const mostTold = 10

// damage tells of files of others that cannot be read, or not to their end, and makes the command fail when it is done: the others
// were read all the same. Damage of a corpus is told from one goroutine at a time, as this wants it.
type damage struct {
	out    io.Writer
	places int
	files  map[string]bool
}

// tell prints a place, unless many were printed.
func (d *damage) tell(x corpus.Damage) {
	d.count(x.File)
	if d.places <= mostTold {
		fmt.Fprintf(d.out, "damaged: %s\n", x)
	}
}

func (d *damage) count(file string) {
	if d.files == nil {
		d.files = map[string]bool{}
	}
	d.places++
	d.files[file] = true
}

// read reads one file of several. A failure, a panic of the reader too, is told; it ends nothing else.
func (d *damage) read(file string, read func() error) {
	var err error
	if fault := guard.Call(func() { err = read() }); fault != nil {
		err = fault
	}
	if err != nil {
		d.count(file)
		fmt.Fprintf(d.out, "damaged: %s: %v\n", file, err)
	}
}

// err is the error of a command that has read what it could; nil where nothing was damaged.
func (d *damage) err() error {
	if d.places == 0 {
		return nil
	}
	return fmt.Errorf("damage at %d places in %d files; what could be read of them, and all others, was read", d.places, len(d.files))
}
