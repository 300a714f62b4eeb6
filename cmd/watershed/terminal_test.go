//go:build linux

package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"watershed/crawler"
	"watershed/demo"
	"watershed/internal/console"
)

// terminal opens a terminal of so many columns: what is written to tty can be read from the other.
func terminal(t *testing.T, columns int) (tty, screen *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminal can be made: %v", err)
	}
	t.Cleanup(func() { screen.Close() })
	fd := int(screen.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: uint16(columns)})
	}
	if err == nil {
		tty, err = os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return tty, screen
}

// shown is what a command writes to a terminal of so many columns.
func shown(t *testing.T, ctx context.Context, columns int, args []string) (string, int) {
	t.Helper()
	tty, screen := terminal(t, columns)
	text := make(chan string, 1)
	go func() {
		var b bytes.Buffer
		_, _ = io.Copy(&b, screen) // ends with EIO when the terminal is closed
		text <- strings.ReplaceAll(b.String(), "\r\n", "\n")
	}()
	code := run(ctx, args, tty, tty)
	if err := tty.Close(); err != nil {
		t.Error(err)
	}
	return <-text, code
}

// colours are the codes that only a terminal gets.
var colours = regexp.MustCompile(`\x1b\[[0-9]*m`)

// dense is a text without what may differ by the width: colours, white space and the age of a status.
func dense(text string) string {
	text = colours.ReplaceAllString(text, "")
	text = regexp.MustCompile(`, \S+ ago`).ReplaceAllString(text, "")
	return strings.Join(strings.Fields(text), "")
}

// TestEveryTableFits prints what commands have to tell of two harvests of the demo: on terminals of
// 60, 80 and 120 columns no line is wider, and nothing is cut; in a pipe each line is whole.
func TestEveryTableFits(t *testing.T) {
	if testing.Short() {
		t.Skip("the demo is harvested twice to fill the tables")
	}
	t.Setenv("TERM", "xterm")
	dir := t.TempDir()
	file := filepath.Join(dir, demoName+".yaml")
	for _, again := range [][]string{{"demo", "--dir", dir}, {"demo", "--again", "--dir", dir}} {
		outputOf(t, t.Context(), again...)
	}
	note := "a note that is longer than the terminal is wide, as letters from webmasters tend to be"
	outputOf(t, t.Context(), "mirrors", "confirm", file, "mirror.example", "--to", "www.gemo.example",
		"--note", note)
	outputOf(t, t.Context(), "decide", "exclude", file, "regex:/print/[a-z]+", "--note", note)
	outputOf(t, t.Context(), "search", file) // makes the index
	archive := filepath.Join(dir, demoName, "run-0001", "archive")
	for _, args := range [][]string{
		{"status", file},
		{"report", file},
		{"explain", file, "http://osage.example/verso/"},
		{"scales", file},
		{"scales", file, "gemo", "--at", "0.2", "--all"},
		{"skipped", file},
		{"skipped", file, "--by", "rule"},
		{"mirrors", "list", file},
		{"mirrors", "list", file, "mirror.example"},
		{"mirrors", "list", file, "--state", "expired"}, // none
		{"changes", file},
		{"forecast", file},
		{"search", file, "magic"},
		{"quality", file, "--pages", "5"},
		{"decide", "list", file},
		{"config", "show", file},
		{"config", "check", file},
		{"warc", "ls", archive},
		{"warc", "check", archive},
		{"--help"},
		{"harvest", "--help"},
		{"no-such-command-of-this-program-that-would-fit-into-a-line-of-sixty-columns"},
	} {
		t.Run(strings.Join(args[:min(2, len(args))], " "), func(t *testing.T) {
			var pipe bytes.Buffer
			want := run(t.Context(), args, &pipe, &pipe)
			for _, columns := range []int{60, 80, 120} {
				text, code := shown(t, t.Context(), columns, args)
				if code != want {
					t.Errorf("exit %d on a terminal, %d in a pipe", code, want)
				}
				fits(t, text, columns)
				keepsAll(t, text, pipe.String(), args[0] == "report" || args[0] == "forecast")
			}
		})
	}
}

