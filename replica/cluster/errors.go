package cluster

import (
	"errors"
	"fmt"
)

var (
	// errState says that the file of a directory that should tell its state is damaged, foreign, or
	// of another version.
	errState = errors.New("not the state of a clustering")
	// errOptions says that a store was begun with other options that cannot be changed afterwards.
	errOptions = errors.New("the store was begun with other options")
	// errDuplicate says that a page was added twice for one sweep.
	errDuplicate = errors.New("page was added twice for one sweep")
	// errTooMany says that a store would hold more than 2^32-2 documents.
	errTooMany = errors.New("too many documents")
)

// A documentError tells which document could not be taken, and why.
type documentError struct {
	Key Key
	Err error
}

func (e *documentError) Error() string { return fmt.Sprintf("document %v: %v", e.Key, e.Err) }

// Unwrap is the reason.
func (e *documentError) Unwrap() error { return e.Err }
