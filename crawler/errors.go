package crawler

import "errors"

// The reasons for which a crawl stopped with work left. All is saved; the next start goes on.
var (
	ErrTime    = errors.New("the harvest's limit of time was reached")
	ErrNoSpace = errors.New("no space left on the disk")
)
