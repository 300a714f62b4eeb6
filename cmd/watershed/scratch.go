package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"watershed/harvest"
	"watershed/internal/disk"
	"watershed/internal/extsort"
)

// scratchPrefix is how the folders of dry runs begin, beside those of harvests; scratchHarvest is
// the harvest's folder in one of them, which has a lock of its own.
const (
	scratchPrefix  = ".dry-run-"
	scratchHarvest = "harvest"
)

// scratch gives the folder of a dry run of a harvest, below one that it makes in dir and that free
// takes away. That one is locked for as long as the process lives; the folders that killed dry runs
// have left are taken away before. The lock of dir keeps others out meanwhile: a folder that is
// there and not locked is nobody's.
func scratch(dir, name string) (dry harvest.Folder, free func() error, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", nil, err
	}
	all, err := locked(dir, disk.Exclusive)
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, all.Close()) }()
	if err := sweepScratch(dir); err != nil {
		return "", nil, fmt.Errorf("take away what a dry run has left: %w", err)
	}
	path, err := os.MkdirTemp(dir, scratchPrefix+name+"-")
	if err != nil {
		return "", nil, err
	}
	own, err := locked(path, disk.Exclusive)
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(path))
	}
	free = func() error { return errors.Join(os.RemoveAll(path), own.Close()) }
	return harvest.Folder(filepath.Join(path, scratchHarvest)), free, nil
}

// sweepScratch takes away the folders of dry runs that nobody has locked.
func sweepScratch(dir string) error {
	left, err := disk.List(dir, scratchPrefix, "")
	for _, path := range left {
		f, e := locked(path, disk.TryAlone)
		switch {
		case errors.Is(e, disk.ErrLocked):
			continue
		case e == nil:
			e = errors.Join(os.RemoveAll(path), f.Close())
		}
		err = errors.Join(err, e)
	}
	return err
}

// dryRunOf finds the dry run of a harvest that is under way in dir.
func dryRunOf(dir, name string) (run harvest.Run, found bool, err error) {
	list, err := disk.List(dir, scratchPrefix, "")
	for _, path := range list {
		number, ok := strings.CutPrefix(filepath.Base(path), scratchPrefix+name+"-")
		if !ok || strings.Trim(number, "0123456789") != "" { // another harvest's
			continue
		}
		f, e := locked(path, disk.TryShared)
		switch {
		case errors.Is(e, disk.ErrLocked):
			run, e = harvest.Folder(filepath.Join(path, scratchHarvest)).Last()
			return run, e == nil, e
		case e == nil:
			e = f.Close()
		case errors.Is(e, fs.ErrNotExist): // it ended just now
			e = nil
		}
		err = errors.Join(err, e)
	}
	return "", false, err
}

// spillFolder makes a folder in which a command sorts, and which remove takes away.
func spillFolder() (spill *extsort.Dir, remove func() error, err error) {
	path, err := os.MkdirTemp("", "watershed-sort-")
	if err != nil {
		return nil, nil, err
	}
	if spill, err = extsort.OpenDir(path); err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(path))
	}
	return spill, func() error { return errors.Join(spill.Close(), os.RemoveAll(path)) }, nil
}

// locked opens a folder and takes the lock on it, which ends with the process, however that ends.
func locked(path string, how disk.LockKind) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := disk.Lock(f, how); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
	}
	return f, nil
}
