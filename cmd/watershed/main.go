// Command watershed harvests logical websites: it finds out where a site ends, and archives what
// belongs to it.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"
)

// patience is how long a command that was interrupted may take to leave in order. Most leave at
// once; some steps are a single long computation or write, such as a large site's boundary or
// package. Together with its end it stays below two seconds.
const patience = 1500 * time.Millisecond

func main() {
	abortOnFault()
	ctx, stop := signal.NotifyContext(context.Background(), interrupts()...)
	context.AfterFunc(ctx, func() {
		signal.Ignore(syscall.SIGHUP) // a terminal that is closed sends it twice
		stop()                        // a second signal of another kind ends the process at once
		wait := patience
		if len(os.Args) > 1 && os.Args[1] == "node" { // its harvests leave first, and then others are told
			wait = 2 * endTime
		}
		time.AfterFunc(wait, leave)
	})
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// interrupts are the signals that end a command in order. SIGHUP says that the terminal was closed; a
// command that nohup began goes on.
func interrupts() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}

// abortOnFault makes whatever Go's runtime cannot survive (a panic of a goroutine, a stack that
// overflows, an access to memory that fails) end the process by SIGABRT, after all stacks were
// printed. Otherwise it would end with exit code 2, which says that the command line is wrong. No
// core is written: it would hold the passwords that files and logs do not.
func abortOnFault() {
	debug.SetTraceback("crash")
	writeNoCore()
}

// leave ends a process that is still in the middle of a step when its patience is over. The step is
// lost as in a crash, from which the next start recovers: nothing is claimed before it is written.
func leave() {
	time.AfterFunc(patience/10, func() { os.Exit(exitInterrupted) }) // nobody may read what is said
	fmt.Fprintln(os.Stderr,
		"\nwatershed: interrupted in the middle of a step: the same command does it again, and goes on")
	os.Exit(exitInterrupted)
}
