//go:build unix

package depot

import "syscall"

// alone has a process lead a session of its own, so that no terminal's signal reaches it.
func alone() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// endOf is how a child ended, if it has: its exit code, -1 where a signal ended it. It does not wait.
func endOf(pid int) (code int, ended bool) {
	var status syscall.WaitStatus
	for {
		got, err := syscall.Wait4(pid, &status, syscall.WNOHANG, nil)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil: // it is no child any more: nothing is known of its end
			return -1, true
		case got == 0:
			return 0, false
		case status.Exited():
			return status.ExitStatus(), true
		}
		return -1, true
	}
}
