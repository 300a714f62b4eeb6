package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"watershed/archive"
	"watershed/harvest"
	"watershed/internal/console"
	"watershed/internal/usage"
	"watershed/report"
	"watershed/store"
)

// Exit codes. Job runners depend on them; they are those of browsertrix-crawler where both have the
// case.
const (
	exitOK          = 0
	exitUsage       = 2  // the command line is wrong, or nothing that it names is there
	exitNoSpace     = 3  // the disk stayed full
	exitConfig      = 4  // the harvest's YAML is wrong
	exitFailed      = 9  // the command failed; the message says why
	exitInterrupted = 11 // SIGINT, SIGTERM or SIGHUP: all is saved, the same command goes on
	exitBytes       = 14 // a limit of bytes was reached
	exitTime        = 15 // the harvest's limit of time was reached
	exitPages       = 16 // a limit of pages or files was reached
	exitLosses      = 20 // the harvest is complete, with losses
	// exitAborted is how a shell tells SIGABRT, 128 and its number: see abortOnFault.
	exitAborted = 134
)

// exitError gives an error its exit code.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// groups are the headings of help, by what a person wants to do.
var groups = []kong.Group{
	{Key: "start", Title: "Start"},
	{Key: "watch", Title: "Watch"},
	{Key: "decide", Title: "Decide where a site ends"},
	{Key: "copies", Title: "Copies"},
	{Key: "look", Title: "Look at what there is"},
	{Key: "again", Title: "Harvest again"},
	{Key: "deliver", Title: "Deliver"},
	{Key: "archives", Title: "Archives of any crawler"},
}

// helpTexts are the help of commands, flags and arguments.
//
//go:embed help.txt
var helpTexts string

// commands is the command line; its help is in help.txt. A command with the tag first is one that a
// first harvest needs.
type commands struct {
	Version versionFlag

	Demo    demoCommand    `cmd:"" group:"start" first:""`
	Config  configCommand  `cmd:"" group:"start" first:""`
	Harvest harvestCommand `cmd:"" group:"start" first:""`
	Import  importCommand  `cmd:"" group:"start"`
	Node    nodeCommand    `cmd:"" group:"start"`

	Status  statusCommand  `cmd:"" group:"watch" first:""`
	Log     logCommand     `cmd:"" group:"watch"`
	Control controlCommand `cmd:"" group:"watch" first:""`
	UI      uiCommand      `cmd:"" name:"ui" group:"watch" first:""`

	Explain explainCommand `cmd:"" group:"decide" first:""`
	Scales  scalesCommand  `cmd:"" group:"decide" first:""`
	Decide  decideCommand  `cmd:"" group:"decide" first:""`

	Copies copiesCommand `cmd:"" group:"copies" aliases:"mirrors"`

	Report  reportCommand  `cmd:"" group:"look" first:""`
	Skipped skippedCommand `cmd:"" group:"look" first:""`
	Search  searchCommand  `cmd:"" group:"look" first:""`
	Quality qualityCommand `cmd:"" group:"look"`

	Changes  changesCommand  `cmd:"" group:"again"`
	Forecast forecastCommand `cmd:"" group:"again"`

	Upload uploadCommand `cmd:"" group:"deliver"`
	Wacz   waczCommand   `cmd:"" group:"deliver"`

	Delimit delimitCommand `cmd:"" group:"archives"`
	Warc    warcCommand    `cmd:"" group:"archives"`
	Cdxj    cdxjCommand    `cmd:"" group:"archives"`
}

// exitCode is the exit code of a command's error. A command that knows better than the causes below
// gives an exitError.
func exitCode(err error) int {
	var e *exitError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &e):
		return e.code
	case harvest.FullDisk(err):
		return exitNoSpace
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	return exitFailed
}

// run parses args and runs the command they name. It returns the exit code, also of a panic.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	out, said := console.Fit(console.NewScreen(stdout)), console.Fit(console.NewScreen(stderr))
	code := runOn(ctx, args, out, said)
	if err := console.Flush(out); err != nil && code == exitOK {
		fmt.Fprintf(said, "watershed: %v%s\n", err, remedy(err))
		code = exitCode(err)
	}
	_ = console.Flush(said) // where nobody can read it, all the same is done
	return code
}

