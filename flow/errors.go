package flow

import "errors"

var (
	// ErrNotSolved is returned by checks of a network that changed since it was solved.
	ErrNotSolved = errors.New("network changed since it was solved")

	// ErrStillHidden is returned by Settle when a vertex it asked for was not revealed.
	ErrStillHidden = errors.New("wanted vertex is still hidden")
)
