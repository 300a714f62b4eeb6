package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestInterruptedUnread: a command whose output nobody reads any more, as of a pager that stands
// still, leaves by an interrupt, too.
func TestInterruptedUnread(t *testing.T) {
	warc := filepath.Join(t.TempDir(), "many.warc")
	var text bytes.Buffer
	for i := range 4000 {
		fmt.Fprintf(&text, "WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Record-ID: <urn:x:%d>\r\n"+
			"WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Length: 1\r\n\r\nx\r\n\r\n", i)
	}
	if err := os.WriteFile(warc, text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "watershed", "warc", "ls", warc, warc)
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close() //nolint:errcheck // nothing was read of it
	cmd.Stdout, cmd.Stderr = in, in
	if err := errors.Join(cmd.Start(), in.Close()); err != nil {
		t.Fatal(err)
	}
	const pipe = 64 << 10 // bytes that one takes
	for held := 0; held < pipe; {
		if held, err = unix.IoctlGetInt(int(out.Fd()), unix.TIOCINQ); err != nil {
			t.Fatal(err)
		}
		if err := ctx.Err(); err != nil {
			t.Fatalf("%v: the pipe has %d bytes", err, held)
		}
		<-time.After(time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("the command ended with %v", err)
	}
}
