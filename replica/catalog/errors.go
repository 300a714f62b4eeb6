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
)

// damage tells where the file of a sweep cannot be read.
func damage(sweep uint32, offset int64, err error) error {
	return fmt.Errorf("%s at %d: %w", pagesName(sweep), offset, err)
}
