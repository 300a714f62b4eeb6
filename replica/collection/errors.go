package collection

import (
	"errors"
	"fmt"
)

// errInput is wrapped by every error that says that pages, links, chunks or clusters do not fit
// together.
var errInput = errors.New("collection: bad input")

// optionError says which option has which value that cannot be.
type optionError struct {
	Option string
	Reason string
}

func (e *optionError) Error() string { return fmt.Sprintf("option %s: %s", e.Option, e.Reason) }