// fits holds each line to a width.
func fits(t *testing.T, text string, columns int) {
	t.Helper()
	for line := range strings.Lines(text) {
		if n := console.Columns(strings.TrimSuffix(line, "\n")); n > columns {
			t.Errorf("%d of %d columns: %s", n, columns, line)
		}
	}
}

// keepsAll wants each character of what a pipe gets on the terminal too, as often: cells that were
// broken into lines lie side by side. headings, as those of reports, may be repeated.
func keepsAll(t *testing.T, text, pipe string, headings bool) {
	t.Helper()
	characters := func(s string) map[rune]int {
		n := map[rune]int{}
		for _, c := range dense(s) {
			n[c]++
		}
		return n
	}
	have, want := characters(text), characters(pipe)
	for c, n := range want {
		if have[c] < n || have[c] > n && !headings {
			t.Errorf("%q is there %d times, and %d times in a pipe:\n%s\n%s", c, have[c], n, text, pipe)
			return
		}
	}
}

// TestProgressLine harvests the demo's web on a terminal of 80 columns: the progress line is one
// that is written again and again in its place, and says nothing but what an archivist says.
func TestProgressLine(t *testing.T) {
	t.Setenv("TERM", "xterm")
	dir := t.TempDir()
	web := demo.New(demo.Options{})
	err := web.Serve(t.Context(), func(ctx context.Context) error {
		file := filepath.Join(dir, "demo.yaml")
		if err := os.WriteFile(file, demoYAML(web), 0o666); err != nil {
			return err
		}
		text, code := shown(t, ctx, 80, []string{"harvest", file})
		if code != exitOK {
			t.Errorf("exit %d", code)
		}
		if n := strings.Count(text, "crawling: "); n < 3 {
			t.Errorf("the line was drawn %d times", n)
		}
		for line := range strings.Lines(text) {
			for drawn := range strings.SplitSeq(strings.TrimSuffix(line, "\n"), "\r") {
				fits(t, drawn, 80)
				if strings.Contains(drawn, "opening") && strings.Contains(drawn, dir) {
					t.Errorf("what is told stands behind the progress line: %q", drawn)
				}
				if strings.Contains(drawn, "crawling: ") && strings.HasSuffix(line, drawn+"\n") {
					t.Errorf("the progress line ends its line: %q", drawn)
				}
			}
		}
		for _, word := range []string{"excess", "backing off", "or later", "resting"} {
			if strings.Contains(text, word) {
				t.Errorf("the word %q:\n%s", word, text)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestLine(t *testing.T) {
	now := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	p := crawler.Progress{
		Since: now.Add(-time.Minute), Time: now, Visits: 120, Failed: 3, Bytes: 2_500_000,
		Pending: 1200, Due: 1, Resting: 3, Backoff: 1, Left: 40 * time.Minute,
	}
	const whole = "crawling: 120 URLs asked for, 1200 waiting on 4 hosts, 1 host to be tried again later, " +
		"done in 40 min at the earliest, 3 failed, 2.5 MB, 2.0 a second"
	if got := line("crawling", p, 0); got != whole {
		t.Errorf("%q", got)
	}
	for most := 1; most < len(whole)+5; most++ {
		if got := line("crawling", p, most); len(got) > most {
			t.Errorf("%d of %d columns: %s", len(got), most, got)
		}
	}
	const first = "crawling: 120 URLs asked for, 1200 waiting on 4 hosts"
	if got := line("crawling", p, 60); !strings.HasPrefix(got, first) {
		t.Errorf("%q", got)
	}
	p.Held, p.Left = true, 20*time.Second
	if got := line("crawling", p, 80); !strings.Contains(got, "PAUSED by hand") ||
		strings.Contains(got, "earliest") {
		t.Errorf("%q", got)
	}
}
