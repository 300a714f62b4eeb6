package store

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// trimEvery is how often it is looked how much of the tables is resident. A compaction reads a
// table in some ten milliseconds.
const trimEvery = 20 * time.Millisecond

// trim asks the kernel to take back the pages of tables whenever more than MappedBytes of files are
// resident, until the store is closed. Badger maps its tables into memory, writes them there, and
// reads them there to compact them, so that all of the database would be resident until memory is
// short elsewhere. Files that are not tables count too, and stay: so the next time comes when a
// quarter of MappedBytes was added to what stayed.
//
// A page that is read again after that brings its neighbours with it only while a table is read from
// end to end: where single records are looked for, the neighbours would be most of what is resident.
func (s *Store) trim() {
	tick := time.NewTicker(trimEvery)
	defer tick.Stop()
	advice := uintptr(unix.MADV_NORMAL)
	for stayed := int64(0); ; {
		select {
		case <-s.done:
			return
		case <-tick.C:
		}
		now := residentFiles()
		if s.scans.Load() > 0 && advice != unix.MADV_NORMAL {
			advice = unix.MADV_NORMAL
			s.advise(0, advice)
		}
		if now > s.opt.MappedBytes && now > stayed+s.opt.MappedBytes/4 {
			if s.scans.Load() == 0 {
				advice = unix.MADV_RANDOM
			}
			s.advise(unix.MADV_PAGEOUT, advice)
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

// tail is the part at the end of a table that stays resident: its index and its Bloom filter, which
// are some fiftieth of it and are asked in each search for a key, of tables that do not have it, too.
const tail = 32

// advise advises the kernel what to do with the pages of all tables but for their tails, 0 for
// nothing, and how tables are read from now on. The advice is harmless whatever lies at an address by
// the time it is given: pages stay valid and are read again when they are needed. That it fails costs
// nothing but memory.
func (s *Store) advise(now, later uintptr) {
	dir, err := filepath.Abs(s.dir)
	if err != nil {
		return
	}
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer maps.Close() // read only
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		line := lines.Text()
		if i := strings.IndexByte(line, '/'); i < 0 || !strings.HasSuffix(line, ".sst") ||
			filepath.Dir(line[i:]) != dir {
			continue
		}
		var from, to uintptr
		if _, err := fmt.Sscanf(line, "%x-%x", &from, &to); err == nil {
			if now != 0 {
				length := (to - from) / tail * (tail - 1) &^ uintptr(os.Getpagesize()-1)
				_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, length, now)
			}
			// of the whole, so that the mapping stays one
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, later)
		}
	}
}
