package mirror

import (
	"errors"
	"fmt"
)

var (
	// ErrOptions says that options contradict themselves.
	ErrOptions = errors.New("mirror: bad options")
	// ErrGrouped says that the URLs of one host did not follow each other; sort them first.
	ErrGrouped = errors.New("mirror: URLs are not grouped by host")
	// ErrLeast says that a text is no list of least fingerprints.
	ErrLeast = errors.New("mirror: no least fingerprints")
)

// LineError tells which line of a list cannot be read.
type LineError struct {
	Line int    // from 1
	What string // what is wrong with it
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.What) }
