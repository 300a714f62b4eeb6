package store

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// trimEvery is how often it is looked how much of the tables is resident. A compaction reads a
// table in some ten milliseconds.
const trimEvery = 20 * time.Millisecond

// trim takes the pages of tables out of the process whenever more than MappedBytes of files are
// resident, until the store is closed. Badger maps its tables into memory, writes them there, and
// reads them there to compact them, so that all of the database would be resident until memory is
// short elsewhere. Files that are not tables count too, and stay: so the next time comes when a
// quarter of MappedBytes was added to what stayed.
func (s *Store) trim() {
	statm, err := os.Open("/proc/self/statm") // once: to open it takes ten times as long as to read it
	if err != nil {
		return
	}
	defer statm.Close() // read only
	tick := time.NewTicker(trimEvery)
	defer tick.Stop()
	for stayed := int64(0); ; {
		select {
		case <-s.done:
			return
		case <-tick.C:
		}
		if now := residentFiles(statm); now > s.opt.MappedBytes && now > stayed+s.opt.MappedBytes/4 {
			s.unmapPages()
			stayed = residentFiles(statm)
		}
	}
}

// residentFiles is how many bytes of mapped files are resident, the third number of statm, counted in
// pages; 0 where the system does not tell.
func residentFiles(statm io.ReaderAt) int64 {
	var text [128]byte
	n, _ := statm.ReadAt(text[:], 0) // it ends before the buffer does
	fields := bytes.Fields(text[:n])
	if len(fields) < 3 {
		return 0
	}
	pages, err := strconv.ParseInt(string(fields[2]), 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// unmapPages takes all pages of tables out of the process. The system's cache of files keeps what is
// in them as long as there is memory for it: to touch such a page again takes a microsecond and no
// disk. Where remap is refused, as for a store that is opened for reading, the kernel is asked to take
// the pages back, which harms nothing, but is slow, and they leave the cache of files as well.
func (s *Store) unmapPages() {
	dir, err := filepath.Abs(s.dir)
	if err != nil {
		return
	}
	mapping.Lock()
	defer mapping.Unlock()
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
		var from, to, offset uintptr
		var rights string
		if _, err := fmt.Sscanf(line, "%x-%x %s %x", &from, &to, &rights, &offset); err != nil {
			continue
		}
		if !remap(from, to-from, offset) {
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, unix.MADV_PAGEOUT)
		}
	}
}

// remap maps part of a file anew at the address where it is mapped already, and so without its pages;
// offset is its place in the file. It reports whether the kernel did. The caller holds mapping.
//
// Badger gives back the addresses of a table whenever it likes, and the program's own memory may
// lie there next, which MADV_DONTNEED would empty. remap_file_pages is refused for all but shared
// mappings of files that may be written, and of these none is made while mapping is held.
func remap(from, length, offset uintptr) bool {
	_, _, errno := syscall.Syscall6(unix.SYS_REMAP_FILE_PAGES, from, length, 0,
		offset/uintptr(os.Getpagesize()), unix.MAP_NONBLOCK, 0) // without reading the pages again
	return errno == 0
}
