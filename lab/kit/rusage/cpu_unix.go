//go:build unix

package rusage

import (
	"syscall"
	"time"
)

// CPU is the processor time that this process has used, all threads together; 0 where it cannot be
// told.
func CPU() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
