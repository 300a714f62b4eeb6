//go:build !linux

package main

import "syscall"

// bound is nothing here: a child whose parent was killed goes on, and keeps the folder of its harvest.
func bound() *syscall.SysProcAttr { return nil }
