package replica

import (
	"errors"
	"fmt"
)

// Errors that callers branch on; compare with errors.Is.
var (
	// ErrOverlap says that a replica and its representative lie within each other, or are the same.
	ErrOverlap = errors.New("copy and original overlap")
	// ErrCircle says that two replicas would stand for each other.
	ErrCircle = errors.New("the original is itself left out in favour of the copy")
	// ErrUnknown says that the table has no such entry.
	ErrUnknown = errors.New("no such entry")
	// ErrState says that an entry cannot go from its state to that one.
	ErrState = errors.New("not possible in this state")
	// errVersion says that another version of the program wrote the table.
	errVersion = errors.New("the table has another version")
)

// EntryError is an entry that cannot be taken.
type EntryError struct {
	From  string
	Cause error
}

func (e *EntryError) Error() string { return fmt.Sprintf("copy %q: %v", e.From, e.Cause) }

// Unwrap gives the cause.
func (e *EntryError) Unwrap() error { return e.Cause }

// lineError is a place of a table, or list of aliases, that cannot be read.
type lineError struct {
	Line  int // from 1
	Cause error
}

func (e *lineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Cause) }

// Unwrap gives the cause.
func (e *lineError) Unwrap() error { return e.Cause }
