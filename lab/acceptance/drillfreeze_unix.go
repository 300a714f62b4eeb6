//go:build unix

package acceptance

import "syscall"

// freeze stops a process where it is, until thaw.
func (p *process) freeze() error { return p.signal(syscall.SIGSTOP) }
func (p *process) thaw() error   { return p.signal(syscall.SIGCONT) }
