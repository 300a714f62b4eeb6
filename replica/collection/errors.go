package collection

import (
	"errors"
	"fmt"
)

// ErrInput is wrapped by every error that says that pages, links, chunks or clusters do not fit together.
var ErrInput = errors.New("collection: bad input")

// OptionError says which option has which value that cannot be.
type OptionError struct {
	Option string
	Reason string
}

func (e *OptionError) Error() string { return fmt.Sprintf("option %s: %s", e.Option, e.Reason) }

// TruthError says which line of which table of the truth cannot be read.
type TruthError struct {
	File   string
	Line   int // from 1; 0 for the file as a whole
	Reason string
}

func (e *TruthError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason) }
