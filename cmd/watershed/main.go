// Command watershed harvests logical websites: it finds out where a site ends, and archives what belongs to it.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

func main() {
	abortOnFault()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// abortOnFault makes whatever Go's runtime cannot survive (a panic of a goroutine, a stack that overflows, an access to
// memory that fails) end the process by SIGABRT, after all stacks were printed. Otherwise it would end with exit code 2,
// which says that the command line is wrong. No core is written: it would hold the passwords that files and logs do not.
func abortOnFault() {
	debug.SetTraceback("crash")
	var core syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_CORE, &core); err == nil {
		core.Cur = 0
		_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &core) // lowering it is always allowed
	}
}
