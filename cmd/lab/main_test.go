package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
)

// TestHelp: every command and every option says what it is.
func TestHelp(t *testing.T) {
	var out bytes.Buffer
	if code := run(t.Context(), []string{"--help"}, &out, io.Discard); code != exitOK ||
		!strings.Contains(out.String(), "soak") {
		t.Fatalf("exit %d\n%s", code, out.String())
	}
	parser, err := newParser()
	if err != nil {
		t.Fatal(err)
	}
	leaves := parser.Model.Leaves(false)
	if len(leaves) < 20 {
		t.Errorf("%d commands", len(leaves))
	}
	for _, c := range leaves {
		if c.Help == "" {
			t.Errorf("%s has no help", c.Path())
		}
		for _, f := range c.Flags {
			if f.Help == "" {
				t.Errorf("%s --%s has no help", c.Path(), f.Name)
			}
		}
	}
}

// TestExitCodes: a wrong command line is not a judgement.
func TestExitCodes(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want int
	}{
		{[]string{"collections", "synthetic", "--pages", "6000"}, exitOK},
		{[]string{"score", "--web", t.TempDir(), "--run", t.TempDir()}, exitFailed},
		{[]string{"drill", "--only", "nothing"}, exitFailed},
		{nil, exitUsage},
		{[]string{"nothing"}, exitUsage},
		{[]string{"score", "--run", t.TempDir()}, exitUsage},
	} {
		if got := run(t.Context(), tt.args, io.Discard, io.Discard); got != tt.want {
			t.Errorf("%v: exit %d, want %d", tt.args, got, tt.want)
		}
	}
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	from := "../../archive/testdata/good.warc.gz"
	args := []string{"replicas", "analyze", "--from", from, "--out", t.TempDir()}
	if got := run(ctx, args, io.Discard, io.Discard); got != exitInterrupted {
		t.Errorf("%v: exit %d when it is interrupted", args, got)
	}
}
