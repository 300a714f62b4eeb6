package store

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"watershed/internal/disk"
	"watershed/page"
)

// Whatever Badger writes through memory has its blocks before it is written, so that no disk that
// gets full can be met there.
func TestBlocks(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, dir)
	fill(t, s, 60_000)
	if err := s.Close(); err != nil { // so that there are tables
		t.Fatal(err)
	}
	s = openTest(t, dir)
	s.writing.Lock() // no log is begun meanwhile
	defer s.writing.Unlock()
	if err := s.reserve(); err != nil {
		t.Fatal(err)
	}
	checked := map[string]int{}
	for _, pattern := range []string{"*.mem", "*.sst", "*.vlog", "DISCARD"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			info, err := os.Stat(name)
			if err != nil {
				continue // a table that was merged with others since
			}
			want := info.Size()
			if name == s.next {
				want = 2 * s.opt.MemTableBytes
			}
			if got := disk.Occupied(info); got < want {
				t.Errorf("%s has %d bytes of blocks for %d", filepath.Base(name), got, want)
			}
			checked[pattern]++
		}
	}
	if checked["*.mem"] < 2 || checked["*.sst"] == 0 || checked["*.vlog"] == 0 || checked["DISCARD"] == 0 {
		t.Errorf("checked %v", checked)
	}
}

// A disk that another program fills under an open store gives ErrNoSpace from Update and Close,
// nothing else, and what was committed is read again when there is room. A process of its own does
// it, on a disk of its own.
func TestFullDisk(t *testing.T) {
	kept := filepath.Join(t.TempDir(), "kept")
	cmd := child(t, "full", t.TempDir(), kept)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if strings.Contains(string(out), "mount") || err != nil && !errors.As(err, &exit) {
		t.Skipf("no disk of its own for this process: %v %s", err, out)
	}
	if err != nil {
		t.Fatalf("%v\n%.3000s", err, out)
	}
	var committed int
	if _, err := fmt.Sscan(string(out), &committed); err != nil || committed == 0 {
		t.Fatalf("%.3000s", out)
	}
	s := openTest(t, kept)
	if n, _ := countURLs(t, s); n != committed {
		t.Errorf("%d of %d URLs are there", n, committed)
	}
}

// fullDisk fills a disk under a store and prints how many URLs were committed; kept gets the state
// as it is then.
func fullDisk(dir, kept string) error {
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=96m"); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	state := filepath.Join(dir, "state")
	s, err := Open(testOptions(state))
	if err != nil {
		return err
	}
	n, err := putUntil(s, 0, 50_000)
	if err != nil {
		return err
	}
	s.opt.MinFreeBytes = -1 << 60 // Badger itself shall meet the full disk
	if err := exhaust(filepath.Join(dir, "other")); err != nil {
		return err
	}
	if n, err = putUntil(s, n, 1_000_000); !errors.Is(err, ErrNoSpace) {
		return fmt.Errorf("update on the full disk: %w", err)
	}
	if _, err := putUntil(s, n, n+1); !errors.Is(err, ErrNoSpace) {
		return fmt.Errorf("second update on the full disk: %w", err)
	}
	if err := s.Close(); !errors.Is(err, ErrNoSpace) {
		return fmt.Errorf("close on the full disk: %w", err)
	}
	if err := os.CopyFS(kept, os.DirFS(state)); err != nil {
		return err
	}
	_, err = fmt.Println(n)
	return err
}

// putUntil commits URLs from number n on to number end, or to the first error, and tells how far it
// came.
func putUntil(s *Store, n, end int) (int, error) {
	for n < end {
		err := s.Update(func(tx *Tx) error {
			for i := n; i < min(n+500, end); i++ {
				u := URL{URL: page.URL(fmt.Sprintf("http://example.org/%d/%x", i, i*7919)), State: Known}
				if err := tx.PutURL(1, u.Key(), &u, nil); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return n, err
		}
		n = min(n+500, end)
	}
	return n, nil
}

// exhaust writes until the disk is full to its last page.
func exhaust(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	for page := make([]byte, os.Getpagesize()); err == nil; {
		_, err = f.Write(page)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		return err
	}
	return f.Close()
}
