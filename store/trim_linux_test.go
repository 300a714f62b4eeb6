package store

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestAdvise: where single records are looked for, tables are mapped so that a page brings no
// neighbours; they bring them while a table is read from end to end.
func TestAdvise(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, dir)
	fill(t, s, 60_000)
	if err := s.Close(); err != nil { // so that all is in tables
		t.Fatal(err)
	}
	s = openTest(t, dir)
	for _, advice := range []uintptr{unix.MADV_NORMAL, unix.MADV_RANDOM, unix.MADV_NORMAL} {
		s.advise(unix.MADV_PAGEOUT, advice)
		all, random := mappedTables(t, dir)
		if all == 0 || (advice == unix.MADV_RANDOM) != (random == all) || random != 0 && random != all {
			t.Errorf("advice %d: %d of %d tables bring no neighbours", advice, random, all)
		}
		if n, _ := countURLs(t, s); n != 60_000 {
			t.Errorf("%d URLs", n)
		}
	}
	seen := 0
	for _, err := range s.URLs(1) {
		if err != nil {
			t.Fatal(err)
		}
		if seen++; (seen >= longScan) != (s.scans.Load() == 1) {
			t.Fatalf("%d scans after %d URLs", s.scans.Load(), seen)
		}
	}
	if n := s.scans.Load(); n != 0 {
		t.Errorf("%d scans after the last", n)
	}
}

// mappedTables counts the tables of a folder that are mapped, and those of them that are read in no
// order.
func mappedTables(t *testing.T, dir string) (all, random int) {
	t.Helper()
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	tables := map[string]bool{}
	name := ""
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		if i := strings.IndexByte(line, '/'); i >= 0 && strings.Contains(line[:i], "-") {
			name = line[i:]
		}
		if flags, ok := strings.CutPrefix(line, "VmFlags:"); ok && strings.HasPrefix(name, dir) &&
			strings.HasSuffix(name, ".sst") {
			tables[name] = tables[name] || strings.Contains(flags, " rr")
		}
	}
	for _, is := range tables {
		if all++; is {
			random++
		}
	}
	return all, random
}
