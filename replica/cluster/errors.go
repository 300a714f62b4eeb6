package cluster

import (
	"errors"
	"fmt"
)

var (
	// ErrState says that the file of a directory that should tell its state is damaged, foreign, or
	// of another version.
	ErrState = errors.New("not the state of a clustering")
	// ErrOptions says that a store was begun with other options that cannot be changed afterwards.
	ErrOptions = errors.New("the store was begun with other options")
	// ErrDuplicate says that a page was added twice for one sweep.
	ErrDuplicate = errors.New("page was added twice for one sweep")
	// ErrTooMany says that a store would hold more than 2^32-2 documents.
	ErrTooMany = errors.New("too many documents")
	// ErrUnknown says that no sweep has the page.
	ErrUnknown = errors.New("page is in no sweep")
)

// A DocumentError tells which document could not be taken, and why.
type DocumentError struct {
	Key Key
	Err error
}

func (e *DocumentError) Error() string { return fmt.Sprintf("document %v: %v", e.Key, e.Err) }

// Unwrap is the reason.
func (e *DocumentError) Unwrap() error { return e.Err }
