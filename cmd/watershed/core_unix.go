//go:build unix

package main

import "syscall"

// writeNoCore has the system write no core of this process.
func writeNoCore() {
	var core syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_CORE, &core); err == nil {
		core.Cur = 0
		_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &core) // lowering it is always allowed
	}
}
