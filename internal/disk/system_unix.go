//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Lock takes a lock on an open file or folder.
func Lock(f *os.File, kind LockKind) error {
	how := map[LockKind]int{
		Exclusive: syscall.LOCK_EX, TryAlone: syscall.LOCK_EX | syscall.LOCK_NB,
		TryShared: syscall.LOCK_SH | syscall.LOCK_NB,
	}[kind]
	for {
		err := syscall.Flock(int(f.Fd()), how)
		switch {
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrLocked
		case !errors.Is(err, syscall.EINTR):
			return err
		}
	}
}

// openFiles is how many files and connections this process may have open at once.
func openFiles() int {
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &l); err != nil {
		return math.MaxInt32
	}
	return int(min(l.Cur, math.MaxInt32))
}

// Free is the room in bytes on the disk of a path; ok is false where the system does not tell.
func Free(path string) (bytes uint64, ok bool) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(path, &st); err != nil {
		return 0, false
	}
	return uint64(st.Bavail) * uint64(st.Bsize), true
}

// Writable reports whether files can be made in a folder, as its disk and the rights of this process
// are; the error is the system's word why not.
func Writable(dir string) error { return unix.Access(dir, unix.W_OK) }

// Occupied is the space that a file takes, in bytes.
func Occupied(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Blocks * 512 // in this unit on all systems, whatever the disk's blocks are
	}
	return info.Size()
}
