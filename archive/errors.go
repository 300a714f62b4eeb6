package archive

import (
	"errors"
	"fmt"
	"syscall"
)

// Errors that callers of the writer branch on.
var (
	// ErrNoSpace says that the disk or a quota is full. Nothing of the batch is left in the file;
	// the same batch may be written again once there is room.
	ErrNoSpace = errors.New("no space left for the archive")
	// errClosed is given by a Writer after Close.
	errClosed = errors.New("archive writer is closed")
)

// The faults of a record that is read; each comes inside a *FormatError.
var (
	errTruncated = errors.New("record is cut short")
	errHeader    = errors.New("bad record header")
	errLength    = errors.New("Content-Length is not the block's length")
	errGzip      = errors.New("bad gzip data")
	errUnpack    = errors.New("bad compressed data")
	errBomb      = errors.New("unpacks to more than is read")
	errNotWARC   = errors.New("no WARC record begins here")
)

// ErrEntry says that a line of an index is none; the lines behind it can be read.
var ErrEntry = errors.New("index line")

// FormatError says where a file is not as the format wants it. It wraps one of the errors above.
type FormatError struct {
	File   string // base name, or "" when the reader was not told
	Offset int64  // of the record's first byte (the gzip member's, where there is one)
	Detail string
	Err    error
}

func (e *FormatError) Error() string {
	s := fmt.Sprintf("%s@%d: %v", e.File, e.Offset, e.Err)
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	return s
}

func (e *FormatError) Unwrap() error { return e.Err }

// withSpace makes an error of the system about a full disk or quota be ErrNoSpace as well.
func withSpace(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w: %w", ErrNoSpace, err)
	}
	return err
}
