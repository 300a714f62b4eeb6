package store

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestUnmapPages: hardly a page of a table is in the process afterwards, each is in the system's cache of
// files, and what is in them is read again, also while tables come and go.
func TestUnmapPages(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, dir)
	fill(t, s, 60_000)
	if err := s.Close(); err != nil { // so that all is in tables
		t.Fatal(err)
	}
	s = openTest(t, dir)
	if n, _ := countURLs(t, s); n != 60_000 {
		t.Fatalf("%d URLs", n)
	}
	tables := len(s.db.Tables())
	mapped, before := tablePages(t, dir)
	if mapped != tables || before == 0 {
		t.Fatalf("%d of %d tables mapped, %d kB of them resident", mapped, tables, before)
	}
	s.unmapPages()
	if mapped, after := tablePages(t, dir); mapped != tables || after > before/10 {
		t.Errorf("%d of %d tables mapped, %d kB of %d resident", mapped, tables, after, before)
	}
	if cached, all := cachedPages(t, dir); cached < all*9/10 {
		t.Errorf("%d of %d pages stayed in the cache of files", cached, all)
	}
	var filled atomic.Bool
	var unmapping sync.WaitGroup
	unmapping.Go(func() {
		for !filled.Load() {
			s.unmapPages()
		}
	})
	fill(t, s, 60_000)
	filled.Store(true)
	unmapping.Wait()
	if n, _ := countURLs(t, s); n != 60_000 {
		t.Errorf("%d URLs", n)
	}
}

// TestRemap: a part of a mapped file reads as before, and memory of the program, that came to lie where
// a table was, is left alone.
func TestRemap(t *testing.T) {
	page := os.Getpagesize()
	content := make([]byte, 8*page)
	for i := range content {
		content[i] = byte(i / page)
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(content); err != nil {
		t.Fatal(err)
	}
	const rights = unix.PROT_READ | unix.PROT_WRITE
	for _, test := range []struct {
		name      string
		fd, flags int
		want      bool
	}{
		{"a mapped file", int(f.Fd()), unix.MAP_SHARED, true},
		{"a copy of a file", int(f.Fd()), unix.MAP_PRIVATE, false},
		{"memory", -1, unix.MAP_PRIVATE | unix.MAP_ANON, false},
	} {
		mapped, err := unix.Mmap(test.fd, 0, len(content), rights, test.flags)
		if err != nil {
			t.Fatal(err)
		}
		copy(mapped, content)
		mapped[3*page] = 'w' // since the last sync
		for _, first := range []int{3, 0} {
			from := uintptr(unsafe.Pointer(&mapped[first*page]))
			if got := remap(from, uintptr(len(mapped)-first*page), uintptr(first*page)); got != test.want {
				t.Errorf("%s was mapped anew: %t", test.name, got)
			}
		}
		for i := range mapped {
			if mapped[i] != content[i] && i != 3*page || mapped[3*page] != 'w' {
				t.Fatalf("byte %d of %s is %d", i, test.name, mapped[i])
			}
		}
		if err := unix.Munmap(mapped); err != nil {
			t.Fatal(err)
		}
	}
}

// tablePages counts the tables of a folder that are mapped, and how many kB of them are resident.
func tablePages(t *testing.T, dir string) (mapped, resident int) {
	t.Helper()
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	ours := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		if i := strings.IndexByte(line, '/'); i >= 0 && strings.Contains(line[:i], "-") {
			if ours = strings.HasPrefix(line[i:], dir) && strings.HasSuffix(line, ".sst"); ours {
				mapped++
			}
		} else if text, ok := strings.CutPrefix(line, "Rss:"); ok && ours {
			kB := 0
			if _, err := fmt.Sscan(text, &kB); err != nil {
				t.Fatal(line, err)
			}
			resident += kB
		} else if !strings.Contains(strings.SplitN(line, " ", 2)[0], ":") {
			ours = false // a mapping without a file
		}
	}
	return mapped, resident
}

// cachedPages counts the pages of the tables of a folder, and those that are in the cache of files.
func cachedPages(t *testing.T, dir string) (cached, all int) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			continue // a table that was merged with others since
		}
		defer f.Close()
		var stat unix.Cachestat_t
		err = unix.Cachestat(uint(f.Fd()), &unix.CachestatRange{Off: 0, Len: 0}, &stat, 0)
		if err != nil {
			t.Skip(err) // since Linux 6.5
		}
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		cached += int(stat.Cache)
		all += int(info.Size()) / os.Getpagesize()
	}
	return cached, all
}
