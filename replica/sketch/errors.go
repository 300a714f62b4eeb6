package sketch

import "errors"

// Errors that callers branch on.
var (
	// ErrIncomparable says that two sketches were made in different ways: other shingles, other
	// words, other fingerprints.
	ErrIncomparable = errors.New("sketches were made in different ways")

	// errFormat says that bytes are not a sketch, or not a whole one.
	errFormat = errors.New("not a sketch")

	// errVersion says that bytes are a sketch of a format that this version does not know.
	errVersion = errors.New("sketch of an unknown version")
)
