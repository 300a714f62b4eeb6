package crawler

import "errors"

// Why a crawl stopped before nothing was left to do. All is saved; the next start goes on.
var (
	ErrTime    = errors.New("the harvest's limit of time was reached")
	ErrNoSpace = errors.New("no space left on the disk")
)
