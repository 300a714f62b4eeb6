package main

import (
	"syscall"
	"time"
)

// cpuTime is the processor time of this process, 0 where it cannot be told.
func cpuTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
