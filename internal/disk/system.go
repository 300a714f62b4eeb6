package disk

import "errors"

// LockKind says which lock is taken on an open file or folder.
type LockKind int

// The locks. They end when the file is closed, and with the process, however that ends.
const (
	Exclusive LockKind = iota // for one alone; it is waited for
	TryAlone                  // for one alone, or ErrLocked
	TryShared                 // that others may have besides, or ErrLocked
)

// ErrLocked says that another process has the lock.
var ErrLocked = errors.New("another process has the lock")
