//go:build unix

package sitemap

import (
	"runtime"
	"syscall"
	"testing"
	"time"
)

// cpu is the processor time that the process has used, all threads together.
func cpu(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peak is the largest resident memory of the process so far, in MiB.
func peak(tb testing.TB) float64 {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	unit := 1024.0 // kilobytes, but on Darwin bytes
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	return float64(u.Maxrss) * unit / (1 << 20)
}
