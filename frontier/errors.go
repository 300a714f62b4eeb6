package frontier

import "errors"

// Errors that callers branch on; compare with errors.Is.
var (
	// ErrDone says that nothing is pending, waiting or leased.
	ErrDone = errors.New("nothing is left to fetch")
	// ErrDropped says that many URLs were dropped (see OnDrop), which may be a good time to do
	// something about them; then Lease goes on.
	ErrDropped = errors.New("many URLs were given up")
	// ErrLimit says that the limit of bytes of the whole harvest was reached. Limits of pages and
	// files only leave URLs out.
	ErrLimit = errors.New("the harvest reached its limit of")
	// ErrLease says that a lease is not, or no longer, in force: it was finished or returned
	// before, or it expired.
	ErrLease = errors.New("the lease is not in force")
	// ErrBroken says that memory and store disagree, mostly because a large transaction failed when
	// part of it was on disk. The frontier cannot be used any more; opening a new one repairs the
	// damage.
	ErrBroken = errors.New("the frontier is behind its store")
)
