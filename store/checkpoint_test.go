package store_test

import (
	"errors"
	"testing"

	"watershed/store"
)

// The state knows its checkpoints after it was opened again, and is damaged where it knows a later one
// and not each of the 64 before.
func TestCheckpoints(t *testing.T) {
	for _, c := range []struct {
		name       string
		made, lost uint64
		want       uint64
		corrupt    bool
	}{
		{"none", 0, 0, 0, false},
		{"a few", 3, 0, 3, false},
		{"more than are kept", 150, 0, 150, false},
		{"the last is lost", 3, 3, 2, false},
		{"a middle one of few is lost", 3, 2, 0, true},
		{"the first of few is lost", 3, 1, 0, true},
		{"the oldest that is kept is lost", 150, 87, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, told := t.TempDir(), uint64(0)
			tell := func(n uint64) { told = n }
			s, err := store.Open(store.Options{Dir: dir, MinFreeBytes: 1, Synced: tell})
			if err != nil {
				t.Fatal(err)
			}
			for range c.made {
				if err := s.Checkpoint(); err != nil {
					t.Fatal(err)
				}
			}
			if told != c.made || s.Checkpoints() != c.made {
				t.Errorf("told %d, has %d, made %d", told, s.Checkpoints(), c.made)
			}
			if c.lost > 0 {
				if err := s.ForgetCheckpoint(c.lost); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s, err = store.Open(store.Options{Dir: dir, MinFreeBytes: 1})
			if errors.Is(err, store.ErrCorrupt) != c.corrupt {
				t.Fatal(err)
			}
			if err != nil {
				return
			}
			if n := s.Checkpoints(); n != c.want {
				t.Errorf("opened again it has %d, want %d", n, c.want)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
