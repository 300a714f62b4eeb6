package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode"

	"watershed/lab/kit/archivetest"
)

// hostile is a text that would clear a screen, set its title, and turn the direction of what
// follows.
const hostile = "a\x1b[2J\x1b]0;title\x07\x7f\u009b2J\u202etxt\u2066\r\x9b\u2028b"

func steered(text string) bool {
	return strings.ContainsFunc(text, func(c rune) bool {
		return c != '\n' && c != '\t' &&
			(unicode.IsControl(c) || unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp))
	}) || strings.Contains(text, "\x9b")
}

// TestForeignText: what a WARC of others holds steers no terminal, by whichever command it is read.
func TestForeignText(t *testing.T) {
	dir := t.TempDir()
	page := "HTTP/1.1 200 O" + hostile + "\r\nContent-Type: text/html" + hostile + "\r\n\r\n<title>" +
		hostile + "</title>" + hostile
	var b bytes.Buffer
	for _, kind := range []string{"response", "ki\x1b[2Jnd"} {
		fmt.Fprintf(&b,
			"WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:x:%s>\r\nWARC-Date: "+
				"2026-01-01T00:00:00Z\x1b[2J\r\n"+
				"WARC-Target-URI: http://a.example/%s\r\nWARC-Filename: %s\r\nContent-Type: "+
				"application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
			kind, kind, strings.ReplaceAll(hostile, "\r", ""), "x\u202ey", len(page), page)
	}
	file := filepath.Join(dir, "a.warc")
	if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	odd := filepath.Join(dir, "\x1b[2J\u202e.warc")
	first := ""
	for range 10 {
		var all bytes.Buffer
		for _, args := range [][]string{
			{"warc", "ls", file},
			{"warc", "check", file},
			{"warc", "ls", odd},
			{"\x1b[2J"},
			{"harvest", odd},
			{"delimit", file, "--out", filepath.Join(dir, "out")},
		} {
			run(t.Context(), args, &all, &all)
			if steered(all.String()) {
				t.Fatalf("%q prints %q", args, all.String())
			}
		}
		if first == "" {
			first = all.String()
		}
		if !strings.Contains(first, "⟨U+001B⟩[2J") {
			t.Fatalf("nothing of the record was printed:\n%s", first)
		}
		var check bytes.Buffer
		run(t.Context(), []string{"warc", "check", file}, &check, &check)
		if !strings.Contains(first, check.String()) {
			t.Fatalf("check says %s, and said before %s", check.String(), first)
		}
	}
	var raw bytes.Buffer
	if run(t.Context(), []string{"warc", "cat", file, "0"}, &raw, &raw); !strings.Contains(raw.String(),
		hostile) {
		t.Errorf("a record that is not shown on a terminal is not as it lies in the file: %q", raw.String())
	}
}

// noRoom is an output on a full disk.
type noRoom struct{}

func (noRoom) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// TestOutputWithoutRoom: a command whose output cannot be written says so, and finds no fault with the
// archive that it reads, or with the command line.
func TestOutputWithoutRoom(t *testing.T) {
	text := "WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Record-ID: <urn:uuid:" +
		"0e6f1a06-6f5f-4b5e-8f0c-2f6b1e0a0001>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\nContent-Length: 0" +
		"\r\n\r\n\r\n\r\n"
	file := filepath.Join(t.TempDir(), "a.warc")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"warc", "ls", file}, {"warc", "check", file}, {"warc", "ls", "--help"}} {
		succeed(t, t.Context(), args...)
		var said bytes.Buffer
		code := run(t.Context(), args, noRoom{}, &said)
		if code != exitNoSpace || !strings.HasPrefix(said.String(), "watershed: no space left on device") {
			t.Errorf("%v: exit %d\n%s", args, code, said.String())
		}
	}
}

// TestForeignWords: a page that was found by its words steers no terminal with its title, nor with
// the words around them.
func TestForeignWords(t *testing.T) {
	dir := t.TempDir()
	yaml := filepath.Join(dir, "h.yaml")
	text := "harvest: H\noperator: {name: N, contact: \"mailto:n@example.org\"}\n" +
		"archive: {dir: " + dir + "}\nsites: [{name: S, seeds: [\"http://a.example/\"]}]\n"
	if err := os.WriteFile(yaml, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	config, err := load(yaml)
	if err != nil {
		t.Fatal(err)
	}
	first := folderOf(&config).Run(1)
	if err := first.Make(); err != nil {
		t.Fatal(err)
	}
	archivetest.Write(t, first.Archive(), first.Index(), []archivetest.Capture{{
		URL: "http://a.example/", Body: "<title>" + hostile + "</title><p>" + hostile + " needle " + hostile,
	}})
	var out bytes.Buffer
	if code := run(t.Context(), []string{"search", yaml, "needle"}, &out, &out); code != 0 {
		t.Fatalf("exit code %d: %s", code, out.String())
	}
	if said := out.String(); !strings.Contains(said, "http://a.example/") || steered(said) ||
		!strings.HasPrefix(said, "1 documents indexed\n") {
		t.Errorf("%q", out.String())
	}
}
