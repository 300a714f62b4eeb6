package store

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// trim asks the kernel to take back the pages of tables once more than MappedBytes of files are resident. Badger maps its
// tables into memory and writes them there, so that all of the database would be resident until memory is short elsewhere.
// The advice is harmless whatever lies at an address by the time it is given: pages stay valid and are read again when they
// are needed. That it fails costs nothing but memory.
func (s *Store) trim() {
	var size, resident, shared int64
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return
	}
	if _, err := fmt.Sscan(string(text), &size, &resident, &shared); err != nil || shared*int64(os.Getpagesize()) < s.opt.MappedBytes {
		return
	}
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
		if i := strings.IndexByte(line, '/'); i < 0 || !strings.HasSuffix(line, ".sst") || filepath.Dir(line[i:]) != dir {
			continue
		}
		var from, to uintptr
		if _, err := fmt.Sscanf(line, "%x-%x", &from, &to); err == nil {
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, unix.MADV_PAGEOUT)
		}
	}
}
