package store

import (
	"fmt"
	"os"

	"watershed/internal/disk"
)

// Size is the space that the folder takes on disk, in bytes. While the store is open for writing,
// that includes the room of two logs, 32 MiB by default, which is taken before they are filled.
func (s *Store) Size() (int64, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return 0, fmt.Errorf("size of state %s: %w", s.dir, err)
	}
	sum := int64(0)
	for _, e := range entries {
		if info, err := e.Info(); err == nil { // else it was deleted meanwhile
			sum += disk.Occupied(info)
		}
	}
	return sum, nil
}

// ForgetCheckpoint takes away what the state knows of a checkpoint.
func (s *Store) ForgetCheckpoint(n uint64) error {
	return s.Update(func(tx *Tx) error { tx.hold(checkpointKey(n), nil); return nil })
}
