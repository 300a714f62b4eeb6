package extsort

import "errors"

var (
	// ErrForeign says that a file is not a table, or one of another kind, record length or version.
	ErrForeign = errors.New("not a table of this kind")
	// errOrder says that a Writer was given a record before its predecessor.
	errOrder = errors.New("records out of order")
	// errClosed says that a Sorter or Writer was used after its end.
	errClosed = errors.New("already closed")
)
