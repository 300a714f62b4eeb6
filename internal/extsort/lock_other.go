//go:build !unix

package extsort

import "os"

// lockFile opens the file. Without flock, that only one process owns the directory is left to the
// operator.
func lockFile(path string) (*os.File, error) { return os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644) }

// shareFile opens a file that is there.
func shareFile(path string) (*os.File, error) { return os.Open(path) }
