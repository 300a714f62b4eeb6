package collection

import "errors"

// errInput is wrapped by every error that says that pages, links, chunks or clusters do not fit
// together.
var errInput = errors.New("collection: bad input")
