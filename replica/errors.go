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
	// ErrDenied says that the program may not confirm what was decided otherwise.
	ErrDenied = errors.New("decided otherwise")
)

// EntryError is an entry that cannot be taken.
type EntryError struct {
	From  string
	Cause error
}

func (e *EntryError) Error() string { return fmt.Sprintf("copy %q: %v", e.From, e.Cause) }

func (e *EntryError) Unwrap() error { return e.Cause }

// inLine says in which line of a table or list of aliases, from 1, err was found.
func inLine(n int, err error) error { return fmt.Errorf("line %d: %w", n, err) }
