package collection

import (
	"errors"
	"fmt"
)

// ErrInput is wrapped by every error that says that pages, links, chunks or clusters do not fit
// together.
var ErrInput = errors.New("collection: bad input")

// OptionError says which option has which value that cannot be.
type OptionError struct {
	Option string
	Reason string
}

func (e *OptionError) Error() string { return fmt.Sprintf("option %s: %s", e.Option, e.Reason) }
