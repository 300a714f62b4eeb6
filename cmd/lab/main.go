// Command lab is the laboratory of watershed: it judges harvests, boundaries, rankings and copies
// on webs whose truth is known, measures what algorithms cost, fits what is fitted, and prints the
// tables and figures of the papers. Watershed imports nothing of it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"watershed/internal/console"
	"watershed/internal/usage"
	"watershed/lab/mcltool"
)

// Exit codes.
const (
	exitOK          = 0
	exitFailed      = 1  // the command failed, or judged that something is not as it must be
	exitUsage       = 2  // the command line is wrong
	exitInterrupted = 11 // SIGINT or SIGTERM, as of watershed
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run parses args and runs the command that they name. It returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	out, said := console.NewScreen(stdout), console.NewScreen(stderr)
	code := runOn(ctx, args, out, said)
	if err := errors.Join(out.Flush(), said.Flush()); err != nil && code == exitOK {
		return exitFailed
	}
	return code
}

func runOn(ctx context.Context, args []string, out, said *console.Screen) int {
	left := -1
	parser, err := newParser(
		kong.Writers(out, said),
		kong.Exit(func(code int) { left = code }),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.BindTo(io.Writer(out), (*io.Writer)(nil)),
		kong.Bind(console.Streams{Out: out, Err: said}),
	)
	if err != nil {
		fmt.Fprintf(said, "lab: %v\n", err)
		return exitFailed // the command line's own description is wrong
	}
	call, err := parser.Parse(mcltool.Arguments(args))
	if left >= 0 { // --help has printed
		return left
	}
	if err != nil {
		fmt.Fprintf(said, "lab: %v\nTry: lab --help\n", err)
		return exitUsage
	}
	if err := call.Run(); err != nil {
		fmt.Fprintf(said, "lab: %v\n", err)
		if errors.Is(err, context.Canceled) {
			return exitInterrupted
		}
		return exitFailed
	}
	return exitOK
}

// newParser is the command line as kong has it.
func newParser(options ...kong.Option) (*kong.Kong, error) {
	return kong.New(&commands{}, append([]kong.Option{
		kong.Name("lab"),
		kong.Description("The laboratory of watershed: it judges, measures and fits, and makes the tables " +
			"of the papers."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.ExplicitGroups(groups),
		usage.Texts(helpTexts),
	}, options...)...)
}
