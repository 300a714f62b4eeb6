package store

import (
	"errors"
	"os"
	"sync"
	_ "unsafe" // go:linkname wants it

	"golang.org/x/sys/unix"
)

// Badger writes its logs and tables through memory: it gives a new file its size, maps it and
// copies into it. Such a file is a hole until then. When the disk has no block left for a page of
// the hole, the kernel can only send SIGBUS, which ends the process. A file whose blocks are all
// allocated before it is mapped cannot meet that, and the lack of room becomes an error of the call
// that makes the file. Badger has no place to hang this in, so it is hung in below, where all
// mappings of golang.org/x/sys/unix are made.

// mappings is the unexported mmapper of golang.org/x/sys/unix; its fields must stay the same as
// there. TestBlocks fails when they or the name are not.
//
//go:linkname mappings golang.org/x/sys/unix.mapper
var mappings *struct {
	sync.Mutex
	active map[*byte][]byte
	mmap   func(addr, length uintptr, prot, flags, fd int, offset int64) (uintptr, error)
	munmap func(addr, length uintptr) error
}

// allocateMappings lets every mapping that is made for writing to a file allocate the file's blocks
// first. It holds for the whole process, and for mappings made after it returned.
var allocateMappings = sync.OnceFunc(func() {
	mappings.Lock()
	defer mappings.Unlock()
	mmap := mappings.mmap
	mappings.mmap = func(addr, length uintptr, prot, flags, fd int, offset int64) (uintptr, error) {
		if prot&unix.PROT_WRITE != 0 && flags&unix.MAP_SHARED != 0 && fd >= 0 {
			if err := allocate(fd, offset, int64(length)); err != nil {
				return 0, err
			}
		}
		mapping.Lock()
		defer mapping.Unlock()
		return mmap(addr, length, prot, flags, fd, offset)
	}
})

// mapping is held while a file is mapped into memory.
var mapping sync.Mutex

// allocate gives a part of a file its blocks on the disk and leaves its size as it is. Some file
// systems cannot; there the room that MinFreeBytes keeps is all that stands before a full disk.
func allocate(fd int, offset, length int64) error {
	for {
		err := unix.Fallocate(fd, unix.FALLOC_FL_KEEP_SIZE, offset, length)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS):
			return nil
		default:
			return err
		}
	}
}

// allocateFile makes an empty file that has its blocks already.
func allocateFile(name string, length int64) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return err
	}
	if err := errors.Join(allocate(int(f.Fd()), 0, length), f.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}
