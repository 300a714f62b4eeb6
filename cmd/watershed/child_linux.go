package main

import "syscall"

// bound has a child end with this process, also where that is killed.
func bound() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}
