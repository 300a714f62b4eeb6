package archive

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"watershed/internal/disk"
	"watershed/page"
)

// failing is a file whose disk fills up, or that fails in other ways.
type failing struct {
	*os.File
	room             *int64 // bytes that may still be written
	truncate, sync   error
	syncs, truncates int
}

func (f *failing) Write(p []byte) (int, error) {
	if int64(len(p)) > *f.room {
		n, err := f.File.Write(p[:*f.room])
		*f.room = 0
		if err == nil {
			err = &os.PathError{Op: "write", Path: f.Name(), Err: syscall.ENOSPC}
		}
		return n, err
	}
	*f.room -= int64(len(p))
	return f.File.Write(p)
}

func (f *failing) Truncate(n int64) error {
	f.truncates++
	if f.truncate != nil {
		return f.truncate
	}
	return f.File.Truncate(n)
}

func (f *failing) Sync() error {
	f.syncs++
	if f.sync != nil {
		return f.sync
	}
	return f.File.Sync()
}

// failingWriter is a Writer whose files are kept in made.
func failingWriter(t *testing.T, o Options, room *int64) (w *Writer, made *[]*failing) {
	t.Helper()
	made = new([]*failing)
	o.Disk = failingDisk{made: made, room: room}
	return testWriter(t, o), made
}

// failingDisk makes files that fail, and keeps them in made. Registers do not fail.
type failingDisk struct {
	disk.OS
	made *[]*failing
	room *int64
}

func (d failingDisk) OpenFile(path string, flag int, perm fs.FileMode) (disk.File, error) {
	f, err := d.OS.OpenFile(path, flag, perm)
	if err != nil || strings.HasSuffix(path, suffixRegister) {
		return f, err
	}
	one := &failing{File: f.(*os.File), room: d.room}
	*d.made = append(*d.made, one)
	return one, nil
}

func page1(n int) *page.Exchange {
	body := strings.Repeat("0123456789abcdef", n)
	return exchange("http://example.org/1", "HTTP/1.1 200 OK\nContent-Type: text/plain", body)
}

// Wherever the disk fills up, nothing of the batch stays, the error says so, and once there is room
// the writer goes on.
func TestNoSpaceAnywhere(t *testing.T) {
	for _, memory := range []int64{0, 100} { // from memory, and through the temporary file
		for room := int64(600); room < 1400; room += 37 {
			left := room
			w, made := failingWriter(t, Options{MemoryBytes: memory}, &left)
			first, err := w.Write(capture(t, page1(1), Meta{}, page.Origin{})...)
			if err != nil {
				if !errors.Is(err, ErrNoSpace) || first != nil {
					t.Fatalf("room %d: %v, %v", room, first, err)
				}
				if len(*made) > 0 {
					if _, size := w.Current(); size > 0 {
						stat, err := (*made)[0].Stat()
						if err != nil || stat.Size() != size {
							t.Fatalf("room %d: file has %d bytes, writer says %d, %v", room,
								stat.Size(), size, err)
						}
					}
				}
			}
			left = 1 << 20
			second := write(t, w, capture(t, page1(2), Meta{}, page.Origin{})...)
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			want := 4
			if err == nil {
				want = 7
			}
			name := second[0].File
			if all := readAll(t, filepath.Join(w.opt.Dir, name)); len(all) != want {
				t.Fatalf("room %d: %d records, want %d", room, len(all), want)
			}
			rep, err := checkFile(filepath.Join(w.opt.Dir, name))
			if err != nil || len(rep.Problems) > 0 {
				t.Fatalf("room %d: %v, %v", room, rep.Problems, err)
			}
			if entries, err := os.ReadDir(w.opt.Dir); err != nil || len(entries) != 1 {
				t.Fatalf("room %d: folder has %v, %v", room, entries, err)
			}
		}
	}
}

