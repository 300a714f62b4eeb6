package search

import "errors"

// Errors that callers branch on.
var (
	// ErrNoIndex says that the harvest has no index of words yet: Update makes one.
	ErrNoIndex = errors.New("the words of this harvest are not indexed yet")
	// errQuery says that a query is empty, or cannot be read; the text behind it tells why.
	errQuery = errors.New("the query cannot be read")
)
