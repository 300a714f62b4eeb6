package decision

import "errors"

var (
	// ErrDecision says that a decision is none, or that a file of them cannot be read.
	ErrDecision = errors.New("no decision")
	// ErrUnknown says that nothing was decided on that subject.
	ErrUnknown = errors.New("nothing was decided on this")
)
