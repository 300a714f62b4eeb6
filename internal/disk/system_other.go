//go:build !unix

package disk

import (
	"io/fs"
	"os"
)

// openFiles is a number that no harvest reaches: nothing bounds the files of a process.
func openFiles() int { return 1<<31 - 1 }

// Lock takes no lock: that a harvest has one process is left to the operator here.
func Lock(*os.File, LockKind) error { return nil }

// Free does not know the room: a full disk is found by writing here.
func Free(string) (bytes uint64, ok bool) { return 0, false }

// Writable does not know: writing tells.
func Writable(string) error { return nil }

// Occupied is the length of the file.
func Occupied(info fs.FileInfo) int64 { return info.Size() }
