//go:build !linux

package crashdisk

import "os"

// extent gives the next part of a file that holds data: all of it, as far as is known here.
func extent(_ *os.File, at, size int64) (from, to int64) { return at, size }
