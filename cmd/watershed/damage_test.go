package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"watershed/store"
)

// gzipped is a record of a page as a gzip member.
func gzipped(t *testing.T, url, body string) string {
	t.Helper()
	block := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := fmt.Fprintf(z,
		"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:%x>\r\nWARC-Date: "+
			"2026-11-21T08:00:00Z\r\n"+
			"WARC-Target-URI: %s\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: "+
			"%d\r\n\r\n%s\r\n\r\n", url, url, len(block), block)
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// deflated is a package whose WARC file is compressed, as it must not be.
func deflated(t *testing.T, warc string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range [][2]string{{"datapackage.json", "{}"}, {"archive/a.warc.gz", warc}} {
		w, err := z.Create(f[0])
		if err == nil {
			_, err = io.WriteString(w, f[1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestOneBadFile: each command that reads several files of others tells of a bad one by its name,
// reads the others to their end, and fails.
func TestOneBadFile(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	page := func(n int) string {
		return gzipped(t, fmt.Sprintf("http://site.example/%d", n),
			fmt.Sprintf("<a href=/%d>next</a> some words of page %d", n+1, n))
	}
	a, z := put("a.warc.gz", page(1)+page(2)), put("z.warc.gz", page(3)+page(4))
	whole := page(9)
	cut := whole[:len(whole)-30]
	bad := map[string]string{
		"cut":       put("cut.warc.gz", cut),
		"no WARC":   put("text.warc", "<html>"),
		"not there": filepath.Join(dir, "none.warc.gz"),
	}
	packages := map[string]string{
		"deflated and cut": put("deflated.wacz", deflated(t, cut)),
		"no package":       put("no.wacz", "PK"),
	}
	maps.Copy(bad, packages)
	for name, c := range map[string]struct {
		args     []string
		want     string // on standard output
		packages bool
	}{
		"delimit":    {[]string{"delimit", "-o", "OUT", "--from", "A", "BAD", "Z"}, "4 pages", true},
		"warc ls":    {[]string{"warc", "ls", "A", "BAD", "Z"}, "http://site.example/4", false},
		"warc check": {[]string{"warc", "check", "A", "BAD", "Z"}, z + ": 2 records", false},
		"cdxj":       {[]string{"cdxj", "A", "BAD", "Z"}, "http://site.example/4", false},
	} {
		for what, path := range bad {
			if _, isPackage := packages[what]; isPackage && !c.packages {
				continue
			}
			t.Run(name+"/"+what, func(t *testing.T) {
				var args []string
				for _, arg := range c.args {
					switch arg {
					case "A":
						arg = a
					case "Z":
						arg = z
					case "BAD":
						arg = path
					case "OUT":
						arg = filepath.Join(t.TempDir(), "out")
					}
					args = append(args, arg)
				}
				var out, told bytes.Buffer
				if code := run(t.Context(), args, &out, &told); code != exitFailed {
					t.Errorf("exit code %d, want %d", code, exitFailed)
				}
				if !strings.Contains(out.String(), c.want) {
					t.Errorf("printed %q, want %q in it", out.String(), c.want)
				}
				if all := told.String() + out.String(); !strings.Contains(all, path) ||
					!strings.Contains(all, "damage") {
					t.Errorf("%s is not told: %q", path, all)
				}
			})
		}
	}
}

// TestRemedy: who must not write a file is told so, once.
func TestRemedy(t *testing.T) {
	path := &fs.PathError{Op: "open", Path: "x", Err: syscall.EACCES}
	for _, c := range []struct {
		err  error
		says string
	}{
		{fmt.Errorf("write: %w", path), "needs the right"},
		{errors.Join(errors.New("first"), &os.LinkError{Op: "rename", Err: syscall.EROFS}), "read-only"},
		{&store.OpenError{Dir: "x", Cause: path, Hint: "give it"}, ""},
		{fmt.Errorf("archive: %w", &fs.PathError{Op: "open", Path: "x", Err: syscall.EMFILE}), "ulimit -n"},
		{fmt.Errorf("lock state: %w", syscall.ENOLCK), "use a local disk"},
		{&os.LinkError{Op: "rename", New: "damage_test.go", Err: syscall.EEXIST}, "use a local disk"},
		{&os.LinkError{Op: "rename", New: "testdata", Err: syscall.EEXIST}, ""},
		{syscall.ENOSPC, "make room on that disk, then give the same command again"},
		{&net.OpError{Op: "listen", Net: "tcp", Err: os.NewSyscallError("bind", syscall.EACCES)}, ""},
	} {
		if got := remedy(c.err); c.says == "" && got != "" || !strings.Contains(got, c.says) {
			t.Errorf("%v: %q, want %q", c.err, got, c.says)
		}
	}
}
