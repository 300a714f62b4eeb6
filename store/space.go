package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/dgraph-io/badger/v4"

	"watershed/internal/disk"
)

// lookEvery is after how many bytes of writing the disk is looked at again.
const lookEvery = 4 << 20

// enoughSpace refuses a disk with less room than MinFreeBytes.
func enoughSpace(o Options) error {
	room, told := disk.Free(o.Dir)
	if !told {
		return nil // a full disk is then found by writing
	}
	if free := int64(room); free < o.MinFreeBytes {
		return fmt.Errorf("%w: %d MiB free at %s, %d MiB needed", ErrNoSpace, free>>20, o.Dir,
			o.MinFreeBytes>>20)
	}
	return nil
}

// space looks at the disk when enough was written since the last look, and at every call as long as
// it was full.
func (s *Store) space() error {
	if s.written < lookEvery {
		return nil
	}
	return s.look()
}

func (s *Store) look() error {
	s.written = lookEvery
	err := enoughSpace(s.opt)
	if err == nil {
		s.written = 0
	}
	return err
}

// commit commits a transaction of Badger, which begins a new log when the last one is full. A log
// that could not be made would leave Badger without any and end the process at the next call, so
// that the log is made here, with its blocks, before it is needed. A transaction begins at most one
// log.
func (s *Store) commit(txn *badger.Txn) error {
	if err := s.reserve(); err != nil {
		return err
	}
	return txn.Commit()
}

// reserve makes the next log unless it is there. Badger takes a log of no bytes as a new one;
// inspect takes it away after a kill.
func (s *Store) reserve() error {
	if s.next != "" {
		if info, err := os.Stat(s.next); err == nil && info.Size() == 0 {
			return nil
		}
	}
	number, err := lastLog(s.dir)
	if err != nil {
		return err
	}
	next := filepath.Join(s.dir, fmt.Sprintf("%05d.mem", number+1))
	if err := allocateFile(next, 2*s.opt.MemTableBytes); err != nil {
		return fmt.Errorf("make log %s: %w", filepath.Base(next), err)
	}
	s.next = next
	return nil
}

// release takes away the log that was made and not used. Badger must be closed.
func (s *Store) release() error {
	if s.next == "" {
		return nil
	}
	info, err := os.Stat(s.next)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() > 0 {
		return nil
	}
	return errors.Join(err, os.Remove(s.next))
}

// lastLog is the highest number of a log in the folder, the one that Badger writes to.
func lastLog(dir string) (last int, err error) {
	logs, err := disk.List(dir, "", ".mem")
	for _, path := range logs {
		n, err := strconv.Atoi(strings.TrimSuffix(filepath.Base(path), ".mem"))
		if err != nil {
			return 0, fmt.Errorf("number of log: %w", err)
		}
		last = max(last, n)
	}
	if err == nil && last == 0 {
		err = errors.New("the folder of the state has no log")
	}
	return last, err
}
