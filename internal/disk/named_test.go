//go:build unix

package disk

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestWriteNamed: what a person named is replaced by something whole or stays, a link stays a link,
// and a pipe a pipe.
func TestWriteNamed(t *testing.T) {
	dir := t.TempDir()
	file, link, pipe := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "c")
	say := func(text string, err error) func(io.Writer) error {
		return func(w io.Writer) error {
			_, e := io.WriteString(w, text)
			return errors.Join(e, err)
		}
	}
	if err := errors.Join(WriteNamed(file, say("first", nil)), os.Symlink(file, link),
		WriteNamed(link, say("second", nil)), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	if err := WriteNamed(link, say("half", broken)); !errors.Is(err, broken) {
		t.Errorf("a failure: %v", err)
	}
	heard := make(chan string)
	go func() {
		text, _ := os.ReadFile(pipe) // what lacks is seen below
		heard <- string(text)
	}()
	if err := WriteNamed(pipe, say("third", nil)); err != nil {
		t.Error(err)
	}
	if text := <-heard; text != "third" {
		t.Errorf("through the pipe came %q", text)
	}
	for path, want := range map[string]os.FileMode{file: 0, link: os.ModeSymlink, pipe: os.ModeNamedPipe} {
		if info, err := os.Lstat(path); err != nil || info.Mode().Type() != want {
			t.Errorf("%s is %v, %v", path, info, err)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "second" {
		t.Errorf("the file has %q, %v", text, err)
	}
	made := filepath.Join(dir, "made")
	dangling := filepath.Join(dir, "d")
	if err := errors.Join(os.Symlink("made", dangling), WriteNamed(dangling, say("fourth", nil)),
		os.Chmod(made, 0o600), WriteNamed(dangling, say("fifth", nil))); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(made); err != nil || info.Mode() != 0o600 {
		t.Errorf("a file that its owner alone may read is %v, %v", info, err)
	}
	if info, err := os.Lstat(dangling); err != nil || info.Mode().Type() != os.ModeSymlink {
		t.Errorf("the link to it is %v, %v", info, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*"+Suffix)); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// fullDisk is the machine's disk with no room for a byte.
type fullDisk struct{ OS }

type fullFile struct{ File }

func (d fullDisk) OpenFile(path string, flag int, perm os.FileMode) (File, error) {
	f, err := d.OS.OpenFile(path, flag, perm)
	return fullFile{f}, err
}

func (fullFile) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// TestFullOnce: it is told once that there is no room, and the file that was there stays.
func TestFullOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	err := os.WriteFile(path, []byte("first"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	err = WriteFile(fullDisk{}, path, 0o600, func(w io.Writer) error {
		_, err := w.Write(make([]byte, 1<<20))
		return err
	})
	if !errors.Is(err, syscall.ENOSPC) || strings.Count(err.Error(), syscall.ENOSPC.Error()) != 1 {
		t.Errorf("a full disk: %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "first" {
		t.Errorf("the file has %q, %v", text, err)
	}
}
