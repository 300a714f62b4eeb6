//go:build unix

package disk

import (
	"errors"
	"os"
	"testing"
)

// TestLock: a lock keeps others out until its file is closed, and shared ones go together.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	open := func(kind LockKind) (*os.File, error) {
		t.Helper()
		f, err := os.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() }) // some are closed before
		return f, Lock(f, kind)
	}
	own, err := open(Exclusive)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []LockKind{TryAlone, TryShared} {
		if _, err := open(kind); !errors.Is(err, ErrLocked) {
			t.Errorf("lock %d beside an exclusive one: %v", kind, err)
		}
	}
	if err := own.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := open(TryShared); err != nil {
			t.Error(err)
		}
	}
	if _, err := open(TryAlone); !errors.Is(err, ErrLocked) {
		t.Errorf("alone beside shared ones: %v", err)
	}
	if n, told := Free(dir); !told || n == 0 {
		t.Errorf("free: %d, %v", n, told)
	}
}
