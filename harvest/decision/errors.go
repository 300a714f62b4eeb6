package decision

import "errors"

var (
	// ErrDecision says that a decision is malformed, or that a file of decisions cannot be read.
	ErrDecision = errors.New("no decision")
	// ErrUnknown says that nothing was decided on that subject.
	ErrUnknown = errors.New("nothing was decided on this")
)
