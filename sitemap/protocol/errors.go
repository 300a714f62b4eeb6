package protocol

import (
	"errors"
	"fmt"
)

var (
	// ErrFormat tells that the data is no sitemap and no feed: its root element is another one, or
	// it is no XML and no list of URLs.
	ErrFormat = errors.New("neither a sitemap nor a feed")

	// ErrTooLong tells that the file has more bytes, decompressed, than Options.MaxBytes. Entries
	// before the limit were delivered.
	ErrTooLong = errors.New("longer than the limit")

	// ErrTooMany tells that the file has more entries than Options.MaxEntries. Entries before the
	// limit were delivered.
	ErrTooMany = errors.New("more entries than the limit")

	// ErrLocation tells that an entry cannot stand in a urlset: it is no page, no http or https
	// URL, or has 2,048 bytes or more.
	ErrLocation = errors.New("not admitted in a sitemap")
)

// ReadError says where in the decompressed text reading ended before its time, and why. Entries
// before that place have been delivered.
type ReadError struct {
	Line   int   // from 1
	Offset int64 // bytes before the place
	Err    error // ErrFormat, ErrTooLong, ErrTooMany, or what the reader or the decompressor said
}

func (e *ReadError) Error() string {
	return fmt.Sprintf("sitemap, line %d, byte %d: %v", e.Line, e.Offset, e.Err)
}

// Unwrap gives the reason.
func (e *ReadError) Unwrap() error { return e.Err }
