package flow

import "errors"

// ErrNotSolved is returned by checks of a network that changed since it was solved.
var ErrNotSolved = errors.New("network changed since it was solved")
