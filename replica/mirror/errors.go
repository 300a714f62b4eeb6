package mirror

import (
	"errors"
	"fmt"
)

var (
	// errOptions says that options contradict themselves.
	errOptions = errors.New("mirror: bad options")
	// errGrouped says that the URLs of one host did not follow each other; sort them first.
	errGrouped = errors.New("mirror: URLs are not grouped by host")
)

// LineError tells which line of a list cannot be read.
type LineError struct {
	Line int    // from 1
	What string // what is wrong with it
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.What) }
