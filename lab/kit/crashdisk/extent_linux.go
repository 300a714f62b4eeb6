package crashdisk

import "os"

// Values of whence for lseek(2) on Linux.
const (
	seekData = 3
	seekHole = 4
)

// extent gives the next part of a file, from a place on, that holds data; it is empty at the end. A
// file system that does not tell holds data everywhere.
func extent(f *os.File, at, size int64) (from, to int64) {
	from, err := f.Seek(at, seekData)
	if err != nil {
		if _, told := f.Seek(0, seekHole); told == nil {
			return size, size // ENXIO: only a hole is left
		}
		return at, size
	}
	if to, err = f.Seek(from, seekHole); err != nil {
		return from, size
	}
	return from, max(to, from+1)
}
