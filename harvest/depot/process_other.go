//go:build !unix

package depot

import "syscall"

// alone is nothing here.
func alone() *syscall.SysProcAttr { return nil }

// endOf tells at once that a child has ended: here it cannot be looked at without waiting for it. The
// harvest's own lock still keeps a second one out.
func endOf(int) (code int, ended bool) { return 0, true }
