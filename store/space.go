package store

import (
	"fmt"
	"os"
	"syscall"
)

// occupied is the space that a file takes.
func occupied(info os.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Blocks * 512 // in this unit on all systems, whatever the disk's blocks are
	}
	return info.Size()
}

// lookEvery is after how many bytes of writing the disk is looked at again.
const lookEvery = 4 << 20

// enoughSpace refuses a disk with less room than MinFreeBytes.
func enoughSpace(o Options) error {
	var st syscall.Statfs_t
	if err := syscall.Statfs(o.Dir, &st); err != nil {
		return nil // a file system that does not tell; a full one is then found by writing
	}
	if free := int64(st.Bavail) * int64(st.Bsize); free < o.MinFreeBytes {
		return fmt.Errorf("%w: %d MiB free at %s, %d MiB needed", ErrNoSpace, free>>20, o.Dir, o.MinFreeBytes>>20)
	}
	return nil
}

// space looks at the disk when enough was written since the last look, and at every call as long as it was full.
func (s *Store) space() error {
	if s.written < lookEvery {
		return nil
	}
	return s.look()
}

func (s *Store) look() error {
	s.trim()
	s.written = lookEvery
	err := enoughSpace(s.opt)
	if err == nil {
		s.written = 0
	}
	return err
}
