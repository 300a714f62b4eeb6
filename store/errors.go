package store

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
)

// Errors that callers branch on. Open and every transaction wrap them; compare with errors.Is.
var (
	// ErrLocked says that another process has the folder open.
	ErrLocked = errors.New("the state is in use by another process")
	// ErrCorrupt says that the folder does not hold the data that were written to it.
	ErrCorrupt = errors.New("the state is damaged")
	// errVersion says that another version of the program wrote the folder.
	errVersion = errors.New("the state has another format")
	// errHarvest says that the folder belongs to another harvest.
	errHarvest = errors.New("the state belongs to another harvest")
	// ErrNoSpace says that the disk has too little room left. Nothing was written; the call may be
	// repeated.
	ErrNoSpace = errors.New("no space left for the state")
	// errUnwritable says that the folder, or its disk, is not to be written to.
	errUnwritable = errors.New("the state cannot be written to")
	// errNoFolder says that what has the folder's name is none.
	errNoFolder = errors.New("the state is no folder")
	// errGone says that there is no state where one was.
	errGone = errors.New("the state is not there")
	// ErrTooLarge says that a value is larger than its table holds. Nothing was written.
	ErrTooLarge = errors.New("the value is too large")
	// errClosed says that the store was closed before the call.
	errClosed = errors.New("the state is closed")
	// errReadOnly says that a store opened for reading was asked to write.
	errReadOnly = errors.New("the state was opened for reading only")
)

// OpenError is a folder that cannot be opened, with advice for the operator. It wraps one of the
// errors above and, where there is one, the cause.
type OpenError struct {
	Dir   string
	Kind  error // an error above, but for errClosed and errReadOnly
	Cause error // what was found; may be nil
	Hint  string
}

func (e *OpenError) Error() string {
	text := "open state " + e.Dir + ": "
	switch {
	case e.Cause == nil:
		text += e.Kind.Error()
	case errors.Is(e.Cause, e.Kind): // and says so
		text += e.Cause.Error()
	default:
		text += e.Kind.Error() + ": " + e.Cause.Error()
	}
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

// Unwrap gives kind and cause.
func (e *OpenError) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}

// tooLarge is a value beyond what its table holds.
func tooLarge(what string, bytes, most int) error {
	return fmt.Errorf("%w: %s of %d bytes, at most %d fit", ErrTooLarge, what, bytes, most)
}

// writeError gives a failed write its type. Badger flattens its causes to text, so the text is all
// there is to go by.
func writeError(err error) error {
	if err == nil {
		return nil
	}
	if noSpace(err.Error()) {
		return fmt.Errorf("%w: %w", ErrNoSpace, err)
	}
	return err
}

// noSpace reports that an error's text tells of a full disk or quota.
func noSpace(text string) bool {
	return strings.Contains(text, syscall.ENOSPC.Error()) || strings.Contains(text, syscall.EDQUOT.Error())
}

// systemFaults are the errors that the system may return although the files are good.
var systemFaults = []syscall.Errno{
	syscall.EACCES, syscall.EPERM, syscall.EROFS, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EIO,
	syscall.EINTR, syscall.EFBIG,
	syscall.EAGAIN, syscall.ESTALE, syscall.ENXIO, syscall.ENODEV,
}

// systemError is an error of the system of which Badger kept the text alone.
type systemError struct {
	cause error
	no    syscall.Errno
}

func (e systemError) Error() string   { return e.cause.Error() }
func (e systemError) Unwrap() []error { return []error{e.cause, e.no} }

// systemFault is err with the number of the system's error that it tells of, or nil where it tells
// of a file's content.
func systemFault(err error) error {
	for _, no := range systemFaults {
		if errors.Is(err, no) || strings.Contains(err.Error(), no.Error()) {
			return systemError{cause: err, no: no}
		}
	}
	return nil
}

// damaged is a value that its decoder refused.
func damaged(what string, err error) error {
	return fmt.Errorf("%w: %s: %w", ErrCorrupt, what, err)
}
