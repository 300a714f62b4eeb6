package catalog

import (
	"errors"
	"fmt"
)

// Errors that callers branch on; compare with errors.Is.
var (
	// ErrNone says that a folder holds no catalog.
	ErrNone = errors.New("no catalog is there")
	// errSweep says that a sweep cannot be added: its number is not above those that are there.
	errSweep = errors.New("sweeps are added in order")
	// errOptions says that a catalog was begun with other sketches, with which new ones cannot be
	// compared.
	errOptions = errors.New("the catalog was begun with other sketches")
)

// damageError tells where the file of a sweep cannot be read.
type damageError struct {
	File   string
	Offset int64
	Cause  error
}

func (e *damageError) Error() string {
	return fmt.Sprintf("%s at %d: %v", e.File, e.Offset, e.Cause)
}

// Unwrap gives the cause.
func (e *damageError) Unwrap() error { return e.Cause }
