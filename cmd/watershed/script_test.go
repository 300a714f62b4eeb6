package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"watershed/internal/console"
	"watershed/internal/disk"
)

func TestMain(m *testing.M) {
	testscript.Main(roomy{m}, map[string]func(){
		"watershed": main,
		"watershed-overflow": func() { // as main begins, and then what Go cannot survive
			abortOnFault()
			debug.SetMaxStack(64 << 10)
			fmt.Println(overflow(1))
		},
	})
}

// roomy runs all tests only where their harvests do not wait for room: many have the default of
// limits.free_disk. Tests that are chosen may need none.
type roomy struct{ *testing.M }

func (m roomy) Run() int {
	flag.Parse()
	all := flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.list").Value.String() == ""
	if free, ok := disk.Free(os.TempDir()); all && ok && free < 5e9 {
		fmt.Printf("%s has %s free, and these tests need 5 GB: set TMPDIR\n", os.TempDir(),
			console.Size(int64(free)))
		return 1
	}
	return m.M.Run()
}

//lint:ignore SA5007 it is to overflow the stack
func overflow(n int) int { return overflow(n+1) + n }

// succeed runs a command that must succeed, and gives what it prints and what it says beside.
func succeed(t *testing.T, ctx context.Context, args ...string) (out, said string) {
	t.Helper()
	return ends(t, ctx, exitOK, args...)
}

// ends runs a command that must end with an exit code.
func ends(t *testing.T, ctx context.Context, want int, args ...string) (out, said string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(ctx, args, &stdout, &stderr); code != want {
		t.Fatalf("%v: exit %d, want %d\n%s%s", args, code, want, stdout.String(), stderr.String())
	}
	return stdout.String(), stderr.String()
}

// outputOf is what a command prints that must succeed.
func outputOf(t *testing.T, ctx context.Context, args ...string) string {
	t.Helper()
	out, _ := succeed(t, ctx, args...)
	return out
}

// TestScripts runs the command as a user would; each script says what is typed and what must come
// of it.
func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts the program some two hundred times")
	}
	golden, err := filepath.Abs("../../archive/testdata")
	if err != nil {
		t.Fatal(err)
	}
	answers, err := filepath.Abs(answersFile)
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("ARCHIVE", golden)
			e.Setenv("ANSWERS", answers)
			e.Setenv("TEMPORARY", os.TempDir()) // TMPDIR is closed to the browser's user
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "truncate": truncate,
			"answers": checkAnswer, "insist": insist,
		},
		Condition: func(name string) (bool, error) {
			if name != "browser" {
				return false, fmt.Errorf("no condition is called %q", name)
			}
			return os.Getenv("WATERSHED_BROWSER") != "", nil // it is required
		},
	})
}

// exits runs a command and wants its exit code: exits 4 watershed config check x.yaml
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command [args]")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := "0"
	if err != nil {
		code = err.Error()
	}
	if want := "exit status " + args[0]; code != want && (args[0] != "0" || code != "0") {
		ts.Fatalf("%v: %s, want %s", args[1:], code, want)
	}
}

// insist runs a command again and again until it succeeds, for one that asks a process which is
// starting: insist command [args]
func insist(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: insist command [args]")
	}
	var err error
	for range 1000 {
		if err = ts.Exec(args[0], args[1:]...); err == nil {
			return
		}
	}
	ts.Fatalf("%v: %v", args, err)
}

// truncate cuts a file short: truncate file bytes
func truncate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: truncate file bytes")
	}
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), n))
}
