package frontier

import (
	"errors"
	"fmt"

	"watershed/store"
)

// Errors that callers branch on; compare with errors.Is.
var (
	// ErrDone says that nothing is pending, waiting or leased.
	ErrDone = errors.New("nothing is left to fetch")
	// ErrLimit says that a limit of the whole harvest was reached; the error is a *LimitError.
	ErrLimit = errors.New("a limit of the harvest was reached")
	// ErrLease says that a lease is not, or no longer, in force: it was finished or returned
	// before, or it expired.
	ErrLease = errors.New("the lease is not in force")
	// ErrBroken says that memory and store disagree, mostly because a large transaction failed when
	// part of it was on disk. The frontier cannot be used any more; opening a new one repairs the
	// damage.
	ErrBroken = errors.New("the frontier is behind its store")
)

// LimitError is a limit of the whole harvest that was reached.
type LimitError struct {
	Reason store.Reason // store.LimitPages or store.LimitBytes
	Limit  int64
}

func (e *LimitError) Error() string {
	what, key := "pages and files", "limits.pages"
	if e.Reason == store.LimitBytes {
		what, key = "bytes", "limits.bytes"
	}
	return fmt.Sprintf("the harvest reached its limit of %d %s (%s)", e.Limit, what, key)
}

// Is reports that the error is an ErrLimit.
func (e *LimitError) Is(target error) bool { return target == ErrLimit }
