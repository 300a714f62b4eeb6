package store

import (
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// trimEvery is how often it is looked how much of the tables is resident. A compaction reads a
// table in some ten milliseconds.
const trimEvery = 20 * time.Millisecond

// trim unmaps the pages of all mapped files whenever more than MappedBytes of files are resident,
// until the store is closed. Badger maps its tables into memory, writes them there, and reads them
// there to compact them, so that all of the database would be resident until memory is short
// elsewhere. Files that hookMappings did not map count too, and stay: so the next time comes when
// a quarter of MappedBytes was added to what stayed.
func (s *Store) trim() {
	tick := time.NewTicker(trimEvery)
	defer tick.Stop()
	for stayed := int64(0); ; {
		select {
		case <-s.done:
			return
		case <-tick.C:
		}
		if now := residentFiles(); now > s.opt.MappedBytes && now > stayed+s.opt.MappedBytes/4 {
			room.unmap()
			stayed = residentFiles()
		}
	}
}

// residentFiles is how many bytes of mapped files are resident, 0 where the system does not tell.
func residentFiles() int64 {
	var size, resident, shared int64
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	if _, err := fmt.Sscan(string(text), &size, &resident, &shared); err != nil {
		return 0
	}
	return shared * int64(os.Getpagesize())
}

// addresses are a part of the address space that has shared mappings of files, and nothing else, so
// that it can be unmapped at any time: Badger gives back the addresses of a table whenever it
// likes, and what the kernel put there next, were it the program's own memory, would be emptied.
//
// Neither the kernel by itself nor Go's heap (from 0xc000000000 on, and if that is taken from
// 0x1c000000000 and so on), nor its race detector, nor an executable (at 0x555555554000) is placed
// between first and last. Where a mapping does not get its address, as on machines with fewer, its
// pages stay until memory is short.
type addresses struct {
	mu   sync.Mutex
	next uint64
}

const (
	firstAddress = 0x410000000000
	lastAddress  = 0x41c000000000
)

// room has the mappings of the process, as mappings does.
var room addresses

// place gives an address for a mapping, always the one after the last, from the start again at the
// end.
func (a *addresses) place(length uintptr) uintptr {
	page := uint64(os.Getpagesize())
	size := (uint64(length) + page - 1) / page * page
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.next < firstAddress || a.next+size > lastAddress {
		a.next = firstAddress
	}
	a.next += size
	return uintptr(a.next - size)
}

// unmap takes all pages out of the process. The system's cache of files holds their content as long
// as there is memory for it: to touch such a page again takes a microsecond and no disk.
func (a *addresses) unmap() {
	first, last := uint64(firstAddress), uint64(lastAddress)
	// an error says that a part has no mapping, as most have none
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, uintptr(first), uintptr(last-first), unix.MADV_DONTNEED)
}
