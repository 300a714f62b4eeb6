//go:build unix

package disk

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestAtOnce: a process that may have few files open does less at once, and something in any case.
func TestAtOnce(t *testing.T) {
	var own unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &own); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &own); err != nil {
			t.Error(err)
		}
	}()
	for _, x := range []struct {
		files      uint64
		most, want int
	}{{4, 50, 1}, {64, 50, 8}, {64, 5, 5}} {
		less := own
		less.Cur = x.files
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &less); err != nil {
			t.Fatal(err)
		}
		if got := AtOnce(x.most); got != x.want {
			t.Errorf("of %d with %d files: %d, want %d", x.most, x.files, got, x.want)
		}
	}
}

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
