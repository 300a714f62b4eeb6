//go:build unix

package acceptance

import (
	"os"
	"syscall"
)

// freeze stops a process where it is, until thaw.
func (p *process) freeze() error { return p.signal(syscall.SIGSTOP) }
func (p *process) thaw() error   { return p.signal(syscall.SIGCONT) }

// mostResident is the most memory that a process took, in MiB; Linux counts it in KiB.
func mostResident(p *os.ProcessState) int64 {
	u, _ := p.SysUsage().(*syscall.Rusage)
	return int64(u.Maxrss) >> 10
}
