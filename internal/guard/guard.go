// Package guard confines a fault in a reader of foreign bytes to the page or file that is being
// read. A page or file on which a reader panics is given up with an error, and the crawl, or the
// reading of the other files, goes on. It is the last of the guards: a stack that overflows cannot
// be recovered from, so that each reader bounds its own depth, and a panic is a fault of this
// program wherever it happens.
package guard

import (
	"errors"
	"fmt"
	"path"
	"runtime"
	"strings"
)

// ErrPanic says that a reader panicked.
var ErrPanic = errors.New("a fault in the reader, which is worth a report")

// Call calls read. The error is nil, or wraps ErrPanic and tells what the panic said and where it
// happened. Values that read was changing may be half done, and are not to be used again.
func Call(read func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v (%s)", ErrPanic, r, place())
		}
	}()
	read()
	return nil
}

// Try is Call for a read that may fail: the error is its own where it does not panic.
func Try(read func() error) (err error) {
	if fault := Call(func() { err = read() }); fault != nil {
		return fault
	}
	return err
}

// place is the file and line of the function that panicked, seen from the deferred function that
// recovers.
func place() string {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		f, more := frames.Next()
		if !more || !strings.HasPrefix(f.Function, "runtime.") {
			dir, file := path.Split(f.File)
			return fmt.Sprintf("%s/%s:%d", path.Base(dir), file, f.Line)
		}
	}
}
