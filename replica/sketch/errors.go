package sketch

import "errors"

// Errors that callers branch on.
var (
	// ErrIncomparable says that two sketches were made in different ways: other shingles, other
	// words, other fingerprints.
	ErrIncomparable = errors.New("sketches were made in different ways")

	// ErrFormat says that bytes are not a sketch, or not a whole one.
	ErrFormat = errors.New("not a sketch")

	// ErrVersion says that bytes are a sketch of a format that this version does not know.
	ErrVersion = errors.New("sketch of an unknown version")
)
