//go:build unix

package extsort

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lockFile opens the file and takes the lock on it, which ends with the process, however that ends.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	return lock(f, path, syscall.LOCK_EX)
}

// shareFile opens a file that is there and takes a lock that others may have besides.
func shareFile(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return lock(f, path, syscall.LOCK_SH)
}

func lock(f *os.File, path string, how int) (*os.File, error) {
	if err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = ErrInUse
		}
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
	}
	return f, nil
}
