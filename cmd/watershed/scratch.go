package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// scratchPrefix is how the folders of dry runs begin, beside those of harvests.
const scratchPrefix = ".dry-run-"

// scratch makes a folder for a dry run in dir, which free takes away. The folder is locked for as
// long as the process lives; what killed dry runs have left there is taken away before. The lock of
// dir keeps others out meanwhile: a folder that is there and not locked is nobody's.
func scratch(dir string) (path string, free func() error, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", nil, err
	}
	all, err := locked(dir, syscall.LOCK_EX)
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, all.Close()) }()
	if err := sweepScratch(dir); err != nil {
		return "", nil, fmt.Errorf("take away what a dry run has left: %w", err)
	}
	if path, err = os.MkdirTemp(dir, scratchPrefix); err != nil {
		return "", nil, err
	}
	own, err := locked(path, syscall.LOCK_EX)
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(path))
	}
	return path, func() error { return errors.Join(os.RemoveAll(path), own.Close()) }, nil
}

// sweepScratch takes away the folders of dry runs that nobody has locked.
func sweepScratch(dir string) error {
	left, err := filepath.Glob(filepath.Join(dir, scratchPrefix+"*"))
	for _, path := range left {
		f, e := locked(path, syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(e, syscall.EWOULDBLOCK):
			continue
		case e == nil:
			e = errors.Join(os.RemoveAll(path), f.Close())
		}
		err = errors.Join(err, e)
	}
	return err
}

// locked opens a folder and takes the lock on it, which ends with the process, however that ends.
func locked(path string, how int) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), how); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
	}
	return f, nil
}