// A file that cannot be cut back is given up: the next batch begins another, and Repair finishes
// the first.
func TestGiveUp(t *testing.T) {
	room := int64(1 << 20)
	w, made := failingWriter(t, Options{}, &room)
	first := write(t, w, capture(t, page1(1), Meta{}, page.Origin{})...)
	bad := (*made)[0]
	bad.truncate = errors.New("no cutting")
	room = 100
	if _, err := w.Write(capture(t, page1(2), Meta{}, page.Origin{})...); !errors.Is(err, ErrNoSpace) ||
		!errors.Is(err, bad.truncate) {
		t.Fatalf("error %v", err)
	}
	room = 1 << 20
	second := write(t, w, capture(t, page1(3), Meta{}, page.Origin{})...)
	if second[0].File == first[0].File {
		t.Fatal("written behind a torn batch")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	done, err := Repair(nil, w.opt.Dir)
	if err != nil || len(done) != 1 || done[0].Captures != 1 || done[0].Cut != 100 || done[0].Damaged > 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	for _, loc := range append(first, second...) {
		if err := wholeAt(w.opt.Dir, loc); err != nil {
			t.Error(err)
		}
	}
}

// A file that the system could not make durable is not written on, and every later call says so.
func TestSyncFails(t *testing.T) {
	room := int64(1 << 20)
	w, made := failingWriter(t, Options{}, &room)
	write(t, w, capture(t, page1(1), Meta{}, page.Origin{})...)
	broken := errors.New("I/O error")
	(*made)[0].sync = broken
	if err := w.Sync(); !errors.Is(err, broken) {
		t.Fatalf("Sync: %v", err)
	}
	(*made)[0].sync = nil // a second fsync would seem to succeed
	if err := w.Sync(); !errors.Is(err, broken) {
		t.Errorf("second Sync: %v", err)
	}
	if _, err := w.Write(capture(t, page1(1), Meta{}, page.Origin{})...); !errors.Is(err, broken) {
		t.Errorf("Write: %v", err)
	}
	if err := w.Close(); !errors.Is(err, broken) {
		t.Errorf("Close: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	if _, err := w.Write(capture(t, page1(1), Meta{}, page.Origin{})...); !errors.Is(err, errClosed) {
		t.Errorf("Write after Close: %v", err)
	}
}

// A quota that is met while a file is made durable: the first call says so, and the later ones do not
// promise that room would help.
func TestSyncWithoutRoom(t *testing.T) {
	room := int64(1 << 20)
	w, made := failingWriter(t, Options{}, &room)
	write(t, w, capture(t, page1(1), Meta{}, page.Origin{})...)
	(*made)[0].sync = syscall.EDQUOT
	if err := w.Sync(); !errors.Is(err, ErrNoSpace) {
		t.Fatalf("Sync: %v", err)
	}
	(*made)[0].sync = nil
	err := w.Sync()
	if err == nil || errors.Is(err, ErrNoSpace) || !strings.Contains(err.Error(), "durable") {
		t.Errorf("second Sync: %v", err)
	}
	_, err = w.Write(capture(t, page1(1), Meta{}, page.Origin{})...)
	if err == nil || errors.Is(err, ErrNoSpace) {
		t.Errorf("Write: %v", err)
	}
	if err := w.Close(); err == nil {
		t.Error("it closes as if all were well")
	}
}

func TestLogNoSpace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "crawl.log")
	if err := os.WriteFile(path, []byte("first\ntorn"), 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := OpenLog(nil, path)
	if err != nil {
		t.Fatal(err)
	}
	room := int64(10)
	l.f = &failing{File: l.f.(*os.File), room: &room}
	line := &LogLine{URL: "http://example.org/"}
	if err := l.Fetched(line); err != nil {
		t.Fatal(err)
	}
	if err := l.Sync(); !errors.Is(err, ErrNoSpace) {
		t.Fatalf("Sync: %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "first\n" {
		t.Errorf("%q, %v", got, err)
	}
	room = 1 << 20
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Fetched(line); !errors.Is(err, errClosed) {
		t.Errorf("after Close: %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "first\n"+string(line.Append(nil)) {
		t.Errorf("%q, %v", got, err)
	}
}
