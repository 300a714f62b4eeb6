package extsort

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"watershed/internal/disk"
)

const (
	lockName = "LOCK"
	// temporary ends the name of every file that is not finished: runs of a sort, tables being
	// written.
	temporary = ".tmp"
)

// Dir is a directory of tables and of the runs of sorts, owned by one process at a time. Its
// methods may be called from any goroutine.
//
// Invariants:
//  1. A file whose name does not end in ".tmp" is complete: it was written, synced, then renamed.
//  2. A file whose name ends in ".tmp" belongs to a Sorter or Writer in progress; when the Dir is
//     opened there is none.
//  3. Nothing but the lock, tables and temporary files is touched; files of other names are left
//     alone.
type Dir struct {
	disk disk.FS
	path string
	lock *os.File

	mu      sync.Mutex
	next    int             // guarded by mu: number of the next temporary file
	pending map[string]bool // guarded by mu: temporary files that exist
}

// OpenDir makes the directory if need be, takes the lock, and removes what a killed process left
// unfinished. disk.ErrLocked says that another process, or another Dir of this one, has it.
func OpenDir(path string) (*Dir, error) { return OpenDirOn(disk.OS{}, path) }

// OpenDirOn is OpenDir on a given file system.
func OpenDirOn(on disk.FS, path string) (*Dir, error) {
	if err := on.MkdirAll(path, 0o755); err != nil {
		return nil, fmt.Errorf("make sort directory: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(path, lockName), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := disk.Lock(lock, disk.TryAlone); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", lock.Name(), err), lock.Close())
	}
	d := &Dir{disk: on, path: path, lock: lock, pending: map[string]bool{}}
	if err := d.removeStrays(); err != nil {
		return nil, errors.Join(fmt.Errorf("remove strays in %s: %w", path, err), lock.Close())
	}
	return d, nil
}

func (d *Dir) removeStrays() error {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), temporary) && e.Type().IsRegular() {
			if err := d.disk.Remove(filepath.Join(d.path, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// Close removes what is unfinished and gives up the lock. Sorters, Writers and Tables of the Dir
// should be closed before; a second call does nothing.
func (d *Dir) Close() error {
	if d.lock == nil {
		return nil
	}
	var all []error
	d.mu.Lock()
	for name := range d.pending {
		all = append(all, d.disk.Remove(filepath.Join(d.path, name)))
	}
	clear(d.pending)
	d.mu.Unlock()
	all = append(all, d.lock.Close())
	d.lock = nil
	return errors.Join(all...)
}

// Remove deletes a finished file; that it is not there is no error.
func (d *Dir) Remove(name string) error {
	if err := d.disk.Remove(filepath.Join(d.path, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove table: %w", err)
	}
	return nil
}

// WriteFile replaces a small file as a whole: after a crash at any moment it holds the old bytes or
// the new ones.
func (d *Dir) WriteFile(name string, data []byte) error {
	f, err := d.create()
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", name, err), f.Close(), d.discard(f))
	}
	return d.finish(f, name)
}

// ReadFile reads a file that WriteFile wrote. An error that is fs.ErrNotExist says that there is
// none.
func (d *Dir) ReadFile(name string) ([]byte, error) { return os.ReadFile(filepath.Join(d.path, name)) }

// create makes a temporary file.
func (d *Dir) create() (disk.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.next++
	name := fmt.Sprintf("%06d%s", d.next, temporary)
	f, err := d.disk.OpenFile(filepath.Join(d.path, name), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return nil, fmt.Errorf("make temporary file: %w", err)
	}
	d.pending[name] = true
	return f, nil
}

// discard removes a temporary file, open or closed.
func (d *Dir) discard(f disk.File) error {
	name := filepath.Base(f.Name())
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.pending[name] {
		return nil
	}
	delete(d.pending, name)
	return d.disk.Remove(f.Name())
}

// finish syncs and closes a temporary file and gives it its name, replacing what had it.
func (d *Dir) finish(f disk.File, name string) error {
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return errors.Join(fmt.Errorf("finish %s: %w", name, err), d.discard(f))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.disk.Rename(f.Name(), filepath.Join(d.path, name)); err != nil {
		return fmt.Errorf("finish %s: %w", name, err)
	}
	delete(d.pending, filepath.Base(f.Name()))
	if err := d.disk.SyncDir(d.path); err != nil {
		return fmt.Errorf("sync directory: %w", err)
	}
	return nil
}
