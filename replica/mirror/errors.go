package mirror

import "errors"

var (
	// errOptions says that options contradict themselves.
	errOptions = errors.New("mirror: bad options")
	// errGrouped says that the URLs of one host did not follow each other; sort them first.
	errGrouped = errors.New("mirror: URLs are not grouped by host")
)
