package protocol

import (
	"errors"
	"fmt"
)

var (
	// errFormat tells that the data is no sitemap and no feed: its root element is another one, or
	// it is no XML and no list of URLs.
	errFormat = errors.New("neither a sitemap nor a feed")

	// errTooLong tells that the file has more bytes, decompressed, than may be read. Entries
	// before the limit were delivered.
	errTooLong = errors.New("longer than the limit")
)

// readError says where in the decompressed text reading ended before its time, and why. Entries
// before that place have been delivered.
type readError struct {
	Line   int   // from 1
	Offset int64 // bytes before the place
	Err    error // errFormat, errTooLong, or what the reader or the decompressor said
}

func (e *readError) Error() string {
	return fmt.Sprintf("sitemap, line %d, byte %d: %v", e.Line, e.Offset, e.Err)
}

// Unwrap gives the reason.
func (e *readError) Unwrap() error { return e.Err }
