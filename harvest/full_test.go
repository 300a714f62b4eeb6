package harvest

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"watershed/archive"
	"watershed/internal/disk"
	"watershed/replica/sketch"
	"watershed/report"
)

// fullDisk is the machine's disk until it is filled: then nothing more is written, nor made, once so
// many further writes have passed; what comes to it within a write is cut.
type fullDisk struct {
	disk.OS

	mu   sync.Mutex
	fill bool
	left int // writes that still pass
}

func (d *fullDisk) full() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.left--
	return d.fill && d.left < 0
}

func noRoom(op, path string) error { return &os.PathError{Op: op, Path: path, Err: syscall.ENOSPC} }

func (d *fullDisk) OpenFile(path string, flag int, perm fs.FileMode) (disk.File, error) {
	if flag&os.O_CREATE != 0 && d.full() {
		return nil, noRoom("open", path)
	}
	f, err := d.OS.OpenFile(path, flag, perm)
	if err != nil {
		return nil, err
	}
	return &fullFile{f, d}, nil
}

func (d *fullDisk) MkdirAll(path string, perm fs.FileMode) error {
	if _, err := os.Stat(path); err != nil && d.full() {
		return noRoom("mkdir", path)
	}
	return d.OS.MkdirAll(path, perm)
}

func (d *fullDisk) Link(from, to string) error {
	if d.full() {
		return noRoom("link", to)
	}
	return d.OS.Link(from, to)
}

type fullFile struct {
	disk.File

	disk *fullDisk
}

func (f *fullFile) Write(b []byte) (int, error) {
	if !f.disk.full() {
		return f.File.Write(b)
	}
	n, err := f.File.Write(b[:len(b)/2])
	return n, errors.Join(err, noRoom("write", f.Name()))
}

// Another program fills the disk while a run is delivered, at each of its writes: the delivery ends
// with the system's word for it, and when there is room again the same command delivers the same.
func TestFullDiskInDelivery(t *testing.T) {
	w, site := example()
	p := w.start(t, site)
	p.WACZ, p.KeepOutside = true, true
	p.Crawl.Sketch, p.Replicas.Find = new(sketch.Options), true
	want := captured(t, run(t, Folder(t.TempDir()), p))
	stride := 17
	if testing.Short() {
		stride = 80
	}
	refused := 0
	for left := 0; ; left += stride {
		full := &fullDisk{}
		p.Disk = full
		folder := Folder(t.TempDir())
		h, err := Open(folder, p)
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Crawl(t.Context()); err != nil {
			t.Fatal(err)
		}
		full.mu.Lock()
		full.fill, full.left = true, left
		full.mu.Unlock()
		if _, err = h.Deliver(t.Context(), nil); err != nil && endedBy(err) != report.Interrupted {
			t.Errorf("after %d writes the run has %s", left, endedBy(err))
		}
		err = errors.Join(err, h.Close())
		p.Disk = nil
		if err == nil {
			t.Logf("a delivery writes less than %d times", left)
			break
		}
		refused++
		if !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, archive.ErrNoSpace) {
			t.Errorf("after %d writes: %v", left, err)
		}
		t.Run(fmt.Sprintf("after %d writes", left), func(t *testing.T) {
			run(t, folder, p) // the same run, or a recrawl where only what follows its delivery found no room
			if got := captured(t, &Delivered{Run: folder.Run(1)}); !maps.Equal(got, want) {
				t.Errorf("captured %v\nwant %v", got, want)
			}
		})
	}
	if refused == 0 {
		t.Error("the disk was never full")
	}
}

// cuttingFails is the machine's disk on which a single write to a WARC file finds no room, and what
// was written of it cannot be cut off again.
type cuttingFails struct {
	disk.OS

	mu     sync.Mutex
	writes int // to WARC files
}

type uncut struct {
	disk.File

	disk *cuttingFails
	torn bool
}

func (d *cuttingFails) OpenFile(path string, flag int, perm fs.FileMode) (disk.File, error) {
	f, err := d.OS.OpenFile(path, flag, perm)
	if err != nil || !strings.HasSuffix(path, ".warc.gz.open") || flag&os.O_EXCL == 0 {
		return f, err
	}
	return &uncut{File: f, disk: d}, nil
}

func (f *uncut) Write(b []byte) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.disk.writes++; f.disk.writes != 9 {
		return f.File.Write(b)
	}
	f.torn = true
	n, err := f.File.Write(b[:len(b)/2])
	return n, errors.Join(err, noRoom("write", f.Name()))
}

func (f *uncut) Truncate(size int64) error {
	if f.torn {
		return syscall.EIO
	}
	return f.File.Truncate(size)
}

// TestGivenUpFile: the captures of a WARC file that could not be written on are delivered with the
// others.
func TestGivenUpFile(t *testing.T) {
	w, site := example()
	p := w.start(t, site)
	d := &cuttingFails{}
	p.Disk, p.Crawl.DiskWait = d, time.Minute
	h, err := Open(Folder(t.TempDir()), p)
	if err != nil {
		t.Fatal(err)
	}
	crawled := h.Crawl(t.Context())
	done, err := h.Deliver(t.Context(), nil)
	if err := errors.Join(crawled, err, h.Close()); err != nil {
		t.Fatal(err)
	}
	if d.writes < 9 || len(done.Missing) > 0 || len(done.Files) < 2 {
		t.Errorf("after %d writes %d files, missing: %v", d.writes, len(done.Files), done.Missing)
	}
	readable(t, done)
}