func runOn(ctx context.Context, args []string, out, stderr io.Writer) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(stderr, "watershed: a fault of the program: %v\n%s\nAll is saved; please report "+
				"this text.\n", p, debug.Stack())
			code = exitFailed
		}
	}()
	left := -1
	parser, err := newParser(
		kong.Writers(out, stderr),
		kong.Exit(func(code int) { left = code }),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(console.Streams{Out: out, Err: stderr}),
	)
	if err != nil {
		fmt.Fprintf(stderr, "watershed: %v\n", err)
		return exitFailed // the command line's own description is wrong
	}
	if line := os.Getenv("COMP_LINE"); line != "" {
		return exitCode(complete(out, parser.Model.Node, line, os.Getenv("COMP_POINT")))
	}
	if len(args) == 0 {
		printCommands(out, parser.Model.Node, firstCommands)
		return exitUsage // nothing was done
	}
	name := styleOf(stderr).bad("watershed:")
	args = withHarvest(parser.Model.Node, args)
	call, err := parser.Parse(args)
	if left >= 0 { // --help has printed
		return left
	}
	if err != nil {
		fmt.Fprintf(stderr, "%s %v\nTry: %s\n", name, err, instead(args))
		return exitUsage
	}
	work := func() error { return call.Run() }
	if c, err := shardCallOf(call, args); c.cluster() != "" && !slices.Contains(ownCluster, args[0]) {
		work = func() error {
			if err != nil {
				return err
			}
			return forShards(ctx, console.Streams{Out: out, Err: stderr}, c)
		}
	}
	if slices.Contains(lasting, args[0]) {
		signal.Ignore(syscall.SIGPIPE)
		console.KeepOn(out)
		console.KeepOn(stderr)
	}
	err = work()
	code = exitCode(err)
	var own *exitError
	switch {
	case code == exitInterrupted && ctx.Err() != nil && !errors.As(err, &own):
		fmt.Fprintf(stderr, "%s interrupted: the same command does it again\n", name)
	case err != nil:
		fmt.Fprintf(stderr, "%s %v%s\n", name, err, remedy(err))
	}
	return code
}

// lasting are the commands whose work goes on though nobody reads any more what they print.
var lasting = []string{"demo", "harvest", "node", "ui", "upload"}

// remedy says what to do about a full disk, too few files that may be open, a file system that lacks what
// an archive needs, and a file or folder that this user must not write or read, where the error does not
// say so.
func remedy(err error) string {
	var said *store.OpenError
	var port *net.OpError
	var link *os.LinkError
	switch {
	case errors.As(err, &said), errors.As(err, &port): // a port is no file
	case harvest.FullDisk(err):
		return " (make room on that disk, then give the same command again)"
	case errors.Is(err, syscall.EROFS):
		return " (that disk is mounted read-only: mount it for writing, or work on a copy elsewhere)"
	case errors.Is(err, fs.ErrPermission):
		return " (whoever runs this needs the right: give it, run this as the owner, or work on a copy)"
	case errors.Is(err, syscall.EMFILE):
		return " (allow more open files, by ulimit -n 1024 or more, then give the same command again)"
	case errors.Is(err, syscall.ENOLCK),
		errors.As(err, &link) && errors.Is(link, fs.ErrExist) && isFile(link.New): // or it is a folder
		return " (that file system has no locks, or renames no file over another: use a local disk)"
	}
	return ""
}

// newParser is the command line as kong has it.
func newParser(options ...kong.Option) (*kong.Kong, error) {
	return kong.New(&commands{}, append([]kong.Option{
		kong.Name("watershed"),
		kong.Description("A web-archiving crawler that works out where a website ends."),
		kong.UsageOnError(),
		kong.ExplicitGroups(groups),
		kong.Help(printHelp),
		usage.Texts(helpTexts),
		kong.BindToProvider(harvestNamed),
		kong.Vars{"reasons": joined(archive.Reasons()), "reports": joined(report.Names)},
	}, options...)...)
}

// joined is a list as the tag enum has it.
func joined[T ~string](list []T) string { return strings.ReplaceAll(join(list), " ", ",") }

// versionFlag prints the version in place of a command.
type versionFlag bool

// BeforeReset is called by the parser where the flag is given.
func (versionFlag) BeforeReset(app *kong.Kong) error {
	_, err := fmt.Fprintln(app.Stdout, "watershed", version())
	app.Exit(exitCode(err))
	return nil
}

// version is that of the module as it was built, with the commit where the build knows it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 && !strings.Contains(v, s.Value[:12]) {
			v += " " + s.Value[:12]
		}
	}
	return v
}
